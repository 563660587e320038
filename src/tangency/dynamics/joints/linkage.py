"""One mechanism in motion: the poses of its links, the accelerations of its joints, its energies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..state import MOMENTUM, PLACE, STATE, TURN, VELOCITY
from .constrained import corrected
from .mechanism import JointState, Mechanism
from .pinocchio import pin

POSE, TWIST = slice(PLACE.start, TURN.stop), slice(VELOCITY.start, STATE)  # of a row


class Powers(NamedTuple):
    """Energies and powers of a mechanism besides those of contacts."""

    elastic: float  #: energy of the springs of its joints [J]
    absorbed: float  #: power absorbed by these, dampers included [W]
    external: float  #: power of torques and of prescribed joints [W]


class Linkage:
    """A mechanism under a gravity; the state is kept elsewhere."""

    def __init__(self, mechanism: Mechanism, gravity: np.ndarray, first: int) -> None:
        p = pin()
        self.mechanism = mechanism
        self.model = model = p.Model(mechanism.model)
        model.gravity = p.Motion(np.concatenate([gravity, np.zeros(3)]))
        self.data, self.nq, self.nv = model.createData(), model.nq, model.nv
        #: Numbers of the bodies of the world that joints 1, 2, ... carry.
        offset = len(mechanism.bodies) - (model.njoints - 1)
        self.links = np.arange(first + offset, first + len(mechanism.bodies))
        self._weightless = p.StdVec_Force([p.Force.Zero() for _ in range(model.njoints)])
        # Pinocchio counts armatures in the kinetic energy for some kinds of joints only, so they are added here.
        self._bare = p.Model(model)
        self._bare.armature = np.zeros(model.nv)
        self._elements = [(mechanism.place_of(e.joint), e) for e in mechanism.elements]
        self._prescribed = [(mechanism.place_of(name), name) for name in mechanism.prescribed]
        self._damping = np.array(model.damping, float)
        self.torque = np.zeros(model.nv)  # of actuators and prescribed joints at the last evaluation

    # ---- kinematics ----------------------------------------------------------------------------
    def prescribe(self, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray | None:
        """Write the state of prescribed joints to q and v; return their accelerations (P,), if there are any."""
        if not self._prescribed:
            return None
        found = np.empty(len(self._prescribed))
        for k, (place, name) in enumerate(self._prescribed):
            position, v[place.v], found[k] = self.mechanism.prescribed_at(name, time)
            place.write(q, position)
        return found

    def place(self, q: np.ndarray, v: np.ndarray, y: np.ndarray) -> None:
        """Write the rows of the links."""
        p = pin()
        p.forwardKinematics(self.model, self.data, q, v)
        homes, world = self.data.oMi, p.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for joint, i in enumerate(self.links, 1):
            y[i, POSE] = p.SE3ToXYZQUAT(homes[joint])
            y[i, TWIST] = p.getVelocity(self.model, self.data, joint, world).vector

    def accelerations_of_links(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Magnitudes of the accelerations of the origins and of the angular accelerations of all links."""
        p = pin()
        p.forwardKinematics(self.model, self.data, q, v, a)
        joints = range(1, self.model.njoints)
        local = p.ReferenceFrame.LOCAL
        rates = [p.getClassicalAcceleration(self.model, self.data, joint, local) for joint in joints]
        return tuple(np.array([np.linalg.norm(getattr(r, part)) for r in rates]) for part in ("linear", "angular"))  # type: ignore[return-value]

    def inverse_inertia(self, q: np.ndarray) -> np.ndarray:
        """Inverse of the inertia matrix of the joints (nv, nv)."""
        upper = np.triu(np.array(pin().computeMinverse(self.model, self.data, q)).reshape(self.nv, self.nv))
        return upper + np.triu(upper, 1).T

    def mobilities(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Largest inverse mass [1/kg] and inverse moment of inertia [1/(kg m^2)] of each link, felt at its origin."""
        p, felt = pin(), np.empty((2, self.model.njoints - 1, 3, 3))
        inverse = self.inverse_inertia(q)
        p.computeJointJacobians(self.model, self.data, q)
        for joint in range(1, self.model.njoints):
            jacobian = p.getJointJacobian(self.model, self.data, joint, p.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            jacobian = jacobian.reshape(6, self.nv)  # Pinocchio returns matrices of one column as vectors
            for part in range(2):
                rows = jacobian[3 * part : 3 * part + 3]
                felt[part, joint - 1] = rows @ inverse @ rows.T
        found = np.linalg.eigvalsh(felt)[..., 2]
        return found[0], found[1]

    # ---- dynamics ------------------------------------------------------------------------------
    def wrenches(self, y: np.ndarray, forces: np.ndarray) -> Any:
        """Forces on the links (N, 6) in the world as Pinocchio takes them, in the frames of the joints."""
        p = pin()
        found = p.StdVec_Force(self._weightless)
        own = forces[self.links]
        for k in np.flatnonzero(own.any(axis=1)).tolist():
            back = self.data.oMi[k + 1].rotation.T
            found[k + 1] = p.Force(back @ own[k, :3], back @ own[k, 3:])
        return found

    def generalised(self, q: np.ndarray, v: np.ndarray, wrenches: Any) -> np.ndarray:
        """Generalised forces (nv,) of forces on the links."""
        p, none = pin(), np.zeros(self.nv)
        without = np.array(p.rnea(self.model, self.data, q, v, none))
        return without - p.rnea(self.model, self.data, q, v, none, wrenches)

    def passive(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, float]:
        """Torques of the elements of all joints (nv,), with the damping of the model, and their elastic energy."""
        torque, energy = -self._damping * v, 0.0
        for place, element in self._elements:
            position = place.read(q)
            torque[place.v] += element.torque(position, float(v[place.v]))
            energy += element.energy(position)
        return torque, energy

    def driven(self, time: float, q: np.ndarray, v: np.ndarray, body: Callable[[str], Any]) -> np.ndarray:
        """Torques of the function that the user gave (nv,)."""
        own = self.mechanism
        if own.torque is None:
            return np.zeros(self.nv)
        answer: Any = own.torque(time, JointState(q.copy(), v.copy(), own, body))
        if isinstance(answer, Mapping):
            torque = np.zeros(self.nv)
            for joint, value in answer.items():
                torque[own.place_of(joint).v] += float(value)
        else:
            try:
                torque = np.array(answer, float)
            except (TypeError, ValueError):
                torque = np.full(0, np.nan)
        if torque.shape != (self.nv,) or not np.isfinite(torque).all():
            raise ValueError(
                f"the torque of mechanism {own.name!r} at t = {time:g} s must be {self.nv} finite numbers, or a "
                f"mapping of joint to number, got {answer!r}"
            )
        return torque

    def accelerations(
        self,
        time: float,
        state: tuple[np.ndarray, np.ndarray],
        y: np.ndarray,
        forces: np.ndarray,
        body: Callable[[str], Any],
    ) -> tuple[np.ndarray, Powers]:
        """Accelerations of the joints (nv,) under the forces on the links, and the powers; `place` comes before."""
        p, (q, v) = pin(), state
        wrenches = self.wrenches(y, forces)
        passive, elastic = self.passive(q, v)
        torque = self.driven(time, q, v, body)
        a, repair = np.array(p.aba(self.model, self.data, q, v, passive + torque, wrenches)), 0.0
        given = self.prescribe(time, q.copy(), v.copy())
        loops = self.mechanism.loop_frames
        if given is not None or loops is not None:
            held = [place.v for place, _ in self._prescribed]
            a, reaction, repair = corrected(self, a, (q, v), held, np.zeros(0) if given is None else given)
            torque[held] += reaction
        self.torque = torque
        external = float(torque @ v) + repair
        links = self.links
        # Bodies that forces do not move count as driven from outside, but the links are driven by these very forces.
        external += float(
            (forces[links, :3] * y[links, VELOCITY]).sum() + (forces[links, 3:] * y[links, MOMENTUM]).sum()
        )
        return a, Powers(elastic, -float(passive @ v), external)

    def rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Rate of the positions q for the velocities v; it keeps the lengths of quaternions."""
        return pin().tangentMap(self.model, q).reshape(self.nq, self.nv) @ v

    def energies(self, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Kinetic energy, with that of armatures, and gravitational energy [J]."""
        p = pin()
        kinetic = p.computeKineticEnergy(self._bare, self.data, q, v) + 0.5 * float(self.model.armature @ (v * v))
        return float(kinetic), float(p.computePotentialEnergy(self.model, self.data, q))
