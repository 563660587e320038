"""Test of the formulas of user-defined laws, before a simulation uses them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..io.numbers import number
from ..io.report import FormulaReport
from .friction_base import FrictionLaw
from .impact import free_impact
from .normal_base import NormalLaw

DIFFERENCES = (1e-3, 1e-4, 1e-5)  # of difference quotients; a formula is wrong if it disagrees for all of them
DISAGREEMENT = 1e-4  # relative error of a difference quotient that counts as a disagreement
MAX_GAIN = 1e-6  # relative gain of work allowed over a closed loop, for rounding and quadrature
LOOPS = 20  # random closed loops
WAYPOINTS = 4000  # time points of a loop


class LawError(ValueError):
    """The formulas of a law are wrong; the message says how, by how much and where."""


@dataclass(frozen=True)
class LawReport(FormulaReport):
    """Outcome of :func:`check`; ``str()`` lists the problems in sentences.

    Attributes
    ----------
    name : str
        Class of the law.
    samples : int
        Number of random contacts tested.
    problems : tuple of str
        One sentence each; empty if nothing was found.
    remarks : tuple of str
        Properties that are not mistakes but worth knowing.
    """

    _tried = "contacts"


def check(
    law: NormalLaw | FrictionLaw,
    *,
    depth: float = 1e-3,
    speed: float = 1.0,
    load: float = 100.0,
    mass: float = 1.0,
    samples: int = 300,
    seed: int = 0,
    strict: bool = False,
) -> LawReport:
    """Test the formulas of a law: finite, no attraction, energy that fits the force, no gain over closed loops.

    Parameters
    ----------
    law : NormalLaw or FrictionLaw
        The law to test.
    depth, speed, load : float
        Largest penetration [m], rate or slip [m/s] and normal force [N] tested; smaller values cover nine, five and
        six decades.
    mass : float
        Mass in the free impacts whose restitution is tested [kg].
    samples, seed : int
        Number of random contacts, and seed of their generator.
    strict : bool
        Raise an error instead of returning a report with problems.

    Returns
    -------
    LawReport

    Raises
    ------
    LawError
        With `strict`, if there is a problem.

    Examples
    --------
    >>> from tangency import forces
    >>> print(forces.check(forces.Flores(stiffness=1e8, restitution=0.8)))
    Flores: no problem found in 300 contacts.
    Remark: the formula would pull at depth ...; the force is 0 there.
    """
    d, v, m = number(depth, "depth", above=0.0), number(speed, "speed", above=0.0), number(mass, "mass", above=0.0)
    n, rng = number(load, "load", above=0.0), np.random.default_rng(seed)
    try:
        if isinstance(law, NormalLaw):
            problems, remarks = _normal(law, d, v, m, samples, rng)
        elif isinstance(law, FrictionLaw):
            problems, remarks = _friction(law, n, v, samples, rng)
        else:
            raise TypeError(f"law must be a NormalLaw or a FrictionLaw, got {law!r}")
    except ValueError as error:  # a number that is not finite, reported by the law itself
        problems, remarks = [str(error)], []
    report = LawReport(type(law).__name__, samples, tuple(problems), tuple(remarks))
    if strict and problems:
        raise LawError(str(report))
    return report


# ---- normal laws ---------------------------------------------------------------------------------
def _normal(
    law: NormalLaw, deepest: float, fastest: float, mass: float, samples: int, rng: np.random.Generator
) -> tuple[list[str], list[str]]:
    depth = deepest * 10.0 ** rng.uniform(-9.0, 0.0, samples)
    rate = fastest * 10.0 ** rng.uniform(-5.0, 0.0, samples) * rng.choice([-1.0, 1.0], samples)
    impact = fastest * 10.0 ** rng.uniform(-5.0, 0.0, samples)
    impact[: samples // 10] = 0.0  # contacts that start at rest
    k = np.sort(10.0 ** rng.uniform(-2.0, 4.0, (samples, 2)), axis=1)[:, ::-1]
    force, elastic = law.force(depth, rate, impact, k), law.force(depth, 0.0, impact, k)
    energy = law.elastic_energy(depth, k)
    problems: list[str] = []

    def note(bad: np.ndarray, sentence: str, *values: np.ndarray) -> None:
        if bad.any():
            i = int(np.argmax(bad))
            at = f"depth {depth[i]:.3g} m, rate {rate[i]:.3g} m/s, impact speed {impact[i]:.3g} m/s"
            problems.append(sentence.format(*(f"{value[i]:.4g}" for value in values)) + f" (at {at})")

    raw = np.array([_raw(law, *given) for given in zip(depth, rate, impact, *k.T)])
    still = np.array([_raw(law, d, 0.0, u, a, b) for d, u, a, b in zip(depth, impact, *k.T)])
    finite = np.isfinite(force) & np.isfinite(elastic) & np.isfinite(energy)
    note(~finite, "force and energy must be finite, got {} N, elastic {} N and {} J", force, elastic, energy)
    if problems:
        return problems, []
    note(still < 0.0, "the force at rest must not pull, got {} N", still)
    note((raw < 0.0) & (rate > 0.0), "the force must not pull while the bodies approach, got {} N", raw)
    note(energy < 0.0, "the energy must be >= 0, got {} J", energy)
    note(
        (force - elastic) * rate < -1e-12 * np.abs(elastic * rate),
        "damping must act against the rate: the force is {} N, its elastic part {} N",
        force,
        elastic,
    )
    worst = np.full(samples, np.inf)
    slope = np.zeros(samples)
    for step in DIFFERENCES:
        up, down = law.elastic_energy(depth * (1.0 + step), k), law.elastic_energy(depth * (1.0 - step), k)
        found = (up - down) / (2.0 * step * depth)
        error = np.abs(found - elastic) / np.maximum(np.abs(elastic), 1e-300)
        slope, worst = np.where(error < worst, found, slope), np.minimum(error, worst)
    note(
        worst > DISAGREEMENT,
        "the derivative of energy(depth) must be the force at rate 0, {} N, got {} N",
        elastic,
        slope,
    )
    problems += _loops(law, deepest, fastest, rng)
    remarks = []
    pulls = raw < 0.0
    if pulls.any() and not problems:
        i = int(np.argmax(pulls * (1.0 + impact)))  # prefer a contact after an impact to one from rest
        remarks.append(
            f"the formula would pull at depth {depth[i]:.3g} m while bodies separate at {-rate[i]:.3g} m/s after an "
            f"impact at {impact[i]:.3g} m/s, as dampers do; the force is 0 there"
        )
    if not problems:
        problems += _rebounds(law, fastest, mass)
    return problems, remarks


def _raw(law: NormalLaw, depth: float, rate: float, impact: float, k1: float, k2: float) -> float:
    """The formula without the cut at 0, as plain Python."""
    with np.errstate(all="ignore"):
        try:
            return float(law.kernel.response(depth, rate, impact, k1, k2)[0])
        except ArithmeticError:
            return float("nan")


def _loops(law: NormalLaw, deepest: float, fastest: float, rng: np.random.Generator) -> list[str]:
    """Problems of random closed strokes, which must not generate energy."""
    t = np.linspace(0.0, 2.0 * np.pi, WAYPOINTS + 1)
    for _ in range(LOOPS):
        a, b = rng.normal(size=(2, 4, 1)) / np.arange(1, 5)[:, None]
        k = np.arange(1, 5)[:, None]
        wave = (a * np.sin(k * t) + b * np.cos(k * t)).sum(axis=0)
        slope = (k * (a * np.cos(k * t) - b * np.sin(k * t))).sum(axis=0)
        size = deepest / np.abs(wave).max()
        span = np.abs(slope).max() * size / fastest  # so that the rate reaches `fastest`
        depth, rate = size * (wave + rng.uniform(-0.5, 1.0) * np.abs(wave).max()), size * slope / span
        force = law.force(depth, rate, fastest, [10.0, 3.0])
        work = np.trapezoid(force * rate, t * span)
        passed = np.trapezoid(np.abs(force * rate), t * span)
        if work < -(MAX_GAIN + 20.0 / WAYPOINTS**1.5) * passed:
            given = f"{-work:.4g} J to the bodies, of {passed:.4g} J"
            return [f"a closed stroke to a depth of {depth.max():.3g} m gives {given}"]
    return []


def _rebounds(law: NormalLaw, fastest: float, mass: float) -> list[str]:
    for speed in (fastest, 1e-2 * fastest):
        try:
            e = free_impact(law, mass, speed, [10.0, 3.0]).restitution
        except (RuntimeError, ValueError) as error:
            return [f"a free impact of {mass:g} kg at {speed:g} m/s: {error}"]
        if not -1e-6 <= e <= 1.0 + 1e-6:
            return [f"the restitution of a free impact of {mass:g} kg at {speed:g} m/s must lie in [0, 1], got {e:.6g}"]
    return []


# ---- friction laws -------------------------------------------------------------------------------
def _friction(
    law: FrictionLaw, heaviest: float, fastest: float, samples: int, rng: np.random.Generator
) -> tuple[list[str], list[str]]:
    load = heaviest * 10.0 ** rng.uniform(-6.0, 0.0, samples)
    slip = rng.normal(size=(samples, 3)) * [1.0, 1.0, 0.0]
    slip *= (fastest * 10.0 ** rng.uniform(-5.0, 0.0, samples) / np.linalg.norm(slip, axis=1))[:, None]
    slip[: samples // 10] = 0.0  # at rest
    answer = law.force(load, slip)
    problems: list[str] = []
    for bad, what in (
        (~np.isfinite(answer.force).all(axis=1), "the force must be finite"),
        (np.einsum("ij,ij->i", answer.force, slip) > 0.0, "the force on B must oppose the slip of B"),
        (np.abs(answer.force[:, 2]) > 1e-12 * np.linalg.norm(answer.force, axis=1), "the force must be tangential"),
    ):
        if bad.any():
            i = int(np.argmax(bad))
            problems.append(
                f"{what}, got {answer.force[i].tolist()} N for the slip {slip[i].tolist()} m/s under {load[i]:.4g} N"
            )
    if law.has_state and not problems:
        problems += _state(law, heaviest, fastest, rng)
    return problems, []


def _state(law: FrictionLaw, load: float, fastest: float, rng: np.random.Generator) -> list[str]:
    """Problems of random slip loops, which must not release more than was stored; steps must match the rate."""
    kernel, up = law.kernel, [0.0, 0.0, 1.0]
    for _ in range(LOOPS // 4):
        a, b = rng.normal(size=(2, 3, 3)) * [1.0, 1.0, 0.0]
        given, stretch, dt = 0.0, np.zeros(3), 1e-3 / WAYPOINTS
        work = 0.0
        for i in range(400):
            phase = 2.0 * np.pi * np.arange(1, 4)[:, None] * i / 400
            slip = 0.3 * fastest * (a * np.sin(phase) + b * np.cos(phase)).sum(axis=0)
            stretch = law.stretch_after(load, up, slip, stretch, dt)
            power = float(law.force(load, slip, stretch).force @ slip)
            given, work = given + power * dt, work + abs(power) * dt
        held = float(kernel.energy(tuple(stretch)))
        if not np.isfinite(given) or given > -held + 0.02 * work:
            left = f"leave {held:.4g} J in the state"
            return [f"loops of slip under {load:.4g} N give {given:.4g} J to the bodies and {left}"]
    return []
