"""Römer 2-D, misprints: every equation that differs, as printed and corrected, against geometry known in closed form.

The body is a circle of radius 0.04 m about a point 0.015 m from P, touched by a circle of radius 0.01 m from outside,
from inside (a ring), or cut by a line; its pitch function, contact point and curvature are elementary.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..io.progress import Progress
from .study import Result, Study, Table

RHO, E, R = 0.04, 0.015, 0.01  # [m] radius of the body, distance of its centre from P, radius of the circle


class Geometry(NamedTuple):
    """Elementary geometry at polar angles theta of the circle's centre O, seen from P; C is the contact point."""

    g: np.ndarray  #: |PO|
    g1: np.ndarray  #: its derivative in theta
    along: np.ndarray  #: component of PC along the direction of increasing theta
    out: np.ndarray  #: component of PC along PO


def eccentric(theta: np.ndarray, distance: float, radius: float) -> Geometry:
    """O lies at `distance` from the body's centre, and C at `radius` from O towards it (away from it if negative)."""
    root = np.sqrt(distance**2 - (E * np.sin(theta)) ** 2)
    g = E * np.cos(theta) + root
    g1 = -E * np.sin(theta) * g / root
    # unit vector from the body's centre to O, along PO and across it
    out, across = (g - E * np.cos(theta)) / distance, E * np.sin(theta) / distance
    return Geometry(g, g1, -radius * across, g - radius * out)


class Misprint(NamedTuple):
    """An equation, with the largest relative error of the printed and of the corrected form."""

    equation: str
    printed: str
    right: str
    error_printed: float
    error_right: float


def _error(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.abs(found - exact).max() / np.abs(exact).max())


def _difference(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray) -> np.ndarray:
    h = 1e-5
    return (8.0 * (function(at + h) - function(at - h)) - function(at + 2 * h) + function(at - 2 * h)) / (12.0 * h)


def misprints(theta: np.ndarray) -> list[Misprint]:
    """The equations with errors."""
    outside = eccentric(theta, RHO + R, R)
    ring = eccentric(theta, RHO - R, -R)
    found = []

    # (53): PC is perpendicular to the velocity of P, (-g z_PC / z_C, g') per rate of alpha; a = x_PC / g'
    x, z = outside.along, -outside.out
    across = x / outside.g1 * outside.g * z / (outside.g + z)
    found.append(Misprint("(53)", "z_PC = -a g z_PC / z_C", "a g z_PC / z_C", _error(-across, z), _error(across, z)))

    # (56a): the component of PC along k_z, which points from O to P
    g, g1 = ring.g, ring.g1
    d = np.hypot(g, g1)
    forms = g + g * R / d, -g - g * R / d
    found.append(Misprint("(56a)", "z_PC = g + g R / D", "-g - g R / D", *(_error(v, -ring.out) for v in forms)))

    # (73): the contact point's polar angle in the body grows by 1 -/+ ...; PC has the components x, z in k_x, k_z
    def components(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        place = eccentric(at, RHO + R, R)
        return place.along, -place.out

    x, z = components(theta)
    x1 = _difference(lambda at: components(at)[0], theta)
    z1 = _difference(lambda at: components(at)[1], theta)
    term = (x1 * z - x * z1) / (x * x + z * z)

    def polar(at: np.ndarray) -> np.ndarray:
        place = eccentric(at, RHO + R, R)
        return at + np.arctan2(place.along, place.out)

    exact = _difference(polar, theta)
    found.append(
        Misprint("(73)", "1 + (x'z - xz')/(x^2 + z^2)", "1 - ...", _error(1 + term, exact), _error(1 - term, exact))
    )

    # (75a): a line instead of the circle, at the distance f from P; k_z points from the line to P
    towards = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    touching = np.array([E, 0.0]) + RHO * towards
    exact = -(touching * towards).sum(axis=-1)
    f = RHO + E * np.cos(theta)
    found.append(Misprint("(75a)", "z_PC = f", "-f", _error(f, exact), _error(-f, exact)))

    # (75c), the first line: the radius of curvature from z_PC = -f and x_PC' = f''
    sums = tuple(1.0 / (-E * np.cos(theta) + sign * -f) for sign in (1.0, -1.0))
    errors = tuple(_error(v, np.full_like(f, 1.0 / RHO)) for v in sums)
    found.append(Misprint("(75c)", "1 / (z_PC + x_PC')", "1 / (x_PC' - z_PC)", *errors))

    # (76a), (76c): the boundary itself in polar coordinates
    edge = eccentric(theta, RHO, 0.0)
    g, g1 = edge.g, edge.g1
    g2 = _difference(lambda at: eccentric(at, RHO, 0.0).g1, theta)
    found.append(Misprint("(76a)", "z_PC = g", "-g", _error(g, -edge.out), _error(-g, -edge.out)))
    bend = np.full_like(g, 1.0 / RHO)
    forms = tuple((g * g + 2 * g1 * g1 - last) / np.hypot(g, g1) ** 3 for last in (g2, g * g2))
    found.append(Misprint("(76c)", "g^2 + 2 g'^2 - g''", "g^2 + 2 g'^2 - g g''", *(_error(v, bend) for v in forms)))

    # (81) with no change of R: the distance g of O from P
    x, z = outside.along, -outside.out
    root = np.sqrt(R * R - x * x)
    errors = tuple(_error(v, outside.g) for v in (z + root, root - z))
    found.append(Misprint("(81)", "g = z_PC + sqrt(R^2 - x_PC^2)", "-z_PC + sqrt(R^2 - x_PC^2)", *errors))

    # (84): how g grows with the radius of the circle
    g, g1 = outside.g, outside.g1
    exact = (RHO + R) / np.sqrt((RHO + R) ** 2 - (E * np.sin(theta)) ** 2)
    ratio = g / np.hypot(g, g1)
    found.append(Misprint("(84)", "dg/dR = g / D", "D / g", _error(ratio, exact), _error(1.0 / ratio, exact)))

    # (105): the sign function is approached by small k
    v = np.linspace(0.5, 5.0, 10)
    forms = np.tanh(v / 100.0), np.tanh(v / 0.01)
    found.append(
        Misprint("(105)", "k = 100 m/s, large k", "k = 0.01 m/s, small k", *(_error(f, 1.0 + 0 * v) for f in forms))
    )
    return found


def slip_signs() -> tuple[float, float]:
    """Power of friction on the roller and by it [W], with J phi'' = +R F_t and -R F_t: a sum > 0 creates energy.

    With phi positive like alpha, the roller's surface moves with +R phi' in the slip of Eq. (102b).
    """
    slip, force = (
        2.0,
        5.0,
    )  # [m/s], [N] F_t of Eq. (105), positive with the slip; it acts on the cam, -F_t on the roller
    spin = slip / R
    return tuple(sign * R * force * spin for sign in (1.0, -1.0))  # type: ignore[return-value]


def run(size: int, seed: int, progress: Progress) -> Result:
    """Errors at `size` angles; the study is deterministic."""
    progress.step("comparing the equations with closed forms")
    theta = (np.arange(max(size, 12)) + 0.5) * (2.0 * math.pi / max(size, 12))
    found = misprints(theta)
    rows = [(m.equation, m.printed, m.right, f"{m.error_printed:.2g}", f"{m.error_right:.1g}") for m in found]
    plus, minus = slip_signs()
    rows.append(("(106b)", "J phi'' = R F_t", "-R F_t", f"power {plus:+.3g} W", f"power {minus:+.3g} W"))
    table = Table(
        ("equation of Römer 2-D", "printed", "right", "error as printed", "error corrected"),
        rows,
        f"Largest relative error over {len(theta)} angles; D = sqrt(g^2 + g'^2)",
    )
    notes = [
        "Eq. (84) is printed upside down: in Eq. (83) the term g' dalpha, of first order too, was dropped. For circles "
        "about P both forms agree, so the error is easily missed.",
        "Eq. (106b) is a misprint only if the roller's angle counts like alpha, as Eq. (102b) suggests: friction would "
        "then speed the slip up, and create energy. With the opposite angle, the slip of Eq. (102b) has another sign.",
        "Eq. (105): with k = 100 m/s the friction at 1 m/s is a hundredth of mu F_n: Fig. 8 is almost frictionless.",
    ]
    records: list[list[str | float]] = [[m.equation, m.printed, m.right, m.error_printed, m.error_right] for m in found]
    return Result([table], notes, Misprint._fields, records, None)


STUDY = Study(
    "romer2d-misprints",
    "Römer 2-D: misprints, as printed and corrected, against closed forms",
    run,
    360,
    "angles",
    duration="1 s",
)
