"""How fast a cam may turn: a sweep over its speed, and the speed at which the roller leaves it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import validate
from .cam import CamTappet
from .cam_run import run_cam, tappet
from .scalars import tolerance


@dataclass(frozen=True)
class SpeedSweep:
    """Outcome of :func:`sweep_speed`; arrays have one entry per speed.

    Attributes
    ----------
    speed : (S,) array [rad/s]
    lift_offs : (S,) array
        Lift-offs per revolution.
    highest_gap : (S,) array [m]
    largest_force : (S,) array
        Largest normal force [N].
    """

    speed: np.ndarray
    lift_offs: np.ndarray
    highest_gap: np.ndarray
    largest_force: np.ndarray


def sweep_speed(cam: CamTappet, speeds: Any, revolutions: float = 2.0) -> SpeedSweep:
    """Run the cam at each speed."""
    speeds = np.atleast_1d(validate.positive(validate.array(speeds, "speeds"), "speeds"))
    if speeds.ndim != 1:
        raise ValueError(f"speeds must be a list of speeds, got an array of shape {speeds.shape}")
    runs = [run_cam(replace(tappet(cam), speed=float(speed)), revolutions) for speed in speeds]
    return SpeedSweep(
        speeds,
        np.array([len(run.lift_offs) / revolutions for run in runs]),
        np.array([run.highest_gap for run in runs]),
        np.array([run.forces.normal.max() for run in runs]),
    )


def lift_off_speed(cam: CamTappet, *, rtol: float = 1e-3, revolutions: float = 1.0) -> float:
    """Smallest speed at which the tappet leaves the cam [rad/s], by simulation.

    The rigid limit, where the spring no longer keeps up with the nose, is the start; the elastic tappet
    vibrates on its contact and leaves the cam a little earlier.  inf if the cam never lets it go.

    Examples
    --------
    >>> from tangency import planar
    >>> speed = planar.lift_off_speed(planar.CamTappet(), rtol=0.02)
    >>> bool(70 < speed < 79)
    True
    """
    rtol = tolerance(rtol, "rtol")
    rigid = tappet(cam).rigid_lift_off_speed()
    if not np.isfinite(rigid):
        return float("inf")

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
