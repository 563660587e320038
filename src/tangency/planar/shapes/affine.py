"""Affine image of a body: rotation, stretch, shear, reflection and translation in its own frame."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...kernels.jet import jet
from ...kernels.rounding import ROUNDING
from ..moments import Moments, arc_length_by_quadrature
from ..shape import Shape, bounded


class Affine(Shape):
    """Image of a body under x -> matrix x + translation.

    Parameters
    ----------
    body : Shape
        Any bounded planar shape.  An affine image of an affine image is stored as one map.
    matrix : (..., 2, 2) array_like
        Linear part of the map; must be invertible.
    translation : (..., 2) array_like
        Translation, applied after the matrix [m].

    Examples
    --------
    >>> from tangency import planar
    >>> planar.Circle(1.0).affine([[3, 0], [0, 2]], translation=[0, 5]).point([0, 1]).tolist()
    [0.0, 7.0]
    """

    class Kernel(NamedTuple):
        body: Any
        xx: float
        xy: float
        yx: float
        yy: float
        x: float
        y: float

        def jet(self, n):
            # h(L'n) + c.n and its gradient L x(L'n) + c
            m = (self.xx * n[0] + self.yx * n[1], self.xy * n[0] + self.yy * n[1])
            h, x, radius = jet(self.body, m)
            det = self.xx * self.yy - self.xy * self.yx
            # L maps the tangent at L'n to det(L) times that at n, over |L'n|: W -> L W L'
            q = math.sqrt((n[0] * n[0] + n[1] * n[1]) / (m[0] * m[0] + m[1] * m[1]))
            return (
                h + self.x * n[0] + self.y * n[1],
                (self.xx * x[0] + self.xy * x[1] + self.x, self.yx * x[0] + self.yy * x[1] + self.y),
                radius * (det * q) * (det * q) * q,
            )

    def __init__(self, body: Shape, matrix: ArrayLike, translation: ArrayLike = (0.0, 0.0)) -> None:
        body = bounded(body, "body")
        image = validate.array(matrix, "matrix")
        if image.ndim < 2 or image.shape[-2:] != (2, 2):
            raise ValueError(f"matrix must have shape (..., 2, 2), got shape {image.shape}")
        stretch = np.linalg.svd(image, compute_uv=False)
        if (stretch[..., 1] <= 1e-14 * stretch[..., 0]).any():
            raise ValueError(f"matrix must be invertible, got {image.tolist()}")
        moved = validate.vectors(translation, "translation", 2)
        if isinstance(body, Affine):
            moved = moved + (image @ body.translation[..., None])[..., 0]
            image, body = image @ body.matrix, body.body
        fields = {name: image[..., k // 2, k % 2].copy() for k, name in enumerate(("xx", "xy", "yx", "yy"))}
        self._set(body=body, **fields, x=moved[..., 0].copy(), y=moved[..., 1].copy())

    @property
    def body(self) -> Shape:
        """The shape that is mapped."""
        return self._fields["body"]

    @property
    def matrix(self) -> np.ndarray:
        """Linear part, (..., 2, 2)."""
        flat = np.stack([self._fields[name] for name in ("xx", "xy", "yx", "yy")], axis=-1)
        return flat.reshape(*flat.shape[:-1], 2, 2)

    @property
    def translation(self) -> np.ndarray:
        """Translation, (..., 2) [m]."""
        return np.stack([self._fields["x"], self._fields["y"]], axis=-1)

    def _stretch(self) -> np.ndarray:
        return np.linalg.svd(self.matrix, compute_uv=False)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Upper bound: the body's radius times the larger stretch, plus the translation [m]."""
        return self._stretch()[..., 0] * self.body.bounding_radius + np.linalg.norm(self.translation, axis=-1)

    @property
    def magnitude(self) -> np.ndarray:
        return self._stretch()[..., 0] * self.body.magnitude + np.linalg.norm(self.translation, axis=-1)

    @property
    def rounding(self) -> np.ndarray:
        return self._stretch()[..., 0] * self.body.rounding + ROUNDING * np.linalg.norm(self.translation, axis=-1)

    @property
    def core_radius(self) -> np.ndarray:
        """Lower bound on the radii of curvature of the ellipse to which the body's core circle is mapped [m]."""
        stretch = self._stretch()
        ratio = stretch[..., 1] / stretch[..., 0]
        # Exact for a rotation or reflection with scale, which maps circles to circles.
        return np.where(ratio > 1.0 - 1e-14, 1.0, 0.99 * ratio) * self.body.core_radius * stretch[..., 1]

    def _breaks(self) -> np.ndarray:
        angles = self.body._breaks()
        if not len(angles):
            return angles
        # Directions with L'n along m: n along the inverse of L' times m.
        n = np.linalg.solve(np.swapaxes(self.matrix, -1, -2), np.stack([np.cos(angles), np.sin(angles)]))
        return np.unique(np.arctan2(n[1], n[0]))

    def moments(self) -> Moments:
        """Moments from those of the body, exact if those are, except for the arc length."""
        moved = self.body.moments().mapped(self.matrix).moved(self.translation)
        matrix = self.matrix
        similar = np.allclose(
            matrix @ np.swapaxes(matrix, -1, -2) / np.abs(np.linalg.det(matrix))[..., None, None],
            np.eye(2),
            rtol=0,
            atol=1e-14,
        )
        return moved if similar else moved.with_arc_length(*arc_length_by_quadrature(self))
