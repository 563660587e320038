"""Boxes in conical cavities, and how far they stick out: the distance of the farthest corner, in closed form."""

import numpy as np
from scipy.spatial.transform import Rotation

SIGNS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)


def beyond_endless(x, base, half, top):
    """How far points (M, K, 3) lie outside cones that go on beyond both ends: negative inside."""
    base, half, top = base[:, None], half[:, None], top[:, None]
    rho, z = np.hypot(x[..., 0], x[..., 1]), x[..., 2] + half
    slant = np.hypot(2 * half, base - top)
    along = ((top - base) * (rho - base) + 2 * half * z) / slant  # the line of the side, from its base
    across = (2 * half * (rho - base) + (base - top) * z) / slant
    with np.errstate(divide="ignore", invalid="ignore"):
        tip = base / (base - top)  # in units of the line
        past = np.where(base > top, along > tip * slant, along < tip * slant) & (base != top)
        return np.where(past, np.hypot(rho, z - 2 * half * tip), across)


def beyond_closed(x, base, half, top):
    """The same for cones with ends."""
    base, half, top = base[:, None], half[:, None], top[:, None]
    rho, z = np.hypot(x[..., 0], x[..., 1]), x[..., 2]
    slant = np.hypot(2 * half, base - top)
    across = (2 * half * (rho - base) + (base - top) * (z + half)) / slant
    along = np.clip(((top - base) * (rho - base) + 2 * half * (z + half)) / slant**2, 0.0, 1.0)
    side = np.hypot(rho - base - along * (top - base), z + half - 2 * half * along)
    ends = [np.hypot(np.maximum(rho - r, 0.0), z - e * half) for r, e in ((base, -1), (top, 1))]
    inside = np.maximum(across, np.abs(z) - half)
    return np.where(inside <= 0.0, inside, np.minimum(side, np.minimum(*ends)))


def random_boxes(rng, count):
    """Boxes in cones: small and large, inside, across the wall, past the tip and past the base."""
    base, half, top = rng.uniform(0.3, 2.0, (3, count))
    top = np.where(rng.random(count) < 0.4, 0.0, top)
    box = rng.uniform(0.05, 1.5, (count, 3)) * rng.choice([0.1, 1.0], (count, 1))
    turn, place = Rotation.random(count, rng=rng), rng.normal(size=(count, 3)) * rng.choice([0.2, 0.7, 2.0], (count, 1))
    corners = np.einsum("kij,kcj->kci", turn.as_matrix(), SIGNS * box[:, None]) + place[:, None]
    return (base, half, top), box, (turn, place), corners
