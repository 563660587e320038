"""A motion of a rolling body, as arrays over time and as a trajectory for pictures and films."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.body import Body
from ..dynamics.trajectory import ENERGIES, Contacts, Trajectory
from ..shapes import HalfSpace
from .state import RollingState

if TYPE_CHECKING:
    from .body import RollingBody

ENDS = {
    "time": "The end of the duration was reached; rolling did not fail.",
    "lift-off": "The normal force vanishes at t = {time:.6g} s: the body leaves the plane.",
    "slip": "Static friction no longer holds the body at t = {time:.6g} s: it slips.",
    "flat": "The body reaches a flat place at t = {time:.6g} s, where its contact point moves with infinite velocity: "
    "the motion cannot be integrated through it.",
}


@dataclass(frozen=True, eq=False, repr=False)
class RollingRun(RollingState):
    """A motion of a :class:`RollingBody`: a :class:`RollingState` for each time.

    Attributes
    ----------
    time : (T,) array
        Time [s]; the last one is the end of the motion.
    body : RollingBody
        The body.
    end : str
        "time", "lift-off", "slip" or "flat".
    info : dict
        Numbers of steps and of evaluations of the equations of motion.
    """

    time: np.ndarray
    body: RollingBody
    end: str
    info: dict[str, Any]

    def __repr__(self) -> str:
        return f"RollingRun({len(self.time)} times until {self.end_time:.6g} s, end {self.end!r})"

    @property
    def end_time(self) -> float:
        """Time at which the motion ends [s]; that of the slip or lift-off, if there is one."""
        return float(self.time[-1])

    @property
    def message(self) -> str:
        """How the motion ended, in a sentence."""
        return ENDS[self.end].format(time=self.end_time)

    def trajectory(self) -> Trajectory:
        """The motion as a :class:`tangency.dynamics.Trajectory`, with its pictures, films, pages and files.

        Its bodies are ``plane`` and ``body``.

        Examples
        --------
        >>> import tangency as tg
        >>> run = tg.rolling.RollingBody(tg.Sphere(0.1), gravity=[3.5, 0, -9.0]).simulate(duration=1.0)
        >>> run.trajectory()
        Trajectory(2 bodies, 501 frames from 0 to 1 s, 501 contacts)
        """
        own, count = self.body, len(self.time)
        pieces = Body("plane", HalfSpace(own.normal)).pieces, Body("body", own.shape).pieces
        still = np.zeros((count, 3))
        quaternion = np.zeros((count, 2, 4))
        quaternion[:, 0, 3], quaternion[:, 1] = 1.0, self.orientation.as_quat()

        def both(moving: np.ndarray) -> np.ndarray:
            return np.stack([still, moving], axis=1)

        plane, body = np.zeros(count, int), np.ones(count, int)
        contacts = Contacts(
            first=np.arange(count + 1),
            body_a=plane,
            body_b=body,
            shape_a=plane,
            shape_b=plane,
            point=self.contact,
            normal=np.tile(self.normal, (count, 1)),
            force=self.force,
            depth=np.zeros(count),
            normal_force=self.normal_force,
        )
        energy = dict.fromkeys(ENERGIES, np.zeros(count))
        energy |= {"kinetic": self.kinetic_energy, "gravitational": self.potential_energy}
        return Trajectory(
            self.time,
            both(self.reference),
            quaternion,
            both(self.centre_of_mass),
            both(self.centre_velocity),
            both(self.angular_velocity),
            contacts,
            energy,
            ("plane", "body"),
            {"mode": "rolling", "warnings": []},
            pieces,
        )
