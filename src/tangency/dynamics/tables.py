"""Tables of a world and its contacts for compiled loops, with one row per body, shape, spring or pair.

The columns of each table are defined in one file: `state` (bodies), `spring`, `contact/laws`, `contact/columns`,
`validity` and ``shapes/bounds.py``.

Two rules for speed.  Numba is slow to identify named tuples that come from Python, so entry points take plain tuples
(`plain`) and convert them.  It also counts references for every array of a tuple that is passed on, so functions
that run for each contact take only the tables they need.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import jit
from .contact.laws import Laws

#: Kinds of shapes: ROUND is the inner side of a cylinder or cone, MESH a patch of a mesh wall.
SOLID, PLANE, HOLLOW, ROUND, MESH = range(5)
#: Sorts of shapes that are solved many at a time: ellipsoids (and spheres), superellipsoids, half-spaces; others are
#: solved alone.  The same numbers stand for batches of pairs: of ellipsoids, of superellipsoids or both, of ellipsoids
#: with half-spaces, and of superellipsoids with half-spaces.
ALONE, ELLIPSOIDS, POWERS, PLANES, POWER_PLANES = range(5)
LINE, FACES = 1, 2  # what is flat about a shape: a line, as on a capsule, or faces


class Shapes(NamedTuple):
    """The S shapes of all bodies."""

    solver: int  #: address of the compiled contact of two shapes, see ``contact/solve.py``
    kind: np.ndarray  #: (S,) SOLID, PLANE, HOLLOW, ROUND or MESH
    address: np.ndarray  #: (S + 1,) of their compiled formulas, or of the tables of a patch; the last: a point
    rows: np.ndarray  #: (S, W) their parameters, padded with zeros to equal width
    bounds: np.ndarray  #: (S, BOUNDS)
    widths: np.ndarray  #: (S,) smallest half width along the axes, ignoring very thin ones; huge if unbounded
    bends: np.ndarray  #: (S,) whether the kernel can step along flat places, see `Shape.bends`
    surface: np.ndarray  #: (S,) how their radii of curvature are found, see ``kernels/principal_radii.py``
    implicit: np.ndarray  #: (S,) addresses of their compiled implicit functions, or 0
    poses: np.ndarray  #: (S, 12) in the world, kept up to date by the loops
    flat: np.ndarray  #: (S,) LINE or FACES if they may touch in a patch, else 0
    radii: np.ndarray  #: (S, 3) semi-axes of spheres and ellipsoids, 0 for other shapes
    powers: np.ndarray  #: (S, 5) the same for superellipsoids as well, and the exponents of their support functions
    sort: np.ndarray  #: (S,) ALONE, ELLIPSOIDS, POWERS or PLANES
    lanes: tuple[int, int, int, int]  #: addresses of the solvers of batches, from ELLIPSOIDS on; 0 if not needed


class WorldTables(NamedTuple):
    """Data that stay constant during a run, except `extremes`, `fault` and the poses of the shapes."""

    inertia: np.ndarray  #: (N, INERTIA) of the bodies
    gravity: np.ndarray  #: (3,) [m/s^2]
    ends: np.ndarray  #: (M, 2) bodies at both ends of each spring, -1 for the world
    springs: np.ndarray  #: (M, SPRING)
    owner: np.ndarray  #: (S,) body of each shape
    labels: np.ndarray  #: (S,) numbers of the shapes in the world: loops may number them otherwise
    local: np.ndarray  #: (S, 12) poses of the shapes in the principal frames of their bodies
    principal: np.ndarray  #: (S,) whether a shape has the principal frame of its body
    body_labels: np.ndarray  #: (N,) numbers of the bodies in the world
    class_of: np.ndarray  #: (N,) class of each body, see ``law_table.py``
    law_of: np.ndarray  #: (C, C) row of `laws` for bodies of two classes, -1 if they never touch
    laws: Laws
    where: float  #: relative position of the point of application between the points on A (0) and B (1)
    extremes: np.ndarray  #: (EXTREMES,) largest values so far
    fault: np.ndarray  #: (FAULT,) the last law that returned a number that is not finite
    periods: np.ndarray  #: (3,) lengths of a periodic box [m], 0 for axes without periodic boundaries
    local_damping: float  #: fraction of the force on a body that resists its motion
    shapes: Shapes


class ContactTables(NamedTuple):
    """Pairs of shapes that may touch, and the data of each."""

    pairs: np.ndarray  #: (M, 2) numbers of the shapes A and B
    rows: np.ndarray  #: (M, ROW) distance, normal, point, curvatures
    memory: np.ndarray  #: (M, MEMORY) memory between steps
    records: np.ndarray  #: (M, RECORD) forces and energies at the last evaluation


def plain(tables: Any) -> Any:
    """Named tuples as plain ones, including nested ones."""
    return tuple(plain(part) if isinstance(part, tuple) else part for part in tables)


@jit
def named_world(tables):
    """The :class:`WorldTables` from the result of `plain`."""
    w = WorldTables(*tables)
    return WorldTables(
        inertia=w.inertia,
        gravity=w.gravity,
        ends=w.ends,
        springs=w.springs,
        owner=w.owner,
        labels=w.labels,
        local=w.local,
        principal=w.principal,
        body_labels=w.body_labels,
        class_of=w.class_of,
        law_of=w.law_of,
        laws=Laws(*w.laws),
        where=w.where,
        extremes=w.extremes,
        fault=w.fault,
        periods=w.periods,
        local_damping=w.local_damping,
        shapes=Shapes(*w.shapes),
    )
