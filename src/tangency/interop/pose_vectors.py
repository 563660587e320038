"""Contacts as functions of numbers: both poses as one vector, with exact first and second derivatives.

A pose is the matrix [R | t], row by row: twelve numbers, the first three rows of a 4x4 matrix; 24 for both bodies.
Derivatives by the entries of R are those of d(R) along rotations, zero along all other changes of R.  With the map P
from changes of the matrix to twists, they are P'g and P'H P: applied to matrices that depend on further variables, they
give exact first and second derivatives by these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contacts.options import check_pair
from ..contacts.query import contact
from ..contacts.result import Contact
from ..io import validate
from ..shapes.shape import Shape

POSE = 12  # numbers of a pose
BOTH = 2 * POSE
QUANTITIES = ("distance", "normal", "point_a", "point_b")
_CROSS = np.zeros((3, 3, 3))  # entries of the cross product
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _CROSS[_i, _j, _k], _CROSS[_i, _k, _j] = 1.0, -1.0


class FlatPair:
    """The contact of two single bodies as a function of both poses (..., 24)."""

    def __init__(self, a: Shape, b: Shape, **options: Any) -> None:
        check_pair(a, b)
        validate.single({"a": a.batch_shape, "b": b.batch_shape})
        self.a, self.b, self.options = a, b, options

    def contact(self, poses: np.ndarray) -> Contact:
        """Contacts at poses (..., 24)."""
        frames = np.zeros((*poses.shape[:-1], 2, 4, 4))
        frames[..., :3, :] = np.asarray(poses, dtype=np.float64).reshape(*poses.shape[:-1], 2, 3, 4)
        frames[..., 3, 3] = 1.0
        return contact(self.a, self.b, frames[..., 0, :, :], frames[..., 1, :, :], **self.options)

    def value(self, poses: np.ndarray, of: str = "distance") -> np.ndarray:
        """A quantity, (...) or (..., 3)."""
        return np.array(getattr(self.contact(poses), of))

    def gradient(self, poses: np.ndarray, of: str = "distance") -> np.ndarray:
        """Its derivative by the 24 numbers, (..., 24) or (..., 3, 24)."""
        c = self.contact(poses)
        by_twists = np.concatenate([c.jacobian(of, "pose_a"), c.jacobian(of, "pose_b")], axis=-1)
        twists = twists_of(poses)
        if of == "distance":
            return np.einsum("...k,...kp->...p", by_twists, twists)
        return by_twists @ twists

    def hessian(self, poses: np.ndarray) -> np.ndarray:
        """Second derivative of the distance, (..., 24, 24)."""
        c = self.contact(poses)
        rows = [np.concatenate([c.hessian((f"pose_{p}", f"pose_{q}")) for q in "ab"], axis=-1) for p in "ab"]
        twists = twists_of(poses)
        return np.swapaxes(twists, -1, -2) @ np.concatenate(rows, axis=-2) @ twists


class FunctionsOfPoses:
    """Contact of two single bodies as functions of their poses, arrays (..., 4, 4) of another library.

    `distance` has first and second derivatives, `normal`, `point_a` and `point_b` have first ones; higher ones raise a
    NotImplementedError.  Where a contact is not differentiable (`Contact.differentiable`), derivatives are finite.

    Parameters
    ----------
    a, b : Shape
        One body each.
    **options
        As in :func:`tangency.contact`: tol, max_distance, threads.
    """

    def __init__(self, a: Shape, b: Shape, **options: Any) -> None:
        self._flat = FlatPair(a, b, **options)

    def distance(self, pose_a: Any, pose_b: Any) -> Any:
        """Signed distance, (...)."""
        return self._call("distance", pose_a, pose_b)

    def normal(self, pose_a: Any, pose_b: Any) -> Any:
        """Common unit normal from A to B, (..., 3)."""
        return self._call("normal", pose_a, pose_b)

    def point_a(self, pose_a: Any, pose_b: Any) -> Any:
        """Contact point on A, (..., 3)."""
        return self._call("point_a", pose_a, pose_b)

    def point_b(self, pose_a: Any, pose_b: Any) -> Any:
        """Contact point on B, (..., 3)."""
        return self._call("point_b", pose_a, pose_b)

    def _call(self, of: str, pose_a: Any, pose_b: Any) -> Any:
        raise NotImplementedError


def twists_of(poses: np.ndarray) -> np.ndarray:
    """The map (..., 12, 24) from changes of both poses to hybrid twists of A and B.

    The angular velocity is the antisymmetric part of R' R^T, half of the sum over the columns r of r x r'.
    """
    matrices = np.asarray(poses, dtype=np.float64).reshape(*poses.shape[:-1], 2, 3, 4)
    found = np.zeros((*poses.shape[:-1], 2, 6, 2, 3, 4))
    for k in range(2):
        found[..., k, [0, 1, 2], k, [0, 1, 2], 3] = 1.0
        # omega_i = 1/2 sum over columns c of e_ijl R_jc dR_lc
        found[..., k, 3:, k, :, :3] = 0.5 * np.einsum("ijl,...jc->...ilc", _CROSS, matrices[..., k, :, :3])
    return found.reshape(*poses.shape[:-1], 12, BOTH)
