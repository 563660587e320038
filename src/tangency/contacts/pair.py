"""One pair of bodies, prepared once and queried many times: for tight Python loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..derivatives.refinement import refined
from ..geometry.direct_pose import IDENTITY, direct_pose
from ..geometry.pose import PoseLike, draft
from ..io import validate
from ..kernels.rotations import ROW
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from ..shapes.shape import Shape
from .options import NO_GUESS, as_limits, as_normals, check_options, check_pair
from .result import Contact, Guess, fixed, lazy
from .single import CODES_AT, SINGLE, SOLVED, pair_record, plane_record, single, single_plane
from .status import VALUES

_empty, _array, _new = np.empty, np.ndarray, object.__new__


class Pair:
    """Two single bodies, prepared for many queries.

    A call gives the same result as :func:`tangency.contact` with the default solver, in a few microseconds.
    Stacks of bodies and poses need no preparation: pass them to :func:`tangency.contact` directly.

    Parameters
    ----------
    a, b : Shape
        One body each.
    tol, max_distance
        As in :func:`tangency.contact`.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> pair = tg.Pair(tg.Ellipsoid([3, 2, 1]), tg.Sphere(1.0))
    >>> pose = np.eye(4)
    >>> for x in (5.0, 4.5, 4.0):
    ...     pose[0, 3] = x
    ...     print(float(pair(None, pose).distance))
    1.0
    0.5
    0.0
    """

    def __init__(self, a: Shape, b: Shape, *, tol: float = 1e-12, max_distance: float | None = None) -> None:
        check_pair(a, b)
        for name, shape in (("a", a), ("b", b)):
            if isinstance(shape, Cavity):
                raise TypeError(f"{name} must not be a Cavity: use tangency.contact, which needs no preparation")
        tolerance, _ = check_options(tol, 1)
        limit = as_limits(max_distance)
        validate.single({"a": a.batch_shape, "b": b.batch_shape, "max_distance": limit.shape})
        self.a, self.b, self.tol = a, b, tolerance
        self._options = {"tol": tol, "max_distance": max_distance}
        self._solve, self._record = _prepare(a, b, tolerance, float(limit.reshape(())))
        self._own = tuple(shape for shape in (a, b) if getattr(shape, "_watched", ()))  # user-defined formulas

    def __call__(self, pose_a: PoseLike = None, pose_b: PoseLike = None, guess: Guess = None) -> Contact:
        """Contact of the two bodies at these poses; `guess` is an earlier result or a normal to start from."""
        # Every call and every object counts here: 4x4 matrices are passed as they are, and checked by compiled code.
        turn_a = place_a = IDENTITY if pose_a is None else pose_a
        turn_b = place_b = IDENTITY if pose_b is None else pose_b
        if type(turn_a) is not _array or type(turn_b) is not _array:
            a, b = direct_pose(turn_a), direct_pose(turn_b)
            if a is None or b is None:
                return self._uncommon(pose_a, pose_b, guess)
            (turn_a, place_a), (turn_b, place_b) = a, b
        if self._own:
            for shape in self._own:
                shape._require_unchanged()
        out = _empty(SINGLE)
        normal = NO_GUESS if guess is None else as_normals(guess)
        end = self._solve(self._record, normal, turn_a, place_a, turn_b, place_b, False, out)
        if end != SOLVED:
            return _nearly(SingleContact(out, self)) if end else self._uncommon(pose_a, pose_b, guess)
        contact = _new(SingleContact)
        _set_values(contact, out)
        _set_pair(contact, self)
        return contact

    def _uncommon(self, pose_a: PoseLike, pose_b: PoseLike, guess: Guess) -> Contact:
        """The same for poses that need the full check: other forms, not orthogonal to machine precision, or wrong."""
        normal = as_normals(guess)
        if normal.ndim != 1:
            validate.single({"guess": normal.shape[:-1]})
        # Not orthogonal to machine precision: replaced by the nearest rotation, or refused.
        frame_a, frame_b, out = _frame(pose_a, "pose_a"), _frame(pose_b, "pose_b"), _empty(SINGLE)
        self._solve(self._record, normal, frame_a, frame_a, frame_b, frame_b, True, out)
        return _nearly(SingleContact(out, self))

    def __reduce__(self) -> tuple:
        # Addresses of compiled code are invalid in another process, so the pair is prepared again there.
        return _again, (self.a, self.b, self._options)

    def __repr__(self) -> str:
        return f"Pair({self.a!r}, {self.b!r})"


class SingleContact(Contact):
    """A contact whose numbers, poses and codes share one array; everything else is derived on access."""

    # Slots are filled faster than the dictionary, which is only made for what is derived.
    __slots__ = ("_pair", "_values")
    _pair: Pair
    shape = ()

    def __init__(self, numbers: np.ndarray, pair: Pair) -> None:
        _set_values(self, numbers)
        _set_pair(self, pair)

    def __reduce__(self) -> tuple:
        return SingleContact, (self._values, self._pair)

    def _scalars(self, buffer: np.ndarray, k: int) -> np.ndarray:
        return fixed(buffer[k, ...])

    def _vectors(self, k: int) -> np.ndarray:
        return fixed(self._values[k : k + 3])

    @lazy
    def _codes(self) -> np.ndarray:  # type: ignore[override]
        return self._values[CODES_AT:].astype(np.int32)

    @lazy
    def _bodies(self) -> Any:  # type: ignore[override]
        rows = self._values[VALUES:CODES_AT].reshape(2, 1, ROW)
        return (self._pair.a, rows[0], ()), (self._pair.b, rows[1], ())


def _nearly(contact: SingleContact) -> SingleContact:
    """The same contact, its normal and points refined if the solver asked for it."""
    refined(contact)
    contact._values[CODES_AT + 1] = contact._codes[1]
    return contact


_set_values, _set_pair = SingleContact._values.__set__, SingleContact._pair.__set__  # type: ignore[attr-defined]


class Asked(Pair):
    """A pair that :func:`tangency.contact` has prepared: None for input that needs the full check."""

    def _uncommon(self, pose_a: PoseLike, pose_b: PoseLike, guess: Guess) -> Any:
        return None


def _again(a: Shape, b: Shape, options: dict[str, Any]) -> Pair:
    return Pair(a, b, **options)


def _prepare(a: Shape, b: Shape, tol: float, limit: float) -> tuple:
    """The compiled function for the pair, and its record of the bodies."""
    if isinstance(a, HalfSpace):
        return single_plane.call, plane_record(a, b, False)
    if isinstance(b, HalfSpace):
        return single_plane.call, plane_record(b, a, True)
    return single.call, pair_record(a, b, tol, limit)


def prepared(a: Shape, b: Shape, tol: float) -> Asked:
    """The prepared pair of two single bodies, cached on one of them so that calls in a loop prepare it once."""
    pair = recalled(a, b, tol)
    if pair is None:
        pair = (b if isinstance(a, HalfSpace) else a)._prepared["pair"] = Asked(a, b, tol=tol)
    return pair


def recalled(a: Any, b: Any, tol: Any) -> Asked | None:
    """The pair that the last query of these two objects prepared, if they are shapes and nothing came in between."""
    try:
        pair = (b if type(a) is HalfSpace else a)._prepared["pair"]
    except (AttributeError, KeyError):
        return None
    return pair if pair.a is a and pair.b is b and type(tol) is float and pair.tol == tol else None


def _frame(pose: Any, name: str) -> np.ndarray:
    """A single pose as a 4x4 matrix, its rotation orthogonal to machine precision."""
    if pose is None:
        return IDENTITY
    poses = draft(pose, name).filled()
    validate.single({name: poses.shape})
    return np.concatenate([poses.rows.reshape(3, 4), IDENTITY[3:]])
