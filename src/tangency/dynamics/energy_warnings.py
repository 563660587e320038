"""Warnings about energy that a run gained, and where."""

from __future__ import annotations

import numpy as np

from .trajectory import Trajectory

FAST_GAIN = 0.01  # relative energy gain allowed in fast mode, its stated accuracy
ACCURATE_GAIN = 1e-6  # the same in accurate mode, or
PASSED = ("gravitational", "work")
TIMES_RTOL = 1000.0  # times its tolerance, whichever is larger


def energy_warnings(run: Trajectory, rtol: float | None) -> list[str]:
    """Warnings about energy that appeared without external work; `rtol` is None in fast mode.

    Two checks: no contact may release more energy than it took, and the total energy must not rise from frame to frame.
    Both are relative to the largest energy that was moved or stored.
    """
    allowed = FAST_GAIN if rtol is None else max(ACCURATE_GAIN, TIMES_RTOL * rtol)
    energy, log = run.energy, run.impacts
    largest = float((energy["kinetic"] + energy["elastic"] + energy["springs"]).max(initial=0.0))
    # Energy that passed through counts as well: more may have moved between two frames than either shows.
    largest = max(largest, float(log.energy.max(initial=0.0)), *(float(np.ptp(energy[name])) for name in PASSED))
    if not largest > 0.0:
        return []
    found = []
    gain = np.where(log.dissipated < -allowed * log.energy, -log.dissipated, 0.0)
    if gain.sum() > allowed * largest:
        k, first = int(gain.argmax()), int(np.flatnonzero(gain)[0])
        who = f"{run.names[log.body_a[k]]!r} and {run.names[log.body_b[k]]!r}"
        found.append(
            f"contacts released {gain.sum():.3g} J more than they took, {gain.sum() / largest:.2g} times the largest "
            f"energy in motion: first at t = {log.time[first]:.6g} s, most between {who} at t = {log.time[k]:.6g} s "
            f"({gain[k]:.3g} J); {_advice(rtol)}"
        )
    lost = energy["dissipated"]
    rise = np.maximum.accumulate(lost) - lost
    if rise.max(initial=0.0) > allowed * largest + float(gain.sum()):
        end = int(rise.argmax())
        start = int(lost[: end + 1].argmax())
        found.append(
            f"the energy rises by {rise[end]:.3g} J, {rise[end] / largest:.2g} times the largest energy in motion, "
            f"from t = {run.time[start]:.6g} s to {run.time[end]:.6g} s without external work"
            f"{_touching(run, start, end)}; {_advice(rtol)}"
        )
    return found


def _advice(rtol: float | None) -> str:
    if rtol is None:
        return "use a shorter step or the accurate mode, and check that depths stay small relative to the bodies"
    return "check that depths stay small relative to the bodies; a stiffness from materials changes with the curvature"


def _touching(run: Trajectory, start: int, end: int) -> str:
    """The pair with the largest contact force, or with the hardest impact, between the frames."""
    c, log = run.contacts, run.impacts
    part = slice(int(c.first[start]), int(c.first[end + 1]))
    if part.stop > part.start:
        k = part.start + int(c.normal_force[part].argmax())
        return f" (hardest contact: {run.names[c.body_a[k]]!r} and {run.names[c.body_b[k]]!r})"
    meanwhile = (log.time <= run.time[end]) & (log.time + log.duration >= run.time[start])
    if not meanwhile.any():
        return " while nothing touched"
    k = int(np.where(meanwhile, log.energy, -1.0).argmax())
    who = f"{run.names[log.body_a[k]]!r} and {run.names[log.body_b[k]]!r}"
    return f" (hardest impact: {who} at t = {log.time[k]:.6g} s)"
