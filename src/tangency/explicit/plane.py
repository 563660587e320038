"""Half-space against any body: the support function is the answer (Römer 3-D, section 5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..shape import Shape
from ..shapes.half_space import HalfSpace

# Roundings of a support value, two rotations and the sum, in units of the last place.
UNITS = 24.0


class PlaneContact(NamedTuple):
    """World frame; `normal` points out of the half-space."""

    distance: np.ndarray
    normal: np.ndarray
    point: np.ndarray  #: lowest point of the body
    rounding: np.ndarray  #: bound on the rounding error of `distance`


def half_space_contact(
    plane: HalfSpace, body: Shape, pose_plane: tuple[np.ndarray, np.ndarray], pose_body: tuple[np.ndarray, np.ndarray]
) -> PlaneContact:
    """Signed distance of a body from a half-space, its lowest point and the normal."""
    normal = np.einsum("...ij,...j->...i", pose_plane[0], plane.normal)
    offset = plane.offset + (normal * pose_plane[1]).sum(axis=-1)
    rotation, position = pose_body
    local = -np.einsum("...ji,...j->...i", rotation, normal)
    support, x, _ = body.jet(local)
    height = (normal * position).sum(axis=-1)
    distance = height - support - offset
    point = np.einsum("...ij,...j->...i", rotation, x) + position
    lengths = np.linalg.norm(position, axis=-1) + np.linalg.norm(pose_plane[1], axis=-1)
    rounding = UNITS * np.finfo(float).eps * (lengths + abs(plane.offset) + body.magnitude)
    return PlaneContact(distance, np.broadcast_to(normal, point.shape), point, rounding)
