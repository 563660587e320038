"""Tracking of a measured cycle: a motion of the person that obeys the laws of motion on its contact elements.

The motion is a spline of all joints.  At every node, Pinocchio gives the places and velocities of the feet, the contact
elements give the forces, and inverse dynamics gives the torques; forces and torque on the first joints, which nothing
drives, must vanish.  The method of Levenberg and Marquardt fits ground reactions, feet and angles under this condition:
Eq. (6.1) of the thesis without muscles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.interpolate import BSpline
from scipy.sparse.linalg import spsolve

from ..dynamics.joints.linkage import Linkage
from ..dynamics.joints.pinocchio import pin
from ..io.progress import Progress
from .walk_data import Cycle
from .walker import FOOT, GRAVITY, SIDES, elements, law, person

DEGREE, KNOT = 5, 0.025  # of the spline; distance of its knots [s]
DOWN = np.array([0.0, 0.0, -1.0])
ROOT, LEG = 3, 5  # degrees of freedom of the trunk, of a leg
#: Deviations that count as one: forces on the ground and on the first joints [weights]; feet [m, rad]; hip [m], trunk
#: and legs [rad]; torques of joints without an actuator and of the others [N m]; accelerations [rad/s^2].
SCALES = {
    "force": np.array([0.015, 0.03]),
    "root": np.array([0.004, 0.004, 0.004]),
    "ball": 0.01,
    "pitch": np.radians(3.0),
    "hip": 0.04,
    "trunk": np.radians(4.0),
    "leg": np.radians(6.0),
    "passive": 3.0,
    "torque": 400.0,
    "acceleration": 2000.0,
}
STEP = 1e-6  # of differences


class Motion(NamedTuple):
    """A motion of the person at the nodes, and what follows from it."""

    q: np.ndarray  #: (n, 13)
    v: np.ndarray
    a: np.ndarray
    torque: np.ndarray  #: (n, 13) of inverse dynamics, without springs
    force: np.ndarray  #: (n, 2, 2) on the right and left foot; forward and up [N]


class Tracker:
    """The person with one kind of contact elements, and the measured cycle."""

    def __init__(self, kind: str, cycle: Cycle, height: float) -> None:
        self.kind, self.cycle, self.weight = kind, cycle, cycle.mass * GRAVITY
        self.mechanism = person(kind, cycle.mass, height)
        self._own = Linkage(self.mechanism, np.array([0.0, 0.0, -GRAVITY]), 0)
        model, names = self.mechanism.model, self.mechanism.joints
        self._parts = [names.index(f"{side} {part}") + 1 for side in SIDES for part in FOOT]
        self.nv = model.nv
        own, rules = elements(kind), law(kind)
        self._normal: Any = rules.normal
        self._friction: Any = rules.friction
        self._stack = type(own[0].shape)(np.array([_size(e.shape) for e in own]))
        self._places = np.array([e.place for e in own])
        self._of = np.array([FOOT.index(e.part) for e in own])
        inner = np.arange(0.0, cycle.time[-1] + KNOT, KNOT)
        inner[-1] = max(inner[-1], cycle.time[-1])
        self.knots = np.concatenate([[inner[0]] * DEGREE, inner, [inner[-1]] * DEGREE])
        count = len(self.knots) - DEGREE - 1
        self._basis = [
            sparse.csr_matrix(np.nan_to_num(BSpline(self.knots, np.eye(count), DEGREE)(cycle.time, nu)))
            for nu in range(3)
        ]
        self.reference = reference(cycle)

    # ---- one motion ----------------------------------------------------------------------------
    def feet(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Places and velocities (B, 6, 2), cosine and sine (B, 6, 2) and turning (B, 6) of the parts of both feet."""
        p, model, data = pin(), self._own.model, self._own.data
        place, speed, turn = (np.empty((len(q), 6, 2)) for _ in range(3))
        spin = np.empty((len(q), 6))
        for k in range(len(q)):
            p.forwardKinematics(model, data, q[k], v[k])
            for m, joint in enumerate(self._parts):
                home, twist = data.oMi[joint], data.v[joint]
                rotation, local = home.rotation, twist.linear
                c, s = rotation[0, 0], rotation[2, 0]
                place[k, m] = home.translation[::2]
                turn[k, m] = c, s
                speed[k, m] = c * local[0] - s * local[2], s * local[0] + c * local[2]
                spin[k, m] = -twist.angular[1]
        return place, speed, turn, spin

    def contact(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forces and torques on the parts of the feet (B, 6, 3), about their joints; forces on the feet (B, 2, 2)."""
        place, speed, turn, spin = self.feet(q, v)
        out = np.zeros((len(q), 6, 3))
        for side in range(2):
            of = 3 * side + self._of
            c, s = turn[:, of, 0], turn[:, of, 1]
            down = np.stack([-s, np.zeros_like(s), -c], axis=-1)  # in the frame of the part
            lowest = self._stack.point(down)[..., ::2] + self._places
            x = c * lowest[..., 0] - s * lowest[..., 1]  # relative to the joint
            z = s * lowest[..., 0] + c * lowest[..., 1]
            depth = -(place[:, of, 1] + z)
            z = -0.5 * depth - place[:, of, 1]  # the force acts midway between the contact points
            along = speed[:, of, 0] - spin[:, of] * z
            rate = -(speed[:, of, 1] + spin[:, of] * x)
            load = self._normal.force(depth, rate)
            slip = np.stack([along, np.zeros_like(along), np.zeros_like(along)], axis=-1)
            rub = self._friction.force(load, slip).force[..., 0]
            for part in range(3):
                own = self._of == part
                out[:, 3 * side + part, 0] = rub[:, own].sum(axis=1)
                out[:, 3 * side + part, 1] = load[:, own].sum(axis=1)
                out[:, 3 * side + part, 2] = (x * load - z * rub)[:, own].sum(axis=1)
        return out, out[..., :2].reshape(len(q), 2, 3, 2).sum(axis=2)

    def torques(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, pushes: np.ndarray) -> np.ndarray:
        """Torques of inverse dynamics (B, nv), without those of springs."""
        p, own, out = pin(), self._own, np.empty((len(q), self.nv))
        wrenches = p.StdVec_Force([p.Force.Zero() for _ in range(own.model.njoints)])
        spread = np.zeros(3), np.zeros(3)
        for k in range(len(q)):
            p.forwardKinematics(own.model, own.data, q[k])
            for m, joint in enumerate(self._parts):
                back, (x, z, turning) = own.data.oMi[joint].rotation, pushes[k, m]
                spread[0][::2], spread[1][1] = (x, z), -turning
                wrenches[joint] = p.Force(back.T @ spread[0], back.T @ spread[1])
            out[k] = p.rnea(own.model, own.data, q[k], v[k], a[k], wrenches) - own.passive(q[k], v[k])[0]
        return out

    # ---- the fit -------------------------------------------------------------------------------
    def residuals(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, node: np.ndarray) -> np.ndarray:
        """Weighted deviations (B, m) of states that belong to the given nodes."""
        cycle, scale = self.cycle, SCALES
        pushes, force = self.contact(q, v)
        torque = self.torques(q, v, a, pushes)
        place, _, turn, _ = self.feet(q, v)
        angle = np.arctan2(turn[..., 1], turn[..., 0])
        ball, hind, toes = place[:, [2, 5]], angle[:, [1, 4]], angle[:, [2, 5]]
        legs, wanted = q[:, ROOT:].reshape(-1, 2, LEG), self.reference[node]
        leg = wanted[:, ROOT:].reshape(-1, 2, LEG)
        drive = torque[:, ROOT:].reshape(-1, 2, LEG)
        parts = [
            (force - cycle.force[node]) / self.weight / scale["force"],
            torque[:, :ROOT] / self.weight / scale["root"],
            (ball - cycle.ball[node]) / scale["ball"],
            (hind - cycle.pitch[node, :, 0]) / scale["pitch"],
            (toes - cycle.pitch[node, :, 1]) / scale["pitch"],
            (q[:, :2] - wanted[:, :2]) / scale["hip"],
            (q[:, 2:3] - wanted[:, 2:3]) / scale["trunk"],
            (legs - leg)[..., :3] / scale["leg"],
            drive[..., 3:] / scale["passive"],
            drive[..., :3] / scale["torque"],
            a[:, 2:] / scale["acceleration"],
        ]
        return np.concatenate([np.asarray(part).reshape(len(q), -1) for part in parts], axis=1)

    def states(self, c: np.ndarray) -> list[np.ndarray]:
        """Positions, velocities and accelerations at the nodes from the coefficients of the spline."""
        return [basis @ c for basis in self._basis]

    def fit(self, iterations: int, progress: Progress) -> np.ndarray:
        """Coefficients (count, nv) of the best motion."""
        gram = (self._basis[0].T @ self._basis[0] + 1e-9 * sparse.eye(self._basis[0].shape[1])).tocsc()
        c = spsolve(gram, self._basis[0].T @ self.reference)
        nodes, damping = np.arange(len(self.cycle.time)), 1e-2
        r = self.residuals(*self.states(c), nodes)
        for k in range(iterations):
            progress.step(f"tracking with {self.kind}, iteration {k + 1} of {iterations}, {float((r * r).sum()):.5g}")
            slope = self._slopes(c, r, nodes)
            normal, right = (slope.T @ slope).tocsc(), slope.T @ r.ravel()
            before = float((r * r).sum())
            for _ in range(8):
                heavy = sparse.diags(damping * normal.diagonal() + 1e-9)
                new = c - spsolve(normal + heavy, right).reshape(c.shape)
                tried = self.residuals(*self.states(new), nodes)
                after = float((tried * tried).sum())
                if after < before:
                    break
                damping *= 6.0
            else:
                return c
            c, r, damping = new, tried, max(damping / 6.0, 1e-8)
            if after > (1.0 - 1e-4) * before:
                break
        return c

    def _slopes(self, c: np.ndarray, r: np.ndarray, nodes: np.ndarray) -> Any:
        """Derivatives of all residuals by all coefficients, sparse; by differences of the states at the nodes."""
        state, total = self.states(c), None
        for order in range(3):
            step = STEP * (1.0, 10.0, 1e3)[order]
            by_joint = []
            for d in range(self.nv):
                moved = [x.copy() for x in state]
                moved[order][:, d] += step
                by_joint.append(((self.residuals(*moved, nodes) - r) / step).ravel())
            rows = sparse.csr_matrix(np.repeat(np.asarray(self._basis[order].todense()), r.shape[1], axis=0))
            blocks = [rows.multiply(column[:, None]).tocsc() for column in by_joint]
            part = sparse.hstack(blocks, format="csc")
            total = part if total is None else total + part
        count = len(c)
        order_of = np.arange(count * self.nv).reshape(self.nv, count).T.ravel()
        return total[:, order_of].tocsr()  # type: ignore[index]

    def motion(self, c: np.ndarray) -> Motion:
        """The motion of coefficients."""
        q, v, a = self.states(c)
        pushes, force = self.contact(q, v)
        return Motion(q, v, a, self.torques(q, v, a, pushes), force)


def _size(shape: Any) -> Any:
    return shape.radii if hasattr(shape, "radii") else shape.radius


def reference(cycle: Cycle) -> np.ndarray:
    """Positions of all joints (n, 13): hip, upright trunk, and both legs."""
    legs = cycle.angles.reshape(len(cycle.time), -1)
    return np.concatenate([cycle.hip, np.zeros((len(cycle.time), 1)), legs], axis=1)
