"""One pair of bodies, prepared once and asked many times: for tight Python loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import validate
from .explicit.plane import half_space
from .kernels.rotations import ROW, from_frame
from .options import as_limits, as_normals, check_options, check_pair
from .pose import draft
from .result import CODES, VALUES, Contact
from .shape import Shape
from .shapes.half_space import HalfSpace
from .solvers.certified import certified
from .solvers.sides import EACH, ONE

_IDENTITY = np.eye(3, 4).reshape(1, ROW)
_SQUARE, _ROWS, _FLOAT, _INTEGER, _empty = (4, 4), (1, ROW), np.dtype(np.float64), np.dtype(np.int32), np.empty
_NO_GUESS = np.zeros((1, 3))


class Pair:
    """Two single bodies, prepared for many queries.

    Calling it answers as :func:`tangency.contact` with the default solver does, in a few microseconds.
    Stacks of bodies and poses need no preparation: give them to :func:`tangency.contact` at once.

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
        tolerance, _ = check_options(tol, 1)
        limit = as_limits(max_distance)
        validate.single({"a": a.batch_shape, "b": b.batch_shape, "max_distance": limit.shape})
        self.a, self.b = a, b
        self._limits = (limit.reshape(1, 1), ONE)
        self._tol = tolerance
        self._flipped = isinstance(b, HalfSpace)
        self._plane = self._flipped or isinstance(a, HalfSpace)
        self._bodies = tuple(_prepare(shape) for shape in (a, b))
        self._bends = not self._plane and (a.bends or b.bends)

    def __call__(self, pose_a: Any = None, pose_b: Any = None, guess: Any = None) -> Contact:
        """Contact of the two bodies at these poses; `guess` is an earlier answer or a normal to start from."""
        rows_a, rows_b = _rows(pose_a, "pose_a"), _rows(pose_b, "pose_b")
        values, codes = _empty(VALUES), _empty(CODES, _INTEGER)
        normal = _NO_GUESS if guess is None else _single_normal(guess)
        a, b = (*self._bodies[0], rows_a, ONE), (*self._bodies[1], rows_b, ONE)
        if self._plane:
            plane, body = (b, a) if self._flipped else (a, b)
            half_space(plane, body, self._flipped, EACH, 0, 1, values, codes)
        else:
            certified(a, b, self._bends, (normal, ONE), self._limits, self._tol, EACH, 0, 1, values, codes)
        return Contact(values, codes, (), ((self.a, rows_a, ()), (self.b, rows_b, ())))

    def __repr__(self) -> str:
        return f"Pair({self.a!r}, {self.b!r})"


def _prepare(shape: Shape) -> tuple:
    if isinstance(shape, HalfSpace):
        return shape.rows, ONE
    return shape.address, shape.rows, shape.bounds, ONE


def _single_normal(guess: Any) -> np.ndarray:
    normal = as_normals(guess)
    validate.single({"guess": normal.shape[:-1]})
    return np.array(normal).reshape(1, 3)


def is_frame(pose: Any) -> bool:
    """Whether compiled code takes the pose without a copy: none, or a plain 4x4 matrix."""
    if pose is None:
        return True
    return type(pose) is np.ndarray and pose.shape == _SQUARE and pose.dtype is _FLOAT and pose.flags.carray


def _rows(pose: Any, name: str) -> np.ndarray:
    """A single pose as `Poses` hold it."""
    if pose is None:
        return _IDENTITY
    if is_frame(pose):
        rows = _empty(_ROWS)
        if from_frame(pose, rows):
            return rows
    poses = draft(pose, name).filled()
    validate.single({name: poses.shape})
    return poses.rows
