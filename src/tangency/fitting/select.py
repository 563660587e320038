"""select_model(): choose the kind of body for a cloud."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..io.clouds import Cloud
from ..io.quiet import progress_if
from .chosen_model import add_model, chosen_model, parameter_names
from .cloud_frame import Frame
from .fit_body import prepare, run
from .hierarchy import Search
from .limits import words_of
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
    models: Sequence[Any] = tuple(MODELS),
    *,
    bounds: Mapping[str, Any] | str | None = None,
    fixed: Mapping[str, float] | None = None,
    ties: Sequence[str] | None = None,
    normals: ArrayLike | None = None,
    weights: ArrayLike | str | None = None,
    loss: str = "linear",
    folds: int = FOLDS,
    progress: bool = False,
) -> ModelChoice:
    """Fit several models and recommend one.

    Parameters
    ----------
    points, normals, weights, loss
        As in :func:`tangency.fit`.
    models : sequence
        Models to fit, as in :func:`tangency.fit`; default all from sphere to superovoid.
    bounds, fixed, ties
        As in :func:`tangency.fit`; each model takes those that name its own parameters.
    folds : int
        Number of random parts of the cloud; each is predicted by a fit to the others.
    progress : bool
        Report progress on stderr.

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
    if isinstance(models, str) or not len(models):
        raise ValueError(f"models must be a list of at least one model, got {models!r}")
    wanted = [chosen_model(model, "models") for model in models]
    wanted = [name for name in MODELS if name in wanted] + [model for model in wanted if model not in MODELS]
    if folds < 2:
        raise ValueError(f"folds must be >= 2, got {folds!r}")
    search, frame = prepare(points, normals, weights, loss, *wanted)
    keys, scale = _fitted(search, frame, wanted, (bounds, fixed, ties)), frame.scale
    fits: dict[str, FitResult] = {}
    count = len(search.points)
    fold = np.random.default_rng(1).permutation(count) % folds
    with progress_if(progress) as shown:
        search.step = shown.step
        for key in keys:
            found = run(search, frame, key)
            fits[_label(found.model, fits)] = found
        shown.step(f"fitting {len(fits)} models without a part of the cloud")
        left_out = {name: _left_out(search, fits[name], fold, search.scales[key]) for key, name in zip(keys, fits)}
    names = list(fits)
    crossed, spread, aic, bic, size = {}, {}, {}, {}, {}
    for name, squares in left_out.items():
        crossed[name] = scale * math.sqrt(float(np.mean(squares)))
        # standard error of the root of the mean, from the spread of the squares
        spread[name] = (
            scale * float(np.std(squares)) / math.sqrt(count) / (2.0 * math.sqrt(float(np.mean(squares))) + 1e-300)
        )
        size[name] = unknowns_of(fits[name])
        aic[name], bic[name] = _criteria(fits[name], size[name])
    best = min(names, key=crossed.__getitem__)
    limit = crossed[best] + spread[best]
    good = [name for name in names if crossed[name] <= limit]
    chosen = min(good, key=lambda name: (size[name], crossed[name]))
    if chosen == best:
        reason = f"{chosen}: the smallest error on points left out of the fit ({crossed[chosen]:.4g} RMS)"
    else:
        reason = (
            f"{chosen}: on points left out of the fit its error ({crossed[chosen]:.4g} RMS) is within one standard "
            f"error of the best, the {best} ({crossed[best]:.4g}), with {size[chosen]} parameters instead of "
            f"{size[best]}"
        )
    simpler = [name for name in names if size[name] < size[chosen] and fits[name].rms < fits[chosen].rms]
    if simpler:
        reason += f"; on all points the simpler {' and '.join(simpler)} has the smaller error"
    if not fits[chosen].converged:
        reason += "; its fit did not converge"
    return ModelChoice(fits, crossed, spread, aic, bic, chosen, reason)


def _fitted(search: Search, frame: Frame, models: list[Any], limits: tuple[Any, ...]) -> list[str]:
    """The names under which the models are fitted, each with the limits of its own parameters."""
    bounds, fixed, ties = limits
    asked = {*(bounds if isinstance(bounds, Mapping) else ()), *(fixed or ())}
    shown = [parameter_names(model) for model in models]
    asked |= {name for tie in ties or () for name in words_of(tie)}
    for name in asked - {name for names in shown for name in names}:
        raise ValueError(f"bounds, fixed and ties must name parameters of the models, but no model has {name!r}")
    keys = []
    for model, names in zip(models, shown):
        own = [
            {name: value for name, value in part.items() if name in names} if isinstance(part, Mapping) else part
            for part in (bounds, fixed)
        ]
        both = [tie for tie in ties or () if all(word in names for word in words_of(tie))]
        keys.append(add_model(search, frame, model, own[0], own[1], both))
    return keys


def _label(name: str, taken: Mapping[str, Any]) -> str:
    """The name of a model, with a number if another one has it already."""
    return name if name not in taken else f"{name} {1 + sum(one.split()[0] == name for one in taken)}"


def _left_out(search: Search, found: FitResult, fold: np.ndarray, scale: float) -> np.ndarray:
    """Weighted squared distances of all points, each from a fit without its own part of the cloud."""
    squares = np.empty(len(fold))
    solution = found.details
    for part in range(int(fold.max()) + 1):
        out = fold == part
        inside = Problem(solution.model, search.points[~out], search.root[~out], solution.state)
        again = inside.solve(loss=search.loss, scale=scale, budget=BUDGET)
        distances = true_distances(again.model, again.state, search.points[out])
        if distances is None:  # cannot happen: every step of the search is a convex body
            raise AssertionError(f"the {found.model} fitted to a part of the cloud is not convex")
        squares[out] = search.weights[out] * distances**2
    return squares


def unknowns_of(found: FitResult) -> int:
    """Number of free parameters of a fit, including the pose."""
    model = found.details.model
    return len(model.names) + (6 if model.turns else 3)


def _criteria(found: FitResult, unknowns: int) -> tuple[float, float]:
    """AIC and BIC, with the variance of the noise as an additional unknown."""
    count, size = len(found.residuals), unknowns + 1
    likelihood = count * math.log(max(found.rms, 1e-300) ** 2) + count * (1.0 + math.log(2.0 * math.pi))
    return likelihood + 2.0 * size, likelihood + size * math.log(count)
