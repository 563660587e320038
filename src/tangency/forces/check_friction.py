"""Tests of the formulas of a friction law: direction, and closed loops of slip."""

from __future__ import annotations

from functools import partial

import numpy as np

from .findings import Finding, noted
from .friction_base import FrictionLaw

LOOPS, STEPS = 5, 400  # random loops of slip, and the steps of each
STEP = 2.5e-7  # [s]
SLACK = 0.02  # part of the work of a loop, for its finite steps


def friction_findings(
    law: FrictionLaw, heaviest: float, fastest: float, samples: int, rng: np.random.Generator
) -> list[Finding]:
    """Problems of a law at random loads and slips, and over loops of slip."""
    load = heaviest * 10.0 ** rng.uniform(-6.0, 0.0, samples)
    slip = rng.normal(size=(samples, 3)) * [1.0, 1.0, 0.0]
    slip *= (fastest * 10.0 ** rng.uniform(-5.0, 0.0, samples) / np.linalg.norm(slip, axis=1))[:, None]
    slip[: samples // 10] = 0.0  # at rest
    force = law.force(load, slip).force
    found: list[Finding] = []
    for bad, what in (
        (~np.isfinite(force).all(axis=1), "the force must be finite"),
        (np.einsum("ij,ij->i", force, slip) > 0.0, "the force on B must oppose the slip of B"),
        (np.abs(force[:, 2]) > 1e-12 * np.linalg.norm(force, axis=1), "the force must be tangential"),
    ):
        found += noted(bad, partial(_sentence, what, load, slip, force))
    return found or (_loops(law, heaviest, fastest, rng) if law.has_state else [])


def _sentence(what: str, load: np.ndarray, slip: np.ndarray, force: np.ndarray, i: int) -> str:
    return f"{what}, got {force[i].tolist()} N for the slip {slip[i].tolist()} m/s under {load[i]:.4g} N"


def _loops(law: FrictionLaw, load: float, fastest: float, rng: np.random.Generator) -> list[Finding]:
    """Problems of random slip loops, which must not release more than was stored; steps must match the rate."""
    kernel, up, sentences = law.kernel, [0.0, 0.0, 1.0], []
    for _ in range(LOOPS):
        a, b = rng.normal(size=(2, 3, 3)) * [1.0, 1.0, 0.0]
        given, stretch, work = 0.0, np.zeros(3), 0.0
        for i in range(STEPS):
            phase = 2.0 * np.pi * np.arange(1, 4)[:, None] * i / STEPS
            slip = 0.3 * fastest * (a * np.sin(phase) + b * np.cos(phase)).sum(axis=0)
            stretch = law.stretch_after(load, up, slip, stretch, STEP)
            power = float(law.force(load, slip, stretch).force @ slip)
            given, work = given + power * STEP, work + abs(power) * STEP
        held = float(kernel.energy(tuple(stretch)))
        if not np.isfinite(given) or given > -held + SLACK * work:
            left = f"leave {held:.4g} J in the state"
            sentences.append(f"loops of slip under {load:.4g} N give {given:.4g} J to the bodies and {left}")
    return [Finding(sentences[0], len(sentences) / LOOPS)] if sentences else []
