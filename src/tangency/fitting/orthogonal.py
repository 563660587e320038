"""fit(): from a cloud to a placed body, by orthogonal least squares."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

from .canonical import canonical
from .check_cloud import check_cloud, check_normals, check_weights
from .frame import Frame, principal_frame
from .global_search import evolve
from .hierarchy import Search
from .models import MODELS
from .problem import Solution, distance_slopes
from .result import FitResult, FitStatus
from .uncertainty import covariance

LOSSES = ("linear", "huber", "soft_l1", "cauchy")


def fit(
    points: Any,
    model: str = "superovoid",
    *,
    normals: Any = None,
    weights: Any = None,
    loss: str = "linear",
    start: FitResult | None = None,
    global_search: bool = False,
) -> FitResult:
    """Fit a body to a cloud of points: shape, position and orientation with the least squared distances.

    Parameters
    ----------
    points : (N, 3) array_like or Cloud
        The cloud, in any unit of length; of a :class:`~tangency.fitting.Cloud` also its normals are used.
    model : str
        ``"sphere"``, ``"ellipsoid"``, ``"superellipsoid"`` (Barr's, two exponents), ``"power_ellipsoid"`` (the
        thesis' superellipsoid, three exponents), ``"ovoid"`` or ``"superovoid"``.
    normals : (N, 3) array_like, optional
        Normals of the cloud, of either sign: they help to find the start on small caps.  The least squares are
        those of the distances alone; normals, noisier than points in most scans, are no part of them.
    weights : (N,) array_like or "sampling", optional
        Weights of the squared distances, say the area that each point stands for; ``"sampling"`` estimates these
        from the distances between neighbours.
    loss : str
        ``"linear"`` (plain squares), or ``"huber"``, ``"soft_l1"``, ``"cauchy"`` for clouds with outliers, in
        rising order of what they bear; the scale is found from the residuals.
    start : FitResult, optional
        An earlier fit of the same model as one more start.
    global_search : bool
        Also look for starts by differential evolution, for clouds on which the others fail: seconds more.

    Returns
    -------
    FitResult

    Notes
    -----
    Distances are Euclidean, from every point to its foot point on the surface, and so are the derivatives
    (``fitting/envelope.py``).  A richer model starts from the solutions of the simpler ones (Lopes thesis,
    3.2.4).  The body is always convex.  Moving, turning or scaling the cloud moves the fit and nothing else: starts are
    made in the principal frame of the cloud.  Clouds that are nearly round or boxy have several local minima; the
    best of many starts is given.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> n = np.random.default_rng(0).normal(size=(500, 3))
    >>> found = tg.fit(tg.Ellipsoid([3, 2, 1]).point(n) + [10, 0, 0], "ellipsoid")
    >>> found.shape.radii.round(9).tolist(), found.pose.translation.round(9).tolist()
    ([3.0, 2.0, 1.0], [10.0, 0.0, 0.0])
    """
    search, frame = prepare(points, normals, weights, loss, model)
    return run(search, frame, model, start, global_search)


def prepare(points: Any, normals: Any, weights: Any, loss: str, *models: str) -> tuple[Search, Frame]:
    """The checked cloud in its own frame, and that frame."""
    for model in models:
        if not isinstance(model, str) or model not in MODELS:
            raise ValueError(f"model must be one of {', '.join(MODELS)}, got {model!r}")
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}")
    if normals is None:
        normals = getattr(points, "normals", None)
    cloud = check_cloud(points, [unknowns(model) for model in models])
    shares = check_weights(weights, cloud)
    if not shares.all():  # points that do not count must not be needed
        check_cloud(cloud[shares > 0.0], [unknowns(model) for model in models])
    turned = check_normals(normals, cloud)
    frame = principal_frame(cloud, shares)
    return Search(frame.local(cloud), shares, None if turned is None else turned @ frame.axes, loss), frame


def unknowns(model: str) -> int:
    """Number of unknowns of a model, pose included."""
    richest = max(MODELS[model], key=lambda entry: len(entry.names))
    return len(richest.names) + (6 if richest.turns else 3)


def run(
    search: Search, frame: Frame, model: str, start: FitResult | None = None, global_search: bool = False
) -> FitResult:
    """Fit one model to a prepared cloud."""
    extra = []
    if start is not None:
        if not isinstance(start, FitResult) or start.model != model:
            raise ValueError(
                f"start must be a FitResult of the model {model!r}, got {getattr(start, 'model', start)!r}"
            )
        extra.append((start.details.model, _as_start(start, frame)))
    if global_search and model != "sphere":
        extra += evolve(search, model)
    solution = search.fit(model, extra)
    return _result(canonical(solution), search, frame)


def _as_start(start: FitResult, frame: Frame) -> Any:
    from .problem import State

    model = start.details.model
    s = start.details.state.s.copy()
    lengths = np.array([how == "log" for how in model.reported])
    s[lengths] = np.log(start.values[: len(s)][lengths] / frame.scale)
    place = frame.local(start.pose.translation)
    return State(np.clip(s, model.low, model.high), place, frame.axes.T @ start.pose.rotation.as_matrix())


def _result(solution: Solution, search: Search, frame: Frame) -> FitResult:
    model, state, scale = solution.model, solution.state, frame.scale
    m = len(model.names)
    form = model.form(state.s)
    form[:3] += np.log(scale)
    shape, form = _convex(model, form)
    slopes = distance_slopes(model, state, solution.feet)
    free = np.concatenate([~solution.active, np.ones(slopes.shape[1] - m, bool)])
    own, errors = covariance(slopes, solution.feet[:, 0], search.weights, search.loss, search.scale, free)
    # From the scaled cloud to the user's units, from s to what is reported.
    values, rates = model.report(state.s)
    lengths = np.array([how == "log" for how in model.reported])
    values, rates = np.where(lengths, values * scale, values), np.where(lengths, rates * scale, rates)
    stretch = np.concatenate([np.abs(rates), np.full(3, scale), np.ones(3 if model.turns else 0)])
    signs = np.concatenate([np.sign(rates), np.ones(len(stretch) - m)])
    position = frame.axes @ state.position * scale + frame.centre
    every = np.concatenate([values, position, np.zeros(3 if model.turns else 0)])
    own, errors = own * np.outer(stretch * signs, stretch * signs), errors * stretch
    # The place is reported along the axes of the world.
    into = np.eye(len(every))
    into[m : m + 3, m : m + 3] = frame.axes
    own = into @ own @ into.T
    known = np.isfinite(errors[m : m + 3]).all()
    errors[m : m + 3] = np.sqrt(np.diag(own)[m : m + 3]) if known else np.inf
    names = (*model.names, "x", "y", "z", *(("rx", "ry", "rz") if model.turns else ()))
    rotation = frame.axes @ state.rotation
    status, message = _judge(solution, names, errors)
    return FitResult(
        model.name, shape, RigidTransform.from_components(position, Rotation.from_matrix(rotation)), names, every,
        errors, own, solution.feet[:, 0] * scale,
        solution.feet[:, 4:] @ rotation.T * scale + position, solution.feet[:, 1:4] @ rotation.T, search.weights,
        status, message, solution.evaluations, search.loss, solution,
    )  # fmt: skip


def _convex(model: Any, form: np.ndarray) -> tuple[Any, np.ndarray]:
    """The shape; tapers a hair too strong are made weaker until the body is convex."""
    for shrink in (1.0, *(1.0 - 10.0**k for k in np.arange(-6.0, -0.4, 0.5)), 0.0):
        trial = form.copy()
        if model.tapers:
            trial[6:] *= shrink
        try:
            return model.build(trial), trial
        except ValueError:
            if not model.tapers:
                raise
    raise AssertionError("a body without taper is convex")


def _judge(solution: Solution, names: tuple[str, ...], errors: np.ndarray) -> tuple[FitStatus, str]:
    held = [names[k] for k in np.flatnonzero(solution.active)]
    lost = [name for name, error in zip(names, errors) if np.isinf(error)]
    if not solution.converged:
        where = " along the limit of convexity" if solution.pressed else ""
        return FitStatus.NOT_CONVERGED, (
            f"The least squares were not found{where}: the last step promised to lower the sum of squares by "
            f"{100 * solution.gain:.2g} %; the body is the best so far. Try a simpler model, or this result as start."
        )
    if solution.pressed:
        return FitStatus.AT_CONVEXITY, (
            "The best convex body: the cloud would be met better by one that is hollow or pinched somewhere, so the "
            "standard errors are too small. Try a model without taper."
        )
    if held:
        return FitStatus.AT_BOUND, (
            f"The least squares lie where {', '.join(held)} reached a bound: the cloud is flatter, sharper or more "
            "tapered than the model can be, or does not tell. Errors hold for the other parameters."
        )
    if lost:
        return FitStatus.UNDETERMINED, (
            f"The least squares are found, but the cloud does not determine {', '.join(lost)} (symmetry, or too "
            "small a part of the surface)."
        )
    loose = [name for name, error in zip(names, errors) if name in ("rx", "ry", "rz") and error > 1.0]
    if loose:
        return FitStatus.CONVERGED, (
            f"The least squares are found; the angle {', '.join(loose)} is not determined, as the body is nearly one "
            "of revolution."
        )
    return FitStatus.CONVERGED, "The least squares are found; every parameter is determined."
