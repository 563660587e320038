"""Coordination number: contacts per body."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..trajectory import Trajectory
from .network import network
from .selection import frame_of, selected


class Coordination(NamedTuple):
    """Contacts of the selected bodies."""

    contacts: np.ndarray  #: (K,) number of each body, in their order
    mean: float  #: of all bodies
    mechanical: float  #: of the bodies that bear load, those with at least two contacts; NaN if there are none
    rattlers: int  #: bodies with at most one contact


def coordination(run: Trajectory, *, frame: int = -1, bodies: Any = None, walls: bool = False) -> Coordination:
    """Contacts per body.

    Parameters
    ----------
    run : Trajectory
    frame, bodies : optional
        As in :func:`packing`.
    walls : bool
        Whether contacts with bodies that are not selected, such as walls, count, too.

    Returns
    -------
    Coordination
        The mean is 2 C / N for C contacts between N bodies; the mechanical one is (2 C - N1) / (N - N0 - N1) without
        the N0 and N1 bodies that have no or one contact [Thornton, Geotechnique 50 (2000) 43].

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.dynamics import Group, Interaction, World, measures, simulate
    >>> row = Group("row", tg.Sphere(0.1), (None, [[0.1999 * k, 0, 0] for k in range(4)]))
    >>> law = Interaction(tg.forces.KelvinVoigt(stiffness=1e3, damping=0.0))
    >>> run = simulate(World([row], gravity=[0, 0, 0], interaction=law), 1e-4, "fast", step=1e-4)
    >>> measures.coordination(run, frame=0).contacts.tolist()
    [1, 2, 2, 1]
    """
    number = frame_of(run, frame)
    mask = selected(run, bodies, number)
    found = network(run, frame=number, bodies=bodies)
    counts = np.zeros(len(run.names), np.int64)
    among = mask[found.body_a] & mask[found.body_b]
    keep = among | walls
    for side in (found.body_a, found.body_b):
        np.add.at(counts, side[keep], 1)
    own = counts[mask]
    bearing, single = int((own > 1).sum()), int((own == 1).sum())
    mechanical = (own.sum() - single) / bearing if bearing else np.nan
    return Coordination(own, float(own.mean()), float(mechanical), len(own) - bearing)
