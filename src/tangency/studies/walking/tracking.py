"""Tracking of a cycle: a motion of the person that obeys the laws of motion on its contact elements.

The motion is a spline of all joints.  At every node, the contact elements give the ground reactions, inverse dynamics
the torques; forces and torque on the first joints, which nothing drives, must vanish, and so must the torques of
the joints of the foot beyond those of their springs.  Least squares fits ground reactions, feet and angles under these
conditions: Eq. (6.1) of the thesis, with a penalty in place of the integration.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...dynamics.joints.linkage import Linkage
from ...dynamics.joints.pinocchio import pin
from ...io.progress import Progress
from ..gait_files import GRAVITY
from .cycle import Cycle
from .foot import PARTS, Foot
from .ground import Segment, ground_push
from .person import ACTUATED, LEG, ROOT, SIDES, actuated, person
from .spline_fit import SplineFit

KNOT = 0.025  # distance of the knots of the spline [s]
#: Deviations that count as one: forces of the ground, forward and up, and on the first joints [weights]; feet [m, rad];
#: hip [m], trunk and legs [rad]; torques of joints without an actuator and of the others [N m]; accelerations.
SCALES: dict[str, Any] = {
    "force": np.array([0.015, 0.03]),
    "root": 0.004,
    "ball": 0.01,
    "pitch": np.radians(3.0),
    "hip": 0.04,
    "trunk": np.radians(4.0),
    "leg": np.radians(6.0),
    "passive": 3.0,
    "torque": 400.0,
    "acceleration": 2000.0,
}
#: Factors on the scales of forces, one fit after the other: first the feet, then more and more the forces, since a foot
#: that is a millimetre too deep is a hundred newtons.
EASES = (100.0, 20.0, 5.0, 1.0)


class Motion(NamedTuple):
    """A motion of the person at some times, and what follows from it."""

    time: np.ndarray  #: (n,)
    q: np.ndarray  #: (n, 13)
    v: np.ndarray
    a: np.ndarray
    torque: np.ndarray  #: (n, 13) of inverse dynamics, beyond those of springs and passive torques
    force: np.ndarray  #: (n, 2, 2) on the right and left foot; forward and up [N]


class Tracker:
    """A person with a kind of foot, and the cycle to follow."""

    def __init__(self, foot: Foot, cycle: Cycle, height: float) -> None:
        self.foot, self.cycle, self.height = foot, cycle, height
        self.mechanism = person(foot, cycle.mass, height)
        self._own = Linkage(self.mechanism, np.array([0.0, 0.0, -GRAVITY]), 0)
        names = self.mechanism.joints
        self._parts = [[names.index(f"{side} {part}") + 1 for part in PARTS] for side in SIDES]
        self.nv = self._own.nv
        self.spline = SplineFit(cycle.time, KNOT, self.nv)
        self._ease = 1.0
        p = pin()
        self._wrenches = p.StdVec_Force([p.Force.Zero() for _ in range(self._own.model.njoints)])

    # ---- one motion ----------------------------------------------------------------------------
    def feet(self, q: np.ndarray, v: np.ndarray) -> list[Segment]:
        """Motion of calcaneus, mid-foot and toes, in all states (B) and for both sides (2)."""
        p, model, data = pin(), self._own.model, self._own.data
        place, speed = (np.empty((3, len(q), 2, 2)) for _ in range(2))
        angle, spin = (np.empty((3, len(q), 2)) for _ in range(2))
        for k in range(len(q)):
            p.forwardKinematics(model, data, q[k], v[k])
            for side, parts in enumerate(self._parts):
                for m, joint in enumerate(parts):
                    home, twist = data.oMi[joint], data.v[joint]
                    rotation, local = home.rotation, twist.linear
                    c, s = rotation[0, 0], rotation[2, 0]
                    place[m, k, side] = home.translation[::2]
                    angle[m, k, side] = np.arctan2(s, c)
                    speed[m, k, side] = c * local[0] - s * local[2], s * local[0] + c * local[2]
                    spin[m, k, side] = -twist.angular[1]
        return [Segment(*parts) for parts in zip(place, speed, angle, spin)]

    def pushes(self, feet: list[Segment]) -> np.ndarray:
        """Forces forward and up and torques about their joints of the three segments of both feet (B, 2, 3, 3)."""
        return np.stack([ground_push(self.foot, part, own) for part, own in zip(PARTS, feet)], axis=2)

    def torques(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, pushes: np.ndarray) -> np.ndarray:
        """Torques of inverse dynamics (B, nv), beyond those of springs and passive torques."""
        p, own, out = pin(), self._own, np.empty((len(q), self.nv))
        for k in range(len(q)):
            self._load(q[k], pushes[k])
            out[k] = p.rnea(own.model, own.data, q[k], v[k], a[k], self._wrenches) - own.passive(q[k], v[k])[0]
        return out

    def accelerations(self, q: np.ndarray, v: np.ndarray, torque: np.ndarray) -> np.ndarray:
        """Accelerations (B, nv) under the ground, springs, passive torques and the given torques (B, nv)."""
        p, own, out = pin(), self._own, np.empty((len(q), self.nv))
        pushes = self.pushes(self.feet(q, v))
        for k in range(len(q)):
            self._load(q[k], pushes[k])
            driven = torque[k] + own.passive(q[k], v[k])[0]
            out[k] = p.aba(own.model, own.data, q[k], v[k], driven, self._wrenches)
        return out

    def _load(self, q: np.ndarray, pushes: np.ndarray) -> None:
        """Put the forces of the ground in the frames of the joints, as Pinocchio takes them."""
        p, own = pin(), self._own
        p.forwardKinematics(own.model, own.data, q)
        for side, parts in enumerate(self._parts):
            for m, joint in enumerate(parts):
                back, (x, z, turning) = own.data.oMi[joint].rotation.T, pushes[side, m]
                force, torque = back @ np.array([x, 0.0, z]), back @ np.array([0.0, -turning, 0.0])
                self._wrenches[joint] = p.Force(force, torque)

    # ---- the fit -------------------------------------------------------------------------------
    def residuals(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Weighted deviations (n, m) at the nodes."""
        cycle, scale, wanted = self.cycle, SCALES, self.cycle.position
        feet = self.feet(q, v)
        pushes = self.pushes(feet)
        torque = self.torques(q, v, a, pushes)
        force, drive = pushes[..., :2].sum(axis=2), _legs(torque)
        parts = [
            (force - cycle.force) / cycle.weight / scale["force"] / self._ease,
            torque[:, :ROOT] / cycle.weight / scale["root"] / self._ease,
            (feet[2].place - cycle.ball) / scale["ball"],
            (feet[1].angle - cycle.pitch[..., 0]) / scale["pitch"],
            (feet[2].angle - cycle.pitch[..., 1]) / scale["pitch"],
            (q[:, :2] - wanted[:, :2]) / scale["hip"],
            (q[:, 2] - wanted[:, 2]) / scale["trunk"],
            (_legs(q) - _legs(wanted))[..., :ACTUATED] / scale["leg"],
            drive[..., ACTUATED:] / scale["passive"] / self._ease,
            drive[..., :ACTUATED] / scale["torque"],
            a[:, 2:] / scale["acceleration"],
        ]
        return np.concatenate([part.reshape(len(q), -1) for part in parts], axis=1)

    def fit(self, iterations: int, progress: Progress, name: str) -> np.ndarray:
        """Coefficients of the best motion, after at most so many iterations."""
        c = self.spline.nearest(self.cycle.position)
        for ease in EASES:
            self._ease = ease

            def report(k: int, value: float, ease: float = ease) -> None:
                progress.step(f"{name}: fit with forces in units of {ease:g}, iteration {k}: {value:.5g}")

            c = self.spline.improved(self.residuals, c, max(1, iterations // len(EASES)), report=report)
        self._ease = 1.0
        return c

    def motion(self, coefficients: np.ndarray, time: np.ndarray | None = None) -> Motion:
        """The motion of coefficients at the nodes, or at other times."""
        at = self.cycle.time if time is None else time
        q, v, a = self.spline.at(coefficients, at)
        pushes = self.pushes(self.feet(q, v))
        return Motion(at, q, v, a, self.torques(q, v, a, pushes), pushes[..., :2].sum(axis=2))


def _legs(joints: np.ndarray) -> np.ndarray:
    """Joints of the legs (n, 2, 5)."""
    return joints[:, ROOT:].reshape(-1, 2, LEG)


def deviations(q: np.ndarray, force: np.ndarray, cycle: Cycle) -> dict[str, float]:
    """RMS deviations from a cycle at its nodes: forces [weights]; angles of the legs, pitch of the feet [deg]."""
    error = (force - cycle.force) / cycle.weight
    angles = (q - cycle.position)[:, actuated()]
    pitch = q[:, 2:3] + _legs(q)[..., : ACTUATED + 1].sum(axis=2) - cycle.pitch[..., 0]
    return {
        "up": _rms(error[..., 1]),
        "forward": _rms(error[..., 0]),
        "angles": float(np.degrees(_rms(angles))),
        "pitch": float(np.degrees(_rms(pitch))),
    }


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt((values**2).mean()))
