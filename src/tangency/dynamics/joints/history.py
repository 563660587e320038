"""Motion of the joints of a world over the frames of a trajectory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .system import JointSystem


class JointMotion(NamedTuple):
    """Motion of one joint; arrays (F,), or (F, n) for a joint of several degrees of freedom."""

    position: np.ndarray  #: [rad or m], as Pinocchio orders it; of a continuous joint between -pi and pi
    velocity: np.ndarray  #: [rad/s or m/s]
    torque: np.ndarray  #: of the user's function, or that drives a prescribed joint [N m or N]


@dataclass(frozen=True, eq=False)
class JointHistory:
    """Motion of all joints.

    Attributes
    ----------
    position : (F, Q) array
        Positions of the joints of all mechanisms, as Pinocchio orders them.
    velocity, torque : (F, V) array
        Velocities, and the torques of the users' functions and of prescribed joints.
    names : tuple of str
        Names of the joints, ``mechanism/joint`` if there are several mechanisms.
    columns : (n, 4) array of int
        First and last column, exclusive, of each joint in `position` and in `velocity`.
    """

    position: np.ndarray
    velocity: np.ndarray
    torque: np.ndarray
    names: tuple[str, ...]
    columns: np.ndarray

    def __getitem__(self, name: str) -> JointMotion:
        if name not in self.names:
            raise KeyError(f"no joint {name!r}; there are {', '.join(self.names)}")
        q, q_end, v, v_end = self.columns[self.names.index(name)]
        parts = self.position[:, q:q_end], self.velocity[:, v:v_end], self.torque[:, v:v_end]
        if q_end - q == 2 and v_end - v == 1:  # cosine and sine of a continuous joint
            parts = np.arctan2(parts[0][:, 1:], parts[0][:, :1]), *parts[1:]
        return JointMotion(*(part[:, 0] if part.shape[1] == 1 else part for part in parts))

    def followed_by(self, other: JointHistory) -> JointHistory:
        """This motion and a later one."""
        names = ("position", "velocity", "torque")
        parts = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names}
        return replace(self, **parts)  # type: ignore[arg-type]


def joint_history(records: np.ndarray, system: JointSystem) -> JointHistory:
    """The history of records as made by `JointSystem.record`."""
    q, v = system.sizes
    records = records.reshape(-1, q + 2 * v)
    names, *columns = zip(*system.columns())
    return JointHistory(
        records[:, :q], records[:, q : q + v], records[:, q + v :], names, np.array(columns, np.int64).T.copy()
    )
