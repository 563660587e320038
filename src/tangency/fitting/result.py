"""Result of a fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.transform import RigidTransform

from ..shapes.shape import Shape
from .statistics import Statistics, statistics

ROTATIONS = ("rx", "ry", "rz")


class FitStatus(IntEnum):
    """Outcome of a fit; ``FitResult.message`` explains it."""

    CONVERGED = 0
    AT_BOUND = 1
    AT_CONVEXITY = 2
    UNDETERMINED = 3
    NOT_CONVERGED = 4


@dataclass(frozen=True)
class FitResult:
    """A body fitted to a cloud by :func:`tangency.fit`; lengths in the unit of the cloud.

    Attributes
    ----------
    model : str
        Name of the model.
    shape : Shape
        The body, in its own frame.
    pose : RigidTransform
        From the body's frame to that of the cloud.
    names : tuple of str
        Parameters of the shape (Lopes thesis, Table 3.2), then x, y, z of the position, then rotations rx, ry, rz
        about the body's own axes, which are zero and only have an uncertainty.  From the parameters of the shape,
        :func:`tangency.fitting.shape_from_parameters` makes the identical shape.
    values, standard_errors : (P,) array
        Values and standard errors; infinite if the cloud does not determine a parameter, zero for a parameter
        at its bound.
    covariance : (P, P) array
        Covariance of the determined parameters; rows and columns of the others are zero.
    residuals : (N,) array
        Signed distances of the points from `shape` at `pose`, > 0 outside: those of
        :func:`tangency.signed_distance`, and the source of all statistics.
    foot, normal : (N, 3) array
        Nearest surface points and the outward normals there, in the frame of the cloud.
    weights : (N,) array
        Weights of the points, mean one.
    status : FitStatus
        Outcome of the fit.
    message : str
        Explanation of the status.
    evaluations : int
        Number of evaluations of all distances in the last search.
    """

    model: str
    shape: Shape
    pose: RigidTransform
    names: tuple[str, ...]
    values: np.ndarray
    standard_errors: np.ndarray
    covariance: np.ndarray
    residuals: np.ndarray
    foot: np.ndarray
    normal: np.ndarray
    weights: np.ndarray
    status: FitStatus
    message: str
    evaluations: int
    loss: str = "linear"
    details: Any = field(default=None, repr=False)  # the solution, for use as a start of another fit

    @property
    def converged(self) -> bool:
        """Whether the fit converged."""
        return self.status != FitStatus.NOT_CONVERGED

    @cached_property
    def parameters(self) -> dict[str, float]:
        """Values by name."""
        return dict(zip(self.names, self.values.tolist()))

    @cached_property
    def statistics(self) -> Statistics:
        """Statistics of the residuals, as in Tables 3.3 and 3.4 of the thesis."""
        return statistics(self.residuals, self.weights)

    @property
    def rms(self) -> float:
        """Root of the (weighted) mean squared distance."""
        return self.statistics.rms

    def __repr__(self) -> str:
        lines = [f"{self.model} fitted to {len(self.residuals)} points: {self.status.name}, rms {self.rms:.6g}"]
        turns = []
        for name, value, error in zip(self.names, self.values, self.standard_errors):
            if name in ROTATIONS:
                turns.append(f"{name} +- {error:.3g}")
            else:
                lines.append(f"  {name:<4} {value:14.8g} +- {error:.3g}")
        if turns:  # relative to `pose`, so that only their errors say something
            lines.append(f"  rotation about the body's own axes [rad]: {', '.join(turns)}")
        return "\n".join([*lines, f"  {self.message}"])
