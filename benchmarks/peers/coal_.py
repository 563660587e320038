"""Coal (formerly HPP-FCL) from Python."""

from __future__ import annotations

from functools import partial

import coal
import numpy as np

from ..clock import seconds
from ..engine import Engine, Query, Run
from ..problems import Pairs


def request(tolerance: float, variant: str = "DefaultGJK") -> coal.DistanceRequest:
    made = coal.DistanceRequest()
    made.gjk_tolerance = made.epa_tolerance = tolerance
    made.gjk_variant = getattr(coal.GJKVariant, variant)
    return made


def loop(pairs: Pairs, tolerance: float, variant: str = "DefaultGJK") -> Query:
    """Timed: `result.clear()` and `coal.distance`.

    Without the clear, Coal returns the old result once a pair has overlapped.
    """
    geometries_a = [coal.Ellipsoid(*radii) for radii in pairs.radii_a]
    geometries_b = [coal.Ellipsoid(*radii) for radii in pairs.radii_b]
    identity = coal.Transform3s.Identity()
    poses = [coal.Transform3s(turn, place) for turn, place in zip(pairs.rotation, pairs.position)]
    ask, result, distance = request(tolerance, variant), coal.DistanceResult(), coal.distance

    def query() -> Run:
        found = []
        start = seconds()
        for a, b, pose in zip(geometries_a, geometries_b, poses):
            result.clear()
            found.append(distance(a, identity, b, pose, ask, result))
        return Run(seconds() - start, np.array(found))

    return query


def loop_from_arrays(pairs: Pairs, tolerance: float) -> Query:
    """The same, with the construction of bodies and transforms timed as well."""
    identity = coal.Transform3s.Identity()
    ask, result, distance = request(tolerance), coal.DistanceResult(), coal.distance

    def query() -> Run:
        found = []
        start = seconds()
        for radii_a, radii_b, turn, place in zip(pairs.radii_a, pairs.radii_b, pairs.rotation, pairs.position):
            a, b, pose = coal.Ellipsoid(*radii_a), coal.Ellipsoid(*radii_b), coal.Transform3s(turn, place)
            result.clear()
            found.append(distance(a, identity, b, pose, ask, result))
        return Run(seconds() - start, np.array(found))

    return query


def engines() -> list[Engine]:
    return [
        Engine("Coal, default (1e-6)", partial(loop, tolerance=1e-6)),
        Engine("Coal, 1e-12", partial(loop, tolerance=1e-12)),
    ]
