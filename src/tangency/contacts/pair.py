"""One pair of bodies, prepared once and queried many times: for tight Python loops."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..geometry.pose import PoseLike, draft
from ..io import validate
from ..kernels.rotations import ROW
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from ..shapes.shape import Shape
from .options import as_limits, as_normals, check_options, check_pair
from .result import Contact, Guess
from .single import CODES_AT, SINGLE, pack_pair, pack_plane, single, single_plane
from .status import VALUES

_IDENTITY = np.eye(4)
_SQUARE, _FLOAT, _empty = (4, 4), np.dtype(np.float64), np.empty


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
        self._solve, self._bodies = _prepare(a, b, tolerance, float(limit.reshape(())))
        self._own = tuple(shape for shape in (a, b) if getattr(shape, "_watched", ()))  # user-defined formulas

    def __call__(self, pose_a: PoseLike = None, pose_b: PoseLike = None, guess: Guess = None) -> Contact:
        """Contact of the two bodies at these poses; `guess` is an earlier result or a normal to start from."""
        normal = as_normals(guess)
        if normal.ndim != 1:
            validate.single({"guess": normal.shape[:-1]})
        frame_a, frame_b = plain_frame(pose_a), plain_frame(pose_b)
        if frame_a is not None and frame_b is not None:
            contact = self.at(frame_a, frame_b, normal)
            if contact is not None:
                return contact
        # Not orthogonal to machine precision: replaced by the nearest rotation, or refused.
        out = _empty(SINGLE)
        self._solve(*self._bodies, _plain(normal), _frame(pose_a, "pose_a"), _frame(pose_b, "pose_b"), True, out)
        return SingleContact(out, self)

    def at(self, frame_a: np.ndarray, frame_b: np.ndarray, normal: np.ndarray) -> Contact | None:
        """Contact at two frames, starting from a normal; None if a frame is not a rigid motion to machine precision."""
        for shape in self._own:
            shape._require_unchanged()
        out = _empty(SINGLE)
        if self._solve(*self._bodies, _plain(normal), frame_a, frame_b, False, out):
            return None
        return SingleContact(out, self)

    def __reduce__(self) -> tuple:
        # Addresses of compiled code are invalid in another process, so the pair is prepared again there.
        return _again, (self.a, self.b, self._options)

    def __repr__(self) -> str:
        return f"Pair({self.a!r}, {self.b!r})"


class SingleContact(Contact):
    """A contact whose numbers, poses and codes share one array; everything else is derived on access."""

    _pair: Pair

    def __init__(self, numbers: np.ndarray, pair: Pair) -> None:
        own = self.__dict__
        own["_values"], own["_pair"], own["shape"] = numbers, pair, ()

    @cached_property
    def _codes(self) -> np.ndarray:  # type: ignore[override]
        return self._values[CODES_AT:].astype(np.int32)

    @cached_property
    def _bodies(self) -> Any:  # type: ignore[override]
        rows = self._values[VALUES:CODES_AT].reshape(2, 1, ROW)
        return (self._pair.a, rows[0], ()), (self._pair.b, rows[1], ())


def _again(a: Shape, b: Shape, options: dict[str, Any]) -> Pair:
    return Pair(a, b, **options)


def _prepare(a: Shape, b: Shape, tol: float, limit: float) -> tuple:
    """The compiled function for the pair, and its data about the bodies."""
    if isinstance(a, HalfSpace):
        return single_plane, pack_plane(a, b, False)
    if isinstance(b, HalfSpace):
        return single_plane, pack_plane(b, a, True)
    return single, pack_pair(a, b, tol, limit)


def _plain(normal: np.ndarray) -> np.ndarray:
    """The array in the form that compiled code expects: views of other arrays may be read-only."""
    return normal if normal.flags.carray else normal.copy()


def prepared(a: Shape, b: Shape, tol: float) -> Pair:
    """The prepared pair of two single bodies, cached on one of them so that calls in a loop prepare it once."""
    kept = (b if isinstance(a, HalfSpace) else a)._prepared
    known = kept.get("pair")
    if known is not None and known.a is a and known.b is b and known.tol == tol:
        return known
    kept["pair"] = pair = Pair(a, b, tol=tol)
    return pair


def plain_frame(pose: Any) -> np.ndarray | None:
    """A single pose in a common form as a 4x4 matrix for compiled code; None for any other input."""
    if pose is None:
        return _IDENTITY
    if type(pose) is tuple and len(pose) == 2:
        return _joined(*pose)
    frame = _matrix(pose)
    return frame if frame is not None and frame.shape == _SQUARE and frame.flags.carray else None


def _joined(rotation: Any, translation: Any) -> np.ndarray | None:
    """The matrix of a single rotation and a single translation."""
    frame, place = _IDENTITY.copy(), np.asarray(translation) if type(translation) is list else translation
    if rotation is not None:
        matrix = _matrix(rotation)
        if matrix is None or matrix.shape != (3, 3):
            return None
        frame[:3, :3] = matrix
    if type(place) is not np.ndarray or place.shape != (3,) or place.dtype.kind not in "fi":
        return None
    frame[:3, 3] = place
    return frame


def _matrix(pose: Any) -> np.ndarray | None:
    """An array of floats unchanged; SciPy's rotations and transforms as matrices."""
    if type(pose) is not np.ndarray:
        if not type(pose).__module__.startswith("scipy.spatial.transform"):
            return None
        pose = pose.as_matrix()
    return pose if pose.dtype is _FLOAT else None


def _frame(pose: Any, name: str) -> np.ndarray:
    """A single pose as a 4x4 matrix, its rotation orthogonal to machine precision."""
    if pose is None:
        return _IDENTITY
    poses = draft(pose, name).filled()
    validate.single({name: poses.shape})
    return np.concatenate([poses.rows.reshape(3, 4), _IDENTITY[3:]])
