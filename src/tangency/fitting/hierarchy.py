"""Search for the best solution of a model for a prepared cloud, starting from simpler models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .convexity import is_convex, made_convex
from .enough_starts import BY_CHANCE, until_nothing_new
from .levenberg import MIN_GAIN_IN_VARIANCES, MOST_ROUNDING_SQUARED, half_sum
from .limited_starts import family_starts, limited_starts
from .limits import Limits
from .models import MODELS, Model
from .nearby_minima import better_nearby
from .open_model import OpenModel
from .priors import Priors
from .problem import Problem, Solution, State, true_distances
from .scattered_starts import scattered_starts
from .starts import (
    across,
    algebraic_sphere,
    ellipsoids,
    from_simpler,
    normal_sphere,
    parents,
    principal_box,
    robust_ellipsoid,
    robust_sphere,
)
from .turned_starts import turned_starts

POINTS_TO_SOLVE, POINTS_TO_COMPARE, POINTS_TO_LOOK = 500, 250, 125  # used for a first solution, and to compare starts
STARTS_LOOKED_AT, BUDGET_LOOK = 48, 4  # if there are more, the best after some evaluations are compared
STARTS_FOLLOWED, STARTS_FINISHED = 10, 3  # starts followed for some evaluations, and to the end
BUDGET_FIRST_LOOK, BUDGET_SECOND_LOOK = 8, 12  # evaluations before the first and the second comparison of starts
BUDGET_TURNED = 24  # evaluations from a random orientation, which come close to most minima
EXACT = 1e-8  # root mean square distance, in sizes of the cloud, below which no better body is looked for
BUDGET_ON_SOME = 80  # evaluations on some points
BUDGET_OF_RIVALS, BUDGET_OF_BEST = 50, 200  # on all points, to compare solutions, and for the best one
SEARCHES_IN_A_ROW = 3  # each with the nearest foot points
MOST_MOVES = 20  # from a minimum to a better one nearby
SAME_COST = 1e-5  # relative difference of costs below which two solutions count as equal
MOST_REFINEMENTS = 12  # of the directions in which a user's shape must be convex
MAD = 1.4826  # from the median of absolute deviations to a standard deviation


@dataclass
class Search:
    """Fits of one cloud, each model once."""

    cloud: np.ndarray  # as given
    points: np.ndarray  # centred, of size one
    weights: np.ndarray  # mean one
    normals: np.ndarray | None
    loss: str
    known: dict[str, Solution] = field(default_factory=dict)  # on some points
    rivals: dict[str, list[Solution]] = field(default_factory=dict)  # nearly as good as `known`
    whole: dict[str, Solution] = field(default_factory=dict)  # on all points
    scales: dict[str, float] = field(default_factory=dict)  # of typical residuals, for a robust loss
    scale: float = 1.0  # that of the current model
    models: dict[str, tuple[Any, ...]] = field(default_factory=lambda: dict(MODELS))
    before: dict[str, tuple[str, ...]] = field(default_factory=dict)  # models that are fitted first
    limits: dict[str, Limits] = field(default_factory=dict)  # of the models added by `add`
    priors: Priors | None = None  # those of the current model
    unit: float = 1.0  # size of the cloud as given
    inner: dict[str, State] = field(default_factory=dict)  # a body of a family that is certainly convex
    step: Callable[[str], None] = field(default=lambda text: None)  # told what is being done

    def __post_init__(self) -> None:
        self.root = np.sqrt(self.weights)
        order = np.random.default_rng(0).permutation(len(self.points))
        counts = (POINTS_TO_SOLVE, POINTS_TO_COMPARE, POINTS_TO_LOOK)
        self.few, self.fewer, self.fewest = (np.sort(order[:count]) for count in counts)
        self.box = principal_box(self.points, self.weights)

    def add(self, key: str, models: tuple[Any, ...], simpler: tuple[str, ...], limits: Limits) -> None:
        """A further model: branches, the models fitted before it, and what the user knows about its parameters."""
        self.models[key], self.before[key], self.limits[key] = models, simpler, limits

    def parents(self, name: str) -> tuple[str, ...]:
        """Models that are fitted before this one."""
        return self.before[name] if name in self.before else parents(name)

    def fit(self, name: str, extra: list[tuple[Any, State]] | None = None) -> Solution:
        """Best solution for all points; `extra` are starts from the user or from a global search.

        The sum of squares is that of the body itself, and never larger than that of a simpler model.
        """
        if name in self.whole and not extra:
            return self.whole[name]
        self.priors = None
        simpler = [self.fit(parent) for parent in self.parents(name)]
        best = self._on_some(name, extra)
        self.scale = self.scales[name]
        if not np.isfinite(best.cost):
            raise ValueError(f"no convex body of the model {best.model.name} within the bounds was found")
        self.priors = self._priors(name, best)
        # Solutions that are equal on some points are compared on all points.
        alike = [old for old in self.rivals[name] if old.cost <= (1.0 + BY_CHANCE) * best.cost]
        starts = [*((old.model, old.state) for old in (best, *alike)), *(extra or [])]
        self.step(f"fitting {best.model.name}: {len(starts)} bodies to all {len(self.points)} points")
        tried = [self._on_all(model, start, BUDGET_OF_RIVALS) for model, start in starts]
        # Bodies of simpler models are also bodies of this one.
        inherited = [
            body for old in simpler for model in self.models[name] if (body := self._as(model, old)) is not None
        ]
        for one in _best(inherited, 1):
            tried.append(self._on_all(one.model, one.state, BUDGET_OF_RIVALS))
        best = min(tried + inherited, key=lambda solution: solution.cost)
        if not best.converged:
            best = self._continued(best)
        best = self._best_beyond(best, name)
        best = self._convex(self._best_nearby(best), self.inner.get(name, best.state))
        for one in [*_best(inherited, 1), *self._given(extra or [])]:
            if one.cost < best.cost:  # what convexity has left is worse than a body that was there before
                best = min(self._convex(self._continued(one), one.state), one, key=lambda solution: solution.cost)
        self.whole[name] = best
        return best

    def _given(self, extra: list[tuple[Any, State]]) -> list[Solution]:
        """The starts of the user that are convex bodies, as they are."""
        found = []
        for model, state in extra:
            distances = true_distances(model, state, self.points)
            if isinstance(model, OpenModel) and model.convexity is not None:
                convex = not self._refined(model, state.s)
            else:
                convex = is_convex(model, state.s)
            if distances is None or not convex:
                continue
            cost = half_sum(self.root * distances, self.loss, self.scale)
            if self.priors is not None:
                cost += self.priors.cost(model, state.s)
            none = np.zeros(len(state.s), bool)
            found.append(Solution(model, state, cost, distances, none, False, False, 1.0, 0))
        return found

    def _continued(self, best: Solution) -> Solution:
        """A solution that has not converged, with more iterations."""
        again = self._on_all(best.model, best.state, BUDGET_OF_BEST)
        if again.cost <= best.cost:
            return again
        # Where only rounding is left of the residuals, or of the step, the body that was there is kept as it is.
        if again.cost - best.cost <= MIN_GAIN_IN_VARIANCES * best.cost / len(best.distances) + _rounding(best):
            return replace(again, state=best.state, cost=best.cost, distances=best.distances)
        return best

    def _best_beyond(self, best: Solution, name: str) -> Solution:
        """The best of a solution at the end of a branch of its model and those that follow in other branches."""
        if isinstance(best.model, Model) and best.model.tapers:
            beyond = [self._on_all(*start, BUDGET_OF_BEST) for start in across(best, self.models[name])]
            return min([best, *beyond], key=lambda solution: solution.cost)
        return best

    def _best_nearby(self, best: Solution) -> Solution:
        """The best of the minima about a standard error away from each other."""
        for _ in range(MOST_MOVES):
            problem = Problem(best.model, self.points, self.root, best.state, self.priors)
            state = better_nearby(problem, best, loss=self.loss, scale=self.scale)
            if state is None:
                return best
            found = self._on_all(best.model, state, BUDGET_OF_BEST)
            if not found.cost < best.cost:  # other foot points are the nearest
                return best
            best = found
        return best

    def _convex(self, best: Solution, inner: State) -> Solution:
        """The solution with convexity required also where the shape's own test finds that it fails."""
        model = best.model
        if not isinstance(model, OpenModel) or model.convexity is None:
            return best
        followed = False  # whether this solution had the budget of the best one
        for _ in range(MOST_REFINEMENTS):
            if self._refined(model, best.state.s):
                self.step(f"fitting {model.name}: convexity in {len(model.convexity.normals)} directions")
                best, followed = self._on_all(model, _inside(model, best.state, inner), BUDGET_OF_RIVALS), False
            elif best.converged or followed:
                return best
            else:
                best, followed = self._continued(best), True
        state = best.state
        while self._refined(model, state.s):  # ends at the inner body, which is convex
            state = _inside(model, state, inner)
        if state is best.state:
            return best
        distances = true_distances(model, state, self.points)
        assert distances is not None
        cost = half_sum(self.root * distances, self.loss, self.scale)
        return replace(best, state=state, distances=distances, cost=cost, converged=False, gain=1.0)

    def _refined(self, model: OpenModel, s: np.ndarray) -> bool:
        """Whether a body is not convex; the directions where it fails are then added to the margins."""
        shape = model.body(s)
        assert model.convexity is not None
        return shape is not None and model.convexity.refine(model.values(s), shape)

    def _priors(self, name: str, best: Solution) -> Priors | None:
        """The priors of a model, weighed with the spread of the residuals of a fit without them."""
        known = self.limits[name].priors if name in self.limits else {}
        sigma = MAD * float(np.median(np.abs(best.distances)))
        return Priors(known, self.unit, max(sigma, 1e-12)) if known else None

    def _as(self, model: Any, old: Solution) -> Solution | None:
        """The same body, expressed in a richer model."""
        if isinstance(model, OpenModel):
            s = model.special(old.model.name, old.model.report(old.state.s, self.unit)[0])
        else:
            assert isinstance(old.model, Model)
            s = model.exact(old.model.form(old.state.s))
        if s is None or not is_convex(model, s):
            return None
        state, distances = State(s, old.state.position, old.state.rotation), old.distances
        if isinstance(model, OpenModel):
            measured = true_distances(model, state, self.points)
            if measured is None:
                return None
            distances = measured
        cost = half_sum(self.root * distances, self.loss, self.scale)
        if self.priors is not None:
            cost += self.priors.cost(model, s)
        none = np.zeros(len(s), bool)
        return replace(old, model=model, state=state, cost=cost, distances=distances, converged=False, active=none)

    def _on_all(self, model: Any, start: State, budget: int) -> Solution:
        """Least squares on all points, with the distances from the final body."""
        change = np.inf
        for _ in range(SEARCHES_IN_A_ROW if budget < BUDGET_OF_BEST else 4 * SEARCHES_IN_A_ROW):
            found = self._solve(model, start, slice(None), budget)
            distances = true_distances(model, found.state, self.points)
            if distances is None:
                return replace(found, cost=np.inf, converged=False)
            claimed, cost = found.cost, half_sum(self.root * distances, self.loss, self.scale)
            if self.priors is not None:
                cost += self.priors.cost(model, found.state.s)
            found = replace(found, cost=cost, distances=distances)
            # Inside the body another foot point may have become the nearest: repeat with that.
            change = abs(claimed - cost)
            if change <= MIN_GAIN_IN_VARIANCES * cost / len(distances) + _rounding(found):
                return found
            if np.array_equal(found.state.s, start.s) and np.array_equal(found.state.position, start.position):
                break  # another search would find the same
            start = found.state
        return replace(found, converged=False, gain=max(found.gain, change / cost))

    def _on_some(self, name: str, extra: list[tuple[Any, State]] | None = None) -> Solution:
        if name in self.known and not extra:
            return self.known[name]
        for parent in self.parents(name):
            self._on_some(parent)
            self.scale = self.scales[parent]
        tried: list[Solution] = []
        for model in self.models[name]:
            starts = [*self._starts(model, name), *(start for kind, start in extra or [] if kind is model)]
            self.step(f"fitting {model.name}: {len(starts)} starts along the axes of the cloud")
            if len(starts) > STARTS_LOOKED_AT:
                looks = [self._solve(model, start, self.fewest, BUDGET_LOOK) for start in starts]
                starts = [old.state for old in sorted(looks, key=lambda old: old.cost)[:STARTS_LOOKED_AT]]
            budget, which = (BUDGET_FIRST_LOOK, self.fewer) if len(starts) > 2 else (200, self.few)
            tried += [self._solve(model, start, which, budget) for start in starts]
            tried += [self._solve(model, start, which, budget) for start in self._random(model, name, tried)]
            if starts and isinstance(model, OpenModel):
                self.inner[name] = starts[0]
        if not tried:
            raise ValueError(f"no body of the model {name} within the bounds was found")
        if len(tried) > 2:
            tried = [
                self._solve(old.model, old.state, self.fewer, BUDGET_SECOND_LOOK)
                for old in _best(tried, STARTS_FOLLOWED)
            ]
            tried = [
                self._solve(old.model, old.state, self.few, BUDGET_ON_SOME) for old in _best(tried, STARTS_FINISHED)
            ]
            beyond = across(_best(tried, 1)[0], self.models[name])
            tried += [self._solve(model, start, self.few, BUDGET_ON_SOME) for model, start in beyond]
        best, *self.rivals[name] = _best(tried, STARTS_FINISHED)
        if self.loss != "linear":
            # The typical size of residuals is known only after a fit, which is then repeated with it.
            for _ in range(2):
                spread = MAD * float(np.median(np.abs(best.distances)))
                self.scale = max(1.345 * spread, 1e-9)
                best = self._solve(best.model, best.state, self.few)
        self.known[name], self.scales[name] = best, self.scale
        return best

    def _starts(self, model: Any, name: str) -> list[State]:
        few = self.few
        if name in self.before:
            simpler = [one for old in self.parents(name) for one in (self.known[old], *self.rivals[old])]
            if isinstance(model, OpenModel):
                return family_starts(model, [self.known["ellipsoid"].state, self.box], self.points)
            return limited_starts(model, simpler)
        if model.name == "sphere":
            starts = [algebraic_sphere(self.points, self.weights)]
            if self.normals is not None:
                starts.append(normal_sphere(self.points[few], self.normals[few]))
            if self.loss != "linear":
                starts.append(robust_sphere(self.points))
                errors = np.abs(np.linalg.norm(self.points - starts[-1].position, axis=1) - np.exp(starts[-1].s[0]))
                self.scale = max(1.345 * MAD * float(np.median(errors)), 1e-9)
            return starts
        if model.name == "ellipsoid":
            starts = ellipsoids(self.points[few], self.weights[few], self.known["sphere"].state)
            robust = robust_ellipsoid(self.points) if self.loss != "linear" else None
            if robust is not None:
                # The typical size comes from this model: residuals of a sphere would hide the outliers.
                self.scale = min(self.scale, max(1.345 * MAD * robust[1], 1e-9))
                starts.append(robust[0])
            return starts
        return from_simpler(model, self.known, self.rivals, self.box)

    def _random(self, model: Any, name: str, tried: list[Solution]) -> list[State]:
        """The best minima from random starts: for a nearly spherical cloud, and for a shape of a user."""
        enough = 0.5 * EXACT**2 * len(self.fewest)
        starts: Iterable[State] = ()
        if isinstance(model, OpenModel):
            if model.family.scattered is not None and not any(one.cost <= enough for one in tried):
                starts = scattered_starts(model, [self.known["ellipsoid"].state, self.box])
        elif name not in self.before and name not in ("sphere", "ellipsoid"):
            sphere, ellipsoid = self.known["sphere"].state, self.known["ellipsoid"].state
            starts = turned_starts(model, ellipsoid, sphere, self.points[self.fewer], self.weights[self.fewer])
        if not starts:
            return []
        self.step(f"fitting {model.name}: starts in random orientations")
        found = until_nothing_new(starts, lambda start: self._solve(model, start, self.fewest, BUDGET_TURNED), enough)
        return [one.state for one in found[:STARTS_FOLLOWED]]

    def _solve(self, model: Any, start: State, which: slice | np.ndarray, budget: int = 200) -> Solution:
        start = State(made_convex(model, start.s), start.position, start.rotation)
        problem = Problem(model, self.points[which], self.root[which], start, self.priors)
        return problem.solve(loss=self.loss, scale=self.scale, budget=budget)


def _inside(model: OpenModel, state: State, inner: State) -> State:
    """A body on the way to a certainly convex one that is convex in all directions of the margins."""
    mixed = [(1.0 - t) * state.s + t * inner.s for t in np.linspace(0.0, 1.0, 33)]
    s = next((one for one in mixed if model.is_convex(one)), inner.s)
    return State(s, state.position, state.rotation)


def _rounding(solution: Solution) -> float:
    """Part of the cost that may be due to rounding."""
    return MOST_ROUNDING_SQUARED * len(solution.distances)


def _best(tried: list[Solution], count: int) -> list[Solution]:
    """The best distinct solutions, and the best of every branch of the model."""
    different: list[Solution] = []
    for one in sorted(tried, key=lambda solution: solution.cost):
        last = different[-1:]
        if not any(one.model is old.model and one.cost - old.cost <= SAME_COST * old.cost for old in last):
            different.append(one)
    branches = {id(old.model): old for old in reversed(different)}
    return different[:count] + [old for old in branches.values() if old not in different[:count]]
