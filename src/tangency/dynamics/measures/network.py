"""The contact network of a frame with its forces, and the stress and fabric that follow from it."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..periodic import nearest_images, periods_of, wrapped
from ..trajectory import Trajectory
from .selection import frame_of, masses_of, region_of, selected, whole_axes


class Network(NamedTuple):
    """Contacts of one frame, of which at least one body is selected; the force is that on B."""

    body_a: np.ndarray  #: (C,) numbers of the bodies
    body_b: np.ndarray
    point: np.ndarray  #: (C, 3) of application, next to A [m]
    normal: np.ndarray  #: (C, 3) from A to B
    branch: (
        np.ndarray
    )  #: (C, 3) from the centre of mass of A to that of B, or from or to the point for other bodies [m]
    force: np.ndarray  #: (C, 3) [N]
    normal_force: np.ndarray  #: (C,) [N]
    tangential_force: np.ndarray  #: (C,) [N]


def network(run: Trajectory, *, frame: int = -1, bodies: Any = None) -> Network:
    """Contacts of one frame with their forces and branch vectors.

    Parameters
    ----------
    run : Trajectory
    frame, bodies : optional
        As in :func:`packing`.

    Returns
    -------
    Network
        A branch leads from centre to centre, in a periodic box to the nearest image.  A body that is not selected, such
        as a wall, counts as its contact point.
    """
    number = frame_of(run, frame)
    return _network(run, number, selected(run, bodies, number))[0]


def _network(run: Trajectory, number: int, mask: np.ndarray) -> tuple[Network, np.ndarray]:
    """The network of the selected bodies, and the part of each branch from A to the contact point."""
    all_ = run.contacts.at(number)
    keep = mask[all_.body_a] | mask[all_.body_b]
    a, b, point, force = all_.body_a[keep], all_.body_b[keep], all_.point[keep], all_.force[keep]
    centre = run.centre_of_mass[number]
    from_a = np.where(mask[a, None], nearest_images(point - centre[a], run.periodic), 0.0)
    to_b = np.where(mask[b, None], nearest_images(centre[b] - point, run.periodic), 0.0)
    normal, load = all_.normal[keep], all_.normal_force[keep]
    along = np.einsum("ki,ki->k", force, normal)
    across = np.linalg.norm(force - along[:, None] * normal, axis=1)
    return Network(a, b, point, normal, from_a + to_b, force, load, across), from_a


def stress(run: Trajectory, region: Any = None, *, frame: int = -1, bodies: Any = None, kinetic: bool = False) -> Any:
    """Mean stress in a region from the contact forces, (3, 3) [Pa]; compression is positive.

    The sum of force times branch over all contacts, divided by the volume of the region [Christoffersen, Mehrabadi and
    Nemat-Nasser 1981].  Of a branch, from A to the contact point and on to B, the parts that lie in the region count.

    Parameters
    ----------
    run : Trajectory
    region, frame, bodies : optional
        As in :func:`packing`.
    kinetic : bool
        Whether to add the kinetic stress, mass times velocity relative to the mean, squared, of the bodies whose centre
        lies in the region.

    Returns
    -------
    (3, 3) array
        Its first index is that of the force.
    """
    number = frame_of(run, frame)
    mask = selected(run, bodies, number)
    low, high = region_of(run, region, number, mask)
    found, from_a = _network(run, number, mask)
    branch = found.branch
    if region is not None:
        to_b = branch - from_a
        parts = [(found.point - from_a, from_a), (found.point, to_b)]
        branch = np.sum([_fraction(run, *part, low, high)[:, None] * part[1] for part in parts], axis=0)
    total = np.einsum("ki,kj->ij", found.force, branch)
    if kinetic:
        if region is not None:
            mask = mask & _inside(run, run.centre_of_mass[number], low, high)
        mass, v = masses_of(run).mass[mask], run.velocity[number, mask]
        v = v - (mass @ v) / max(mass.sum(), 1e-300)
        total = total + np.einsum("k,ki,kj->ij", mass, v, v)
    return total / np.prod(high - low)


def _fraction(run: Trajectory, start: np.ndarray, way: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Fractions (K,) of the ways from points that lie in a box or in one of its images."""
    whole, periods = whole_axes(run, low, high), periods_of(run.periodic)
    low, high = np.where(whole, -np.inf, low), np.where(whole, np.inf, high)
    repeated = (periods > 0.0) & ~whole
    start = start + _to_period(run, start, np.where(np.isfinite(low), low, 0.0))
    total = np.zeros(len(start))
    for shift in product(*((-1.0, 0.0, 1.0) if again else (0.0,) for again in repeated)):
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([corner + np.array(shift) * periods - start for corner in (low, high)]) / way
        # A way along which a coordinate does not change is inside or outside with its start: 0 / 0 is on a face.
        ends = np.sort(np.where(np.isnan(ends), [[[-np.inf]], [[np.inf]]], ends), axis=0)
        enter, leave = np.maximum(ends[0].max(axis=1), 0.0), np.minimum(ends[1].min(axis=1), 1.0)
        total += np.maximum(leave - enter, 0.0)
    return total


def _to_period(run: Trajectory, points: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Shifts that move points into the period that begins at `low`."""
    axes = zip(run.periodic or (None,) * 3, low)
    return wrapped(points, tuple(None if axis is None else (lo, lo + axis[1] - axis[0]) for axis, lo in axes))


def _inside(run: Trajectory, points: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Whether points or an image of them lie in a box."""
    points = points + _to_period(run, points, low)
    inside: np.ndarray = (points >= low) & (points <= high)
    return inside.all(axis=1)  # type: ignore[return-value]


def fabric(run: Trajectory, *, frame: int = -1, bodies: Any = None) -> np.ndarray:
    """Fabric tensor, the mean of n n over all contacts with normal n; (3, 3) with trace 1, zero without contacts.

    Parameters
    ----------
    run : Trajectory
    frame, bodies : optional
        As in :func:`packing`.

    Returns
    -------
    (3, 3) array
    """
    n = network(run, frame=frame, bodies=bodies).normal
    return np.einsum("ki,kj->ij", n, n) / max(len(n), 1)
