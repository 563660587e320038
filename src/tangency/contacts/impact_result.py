"""The result of a search for the first contact of moving bodies."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from ..shapes.stack import Index
from .impact_status import IMPACT_VALUES, ImpactStatus
from .result import Contact


class Impact:
    """Result of :func:`tangency.impact`; the leading axes of every array are the broadcast shape of the query.

    Attributes
    ----------
    time : (...) array
        Time of the first contact, between `lower` and `upper`: the distance there is proved to be within `tolerance`
        of zero.  Infinite if the bodies are free, t0 if they touch or overlap there, `lower` if the search did not
        converge [s].
    lower : (...) array
        The bodies are proved to be apart from t0 to this time [s]; t1 if they are free.
    upper : (...) array
        At this time the bodies are proved to overlap (status IMPACT) or to be closer than `tolerance` (TOUCH);
        infinite if no contact was found [s].
    tolerance : (...) array
        Distance below which bodies count as touching: tol times their size, or more if rounding errors are larger [m].
    normal : (..., 3) array
        Direction from A to B at the first contact, or the last one that proved the bodies to be apart.
    status : (...) array of int
        Codes of :class:`ImpactStatus`.
    evaluations : (...) array of int
        Number of evaluations of both support functions.
    shape : tuple of int
        Broadcast shape of the query; () for a single pair.
    """

    def __init__(
        self, values: np.ndarray, codes: np.ndarray, shape: tuple[int, ...], contact: Callable[[np.ndarray], Contact]
    ) -> None:
        count = math.prod(shape)
        self.shape = shape
        scalars = values.reshape(IMPACT_VALUES, count)
        self.time, self.lower, self.upper, self.tolerance = (scalars[k].reshape(shape) + 0.0 for k in (0, 1, 2, 6))
        self.normal = values[3 * count : 6 * count].reshape(*shape, 3) + 0.0
        self.status, self.evaluations = codes.reshape(2, *shape) + 0
        for array in (self.time, self.lower, self.upper, self.tolerance, self.normal, self.status, self.evaluations):
            np.asarray(array).flags.writeable = False
        self._contact = contact

    @cached_property
    def contact(self) -> Contact:
        """Contact of the bodies at `time`; of those that are free, at t1.  Computed on first access."""
        return self._contact(np.where(np.isfinite(self.time), self.time, self.lower))

    def __getstate__(self) -> dict[str, object]:
        _ = self.contact  # the function that computes it stays here
        return {name: value for name, value in self.__dict__.items() if name != "_contact"}

    @property
    def hit(self) -> np.ndarray:
        """(...) array of bool: the bodies touch or overlap at some time."""
        codes = [status for status in ImpactStatus if status.hit]
        return np.isin(self.status, codes)

    @property
    def converged(self) -> np.ndarray:
        """(...) array of bool: the first contact was found, or the bodies are free."""
        return self.status < ImpactStatus.NOT_CONVERGED

    @property
    def message(self) -> str:
        """Message of the worst status in the result."""
        return ImpactStatus(int(np.max(self.status, initial=0))).message

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single Impact has no len()")
        return self.shape[0]

    def __getitem__(self, index: Index) -> Impact:
        """Select results from a stack."""
        if not self.shape:
            raise TypeError("a single Impact cannot be indexed")
        picked = np.arange(math.prod(self.shape)).reshape(self.shape)[index]
        at = np.unravel_index(picked, self.shape)
        arrays = (self.time, self.lower, self.upper, self.normal, self.tolerance)
        values = np.concatenate([np.ravel(array[at]) for array in arrays])
        codes = np.concatenate([np.ravel(array[at]) for array in (self.status, self.evaluations)])
        return Impact(values, codes, np.shape(picked), lambda _: self.contact[index])

    def __repr__(self) -> str:
        if self.shape:
            return (
                f"Impact(shape={self.shape}, {int(self.hit.sum())} of {self.time.size} hit, "
                f"{int((~self.converged).sum())} not converged)"
            )
        lines = [
            f"time         {float(self.time):.16g}",
            f"lower, upper {float(self.lower):.16g}, {float(self.upper):.16g}",
            f"normal       {self.normal.tolist()}",
            f"status       {ImpactStatus(int(self.status)).name}: {self.message}",
            f"evaluations  {int(self.evaluations)}",
        ]
        return "Impact\n  " + "\n  ".join(lines)
