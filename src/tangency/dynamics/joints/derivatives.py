"""Derivatives of the accelerations of a mechanism: Pinocchio's, with those of its contact forces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..accurate.kernel import GAPS
from ..accurate.motion_vector import VectorBodies
from ..accurate.runner import AccurateRunner
from ..assembly import Assembly
from ..state import MOMENTUM, PLACE, TURN, VELOCITY
from ..world import World
from .pinocchio import pin

STEPS = (1e-7, 1e-6)  # of differences: poses [m, rad], velocities [m/s, rad/s]
_NO_GAPS = np.empty((0, GAPS))


class AccelerationDerivatives(NamedTuple):
    """Accelerations of the joints of a mechanism (nv,) and their derivatives (nv, nv)."""

    acceleration: np.ndarray
    by_position: np.ndarray  #: along the tangent of the positions, as Pinocchio takes it
    by_velocity: np.ndarray
    by_torque: np.ndarray  #: the inverse inertia


def acceleration_derivatives(world: World) -> AccelerationDerivatives:
    """Derivatives of the accelerations of the joints in the initial state of a world, with contact forces.

    Those of the mechanism are Pinocchio's, and exact; those of the contact forces by the pose and velocity of each link
    that touches are central differences of the laws, whose formulas have no derivatives, and elements are treated in
    the same way.  The user's torque is held constant: multiply its own derivatives by `by_torque`.

    Parameters
    ----------
    world : World
        A world with one mechanism, without loops and prescribed joints.

    Returns
    -------
    AccelerationDerivatives
    """
    if len(world.mechanisms) != 1 or world.mechanisms[0].loops or world.mechanisms[0].prescribed:
        raise ValueError("world must have one mechanism, without loops and prescribed joints")
    runner = AccurateRunner(Assembly(world), method="DOP853", rtol=1e-9, atol=1e-12)
    runner.start(lambda frame: None)
    equations, p = runner.equations, pin()
    own = equations.joints.linkages[0]
    q, v = world.mechanisms[0].position, world.mechanisms[0].velocity
    y, touching = equations.y.copy(), equations.touching
    looked = tuple(equations.looked)
    forces = np.zeros((len(y), 6))

    def pushes(rows: np.ndarray) -> np.ndarray:
        """Forces and torques on all links (L, 6), in their frames."""
        vector = equations.vector()
        bodies = VectorBodies(equations.free, rows.copy(), np.zeros((len(y), 6)), forces)
        equations.evaluate(vector, tuple(bodies), looked, touching, False, np.empty_like(vector), _NO_GAPS)
        back = Rotation.from_quat(rows[own.links, TURN]).inv()
        return np.concatenate([back.apply(forces[own.links, :3]), back.apply(forces[own.links, 3:])], axis=1)

    here, nv = pushes(y), own.nv
    p.computeForwardKinematicsDerivatives(own.model, own.data, q, v, np.zeros(nv))
    moves = [p.getJointVelocityDerivatives(own.model, own.data, k + 1, p.LOCAL) for k in range(len(own.links))]
    by_q, by_v = np.zeros((len(own.links), 6, nv)), np.zeros((len(own.links), 6, nv))
    for k, i in enumerate(own.links):
        if not here[k].any():
            continue
        turned, along = (part.reshape(6, nv) for part in moves[k])
        for c in range(6):
            change = []
            for kind, step in enumerate(STEPS):
                low, high = (pushes(_moved(y, i, kind, c, sign * step)) for sign in (-1.0, 1.0))
                change.append((high - low) / (2.0 * step))
            by_q += change[0][:, :, None] * along[c] + change[1][:, :, None] * turned[c]
            by_v += change[1][:, :, None] * along[c]
    own.place(q, v, y)
    spread = p.StdVec_Force([p.Force.Zero(), *(p.Force(row[:3], row[3:]) for row in here)])
    passive, torque = own.passive(q, v)[0], own.driven(0.0, q, v, lambda name: equations.joints.body(name, y))
    found = p.computeABADerivatives(own.model, own.data, q, v, passive + torque, spread)
    a_q, a_v, _ = (np.array(part).reshape(nv, nv) for part in found)
    acceleration, inverse = np.array(own.data.ddq), own.inverse_inertia(q)
    jacobians = [part[1].reshape(6, nv) for part in moves]
    pull_q = sum((j.T @ d for j, d in zip(jacobians, by_q)), np.zeros((nv, nv)))
    pull_v = sum((j.T @ d for j, d in zip(jacobians, by_v)), np.zeros((nv, nv)))
    for c, e in enumerate(np.eye(nv)):
        at, fast = STEPS[0] * e, STEPS[1] * e
        near = [own.passive(p.integrate(own.model, q, sign * at), v)[0] for sign in (1.0, -1.0)]
        pull_q[:, c] += (near[0] - near[1]) / (2.0 * STEPS[0])
        pull_v[:, c] += (own.passive(q, v + fast)[0] - own.passive(q, v - fast)[0]) / (2.0 * STEPS[1])
    return AccelerationDerivatives(acceleration, a_q + inverse @ pull_q, a_v + inverse @ pull_v, inverse)


def _moved(y: np.ndarray, i: int, kind: int, c: int, step: float) -> np.ndarray:
    """Rows in which link i is moved (kind 0) or moves faster (kind 1) along or about its own axis c."""
    rows, turn = y.copy(), Rotation.from_quat(y[i, TURN])
    way = np.zeros(3)
    way[c % 3] = step
    if kind == 0 and c < 3:
        rows[i, PLACE] += turn.apply(way)
    elif kind == 0:
        # The velocities are constant in the frame of the link, so they turn with it.
        new = turn * Rotation.from_rotvec(way)
        rows[i, TURN] = new.as_quat()
        for part in (VELOCITY, MOMENTUM):
            rows[i, part] = new.apply(turn.apply(y[i, part], inverse=True))
    else:
        rows[i, VELOCITY if c < 3 else MOMENTUM] += turn.apply(way)
    return rows
