"""Sweep over the speed of a cam, and the jump speed, at which the follower leaves it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import count, tolerance
from ..pitch.periodic import FULL
from .run import CamRun, run_cam, tappet
from .tappet import CamTappet


@dataclass(frozen=True)
class SpeedSweep:
    """Outcome of :func:`sweep_speed`; arrays have one entry per speed and cover only the counted turns.

    Attributes
    ----------
    speed : (S,) array
        Angular velocity of the cam [rad/s].
    openings : (S,) array
        Losses of contact per revolution, lift-offs and rebounds.
    lift_offs : (S,) array
        Lift-offs per revolution, without rebounds (:class:`CamEvent`).
    impacts : (S,) array
        Impacts per revolution, including those after rebounds.
    highest_gap : (S,) array
        Largest gap [m].
    largest_force : (S,) array
        Largest normal force [N].
    periodic : (S,) bool array
        Whether the last turn repeats the one before it, to 1 % of the largest distance of the roller from
        its cam.  If not, the numbers are averages over a motion that has not settled, or never will.
    """

    speed: np.ndarray
    openings: np.ndarray
    lift_offs: np.ndarray
    impacts: np.ndarray
    highest_gap: np.ndarray
    largest_force: np.ndarray
    periodic: np.ndarray


def sweep_speed(cam: CamTappet, speeds: ArrayLike, revolutions: int = 4, *, settle: int = 4) -> SpeedSweep:
    """Run the cam at each speed, and count events over whole turns after it has settled.

    Parameters
    ----------
    cam : CamTappet
        Cam, roller tappet and spring; its speed is ignored.
    speeds : array_like
        Angular velocities [rad/s].
    revolutions : int
        Number of turns counted.
    settle : int
        Number of turns before them, not counted.

    Returns
    -------
    SpeedSweep

    Examples
    --------
    >>> from tangency import planar
    >>> planar.sweep_speed(planar.CamTappet(), [70, 120]).lift_offs.tolist()
    [0.0, 1.0]
    """
    speeds = np.atleast_1d(validate.positive(validate.array(speeds, "speeds"), "speeds"))
    if speeds.ndim != 1:
        raise ValueError(f"speeds must be a list of speeds, got an array of shape {speeds.shape}")
    revolutions, settle = count(revolutions, "revolutions"), count(settle, "settle")
    cam = replace(tappet(cam), pitch=cam.motion)  # with its tables
    rows = [_counted(run_cam(replace(cam, speed=float(s)), settle + revolutions), revolutions) for s in speeds]
    return SpeedSweep(speeds, *(np.array(column) for column in zip(*rows)))


def _counted(run: CamRun, revolutions: int) -> tuple[float, float, float, float, float, bool]:
    """Openings, lift-offs and impacts per turn, largest gap and force, and whether the last two turns are alike."""
    end = float(run.alpha[-1]) / FULL

    def often(*kinds: str) -> float:
        turns = np.array([event.alpha / FULL for event in run.events if event.kind in kinds])
        return _per_turn(turns, end, revolutions)

    last = run.alpha >= run.alpha[-1] - FULL * revolutions
    grid = run.alpha[-1] - np.linspace(0.0, FULL, 720)
    gap, before = np.interp(grid, run.alpha, run.gap), np.interp(grid - FULL, run.alpha, run.gap)
    alike = np.abs(gap - before).max() <= 0.01 * max(run.highest_gap, float(np.abs(run.gap).max()))
    highest, largest = max(float(run.gap[last].max()), 0.0), float(run.forces.normal[last].max())
    openings = often("lift-off", "rebound")
    return openings, often("lift-off"), often("impact"), highest, largest, bool(alike)


def _per_turn(turns: np.ndarray, end: float, revolutions: int) -> float:
    """Events per turn, over whole turns that end within the last one, as far as possible from any event."""
    phases = np.sort(turns[turns > end - revolutions] % 1.0)
    if not len(phases):
        return 0.0
    # An event on the boundary would be counted by chance, so the boundary lies in the middle of the widest gap.
    pauses = np.diff(phases, append=phases[0] + 1.0)
    k = int(pauses.argmax())
    stop = end - (end - phases[k] - 0.5 * pauses[k]) % 1.0
    return float(((turns > stop - revolutions) & (turns <= stop)).sum()) / revolutions


def lift_off_speed(cam: CamTappet, *, rtol: float = 1e-3, revolutions: float = 1.0) -> float:
    """Jump speed: the smallest speed at which the follower leaves the cam [rad/s], by simulation.

    The search starts from the rigid limit, at which the spring can no longer follow the nose; the elastic
    tappet vibrates on its contact and lifts off slightly earlier.  inf if it never lifts off.

    Examples
    --------
    >>> from tangency import planar
    >>> speed = planar.lift_off_speed(planar.CamTappet(), rtol=0.02)
    >>> bool(70 < speed < 79)
    True
    """
    rtol = tolerance(rtol, "rtol")
    cam = replace(tappet(cam), pitch=cam.motion)  # with its tables
    rigid = cam.rigid_lift_off_speed()
    if not np.isfinite(rigid) or rigid == 0.0:
        return rigid  # at 0 the spring does not press the tappet onto the whole cam, at any speed

    def leaves(speed: float) -> bool:
        return bool(run_cam(replace(cam, speed=speed), revolutions, samples=90).events)

    low, high = 0.9 * rigid, 1.05 * rigid
    while leaves(low):
        low, high = 0.8 * low, low
        if low < 1e-3 * rigid:
            return 0.0
    while not leaves(high):
        low, high = high, 1.2 * high
        if high > 10.0 * rigid:
            return float("inf")
    while high - low > rtol * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if leaves(middle) else (middle, high)
    return 0.5 * (low + high)
