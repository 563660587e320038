"""Affine image of a body: rotation, stretch, shear, reflection and translation in its own frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.moments import Moments
from ..io import validate
from ..kernels.implicit import implicit
from ..kernels.inner_ball import inner_ball
from ..kernels.jet import bend, jet
from ..kernels.linear import least_eigenvalue
from ..kernels.rounding import ROUNDING
from ..kernels.vectors import congruence, cross, dot, mat_inverse_t, mat_mul, mat_t_mul, norm, scale
from .parameters import Carried, carried_together, tangent
from .shape import Shape, bounded

_NAMES = ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz")


class Affine(Shape):
    """Image of a body under x -> matrix x + translation.

    Parameters
    ----------
    body : Shape
        Any bounded shape.  An affine image of an affine image is stored as one map.
    matrix : (..., 3, 3) array_like
        Linear part of the map; must be invertible.
    translation : (..., 3) array_like
        Translation, applied after the matrix [m].

    Examples
    --------
    >>> import tangency as tg
    >>> ellipsoid = tg.Affine(tg.Sphere(1.0), [[3, 0, 0], [0, 2, 0], [0, 0, 1]], translation=[0, 0, 5])
    >>> ellipsoid.point([0, 0, 1]).tolist()
    [0.0, 0.0, 6.0]
    """

    class Kernel(NamedTuple):
        body: Any
        xx: float
        xy: float
        xz: float
        yx: float
        yy: float
        yz: float
        zx: float
        zy: float
        zz: float
        x: float
        y: float
        z: float

        def jet(self, n):
            # h(L'n) + c.n, its gradient L x(L'n) + c and its Hessian L W(L'n) L'
            m = (self.xx, self.xy, self.xz, self.yx, self.yy, self.yz, self.zx, self.zy, self.zz)
            c = (self.x, self.y, self.z)
            h, x, w = jet(self.body, mat_t_mul(m, n))
            x = mat_mul(m, x)
            return h + dot(c, n), (x[0] + c[0], x[1] + c[1], x[2] + c[2]), congruence(m, w)

        def inner_ball(self, n, h, x):
            # The image of a ball of radius r is an ellipsoid: (smallest semi-axis)^2 / h with h = r |L'n|
            r0, r1, r2 = (self.xx, self.xy, self.xz), (self.yx, self.yy, self.yz), (self.zx, self.zy, self.zz)
            m = mat_t_mul((*r0, *r1, *r2), n)
            length = norm(m)
            if not length > 0.0:
                return 0.0
            m = scale(m, 1.0 / length)
            h, x, _ = jet(self.body, m)
            return inner_ball(self.body, m, h, x) * least_eigenvalue(r0, r1, r2) / length

        def bend(self, n, d):
            # In the body's frame directions are L'n; the inverse of L', cofactors over det L, maps the result back.
            r0, r1, r2 = (self.xx, self.xy, self.xz), (self.yx, self.yy, self.yz), (self.zx, self.zy, self.zz)
            m = (self.xx, self.xy, self.xz, self.yx, self.yy, self.yz, self.zx, self.zy, self.zz)
            u = bend(self.body, mat_t_mul(m, n), mat_t_mul(m, d))
            c0, c1, c2 = cross(r1, r2), cross(r2, r0), cross(r0, r1)
            i = 1.0 / dot(r0, c0)
            return (i * dot(c0, u), i * dot(c1, u), i * dot(c2, u))

        def implicit(self, x):
            # The body's function at the preimage y = L^-1 (x - c); gradient L^-T g, Hessian L^-T H L^-1
            m = mat_inverse_t((self.xx, self.xy, self.xz, self.yx, self.yy, self.yz, self.zx, self.zy, self.zz))
            f, g, h = implicit(self.body, mat_t_mul(m, (x[0] - self.x, x[1] - self.y, x[2] - self.z)))
            return f, mat_mul(m, g), congruence(m, h)

    _parameters = {"body": None, "matrix": 2, "translation": 1}

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        back = np.linalg.inv(self.matrix)
        return self._carried_from(n, ((x - self.translation)[..., None, :] @ np.swapaxes(back, -1, -2))[..., 0, :])

    def _carried_from(self, n: np.ndarray, y: np.ndarray) -> Carried:
        """`_carried` at the image of y, a point of the body."""
        # x = L y + c, and n is along L^-T m; L_ij carries x by e_i y_j and tilts n by -n_i L^-T e_j.
        back, (rows, columns) = np.linalg.inv(self.matrix), np.divmod(np.arange(9), 3)
        m = (n[..., None, :] @ self.matrix)[..., 0, :]
        size = np.linalg.norm(m, axis=-1, keepdims=True)
        inner = self.body._carried(m / size, y)
        tilt = size[..., None] * (tangent(inner.tilt, m / size) @ back)
        return carried_together(
            Carried(inner.point @ np.swapaxes(self.matrix, -1, -2), tilt),
            Carried(y[..., columns, None] * np.eye(3)[rows], -n[..., rows, None] * back[..., columns, :]),
            Carried(np.eye(3), np.zeros((3, 3))),
        )

    def __init__(self, body: Shape, matrix: ArrayLike, translation: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        body = bounded(body, "body")
        image = validate.array(matrix, "matrix")
        if image.ndim < 2 or image.shape[-2:] != (3, 3):
            raise ValueError(f"matrix must have shape (..., 3, 3), got shape {image.shape}")
        stretch = np.linalg.svd(image, compute_uv=False)
        if (stretch[..., 2] <= 1e-14 * stretch[..., 0]).any():
            raise ValueError(f"matrix must be invertible, got {image.tolist()}")
        moved = validate.vectors(translation, "translation")
        if isinstance(body, Affine):
            moved = moved + (image @ body.translation[..., None])[..., 0]
            image, body = image @ body.matrix, body.body
        fields = {name: image[..., k // 3, k % 3].copy() for k, name in enumerate(_NAMES)}
        fields |= {name: moved[..., k].copy() for k, name in enumerate("xyz")}
        self._set(body=body, **fields)

    @property
    def body(self) -> Shape:
        """The shape that is mapped."""
        return self._fields["body"]

    @property
    def matrix(self) -> np.ndarray:
        """Linear part, (..., 3, 3)."""
        flat = np.stack([self._fields[name] for name in _NAMES], axis=-1)
        return flat.reshape(*flat.shape[:-1], 3, 3)

    @property
    def translation(self) -> np.ndarray:
        """Translation, (..., 3) [m]."""
        return np.stack([self._fields[name] for name in "xyz"], axis=-1)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Upper bound: the body's radius times the largest stretch, plus the translation [m]."""
        stretch = np.linalg.svd(self.matrix, compute_uv=False)[..., 0]
        return stretch * self.body.bounding_radius + np.linalg.norm(self.translation, axis=-1)

    @property
    def magnitude(self) -> np.ndarray:
        stretch = np.linalg.svd(self.matrix, compute_uv=False)[..., 0]
        return stretch * self.body.magnitude + np.linalg.norm(self.translation, axis=-1)

    @property
    def rounding(self) -> np.ndarray:
        stretch = np.linalg.svd(self.matrix, compute_uv=False)[..., 0]
        return stretch * self.body.rounding + ROUNDING * np.linalg.norm(self.translation, axis=-1)

    @property
    def core_radius(self) -> np.ndarray:
        """Lower bound on the radii of curvature of the ellipsoid to which the body's core ball is mapped [m]."""
        stretch = np.linalg.svd(self.matrix, compute_uv=False)
        return 0.99 * self.body.core_radius * stretch[..., 2] ** 2 / stretch[..., 0]

    @property
    def implicit(self) -> Callable[[ArrayLike], np.ndarray]:
        """The body's implicit function at the preimage of x, if the body has one."""
        if self.has_implicit:
            return super().implicit
        inner = self.body.implicit  # for bodies with edges, whose kernels have no such formula

        def implicit(x: Any) -> np.ndarray:
            local = validate.vectors(x, "x") - self.translation
            return inner(np.linalg.solve(self.matrix, local[..., None])[..., 0])

        return implicit

    def _vertices(self) -> np.ndarray | None:
        corners = self.body._vertices()
        if corners is None:
            return None
        return corners @ np.swapaxes(self.matrix, -1, -2) + self.translation[..., None, :]

    def moments(self) -> Moments:
        """Moments from those of the body: det(matrix) times the mapped integrals, exact if the body's are."""
        return self.body.moments().mapped(self.matrix).moved(self.translation)
