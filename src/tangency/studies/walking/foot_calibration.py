"""Calibration of a foot alone: its stiffness and damping from measured paths of the feet and ground reactions.

The measured paths drive the contact elements; the vertical force and its moment about the ball of the foot are compared
with the measurement.  Markers do not say where the sole is to within the millimetres that matter, so that the height
and the pitch of each foot, and the pitch of its toes, are fitted along with the law.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import least_squares

from .cycle import Cycle
from .foot import JOINTS, PARTS, Foot
from .ground import Segment, ground_push
from .person import SIDES

LAW = ("stiffness", "damping")
OFFSETS = ("height", "pitch", "toes")
#: Units of the parameters in the search: the logarithm of the stiffness, [s/m], [m], [rad], [rad].
UNITS = {"stiffness": 1.0, "damping": 1.0, "height": 0.003, "pitch": 0.03, "toes": 0.05}
PRIOR = {"damping": (3.0, 3.0), "height": (0.0, 0.01), "pitch": (0.0, 0.1), "toes": (0.0, 0.2)}  # mean, deviation
FORCE, LEVER = 0.03, 0.1  # forces that count as one [weights]; lever of the moment [m]
FRICTIONLESS = 1e-12
WINDOW = 0.1  # over which deviations are correlated [s]


class Calibration(NamedTuple):
    """A calibrated foot."""

    foot: Foot
    names: tuple[str, ...]  #: of all parameters
    values: np.ndarray  #: in SI units
    errors: np.ndarray  #: standard errors; that of the stiffness is relative
    force: np.ndarray  #: (n, 2) vertical forces on the right and left foot [N]
    rms: float  #: of the vertical force from the measurement [weights]
    lever: float  #: RMS deviation of the centre of pressure where a foot carries half the weight [m]; or not a number

    def of(self, name: str) -> tuple[float, float]:
        """Value of a parameter and its standard error."""
        at = self.names.index(name)
        return float(self.values[at]), float(self.errors[at])


def calibrate_foot(foot: Foot, cycle: Cycle) -> Calibration:
    """Fit stiffness and damping of a foot of any layout to a measured cycle.

    Parameters
    ----------
    foot : Foot
        The elements, and the values at which the search begins.
    cycle : Cycle
        Paths of the feet and ground reactions.

    Returns
    -------
    Calibration
        Standard errors allow for deviations that are correlated within `WINDOW` (Newey and West, Econometrica 55,
        1987), and include weak prior knowledge of the damping and of the offsets (`PRIOR`).
    """
    names = (*LAW, *(f"{side} {name}" for side in SIDES for name in OFFSETS))
    units = np.array([UNITS[name.split()[-1]] for name in names])
    rates = [CubicSpline(cycle.time, part, axis=0)(cycle.time, 1) for part in (cycle.ball, cycle.pitch)]
    wanted = _wanted(cycle)
    told = np.stack([np.ones_like(cycle.pressure, bool), ~np.isnan(cycle.pressure)], axis=-1)  # where it is measured

    def law(x: np.ndarray) -> Foot:
        # Without friction, which has a moment, too: the measured slip of a foot on the ground is mostly noise.
        return replace(foot, stiffness=foot.stiffness * float(np.exp(x[0])), damping=float(x[1]), friction=FRICTIONLESS)

    def deviations(u: np.ndarray) -> np.ndarray:
        x = units * u
        found = _reaction(law(x), cycle, rates, x[2:].reshape(2, -1))
        return np.where(told, found - wanted, 0.0) / cycle.weight / FORCE / np.array([1.0, LEVER])

    def known(u: np.ndarray) -> np.ndarray:
        x = units * u
        return np.array([(x[k] - PRIOR[n.split()[-1]][0]) / PRIOR[n.split()[-1]][1] for k, n in enumerate(names) if k])

    start = np.zeros(len(names))
    start[1] = foot.damping
    low = np.full(len(names), -np.inf)
    low[1] = 0.0
    found = least_squares(
        lambda u: np.concatenate([deviations(u).ravel(), known(u)]), start, bounds=(low, np.inf), x_scale=1.0
    )
    x = units * found.x
    force = _reaction(law(x), cycle, rates, x[2:].reshape(2, -1))
    errors = units * _errors(found.jac, deviations(found.x), cycle.time)
    values = x.copy()
    values[0] = foot.stiffness * np.exp(x[0])
    rms = float(np.sqrt(((force[..., 0] - wanted[..., 0]) ** 2).mean())) / cycle.weight
    calibrated = replace(law(x), friction=foot.friction)
    return Calibration(calibrated, names, values, errors, force[..., 0], rms, _lever(force, wanted, cycle))


def _reaction(foot: Foot, cycle: Cycle, rates: list[np.ndarray], offsets: np.ndarray) -> np.ndarray:
    """Vertical force and its moment about the ball (n, 2, 2) of both feet, whose paths are moved by offsets (2, 3)."""
    height, turns = offsets[:, 0], offsets[:, [1, 1, 2]]
    total = np.zeros((len(cycle.time), 2, 2))
    for m, (part, column) in enumerate(zip(PARTS, (0, 0, 1))):
        angle, spin = cycle.pitch[..., column] + turns[:, m], rates[1][..., column]
        # Calcaneus and mid-foot move as one, about the ball of the foot.
        x, z = JOINTS[part]
        c, s = np.cos(angle), np.sin(angle)
        arm = np.stack([c * x - s * z, s * x + c * z], axis=-1)
        place = cycle.ball + arm
        place[..., 1] -= height
        speed = rates[0] + spin[..., None] * np.stack([-arm[..., 1], arm[..., 0]], axis=-1)
        push = ground_push(foot, part, Segment(place, speed, angle, spin))
        total[..., 0] += push[..., 1]
        total[..., 1] += push[..., 2] + arm[..., 0] * push[..., 1]
    return total


def _wanted(cycle: Cycle) -> np.ndarray:
    """Measured vertical force and moment about the ball (n, 2, 2); without a centre of pressure, no moment is known."""
    up = cycle.force[..., 1]
    lever = np.where(np.isnan(cycle.pressure), 0.0, cycle.pressure - cycle.ball[..., 0])
    return np.stack([up, lever * up], axis=-1)


def _errors(slope: np.ndarray, deviations: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Standard errors of all parameters, for deviations (n, 2, 2) that are correlated in time."""
    inverse = np.linalg.pinv(slope.T @ slope)
    scores = (slope[: deviations.size] * deviations.reshape(-1, 1)).reshape(len(time), -1, slope.shape[1]).sum(axis=1)
    lags = max(1, round(WINDOW / float(time[1] - time[0])))
    spread = scores.T @ scores
    for lag in range(1, lags + 1):
        part = scores[lag:].T @ scores[:-lag]
        spread += (1.0 - lag / (lags + 1)) * (part + part.T)
    prior = slope[deviations.size :]
    return np.sqrt(np.maximum(np.diag(inverse @ (spread + prior.T @ prior) @ inverse), 0.0))


def _lever(found: np.ndarray, wanted: np.ndarray, cycle: Cycle) -> float:
    loaded = (wanted[..., 0] > 0.5 * cycle.weight) & (found[..., 0] > 0.1 * cycle.weight) & ~np.isnan(cycle.pressure)
    if not loaded.any():
        return float("nan")
    apart = found[loaded][:, 1] / found[loaded][:, 0] - wanted[loaded][:, 1] / wanted[loaded][:, 0]
    return float(np.sqrt((apart**2).mean()))
