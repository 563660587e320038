"""Contacts in CasADi: the distance as a Function with exact Jacobian and Hessian, for nonlinear programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shapes.shape import Shape
from .flat import BOTH, FlatPair

try:
    import casadi
except ImportError:
    raise ImportError("tangency.interop.casadi needs CasADi: pip install 'tangency[casadi]'") from None


def distance(a: Shape, b: Shape, name: str = "distance", **options: Any) -> Any:
    """The signed distance of two single bodies as a CasADi Function of their poses.

    Parameters
    ----------
    a, b : Shape
        One body each.
    name : str
        Name of the Function.
    **options
        As in :func:`tangency.contact`: tol, max_distance, threads.

    Returns
    -------
    casadi.Function
        ``(pose_a, pose_b) -> distance`` with 4x4 matrices.  First and second derivatives by anything on which the
        poses depend are exact; there are no third ones.

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
    pair = FlatPair(a, b, **options)
    inner = _Value(name, pair)
    poses = [casadi.MX.sym(f"pose_{which}", 4, 4) for which in "ab"]
    flat = casadi.vertcat(*(casadi.vec(pose[:3, :].T) for pose in poses))  # row by row
    function = casadi.Function(name, poses, [inner(flat)], ["pose_a", "pose_b"], ["distance"])
    function._callbacks = inner  # CasADi does not own them
    _KEPT.append(inner)
    return function


_KEPT: list[Any] = []  # callbacks must outlive all functions that use them


class _Callback(casadi.Callback):
    """A function of 24 numbers; `rows` x `columns` results."""

    def __init__(self, name: str, pair: FlatPair, rows: int, columns: int) -> None:
        casadi.Callback.__init__(self)
        self._pair, self._rows, self._columns = pair, rows, columns
        self._derivatives: list[Any] = []
        self.construct(name, {})

    def get_n_in(self) -> int:
        return 1

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_in(self, i: int) -> Any:
        return casadi.Sparsity.dense(BOTH, 1)

    def get_sparsity_out(self, i: int) -> Any:
        return casadi.Sparsity.dense(self._rows, self._columns)

    def _value(self, poses: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def eval(self, arguments: Any) -> list[Any]:
        poses = np.array(arguments[0]).reshape(BOTH)
        return [casadi.DM(np.asarray(self._value(poses)).reshape(self._rows, self._columns))]


class _WithJacobian(_Callback):
    """A callback whose Jacobian is another one."""

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: list[str], onames: list[str], options: dict) -> Any:
        inner = self._next(f"{name}_inner")
        self._derivatives.append(inner)
        x, out = casadi.MX.sym("x", BOTH), casadi.MX.sym("out", self._rows, self._columns)
        return casadi.Function(name, [x, out], [inner(x)], inames, onames, options)

    def _next(self, name: str) -> Any:
        raise NotImplementedError


class _Value(_WithJacobian):
    def __init__(self, name: str, pair: FlatPair) -> None:
        super().__init__(name, pair, 1, 1)

    def _value(self, poses: np.ndarray) -> np.ndarray:
        return self._pair.value(poses)

    def _next(self, name: str) -> Any:
        return _Gradient(name, self._pair)


class _Gradient(_WithJacobian):
    def __init__(self, name: str, pair: FlatPair) -> None:
        super().__init__(name, pair, 1, BOTH)

    def _value(self, poses: np.ndarray) -> np.ndarray:
        return self._pair.gradient(poses)

    def _next(self, name: str) -> Any:
        return _Hessian(name, self._pair)


class _Hessian(_Callback):
    def __init__(self, name: str, pair: FlatPair) -> None:
        super().__init__(name, pair, BOTH, BOTH)

    def _value(self, poses: np.ndarray) -> np.ndarray:
        return self._pair.hessian(poses)
