"""What no mechanism can do: move without mass, contradict itself, or go where its velocity does not lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .pinocchio import pin

if TYPE_CHECKING:
    from .linkage import Linkage

OPEN_LOOP = 1e-6  # gap of a loop that is refused [m]
SINGULAR = 1e-14  # eigenvalue of the inertia matrix, with ones on its diagonal, below which a motion has no inertia
ASTRAY = 1e-5  # deviation of prescribed positions and velocities from integrals, relative to their size or 1


def refuse_massless(model: Any, position: np.ndarray) -> None:
    """Refuse a model with motions of its joints that move no mass."""
    upper = np.triu(np.array(pin().crba(model, model.createData(), position)).reshape(model.nv, model.nv))
    matrix = upper + np.triu(upper, 1).T
    size = np.sqrt(np.diag(matrix))
    empty = ~(size > 0.0)
    if not empty.any():
        values, vectors = np.linalg.eigh(matrix / np.outer(size, size))
        if values[0] > SINGULAR:
            return
        empty = np.abs(vectors[:, 0]) > 0.1
    each = list(zip(model.names, model.joints))[1:]  # the first is the world
    joints = [name for name, own in each if empty[own.idx_v :][: own.nv].any()]
    raise ValueError(
        f"model must have a mass or an inertia for every motion of its joints, got none for {', '.join(joints)}: give "
        "their links a mass and an inertia, or the joints an armature"
    )


def require_prescribed(linkage: Linkage, time: float, state: tuple[np.ndarray, np.ndarray], slack: float) -> None:
    """Raise an error if prescribed motions are not those of their velocities and accelerations, which gave `state`."""
    own, (q, v) = linkage.mechanism, state
    for name in own.prescribed:
        place = own.place_of(name)
        position, velocity, _ = own.prescribed_at(name, time)
        off = place.difference(position, place.read(q)), velocity - float(v[place.v])
        refuse_astray(name, time, off, (slack * max(1.0, abs(position)), slack * max(1.0, abs(velocity))))


def refuse_astray(joint: str, time: float, off: tuple[float, float], allowed: tuple[float, float]) -> None:
    """Raise an error for a prescribed position or velocity that is off by more than allowed."""
    for k, (what, whose) in enumerate((("position", "velocity"), ("velocity", "acceleration"))):
        if abs(off[k]) > allowed[k]:
            raise ValueError(
                f"prescribed[{joint!r}] must return a position and its derivatives, without jumps: at t = {time:g} s "
                f"the {what} is off by {off[k]:.3g} from the integral of the {whose}"
            )


def require_possible(linkage: Linkage, q: np.ndarray, v: np.ndarray, time: float) -> None:
    """Raise an error if prescribed joints and loops contradict each other."""
    own = linkage.mechanism
    if own.loop_frames is None or not own.prescribed:
        return
    held = [own.place_of(name).v for name in own.prescribed]
    given = [own.prescribed_at(name, time)[2] for name in own.prescribed]
    matrix, side = own.loop_frames.equations(linkage.data, q, v)
    rows, right = np.concatenate([np.eye(linkage.nv)[held], matrix]), np.concatenate([given, side])
    left = right - rows @ np.linalg.lstsq(rows, right, rcond=1e-10)[0]
    gap = float(np.abs(left).max()) / own.loop_rate**2  # at which the correction of errors would hold it
    if gap > OPEN_LOOP:
        raise ValueError(
            f"mechanism {own.name!r}: prescribed joints and loops contradict each other at t = {time:g} s: the motion "
            f"of {', '.join(own.prescribed)} would open a loop by {gap:.3g} m"
        )
