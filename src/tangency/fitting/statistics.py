"""Statistics of signed distances, as in Tables 3.3 and 3.4 of Lopes' thesis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Statistics:
    """Statistics of the distances of a cloud from a surface; lengths in the unit of the cloud.

    Attributes
    ----------
    minimum, maximum : float
        Smallest and largest signed distance (Table 3.3).
    mean, std, rms : float
        Mean, standard deviation and root mean square of the absolute distances (Table 3.3).
    mu, sigma : float
        Mean and standard deviation of the signed distances: the Gaussian of Table 3.4 and Fig. 3.5.
    count : int
        Number of points.
    """

    minimum: float
    maximum: float
    mean: float
    std: float
    rms: float
    mu: float
    sigma: float
    count: int


def statistics(distance: np.ndarray, weights: np.ndarray | None = None) -> Statistics:
    """Statistics of signed distances, optionally weighted.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency.fitting import statistics
    >>> found = statistics(np.array([-1.0, 1.0, 2.0, -2.0]))
    >>> found.mean, found.mu, round(found.rms, 6)
    (1.5, 0.0, 1.581139)
    """
    share = np.full(len(distance), 1.0 / len(distance)) if weights is None else weights / weights.sum()
    size = np.abs(distance)
    mean, mu, square = (float(share @ values) for values in (size, distance, distance**2))
    return Statistics(
        float(distance.min()),
        float(distance.max()),
        mean,
        float(np.sqrt(max(square - mean**2, 0.0))),
        float(np.sqrt(square)),
        mu,
        float(np.sqrt(max(square - mu**2, 0.0))),
        len(distance),
    )
