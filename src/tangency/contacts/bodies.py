"""Collections of bodies of different kinds, and contacts between pairs of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import plain_rows
from ..derivatives.refinement import refined
from ..geometry.pose import ROW, PoseLike, Poses, draft
from ..motions import Motion
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from ..shapes.mesh_wall import MeshWall
from ..shapes.shape import Shape
from ..shapes.stack import Index
from ..solvers.method import Method
from ..solvers.question import EACH, ONE, Query, Side, pick, room
from ..solvers.tables import Pick, Question, Rows
from . import dispatch
from .impact_answer import answered
from .impact_options import NO_POSES, checked
from .impact_result import Impact
from .impact_search import Moving, contacts_of
from .options import WALLS, as_limits, as_method, as_normals, check_options
from .result import Contact, Guess
from .status import CODES


class Family:
    """All bodies of one kind, from any number of stacks, with the interface of a stack that `dispatch` uses."""

    def __init__(self, shapes: list[Shape]) -> None:
        self._shapes = shapes
        self.kind = type(shapes[0])

    def __repr__(self) -> str:
        return f"a body of kind {self.kind.__name__}"

    @property
    def address(self) -> int:
        return self._shapes[0].address

    @cached_property
    def rows(self) -> np.ndarray:
        return np.concatenate([shape.rows for shape in self._shapes])

    @cached_property
    def bounds(self) -> np.ndarray:
        return np.concatenate([shape.bounds for shape in self._shapes])

    @cached_property
    def bends(self) -> bool:
        return any(shape.bends for shape in self._shapes)

    @cached_property
    def hollow(self) -> Family:
        """For cavities: the bodies whose outsides they are."""
        return Family([shape.hollow for shape in self._shapes])

    @property
    def is_round(self) -> bool:
        """For cavities: whether all are cylinders or cones."""
        return all(shape.is_round for shape in self._shapes)

    @property
    def ends(self) -> bool:
        """Of cavities: whether their ends are walls; those of one layout agree."""
        return self._shapes[0].ends

    @cached_property
    def walls(self) -> np.ndarray:
        return np.concatenate([shape.walls for shape in self._shapes])

    @property
    def has_implicit(self) -> bool:
        return self._shapes[0].has_implicit

    @property
    def implicit_address(self) -> int:
        return self._shapes[0].implicit_address

    def take(self, numbers: np.ndarray) -> Shape:
        """Bodies of one stack, selected by their numbers within the family."""
        first = np.concatenate([[0], np.cumsum([len(shape.rows) for shape in self._shapes])])
        stacks = np.searchsorted(first, numbers, side="right") - 1
        if (stacks != stacks[0]).any():
            raise ValueError(f"numbers must belong to one stack of the family, got {numbers.tolist()}")
        return self._shapes[stacks[0]].take(numbers - first[stacks[0]])

    def check_size(self) -> None:
        for shape in self._shapes:
            shape.check_size()


class Bodies:
    """Bodies of different shapes, numbered from 0, prepared once.

    Parameters
    ----------
    shapes : Shape or sequence of Shape
        Any mixture of single bodies and stacks; the bodies of a stack get consecutive numbers.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> bodies = tg.Bodies([tg.HalfSpace([0, 0, 1]), tg.Sphere([1.0, 2.0]), tg.Box([1, 1, 1])])
    >>> len(bodies)
    4
    >>> positions = [[0, 0, 0], [0, 0, 3], [5, 0, 2], [9, 0, 4]]
    >>> c = bodies.contact([[0, 1], [2, 3], [0, 3]], (None, positions))
    >>> c.distance.round(9).tolist()
    [2.0, 1.162277660, 3.0]
    """

    def __init__(self, shapes: Shape | Iterable[Shape]) -> None:
        if not isinstance(shapes, Shape | Iterable):
            raise TypeError(f"shapes must be a Shape or a sequence of them, got {type(shapes).__name__}")
        self.shapes: tuple[Shape, ...] = (shapes,) if isinstance(shapes, Shape) else tuple(shapes)
        for k, shape in enumerate(self.shapes):
            if not isinstance(shape, Shape):
                raise TypeError(f"shapes[{k}] must be a Shape, got {type(shape).__name__}")
            if isinstance(shape, MeshWall):
                raise TypeError(f"shapes[{k}] must be convex or a Cavity, got a MeshWall, for tangency.dynamics only")
        counts = np.array([int(np.prod(shape.batch_shape)) for shape in self.shapes], np.int64)
        self._first = np.concatenate([[0], np.cumsum(counts)])
        members: dict[Any, list[int]] = {}
        for k, shape in enumerate(self.shapes):
            members.setdefault(_layout(shape), []).append(k)
        self.families = [Family([self.shapes[k] for k in group]) for group in members.values()]
        # For each body: its stack, its family, and its number within the family.
        self._stack = np.repeat(np.arange(len(self.shapes)), counts)
        self._family, self._local = np.empty(len(self), np.int64), np.empty(len(self), np.int64)
        for number, group in enumerate(members.values()):
            own = np.concatenate([np.arange(self._first[k], self._first[k + 1]) for k in group])
            self._family[own], self._local[own] = number, np.arange(len(own))

    def __len__(self) -> int:
        return int(self._first[-1])

    def __repr__(self) -> str:
        return f"Bodies({len(self)} in {len(self.shapes)} stacks, {len(self.families)} kinds)"

    def contact(
        self,
        pairs: ArrayLike,
        poses: PoseLike = None,
        *,
        solver: str | Method = "certified",
        guess: Guess = None,
        tol: float = 1e-12,
        max_distance: ArrayLike | None = None,
        threads: int | None = None,
    ) -> Contact:
        """Contacts of pairs of bodies, in the given order.

        Parameters
        ----------
        pairs : (M, 2) array_like of int
            Numbers of the bodies A and B of each pair.
        poses : optional
            One pose per body, or one for all, as in :func:`tangency.contact`.
        guess, max_distance : optional
            One per pair, or one for all.
        solver, tol, threads
            As in :func:`tangency.contact`.

        Returns
        -------
        Contact
            Of shape (M,), in the order of `pairs`.
        """
        numbers = self._pairs(pairs)
        placed = draft(poses, "poses").filled()
        if placed.shape not in ((), (1,), (len(self),)):
            raise ValueError(f"poses must be one pose, or one per body ({len(self)}), got shape {placed.shape}")
        method = as_method(solver)
        tolerance, workers = check_options(tol, threads)
        count = len(numbers)
        normals, limits = as_normals(guess), as_limits(max_distance)
        for name, shape in (("guess", normals.shape[:-1]), ("max_distance", limits.shape)):
            if shape not in ((), (1,), (count,)):
                raise ValueError(f"{name} must be one value, or one per pair ({count}), got shape {shape}")
        question = Question(
            Rows(plain_rows(normals, (-1, 3)), pick(normals.shape[:-1], (count,))),
            Rows(plain_rows(limits, (-1, 1)), pick(limits.shape, (count,))),
            tolerance,
        )
        out = room(count, CODES if method is None else CODES + 1)
        columns = [np.ascontiguousarray(numbers[:, side]) for side in (0, 1)]
        for i, j, order in self._groups(*columns):
            sides = [
                Side(
                    self.families[family],
                    self._local[column],
                    placed.rows,
                    column if placed.shape == (len(self),) else ONE,
                )
                for family, column in zip((i, j), columns)
            ]
            group = Query(sides[0], sides[1], question, order, order.size or count, workers, out)
            if method is None:
                dispatch.answer(group)
            else:
                dispatch.answer_by(method, group)
        first, second = ((Picked(self, column), *_at(placed, column)) for column in columns)
        return refined(Contact(out.values, out.codes, (count,), (first, second)))

    def impact(
        self,
        pairs: ArrayLike,
        motions: Motion | PoseLike,
        t0: ArrayLike,
        t1: ArrayLike,
        tol: float = 1e-9,
        *,
        max_evaluations: int | None = None,
        threads: int | None = None,
    ) -> Impact:
        """First contacts of pairs of moving bodies, in the given order.

        Parameters
        ----------
        pairs : (M, 2) array_like of int
            Numbers of the bodies A and B of each pair.
        motions : Motion or pose
            One motion per body, or one for all, as in :func:`tangency.impact`.
        t0, t1 : array_like
            First and last time, one per pair or one for all [s].
        tol, max_evaluations, threads
            As in :func:`tangency.impact`.

        Returns
        -------
        Impact
            Of shape (M,), in the order of `pairs`.

        Examples
        --------
        >>> import tangency as tg
        >>> bodies = tg.Bodies([tg.HalfSpace([0, 0, 1]), tg.Sphere([1.0, 2.0])])
        >>> falling = tg.Drift((None, [[0, 0, 0], [0, 0, 3], [5, 0, 5]]), [[0, 0, 0], [0, 0, -1], [0, 0, -1]])
        >>> bodies.impact([[0, 1], [0, 2], [1, 2]], falling, 0.0, 9.0).time.round(6).tolist()
        [2.0, 3.0, inf]
        """
        options = checked(motions, "motions", t0, t1, tol, max_evaluations, threads)
        numbers = self._pairs(pairs)
        count, moving = len(numbers), options.motion
        if moving.batch_shape not in ((), (1,), (len(self),)):
            raise ValueError(f"motions must be one, or one per body ({len(self)}), got shape {moving.batch_shape}")
        for name, times in (("t0", options.begin), ("t1", options.end)):
            if times.shape not in ((), (1,), (count,)):
                raise ValueError(f"{name} must be one time, or one per pair ({count}), got shape {times.shape}")
        columns = [np.ascontiguousarray(numbers[:, side]) for side in (0, 1)]
        searches = []
        for i, j, order in self._groups(*columns):
            sides = []
            for family, column in zip((i, j), columns):
                side = Side(self.families[family], self._local[column], NO_POSES, EACH)
                sides.append(Moving(side, moving, column if moving.batch_shape == (len(self),) else ONE))
            searches.append(options.search(sides, (count,), order if order.size else np.arange(count)))
        found = answered(searches, count)

        def contact(times: np.ndarray) -> Contact:
            out, rows = contacts_of(searches, times)
            first, second = ((Picked(self, column), part, (count,)) for column, part in zip(columns, rows))
            return refined(Contact(out.values, out.codes, (count,), (first, second)))

        return Impact(found.values, found.codes, (count,), contact)

    def _pairs(self, pairs: Any) -> np.ndarray:
        try:
            raw = np.asarray(pairs)
        except ValueError:
            raise ValueError("pairs must be whole numbers of shape (M, 2), got rows of different lengths") from None
        if raw.size == 0:
            raw = raw.reshape(0, 2).astype(np.int64)
        if raw.ndim != 2 or raw.shape[1] != 2 or raw.dtype.kind not in "iu":
            raise ValueError(f"pairs must be whole numbers of shape (M, 2), got {raw.dtype} of shape {raw.shape}")
        numbers = raw.astype(np.int64)
        wrong = (numbers < 0) | (numbers >= len(self))
        if wrong.any():
            raise ValueError(f"pairs must lie between 0 and {len(self) - 1}, got {numbers[wrong][0]}")
        same = numbers[:, 0] == numbers[:, 1]
        if same.any():
            raise ValueError(f"pairs must name two different bodies, got {numbers[same][0].tolist()}")
        unbounded = np.array([issubclass(family.kind, WALLS) for family in self.families], bool)
        walls = unbounded[self._family[numbers]].all(axis=1)
        if walls.any():
            first, second = numbers[walls][0]
            raise ValueError(
                "pairs must not join two half-spaces or cavities, which have no distance of interest, "
                f"got [{first}, {second}]"
            )
        return numbers

    def _groups(self, a: np.ndarray, b: np.ndarray) -> Iterable[tuple[int, int, Pick]]:
        """Pairs grouped by the kinds of A and B: (family of A, family of B, indices of the pairs)."""
        keys = self._family[a] * len(self.families) + self._family[b]
        if len(keys) and (keys == keys[0]).all():
            yield int(keys[0]) // len(self.families), int(keys[0]) % len(self.families), EACH
            return
        order = np.argsort(keys, kind="stable")
        present, starts = np.unique(keys[order], return_index=True)
        for key, start, stop in zip(present.tolist(), starts, [*starts[1:], len(order)]):
            yield key // len(self.families), key % len(self.families), np.ascontiguousarray(order[start:stop])


class Picked:
    """A selection of bodies, for the curvatures and derivatives of a contact."""

    def __init__(self, bodies: Bodies, numbers: np.ndarray) -> None:
        self._bodies, self._numbers = bodies, numbers

    def stacks(self) -> list[tuple[Shape, np.ndarray, np.ndarray]]:
        """Each stack among the bodies, the row of every contact in it, and which contacts belong to it."""
        numbers = np.reshape(self._numbers, -1)
        stacks = self._bodies._stack[numbers]
        return [(self._bodies.shapes[k], numbers - self._bodies._first[k], stacks == k) for k in np.unique(stacks)]

    def broadcast_to(self, shape: tuple[int, ...]) -> Picked:
        return self

    def __getitem__(self, index: Index) -> Picked:
        return Picked(self._bodies, self._numbers[index])


def _layout(shape: Shape) -> Any:
    """Shapes with equal layouts share their compiled formulas and can be stored in one table."""
    if isinstance(shape, HalfSpace):
        return HalfSpace
    if isinstance(shape, Cavity):
        return *shape.layout, shape.hollow.rows.shape[1]
    return type(shape), shape.layout, shape.rows.shape[1]


def _at(poses: Poses, numbers: np.ndarray) -> Poses:
    if poses.shape == ():
        return poses
    rows = poses.rows[numbers if len(poses.rows) > 1 else numbers * 0]
    return Poses(rows.reshape(-1, ROW), numbers.shape)
