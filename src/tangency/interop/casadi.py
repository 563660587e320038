"""Contacts in CasADi: the distance as a Function with exact Jacobian and Hessian, for nonlinear programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shapes.shape import Shape
from .pose_vectors import BOTH, FlatPair

try:
    import casadi
except ImportError:
    raise ImportError("tangency.interop.casadi needs CasADi: pip install 'tangency[casadi]'") from None


def distance(a: Shape, b: Shape, name: str = "distance", *, count: int = 1, **options: Any) -> Any:
    """The signed distance of two single bodies as a CasADi Function of their poses.

    Parameters
    ----------
    a, b : Shape
        One body each.
    name : str
        Name of the Function.
    count : int
        Number of pairs of poses, side by side, such as the times of a path.  The result is that of
        ``distance(a, b).map(count)``, but one call solves all of them, with sparse derivatives.
    **options
        As in :func:`tangency.contact`: tol, max_distance, threads.

    Returns
    -------
    casadi.Function
        ``(pose_a, pose_b) -> distance`` with 4x4 matrices, or 4x(4 count) matrices and 1 x count distances.  First and
        second derivatives by anything on which the poses depend are exact; there are no third ones.

    Notes
    -----
    The Function keeps its callbacks alive; it cannot be serialised or turned into C code.

    Examples
    --------
    >>> import casadi
    >>> import tangency as tg
    >>> from tangency.interop.casadi import distance
    >>> gap = distance(tg.Ellipsoid([3, 2, 1]), tg.Sphere(1.0))
    >>> x = casadi.MX.sym("x", 3)
    >>> pose = casadi.MX.eye(4)
    >>> pose[:3, 3] = x
    >>> slope = casadi.Function("slope", [x], [casadi.jacobian(gap(casadi.DM.eye(4), pose), x)])
    >>> slope([0, 0, 4]).full().round(9).tolist()
    [[0.0, 0.0, 1.0]]
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f"count must be a whole number >= 1, got {count!r}")
    pair = FlatPair(a, b, **options)
    inner = _Value(name, pair, count)
    poses = [casadi.MX.sym(f"pose_{which}", 4, 4 * count) for which in "ab"]
    rows = [casadi.vec(pose[:3, 4 * k : 4 * k + 4].T) for k in range(count) for pose in poses]  # row by row
    function = casadi.Function(name, poses, [inner(casadi.vertcat(*rows)).T], ["pose_a", "pose_b"], ["distance"])
    function._callbacks = inner  # type: ignore[attr-defined]  # CasADi does not own them
    _KEPT.append(inner)
    return function


_KEPT: list[Any] = []  # callbacks must outlive all functions that use them


class _Callback(casadi.Callback):
    """A function of 24 numbers for each of `count` pairs.

    The results of a pair depend on its own 24 numbers only.  CasADi stores matrices column by column; the patterns are
    such that the entries of the first pair come first.
    """

    def __init__(self, name: str, pair: FlatPair, count: int) -> None:
        casadi.Callback.__init__(self)
        self._pair, self._count = pair, count
        self._sparsity = self.pattern(count)
        self._last: tuple[bytes, Any] | None = None
        self._derivatives: list[Any] = []
        self.construct(name, {})

    @staticmethod
    def pattern(count: int) -> Any:
        """Sparsity of the result."""
        raise NotImplementedError

    def _entries(self, poses: np.ndarray) -> np.ndarray:
        """Entries of the result for poses (count, 24), or (24,) if there is one pair."""
        raise NotImplementedError

    def get_n_in(self) -> int:
        return 1

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_in(self, i: int) -> Any:
        return casadi.Sparsity.dense(BOTH * self._count, 1)

    def get_sparsity_out(self, i: int) -> Any:
        return self._sparsity

    def eval(self, arguments: Any) -> list[Any]:
        poses = np.array(arguments[0])
        if self._last is None or self._last[0] != poses.tobytes():  # CasADi often asks twice for the same poses
            entries = self._entries(poses.reshape((self._count, BOTH) if self._count > 1 else BOTH))
            self._last = poses.tobytes(), casadi.DM(self._sparsity, np.ravel(entries))
        return [self._last[1]]


class _WithJacobian(_Callback):
    """A callback whose Jacobian is another one, of the class `jacobian_class`."""

    jacobian_class: type[_Callback]

    def has_jac_sparsity(self, oind: int, iind: int) -> bool:
        return True

    def get_jac_sparsity(self, oind: int, iind: int, symmetric: bool) -> Any:
        return self.jacobian_class.pattern(self._count)

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: Any, onames: Any, options: Any) -> Any:
        inner = self.jacobian_class(f"{name}_inner", self._pair, self._count)
        self._derivatives.append(inner)
        x, out = casadi.MX.sym("x", BOTH * self._count), casadi.MX.sym("out", self._sparsity)
        return casadi.Function(name, [x, out], [inner(x)], inames, onames, options)


class _Hessian(_Callback):
    """Derivative of the Jacobian, whose places are counted column by column: 24 x 24 entries per pair."""

    @staticmethod
    def pattern(count: int) -> Any:
        pair, column, place = np.indices((count, BOTH, BOTH)).reshape(3, -1)
        rows = pair + count * (BOTH * pair + place)
        size = BOTH * count
        return casadi.Sparsity.triplet(count * size, size, rows.tolist(), (BOTH * pair + column).tolist())

    def _entries(self, poses: np.ndarray) -> np.ndarray:
        return self._pair.hessian(poses)  # symmetric


class _Gradient(_WithJacobian):
    """Jacobian of the distances: one row per pair, with 24 entries."""

    jacobian_class = _Hessian

    @staticmethod
    def pattern(count: int) -> Any:
        columns = np.arange(BOTH * count)
        return casadi.Sparsity.triplet(count, columns.size, (columns // BOTH).tolist(), columns.tolist())

    def _entries(self, poses: np.ndarray) -> np.ndarray:
        return self._pair.gradient(poses)


class _Value(_WithJacobian):
    """Distances, a column."""

    jacobian_class = _Gradient

    @staticmethod
    def pattern(count: int) -> Any:
        return casadi.Sparsity.dense(count, 1)

    def _entries(self, poses: np.ndarray) -> np.ndarray:
        return self._pair.value(poses)
