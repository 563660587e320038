"""distance3d: GJK, and EPA where the bodies overlap."""

from __future__ import annotations

import numpy as np
from distance3d import colliders, epa, gjk

from ..clock import seconds
from ..engine import Engine, Query, Run
from ..problems import Pairs

ROOM = {"max_iter": 500, "max_faces": 2000, "max_loose_edges": 500}


def loop(pairs: Pairs) -> Query:
    """Timed: `gjk_distance` (tolerance 1e-10) and, where it finds zero, `epa` (1e-8).

    With its default of 64 faces EPA gives up on a third of the pairs that overlap by 0.05, so it gets more.
    """
    bodies_a = [colliders.Ellipsoid(np.eye(4), radii) for radii in pairs.radii_a]
    bodies_b = [colliders.Ellipsoid(pose, radii) for pose, radii in zip(pairs.poses(), pairs.radii_b)]

    def query() -> Run:
        found = []
        start = seconds()
        for a, b in zip(bodies_a, bodies_b):
            try:
                distance, _, _, simplex = gjk.gjk_distance(a, b)
                if distance == 0.0:
                    distance = -np.linalg.norm(epa.epa(simplex, a, b, **ROOM)[0])
            except (AssertionError, ValueError, IndexError, ZeroDivisionError):  # raised when it fails
                distance = np.nan
            found.append(distance)
        return Run(seconds() - start, np.array(found))

    return query


def engines() -> list[Engine]:
    return [Engine("distance3d", loop, slow=100)]
