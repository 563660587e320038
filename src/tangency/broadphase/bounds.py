"""Spheres and boxes that contain a body, in its own frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..shapes.shape import Shape, bounded


class BoundingSphere(NamedTuple):
    """A sphere that contains the body.

    Examples
    --------
    >>> import tangency as tg
    >>> float(tg.broadphase.bounding_sphere(tg.Ellipsoid([3, 2, 1])).radius)
    3.0
    """

    centre: np.ndarray  #: (..., 3) in the frame of the body [m]
    radius: np.ndarray  #: (...) [m]


class BoundingBox(NamedTuple):
    """A box along the axes of the body that contains the body.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.broadphase.bounding_box(tg.Sphere(2.0)).half_lengths.tolist()
    [2.0, 2.0, 2.0]
    """

    centre: np.ndarray  #: (..., 3) in the frame of the body [m]
    half_lengths: np.ndarray  #: (..., 3) [m]


def bounding_box(shape: Shape) -> BoundingBox:
    """Smallest box along the axes of the body's own frame; its pose makes it an oriented box.

    Parameters
    ----------
    shape : Shape
        A bounded body or a stack of them.

    Returns
    -------
    BoundingBox

    Examples
    --------
    >>> import tangency as tg
    >>> box = tg.broadphase.bounding_box(tg.Sphere(1.0).translate([5, 0, 0]))
    >>> box.centre.tolist(), box.half_lengths.tolist()
    ([5.0, 0.0, 0.0], [1.0, 1.0, 1.0])
    """
    half, centre = bounded(shape, "shape")._box()
    return BoundingBox(centre, half)


def bounding_sphere(shape: Shape) -> BoundingSphere:
    """The smaller of two spheres: about the origin of the body, and about its bounding box.

    Parameters
    ----------
    shape : Shape
        A bounded body or a stack of them.

    Returns
    -------
    BoundingSphere

    Examples
    --------
    >>> import tangency as tg
    >>> ball = tg.broadphase.bounding_sphere(tg.capsule(0.5, 2.0).translate([0, 0, 9]))
    >>> ball.centre.tolist(), float(ball.radius.round(4))
    ([0.0, 0.0, 9.0], 2.5981)
    """
    centre, half = bounding_box(shape)
    around, about = np.linalg.norm(half, axis=-1), np.broadcast_to(shape.bounding_radius, half.shape[:-1])
    smaller = about <= around
    return BoundingSphere(np.where(smaller[..., None], 0.0, centre), np.where(smaller, about, around))
