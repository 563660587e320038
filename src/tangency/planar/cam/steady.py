"""Steady state of a cam with its follower: after how many turns the motion repeats, and with which period."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...io.numbers import count, tolerance
from ..pitch.periodic import FULL
from .run import CamRun, run_cam, tappet
from .tappet import CamTappet

LONGEST = 8  # turns of a period


@dataclass(frozen=True, repr=False)
class SteadyState:
    """Outcome of :func:`steady_state`; ``str()`` describes it in words.

    Attributes
    ----------
    period : int
        Turns after which the motion repeats; 0 if it did not settle to any period up to eight turns.
    settled : int
        Number of turns before that; all of them if it did not settle.
    openings, lift_offs : float
        Losses of contact per turn, all of them and those that are not rebounds (:class:`CamEvent`), over the last
        periods; over the second half of the run if it did not settle.
    largest_force, highest_gap : float
        [N], [m], over the same turns.
    run : CamRun
        The whole run.
    """

    period: int
    settled: int
    openings: float
    lift_offs: float
    largest_force: float
    highest_gap: float
    run: CamRun

    def __repr__(self) -> str:
        return f"SteadyState(period={self.period}, settled={self.settled}, openings={self.openings:g})"

    def __str__(self) -> str:
        if not self.period:
            return f"The motion did not repeat within {self.settled} turns, with periods of up to {LONGEST} turns."
        often = "every turn" if self.period == 1 else f"every {self.period} turns"
        return (
            f"After {self.settled} turns the motion repeats {often}, with {self.openings:g} losses of contact per turn."
        )


def steady_state(cam: CamTappet, revolutions: int = 24, *, rtol: float = 1e-3) -> SteadyState:
    """Run the cam until its motion repeats.

    Parameters
    ----------
    cam : CamTappet
        Cam, follower and spring.
    revolutions : int
        Number of turns to run; a period is accepted if the last turns show it twice.
    rtol : float
        The motion repeats if position, velocity and spin at the end of a turn differ by less than this part of
        their ranges.

    Returns
    -------
    SteadyState

    Examples
    --------
    >>> from tangency import planar
    >>> print(planar.steady_state(planar.CamTappet(spring=2000.0), 4))
    After 1 turns the motion repeats every turn, with 0 losses of contact per turn.
    """
    revolutions, rtol = count(revolutions, "revolutions"), tolerance(rtol, "rtol")
    run = run_cam(tappet(cam), revolutions, samples=180)
    at = FULL * np.arange(1, revolutions + 1)
    columns = (run.coordinate, run.velocity / cam.speed, run.roller_rate / cam.speed)
    sections = np.stack([np.interp(at, run.alpha, column) for column in columns], axis=-1)
    size = np.array([cam.motion.travel, cam.motion.travel, 1.0 + float(np.abs(columns[2]).max())])
    for period in range(1, LONGEST + 1):
        if revolutions < 2 * period + 1:
            break
        miss = (np.abs(sections[period:] - sections[:-period]) / size).max(axis=1)
        bad = np.flatnonzero(miss > rtol)
        settled = int(bad[-1]) + 2 if len(bad) else 1
        if settled + 2 * period <= revolutions:
            return _over(run, period, settled, period * ((revolutions - settled) // period))
    return _over(run, 0, revolutions, max(revolutions // 2, 1))


def _over(run: CamRun, period: int, settled: int, turns: int) -> SteadyState:
    """Numbers of the last `turns`."""
    start = float(run.alpha[-1]) - FULL * turns
    last = run.alpha >= start
    kinds = [event.kind for event in run.events if event.alpha >= start]
    lift_offs, rebounds = (kinds.count(kind) / turns for kind in ("lift-off", "rebound"))
    force, gap = float(run.forces.normal[last].max()), max(float(run.gap[last].max()), 0.0)
    return SteadyState(period, settled, lift_offs + rebounds, lift_offs, force, gap, run)
