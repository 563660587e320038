"""Contacts of the frames of a trajectory."""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, eq=False)
class Contacts:
    """Contacts of all frames, one after the other.

    Attributes
    ----------
    first : (F + 1,) array of int
        Contacts of frame f have the indices first[f] to first[f + 1] - 1.
    body_a, body_b : (C,) array of int
        Numbers of the bodies; `shape_a` and `shape_b` are the numbers of the shapes within them.
    point, normal, force : (C, 3) array
        Point of application [m], unit normal from A to B, and force on B [N]; world frame.
    depth : (C,) array
        Penetration [m].
    normal_force : (C,) array
        Component of the force along the normal [N].
    """

    first: np.ndarray
    body_a: np.ndarray
    body_b: np.ndarray
    shape_a: np.ndarray
    shape_b: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    depth: np.ndarray
    normal_force: np.ndarray

    def at(self, frame: int) -> Contacts:
        """Contacts of one frame; negative numbers count from the end."""
        count = len(self.first) - 1
        try:
            frame = range(count)[operator.index(frame)]
        except TypeError:
            raise TypeError(f"frame must be an integer, got {frame!r}") from None
        except IndexError:
            raise IndexError(f"frame must lie between {-count} and {count - 1}, got {frame}") from None
        part = slice(int(self.first[frame]), int(self.first[frame + 1]))
        rest = {f.name: getattr(self, f.name)[part] for f in fields(self) if f.name != "first"}
        return Contacts(first=np.array([0, part.stop - part.start]), **rest)

    def __len__(self) -> int:
        return len(self.depth)
