"""Inverse dynamics: from a motion and the forces on the links to the torques of the joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..state import STATE
from .linkage import Linkage
from .mechanism import Mechanism
from .pinocchio import pin

if TYPE_CHECKING:
    from ..trajectory import Trajectory

WRENCH = 6


def inverse_dynamics(
    mechanism: Mechanism,
    position: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    forces: Mapping[str, ArrayLike] | None = None,
    *,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
) -> np.ndarray:
    """Torques that drive a motion, besides those of the elements and of the damping of the joints.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism; its initial state does not matter.  Loops are not closed: their forces would be unknown, too.
    position, velocity, acceleration : (F, nq) and (F, nv) array_like
        The motion, as Pinocchio orders it.
    forces : mapping of str to (F, 6) array_like
        Forces [N] and torques about the origin of the link's frame [N m] on links, in the world: measured ones, or
        those of contacts (:func:`link_forces`).  Keys are the names of links, or of bodies of the world.
    gravity : (3,) array_like
        [m/s^2].

    Returns
    -------
    (F, nv) array
        Torques and forces of the joints.  Those of a free first joint are the residual: zero if forces and motion fit.
    """
    if mechanism.loops:
        raise ValueError("mechanism must have no loops: the forces of loops would be unknown as well")
    own = Linkage(mechanism, np.asarray(gravity, float), 0)
    q, v = validate.array(position, "position"), validate.array(velocity, "velocity")
    a = validate.array(acceleration, "acceleration")
    for array, name, size in ((q, "position", own.nq), (v, "velocity", own.nv), (a, "acceleration", own.nv)):
        if array.shape != (len(q), size):
            raise ValueError(f"{name} must have shape ({len(q)}, {size}), got shape {array.shape}")
    names = [body.name for body in mechanism.bodies]
    given = np.zeros((len(q), len(names), WRENCH))
    for name, table in dict(forces or {}).items():
        full = name if name in names else f"{mechanism.name}/{name}"
        if full not in names:
            raise ValueError(f"forces must name links, got {name!r}; there are {', '.join(names)}")
        wrench = validate.array(table, f"forces[{name!r}]")
        if wrench.shape != (len(q), WRENCH):
            raise ValueError(f"forces[{name!r}] must have shape ({len(q)}, {WRENCH}), got shape {wrench.shape}")
        given[:, names.index(full)] += wrench
    p, y, out = pin(), np.zeros((len(names), STATE)), np.empty((len(q), own.nv))
    for k in range(len(q)):
        own.place(q[k], v[k], y)
        wrenches = own.wrenches(y, given[k])
        out[k] = p.rnea(own.model, own.data, q[k], v[k], a[k], wrenches) - own.passive(q[k], v[k])[0]
    return out


def link_forces(run: Trajectory, mechanism: Mechanism) -> dict[str, np.ndarray]:
    """Contact forces on the links of a mechanism in all frames of a run, for :func:`inverse_dynamics`.

    Returns
    -------
    dict of str to (F, 6) array
        By the name of the body: forces [N] and torques about the origin of its frame [N m], in the world.  Torques of
        rolling resistance and of patches that spin are not recorded in a trajectory, and missing here.
    """
    found = {}
    for body in mechanism.bodies:
        number = run.number(body.name)
        wrench, c = np.zeros((len(run), WRENCH)), run.contacts
        frame = np.repeat(np.arange(len(run)), np.diff(c.first))
        for side, sign in ((c.body_a, -1.0), (c.body_b, 1.0)):
            own = side == number
            force = sign * c.force[own]
            arm = c.point[own] - run.position[frame[own], number]
            np.add.at(wrench, frame[own], np.concatenate([force, np.cross(arm, force)], axis=1))
        found[body.name] = wrench
    return found
