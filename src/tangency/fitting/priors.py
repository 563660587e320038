"""Prior knowledge of parameters: additional residuals (parameter - mean) / deviation, in units of the noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .models import Model
    from .open_model import OpenModel


@dataclass(frozen=True, eq=False)
class Priors:
    """Independent Gaussian priors of reported parameters.

    The sum that is minimised is that of (d / sigma)^2 and ((p - mean) / deviation)^2, times sigma^2; sigma is the
    standard deviation of the distances, estimated from the residuals.
    """

    values: dict[str, tuple[float, float]]
    scale: float  #: size of the cloud, the unit of its lengths
    sigma: float  #: in sizes of the cloud

    def residuals(self, model: Model | OpenModel, s: np.ndarray) -> np.ndarray:
        """One residual per prior."""
        values, _ = model.report(s, self.scale)
        mean, deviation = np.array(list(self.values.values())).T
        return self.sigma * (values[self._places(model)] - mean) / deviation

    def slopes(self, model: Model | OpenModel, s: np.ndarray) -> np.ndarray:
        """Their derivatives in s, (priors, parameters)."""
        _, rates = model.report(s, self.scale)
        deviation = np.array(list(self.values.values()))[:, 1]
        return self.sigma * rates[self._places(model)] / deviation[:, None]

    def cost(self, model: Model | OpenModel, s: np.ndarray) -> float:
        """Half the sum of their squares."""
        r = self.residuals(model, s)
        return 0.5 * float(r @ r)

    def _places(self, model: Model | OpenModel) -> list[int]:
        return [model.shown.index(name) for name in self.values]
