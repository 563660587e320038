"""select_model(): choose the kind of body for a cloud."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .clouds import Cloud
from .fit_body import prepare, run, unknowns
from .hierarchy import Search
from .models import MODELS
from .problem import Problem, true_distances
from .result import FitResult

FOLDS = 5
BUDGET = 40  # evaluations of a fit without a part of the cloud, started at the fit to the whole cloud


@dataclass(frozen=True)
class ModelChoice:
    """All models fitted to one cloud, and the recommended one.

    Attributes
    ----------
    fits : dict of str to FitResult
        Fits, from simple to rich models.
    cross_validated : dict of str to float
        RMS distance of points left out of the fit, in the unit of the cloud.
    aic, bic : dict of str to float
        Akaike's and the Bayesian information criterion, for Gaussian residuals; smaller is better.
    recommended : str
        Name of the recommended model.
    reason : str
        Reason for the recommendation.
    """

    fits: dict[str, FitResult]
    cross_validated: dict[str, float]
    cross_error: dict[str, float]
    aic: dict[str, float]
    bic: dict[str, float]
    recommended: str
    reason: str

    @property
    def best(self) -> FitResult:
        """The recommended fit."""
        return self.fits[self.recommended]

    def table(self) -> str:
        """Statistics of all models as text: Tables 3.3 and 3.4 of the thesis, and the criteria."""
        head = f"{'model':<16}{'min':>11}{'max':>11}{'mean':>11}{'std':>11}{'RMS':>11}{'mu':>11}{'sigma':>11}"
        head += f"{'CV RMS':>11}{'AIC':>11}{'BIC':>11}  status"
        lines = [head, "-" * len(head)]
        for name, found in self.fits.items():
            s = found.statistics
            numbers = (s.minimum, s.maximum, s.mean, s.std, s.rms, s.mu, s.sigma, self.cross_validated[name])
            text = "".join(f"{value:>11.4g}" for value in numbers)
            text += f"{self.aic[name]:>11.1f}{self.bic[name]:>11.1f}"
            mark = "*" if name == self.recommended else " "
            lines.append(f"{name + mark:<16}{text}  {found.status.name}")
        return "\n".join([*lines, f"* {self.reason}"])

    def __repr__(self) -> str:
        return self.table()


def select_model(
    points: ArrayLike | Cloud,
    models: Sequence[str] = tuple(MODELS),
    *,
    normals: ArrayLike | None = None,
    weights: ArrayLike | str | None = None,
    loss: str = "linear",
    folds: int = FOLDS,
) -> ModelChoice:
    """Fit several models and recommend one.

    Parameters
    ----------
    points, normals, weights, loss
        As in :func:`tangency.fit`.
    models : sequence of str
        Models to fit; default all, from sphere to superovoid.
    folds : int
        Number of random parts of the cloud; each is predicted by a fit to the others.

    Returns
    -------
    ModelChoice

    Notes
    -----
    The recommendation is the model with the fewest parameters whose cross-validated RMS is within one standard
    error of the best (Hastie, Tibshirani and Friedman: The Elements of Statistical Learning, 7.10).  Fits without a
    part of the cloud start at the fit to the whole cloud.  `reason` mentions it if a simpler model fits the whole cloud
    better, or if the fit of the recommended model did not converge.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> rng = np.random.default_rng(0)
    >>> cloud = tg.Ellipsoid([3, 2, 1]).point(rng.normal(size=(400, 3))) + rng.normal(0, 0.01, (400, 3))
    >>> tg.select_model(cloud, ["sphere", "ellipsoid", "superellipsoid"]).recommended
    'ellipsoid'
    """
    names = [name for name in MODELS if name in models]
    if not names or set(models) - set(MODELS):
        raise ValueError(f"models must be some of {', '.join(MODELS)}, got {list(models)!r}")
    if folds < 2:
        raise ValueError(f"folds must be >= 2, got {folds!r}")
    search, frame = prepare(points, normals, weights, loss, *names)
    fits, scale = {name: run(search, frame, name) for name in names}, frame.scale
    count = len(search.points)
    fold = np.random.default_rng(1).permutation(count) % folds
    crossed, spread, aic, bic = {}, {}, {}, {}
    for name in names:
        squares = _left_out(search, fits[name], fold)
        crossed[name] = scale * math.sqrt(float(np.mean(squares)))
        # standard error of the root of the mean, from the spread of the squares
        spread[name] = (
            scale * float(np.std(squares)) / math.sqrt(count) / (2.0 * math.sqrt(float(np.mean(squares))) + 1e-300)
        )
        aic[name], bic[name] = _criteria(fits[name])
    best = min(names, key=crossed.__getitem__)
    limit = crossed[best] + spread[best]
    good = [name for name in names if crossed[name] <= limit]
    chosen = min(good, key=lambda name: (unknowns(name), crossed[name]))
    if chosen == best:
        reason = f"{chosen}: the smallest error on points left out of the fit ({crossed[chosen]:.4g} RMS)"
    else:
        reason = (
            f"{chosen}: on points left out of the fit its error ({crossed[chosen]:.4g} RMS) is within one standard "
            f"error of the best, the {best} ({crossed[best]:.4g}), with {unknowns(chosen)} parameters instead of "
            f"{unknowns(best)}"
        )
    simpler = [name for name in names if unknowns(name) < unknowns(chosen) and fits[name].rms < fits[chosen].rms]
    if simpler:
        reason += f"; on all points the simpler {' and '.join(simpler)} has the smaller error"
    if not fits[chosen].converged:
        reason += "; its fit did not converge"
    return ModelChoice(fits, crossed, spread, aic, bic, chosen, reason)


def _left_out(search: Search, found: FitResult, fold: np.ndarray) -> np.ndarray:
    """Weighted squared distances of all points, each from a fit without its own part of the cloud."""
    squares = np.empty(len(fold))
    solution, scale = found.details, search.scales[found.model]
    for part in range(int(fold.max()) + 1):
        out = fold == part
        inside = Problem(solution.model, search.points[~out], search.root[~out], solution.state)
        again = inside.solve(loss=search.loss, scale=scale, budget=BUDGET)
        distances = true_distances(again.model, again.state, search.points[out])
        if distances is None:  # cannot happen: every step of the search is a convex body
            raise AssertionError(f"the {found.model} fitted to a part of the cloud is not convex")
        squares[out] = search.weights[out] * distances**2
    return squares


def _criteria(found: FitResult) -> tuple[float, float]:
    """AIC and BIC, with the variance of the noise as an additional unknown."""
    count, size = len(found.residuals), len(found.names) + 1
    likelihood = count * math.log(max(found.rms, 1e-300) ** 2) + count * (1.0 + math.log(2.0 * math.pi))
    return likelihood + 2.0 * size, likelihood + size * math.log(count)
