"""Warnings about energy that a run gained, where and when."""

from __future__ import annotations

import numpy as np

from .energy_watch import FROM, RISE, TO, EnergyWatch
from .trajectory import Trajectory


def energy_warnings(run: Trajectory, watch: EnergyWatch, rtol: float | None) -> list[str]:
    """Warnings about energy that appeared without external work; `rtol` is None in fast mode.

    Two checks: no contact may release more energy than it took, and the total energy must not rise.  Both are relative
    to the largest energy that was moved or stored.
    """
    allowed, log = watch.allowed, run.impacts
    # Energy that passed through counts as well: more may have moved between two samples than either shows.
    largest = max(watch.largest, float(log.energy.max(initial=0.0)))
    if not largest > 0.0:
        return []
    found = []
    gain = np.where(log.dissipated < -allowed * log.energy, -log.dissipated, 0.0)
    if gain.sum() > allowed * largest:
        k, first = int(gain.argmax()), int(np.flatnonzero(gain)[0])
        found.append(
            f"contacts released {gain.sum():.3g} J more than they took, {gain.sum() / largest:.2g} times the largest "
            f"energy in motion: first at t = {log.time[first]:.6g} s, most between {_pair(run, k)} at "
            f"t = {log.time[k]:.6g} s ({gain[k]:.3g} J); {_advice(rtol)}"
        )
    rise, start, end = (float(watch.numbers[k]) for k in (RISE, FROM, TO))
    if rise > allowed * largest + float(gain.sum()):
        found.append(
            f"the energy rises by {rise:.3g} J, {rise / largest:.2g} times the largest energy in motion, from "
            f"t = {start:.6g} s to {end:.6g} s without external work{_touching(run, start, end)}; {_advice(rtol)}"
        )
    return found


def _pair(run: Trajectory, k: int) -> str:
    return f"{run.names[run.impacts.body_a[k]]!r} and {run.names[run.impacts.body_b[k]]!r}"


def _advice(rtol: float | None) -> str:
    if rtol is None:
        return "use a shorter step or the accurate mode, and check that depths stay small relative to the bodies"
    return "check that depths stay small relative to the bodies; a stiffness from materials changes with the curvature"


def _touching(run: Trajectory, start: float, end: float) -> str:
    """The contact that released most energy, or the hardest one, of those between two times."""
    log = run.impacts
    meanwhile = (log.time <= end) & (log.time + log.duration >= start)
    if not meanwhile.any():
        return " while nothing touched"
    k = int(np.where(meanwhile, log.dissipated, np.inf).argmin())
    if log.dissipated[k] < 0.0:
        return f" (most by the contact of {_pair(run, k)} since t = {log.time[k]:.6g} s)"
    k = int(np.where(meanwhile, log.energy, -1.0).argmax())
    return f" (hardest impact: {_pair(run, k)} at t = {log.time[k]:.6g} s)"
