"""The eight pairs of superellipsoids of Portal, Table 2, and the results printed in Tables 3 to 5.

The two exponents are 2/e1 (along z) and 2/e2 (in xy); the orientation is given by the Euler parameters e1, e2,
e3.  In Table 2 the header lacks the column of B's position.  The printed e2 of body A in case 7, -0.20, has the
wrong sign: with +0.20 the printed points lie on the surfaces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..contacts.query import contact
from ..contacts.result import Contact
from ..shapes.superellipsoid import Superellipsoid
from ..solvers.method import Method


class Placed(NamedTuple):
    """One superellipsoid of Table 2."""

    position: tuple[float, float, float]
    radii: tuple[float, float, float]
    exponents: tuple[float, float]  #: z, xy
    euler: tuple[float, float, float]

    @property
    def shape(self) -> Superellipsoid:
        return Superellipsoid.from_exponents(self.radii, self.exponents)

    @property
    def pose(self) -> tuple[Rotation, tuple[float, float, float]]:
        e = np.array(self.euler)
        return Rotation.from_quat([*e, np.sqrt(1.0 - e @ e)]), self.position


class Printed(NamedTuple):
    """One row of Tables 3 to 5."""

    label: str  #: method or constraint set
    distance: float  #: as printed, without a sign
    iterations: int
    evaluations: int
    points: tuple[tuple[float, float, float], tuple[float, float, float]]


_NONE, _TURN = (0.0, 0.0, 0.0), (0.0, 0.4, 0.25)
_BALL = ((1.0, 1.0, 1.0), (2.0, 2.0))
_BARREL = ((1.2, 1.4, 1.8), (2.6, 3.1))
_BRICK = ((1.5, 1.0, 1.0), (4.0, 2.2))

#: Portal, Table 2.
CASES: dict[int, tuple[Placed, Placed]] = {
    1: (Placed((0, 0, 0), *_BALL, _NONE), Placed((4, 0, 0), *_BALL, _NONE)),
    2: (Placed((4, 0, 0), *_BALL, _NONE), Placed((5.8, 0, 0), *_BALL, _NONE)),
    3: (Placed((0, 0, 0), *_BALL, _NONE), Placed((0, 0, 4), *_BARREL, _NONE)),
    4: (Placed((0, 0, 4), *_BARREL, _NONE), Placed((2, 1.5, 3), *_BRICK, _TURN)),
    5: (Placed((4, 0, 0), *_BALL, _NONE), Placed((2, 1.5, 3), *_BRICK, _TURN)),
    6: (Placed((0, 0, 0), *_BALL, _NONE), Placed((2, 1.5, 3), *_BRICK, _TURN)),
    7: (
        Placed((-1, 2, 1), (1, 1.25, 1.6), (4, 2), (-0.1, 0.2, 0.14)),
        Placed((0.5, -1.5, 3.3), (2, 1.1, 0.6), (2.2, 4.5), (-0.4, 0.4, -0.05)),
    ),
    8: (
        Placed((1, 3.2, 1), (1, 1.25, 1.6), (4, 2.2), (0.3, 0, 0)),
        Placed((1.8, 1.5, 1.3), (2, 1.1, 0.6), (3.2, 2.5), (0.4, 0.4, -0.05)),
    ),
}

#: Portal, Table 3: factors of the initial estimate (A, B), then the rows IP and SQP.
TABLE3: dict[int, tuple[tuple[float, float], Printed, Printed]] = {
    1: (
        (0.2501, 0.2501),
        Printed("IP", 2.00, 0, 13, ((1, 0, 0), (3, 0, 0))),
        Printed("SQP", 2.00, 8, 69, ((1, 0, 0), (3, 0, 0))),
    ),
    2: (
        (0.5556, 0.5556),
        Printed("IP", 0.20, 0, 13, ((5, 0, 0), (4.8, 0, 0))),
        Printed("SQP", 0.20, 1, 7, ((5, 0, 0), (4.8, 0, 0))),
    ),
    3: (
        (0.2501, 0.4501),
        Printed("IP", 1.20, 0, 13, ((0, 0, 1), (0, 0, 2.2))),
        Printed("SQP", 1.20, 3, 28, ((0, 0, 1), (0.03, -0.01, 2.2))),
    ),
    4: (
        (0.5479, 0.5816),
        Printed("IP", 0.381, 11, 95, ((1.04, 0.95, 3.41), (0.71, 0.76, 3.46))),
        Printed("SQP", 0.381, 15, 128, ((1.01, 1.03, 4.39), (2.18, 0.96, 3.27))),
    ),
    5: (
        (0.2561, 0.3128),
        Printed("IP", 1.590, 8, 71, ((3.45, 0.49, 0.67), (2.56, 1.27, 1.74))),
        Printed("SQP", 1.587, 4, 36, ((3.38, 0.38, 0.71), (2.51, 1.16, 1.78))),
    ),
    6: (
        (0.2561, 0.2662),
        Printed("IP", 1.821, 8, 73, ((0.60, 0.34, 0.72), (1.69, 0.95, 2.05))),
        Printed("SQP", 1.821, 8, 69, ((0.59, 0.34, 0.73), (1.68, 0.96, 2.05))),
    ),
}

#: Portal, Table 4: case 7, interior point, all constraint sets.
TABLE4 = (
    Printed("a", 1.745, 12, 106, ((-0.4988, 1.168, 2.278), (-0.3599, -0.2923, 3.223))),
    Printed("b", 1.748, 4, 43, ((-0.526, 1.147, 2.248), (-0.361, -0.279, 3.246))),
    Printed("c", 1.746, 101, 775, ((-0.4822, 1.179, 2.292), (-0.3692, -0.2959, 3.219))),
    Printed("d", 1.747, 27, 222, ((-0.5161, 1.152, 2.255), (-0.373, -0.276, 3.251))),
    Printed("e", 1.745, 9, 80, ((-0.4976, 1.168, 2.278), (-0.3597, -0.2911, 3.225))),
    Printed("f", 1.745, 7, 63, ((-0.4925, 1.167, 2.276), (-0.3613, -0.2921, 3.224))),
    Printed("g", 1.745, 7, 67, ((-0.4995, 1.168, 2.279), (-0.3584, -0.2893, 3.228))),
    Printed("h", 1.745, 8, 71, ((-0.5057, 1.165, 2.274), (-0.3593, -0.2914, 3.225))),
)

#: Portal, Table 5: case 8, interior point, all constraint sets.
TABLE5 = (
    Printed("a", 0.0003, 6, 56, ((1.613, 2.001, 0.9268), (1.613, 2.001, 0.9268))),
    Printed("b", 0.4938, 9, 77, ((1.636, 1.864, 1.786), (1.280, 1.980, 1.464))),
    Printed("c", 0.0253, 41, 333, ((1.548, 1.961, 0.9468), (1.559, 1.944, 0.9316))),
    Printed("d", 0.0025, 89, 688, ((1.723, 2.158, 1.059), (1.724, 2.156, 1.06))),
    Printed("e", 0.4046, 14, 123, ((1.603, 1.817, 1.741), (1.362, 2.119, 1.619))),
    Printed("f", 0.0035, 17, 160, ((1.776, 2.185, 1.003), (1.778, 2.183, 1.003))),
    Printed("g", 0.0065, 18, 174, ((1.772, 2.187, 1.009), (1.775, 2.182, 1.011))),
    Printed("h", 0.1127, 30, 256, ((1.739, 2.214, 0.8419), (1.823, 2.140, 0.8434))),
)


def solve(case: int, solver: str | Method = "certified") -> Contact:
    """Contact of one of the pairs."""
    a, b = CASES[case]
    return contact(a.shape, b.shape, a.pose, b.pose, solver=solver)


def apart(printed: Printed, found: Contact) -> float:
    """Largest distance between a printed point and the computed one [m]."""
    points = np.stack([found.point_a, found.point_b])
    return float(np.linalg.norm(points - np.array(printed.points), axis=-1).max())
