"""Loops: two links that are held together besides the joints of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.spelling import Spelled
from .pinocchio import pin


@dataclass(frozen=True, eq=False)
class Loop(Spelled):
    """A point that two links share, which closes a chain of links.

    Parameters
    ----------
    a, b : str
        Names of two links; None for the world.
    point_a, point_b : (3,) array_like
        The point in the frames of both [m].
    """

    a: str | None
    b: str | None
    point_a: ArrayLike = (0.0, 0.0, 0.0)
    point_b: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if self.a == self.b:
            raise ValueError(f"a and b must be two different links, got {self.a!r} twice")
        for name in ("point_a", "point_b"):
            vector = validate.vectors(getattr(self, name), name)
            validate.single({name: vector.shape[:-1]})
            object.__setattr__(self, name, vector)


class LoopFrames:
    """The points of all loops as frames of a model, and the equations that hold them together.

    With the gap g = p_a - p_b of each loop, the accelerations satisfy g'' + 2 w g' + w^2 g = 0 (Baumgarte), so that
    errors of the integration decay with the rate w.
    """

    def __init__(self, model: Any, ends: list[tuple[int, int]], rate: float) -> None:
        self._model, self._ends, self._rate = model, ends, rate

    def __len__(self) -> int:
        return 3 * len(self._ends)

    def points(self) -> list[tuple[int, np.ndarray]]:
        """The joint that carries each point, and the point in the frame of that joint."""
        frames = [self._model.frames[end] for pair in self._ends for end in pair]
        return [(int(frame.parentJoint), frame.placement.translation.copy()) for frame in frames]

    def gaps(self, data: Any) -> np.ndarray:
        """Gaps of all loops (3 L,) [m]; the frames of `data` are up to date."""
        return np.concatenate([data.oMf[a].translation - data.oMf[b].translation for a, b in self._ends])

    def jacobian(self, data: Any) -> np.ndarray:
        """Rates of the gaps by the velocities of the joints (3 L, nv)."""
        p = pin()
        world = p.ReferenceFrame.LOCAL_WORLD_ALIGNED
        each = [[p.getFrameJacobian(self._model, data, end, world) for end in pair] for pair in self._ends]
        # Pinocchio returns matrices of one column as vectors.
        return np.concatenate([(a - b).reshape(6, self._model.nv)[:3] for a, b in each])

    def equations(self, data: Any, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Matrix (3 L, nv) and right side of the equations for the accelerations of the joints."""
        p, model = pin(), self._model
        p.computeJointJacobians(model, data, q)
        p.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        p.updateFramePlacements(model, data)
        world = p.ReferenceFrame.LOCAL_WORLD_ALIGNED
        drift = [
            p.getFrameClassicalAcceleration(model, data, a, world).linear
            - p.getFrameClassicalAcceleration(model, data, b, world).linear
            for a, b in self._ends
        ]
        matrix, rate = self.jacobian(data), self._rate
        return matrix, -np.concatenate(drift) - 2.0 * rate * (matrix @ v) - rate**2 * self.gaps(data)


def closed_position(
    mechanism: Any, loops: Sequence[Loop], hold: Sequence[str] = (), *, tolerance: float = 1e-13
) -> np.ndarray:
    """Positions of all joints that close some loops, by Newton's method from the initial ones.

    Parameters
    ----------
    mechanism : Mechanism
        A mechanism without these loops, near the closed position.
    loops : sequence of Loop
        The loops to close.
    hold : sequence of str
        Joints of one degree of freedom that keep their position.
    tolerance : float
        Largest gap [m], relative to 1 m or the size of the mechanism.

    Returns
    -------
    (nq,) array

    Raises
    ------
    ValueError
        If the loops cannot be closed from here.
    """
    p, model = pin(), pin().Model(mechanism.model)
    held = [mechanism.place_of(joint).v for joint in hold]
    frames, q = mechanism.with_loops(model, loops, 1.0), mechanism.position.copy()
    data = model.createData()
    free = np.setdiff1d(np.arange(model.nv), held)
    for _ in range(100):
        p.computeJointJacobians(model, data, q)
        p.updateFramePlacements(model, data)
        gaps = frames.gaps(data)
        size = max(1.0, *(float(np.abs(home.translation).max()) for home in data.oMi))
        if np.abs(gaps).max() <= tolerance * size:
            return q
        step = np.zeros(model.nv)
        step[free] = np.linalg.lstsq(frames.jacobian(data)[:, free], -gaps, rcond=1e-10)[0]
        q = p.integrate(model, q, step * min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-300)))
    raise ValueError(f"loops cannot be closed from this position: a gap of {np.abs(gaps).max():.3g} m remains")
