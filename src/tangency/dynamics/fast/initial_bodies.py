"""The bodies of a world at the start of a run in fast mode."""

from __future__ import annotations

import numpy as np

from ...compiled.cache_lines import aligned
from ..assembly import Assembly
from ..tables import PLANE, ROUND
from ..wrenches import no_wrenches
from .body_steps import flocks_of
from .tables import AHEAD, FLOCK, MARK, FastBodies


def fast_bodies(assembly: Assembly) -> FastBodies:
    """The bodies of a world at the start."""
    count = len(assembly.names)
    # Bodies without a bound on their displacement per step: prescribed ones, links, and unbounded walls that may turn.
    numbers, unbounded = np.arange(count), assembly.owner[np.isin(assembly.kind, (PLANE, ROUND))]
    prescribed = np.isin(numbers, assembly.driven)
    for mechanism in assembly.joints.linkages:
        prescribed[mechanism.links] = True
    return FastBodies(
        y=assembly.start.copy(),
        forces=no_wrenches(count),
        extra=no_wrenches(count if assembly.is_loaded else 0),
        reach=assembly.reach,
        moved=prescribed | (np.isin(numbers, unbounded) & assembly.free),
        first_shape=np.searchsorted(assembly.owner, np.arange(count + 1)),
        order=np.arange(count),
        ahead=aligned((count, AHEAD)),
        moves=np.zeros(count),
        marks=np.zeros((count, MARK)),
        pads=np.zeros(count),
        flocks=np.zeros((flocks_of.py_func(count), FLOCK)),
    )
