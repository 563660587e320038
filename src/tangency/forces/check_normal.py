"""Tests of the formulas of a normal law: signs, energy against force, closed strokes, free impacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .findings import Finding, noted
from .impact import free_impact
from .normal_base import NormalLaw

DIFFERENCES = (1e-3, 1e-4, 1e-5)  # of difference quotients; a formula is wrong if it disagrees for all of them
DISAGREEMENT = 1e-4  # relative error of a difference quotient that counts as a disagreement
MAX_GAIN = 1e-6  # relative gain of work allowed over a closed loop, for rounding and quadrature
LOOPS = 20  # random closed loops
WAYPOINTS = 4000  # time points of a loop


class Contacts(NamedTuple):
    """Random contacts."""

    depth: np.ndarray
    rate: np.ndarray
    impact: np.ndarray
    curvature: np.ndarray

    def text(self, i: int) -> str:
        """Where contact i is, for a message."""
        return f" (at depth {self.depth[i]:.3g} m, rate {self.rate[i]:.3g} m/s, impact speed {self.impact[i]:.3g} m/s)"


def _contacts(deepest: float, fastest: float, samples: int, rng: np.random.Generator) -> Contacts:
    depth = deepest * 10.0 ** rng.uniform(-9.0, 0.0, samples)
    rate = fastest * 10.0 ** rng.uniform(-5.0, 0.0, samples) * rng.choice([-1.0, 1.0], samples)
    impact = fastest * 10.0 ** rng.uniform(-5.0, 0.0, samples)
    impact[: samples // 10] = 0.0  # contacts that start at rest
    return Contacts(depth, rate, impact, np.sort(10.0 ** rng.uniform(-2.0, 4.0, (samples, 2)), axis=1)[:, ::-1])


def normal_findings(
    law: NormalLaw,
    deepest: float,
    fastest: float,
    samples: int,
    rng: np.random.Generator,
    strokes: tuple[float, ...] = (1.0,),
) -> list[Finding]:
    """Problems of a law in random contacts, and over closed strokes to these parts of `deepest`."""
    at = _contacts(deepest, fastest, samples, rng)
    depth, rate, impact, k = at
    force, elastic = law.force(depth, rate, impact, k), law.force(depth, 0.0, impact, k)
    energy = law.elastic_energy(depth, k)
    finite = np.isfinite(force) & np.isfinite(elastic) & np.isfinite(energy)
    found = noted(
        ~finite,
        lambda i: (
            f"force and energy must be finite, got {force[i]:.4g} N, elastic {elastic[i]:.4g} N "
            f"and {energy[i]:.4g} J{at.text(i)}"
        ),
    )
    if found:
        return found
    raw, still = _raw(law, at), _raw(law, at._replace(rate=np.zeros(samples)))
    found += noted(still < 0.0, lambda i: f"the force at rest must not pull, got {still[i]:.4g} N{at.text(i)}")
    found += noted(
        (raw < 0.0) & (rate > 0.0),
        lambda i: f"the force must not pull while the bodies approach, got {raw[i]:.4g} N{at.text(i)}",
    )
    found += noted(energy < 0.0, lambda i: f"the energy must be >= 0, got {energy[i]:.4g} J{at.text(i)}")
    found += noted(
        (force - elastic) * rate < -1e-12 * np.abs(elastic * rate),
        lambda i: (
            f"damping must act against the rate: the force is {force[i]:.4g} N, its elastic part "
            f"{elastic[i]:.4g} N{at.text(i)}"
        ),
    )
    slope, error = _slope(law, at, elastic)
    found += noted(
        error > DISAGREEMENT,
        lambda i: (
            f"the derivative of energy(depth) must be the force at rate 0, {elastic[i]:.4g} N, got "
            f"{slope[i]:.4g} N{at.text(i)}"
        ),
    )
    return found + _loops(law, [part * deepest for part in strokes], fastest, rng)


def _slope(law: NormalLaw, at: Contacts, elastic: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Difference quotient of the energy that is closest to the elastic force, and its relative error."""
    error, slope = np.full(len(at.depth), np.inf), np.zeros(len(at.depth))
    for step in DIFFERENCES:
        up, down = (law.elastic_energy(at.depth * (1.0 + side * step), at.curvature) for side in (1.0, -1.0))
        found = (up - down) / (2.0 * step * at.depth)
        off = np.abs(found - elastic) / np.maximum(np.abs(elastic), 1e-300)
        slope, error = np.where(off < error, found, slope), np.minimum(off, error)
    return slope, error


def _raw(law: NormalLaw, at: Contacts) -> np.ndarray:
    """The formula without the cut at 0, as plain Python."""
    kernel, found = law.kernel, np.full(len(at.depth), np.nan)
    with np.errstate(all="ignore"):
        for i, given in enumerate(zip(at.depth, at.rate, at.impact, *at.curvature.T)):
            try:
                found[i] = float(kernel.response(*given)[0])
            except ArithmeticError:
                continue
    return found


def pulling_remark(law: NormalLaw, deepest: float, fastest: float, samples: int, seed: int) -> list[str]:
    """Where the formula would pull while the bodies separate, as dampers do."""
    at = _contacts(deepest, fastest, samples, np.random.default_rng(seed))
    pulls = _raw(law, at) < 0.0
    if not pulls.any():
        return []
    i = int(np.argmax(pulls * (1.0 + at.impact)))  # prefer a contact after an impact to one from rest
    return [
        f"the formula would pull at depth {at.depth[i]:.3g} m while bodies separate at {-at.rate[i]:.3g} m/s after an "
        f"impact at {at.impact[i]:.3g} m/s, as dampers do; the force is 0 there"
    ]


def _loops(law: NormalLaw, depths: list[float], fastest: float, rng: np.random.Generator) -> list[Finding]:
    """Problems of random closed strokes, which must not generate energy."""
    t = np.linspace(0.0, 2.0 * np.pi, WAYPOINTS + 1)
    sentences = []
    for deepest in depths:
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
                sentences.append(f"a closed stroke to a depth of {depth.max():.3g} m gives {given}")
    return [Finding(sentences[0], len(sentences) / (LOOPS * len(depths)))] if sentences else []


def rebound_problem(law: NormalLaw, fastest: float, mass: float) -> list[str]:
    """The problem of a free impact, if any."""
    for speed in (fastest, 1e-2 * fastest):
        try:
            e = free_impact(law, mass, speed, [10.0, 3.0]).restitution
        except (RuntimeError, ValueError) as error:
            return [f"a free impact of {mass:g} kg at {speed:g} m/s: {error}"]
        if not -1e-6 <= e <= 1.0 + 1e-6:
            return [f"the restitution of a free impact of {mass:g} kg at {speed:g} m/s must lie in [0, 1], got {e:.6g}"]
    return []
