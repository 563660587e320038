"""Whether a run gained energy, and where: sentences for its result."""

from __future__ import annotations

import numpy as np

from .trajectory import Trajectory

FAST_GAIN = 0.01  # part of an energy that fast mode may gain: what it says of its accuracy
ACCURATE_GAIN = 1e-6  # the same in accurate mode, or
PASSED = ("gravitational", "work")
TIMES_RTOL = 1000.0  # so many times its tolerance, whichever is more


def energy_warnings(run: Trajectory, rtol: float | None) -> list[str]:
    """Sentences on energy that appeared without work from outside; `rtol` is None in fast mode.

    Two looks: at each contact, which must not give more than it took; and at all of it, which must not rise from frame
    to frame.  Both are measured by the largest energy that moved or was stored.
    """
    allowed = FAST_GAIN if rtol is None else max(ACCURATE_GAIN, TIMES_RTOL * rtol)
    energy, log = run.energy, run.impacts
    largest = float((energy["kinetic"] + energy["elastic"] + energy["springs"]).max(initial=0.0))
    # What passed through counts, too: between two frames much more may have moved than either shows.
    largest = max(largest, float(log.energy.max(initial=0.0)), *(float(np.ptp(energy[name])) for name in PASSED))
    if not largest > 0.0:
        return []
    found = []
    gain = np.where(log.dissipated < -allowed * log.energy, -log.dissipated, 0.0)
    if gain.sum() > allowed * largest:
        k, first = int(gain.argmax()), int(np.flatnonzero(gain)[0])
        who = f"{run.names[log.body_a[k]]!r} and {run.names[log.body_b[k]]!r}"
        found.append(
            f"contacts gave {gain.sum():.3g} J more than they took, {gain.sum() / largest:.2g} times the largest "
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
            f"from t = {run.time[start]:.6g} s to {run.time[end]:.6g} s without work from outside"
            f"{_touching(run, start, end)}; {_advice(rtol)}"
        )
    return found


def _advice(rtol: float | None) -> str:
    if rtol is None:
        return "take a shorter step, or the accurate mode, and look whether depths stay small against the bodies"
    return "look whether depths stay small against the bodies; a stiffness from materials changes with the curvature"


def _touching(run: Trajectory, start: int, end: int) -> str:
    """The pair that pressed hardest meanwhile, or that of the hardest impact between the frames."""
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
