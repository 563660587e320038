"""fit(): fit a placed body to a cloud by orthogonal least squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ..io.clouds import Cloud
from ..io.quiet import progress_if
from ..io.spelling import suggestion
from ..shapes.shape import Shape
from .canonical import canonical
from .check_cloud import check_cloud, check_normals, check_weights
from .chosen_model import add_model, chosen_model, unknowns
from .cloud_frame import Frame, principal_frame
from .global_search import evolve
from .hierarchy import Search
from .models import MODELS
from .open_model import OpenModel
from .problem import State
from .reported import reported
from .result import FitResult

LOSSES = ("linear", "huber", "soft_l1", "cauchy")


def fit(
    points: ArrayLike | Cloud,
    model: str | Shape | type[Shape] = "superovoid",
    *,
    bounds: Mapping[str, tuple[float | None, float | None]] | str | None = None,
    fixed: Mapping[str, float] | None = None,
    ties: Sequence[str] | None = None,
    priors: Mapping[str, tuple[float, float]] | None = None,
    normals: ArrayLike | None = None,
    weights: ArrayLike | str | None = None,
    loss: str = "linear",
    start: FitResult | None = None,
    global_search: bool = False,
    progress: bool = False,
) -> FitResult:
    """Fit a body to a cloud of points: shape, position and orientation that minimise the squared distances.

    Parameters
    ----------
    points : (N, 3) array_like or Cloud
        The cloud, in any unit of length; the normals of a :class:`~tangency.fitting.Cloud` are also used.
    model : str, Shape or class
        ``"sphere"``, ``"ellipsoid"``, ``"superellipsoid"`` (Barr's, two exponents), ``"power_ellipsoid"`` (the
        thesis' superellipsoid, three exponents), ``"ovoid"`` or ``"superovoid"``; ``"box"``, ``"rounded_box"``,
        ``"cylinder"``, ``"cone"``, ``"capsule"``, ``"tapered_superellipsoid"``; ``"harmonic"`` or ``"spline"``
        for any smooth convex body; or a class of shapes, or a shape whose parameters are the first values.  An
        affine image ``body.affine(matrix)`` stands for all affine images of the body.
    bounds : mapping or str, optional
        Limits (low, high) of parameters, None for no limit, within those of the model itself; or ``"thesis"``:
        exponents of at least 2, and c2 and c3 of the tapers between -0.1 and 0.1.
    fixed : mapping, optional
        Values of parameters that are known.
    ties : list of str, optional
        Parameters that are multiples of others, such as ``["b = a", "c = 2 * a"]``.
    priors : mapping, optional
        Gaussian prior knowledge of parameters, as (mean, standard deviation).  The weight of the points follows from
        the spread of their distances.
    normals : (N, 3) array_like, optional
        Normals of the cloud, of either sign: they help to find a start on small caps.  Only the distances enter
        the least squares; normals, noisier than points in most scans, do not.
    weights : (N,) array_like or "sampling", optional
        Weights of the squared distances, for instance the area that each point represents; ``"sampling"`` estimates
        them from the distances between neighbours.
    loss : str
        ``"linear"`` (plain squares), or ``"huber"``, ``"soft_l1"``, ``"cauchy"`` for clouds with outliers, in
        order of increasing robustness; the scale is estimated from the residuals.
    start : FitResult, optional
        An earlier fit of the same model, used as an additional start.
    global_search : bool
        Also search for starts by differential evolution, for clouds on which the others fail; takes seconds.  Only for
        the named models from sphere to superovoid, without limits.
    progress : bool
        Report progress on stderr.

    Returns
    -------
    FitResult

    Notes
    -----
    Distances are Euclidean, from every point to its foot point on the surface, and so are the derivatives
    (``fitting/envelope.py``).  A richer model starts from the solutions of the simpler ones (Lopes thesis,
    3.2.4), so its error is never larger than theirs.  Every iterate is a convex body, and all numbers
    of the result are measured on the body that is returned.  Moving, rotating or scaling the cloud changes the fit in
    the same way: starts are made in the principal frame of the cloud.  Nearly spherical or box-like clouds have several
    local minima; the best result of many starts is returned.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> n = np.random.default_rng(0).normal(size=(500, 3))
    >>> found = tg.fit(tg.Ellipsoid([3, 2, 1]).point(n) + [10, 0, 0], "ellipsoid")
    >>> found.shape.radii.round(9).tolist(), found.pose.translation.round(9).tolist()
    ([3.0, 2.0, 1.0], [10.0, 0.0, 0.0])
    """
    chosen = chosen_model(model)
    search, frame = prepare(points, normals, weights, loss, chosen)
    key = add_model(search, frame, chosen, bounds, fixed, ties, priors)
    with progress_if(progress) as shown:
        search.step = shown.step
        return run(search, frame, key, start, global_search)


def prepare(
    points: ArrayLike | Cloud, normals: ArrayLike | None, weights: ArrayLike | str | None, loss: str, *models: Any
) -> tuple[Search, Frame]:
    """The validated cloud in its own frame, and that frame."""
    models = tuple(chosen_model(model) for model in models)
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}{suggestion(loss, LOSSES)}")
    if normals is None:
        normals = getattr(points, "normals", None)
    cloud = check_cloud(points, [unknowns(model) for model in models])
    shares = check_weights(weights, cloud)
    if not shares.all():  # the points with nonzero weight must suffice
        check_cloud(cloud[shares > 0.0], [unknowns(model) for model in models])
    turned = check_normals(normals, cloud)
    frame = principal_frame(cloud, shares)
    turned = None if turned is None else turned @ frame.axes
    return Search(cloud, frame.local(cloud), shares, turned, loss, unit=frame.scale), frame


def run(
    search: Search, frame: Frame, key: str, start: FitResult | None = None, global_search: bool = False
) -> FitResult:
    """Fit one model to a prepared cloud."""
    extra: list[Any] = []
    kinds = search.models[key]
    if start is not None:
        if not isinstance(start, FitResult) or start.model != kinds[0].name:
            raise ValueError(
                f"start must be a FitResult of the model {kinds[0].name!r}, got {getattr(start, 'model', start)!r}"
            )
        extra += [(kind, _as_start(start, kind, frame)) for kind in kinds if kind.branch == start.details.model.branch]
    if global_search:
        if key not in MODELS:
            raise ValueError(f"global_search must be False for a model with limits or other shapes, got {key}")
        extra += evolve(search, key) if key != "sphere" else []
    solution = search.fit(key, extra)
    return reported(canonical(solution), search, frame, key)


def _as_start(start: FitResult, kind: Any, frame: Frame) -> State:
    values = start.values[: len(kind.shown)]
    s = kind.parameters(values) if isinstance(kind, OpenModel) else kind.taken(values, frame.scale)
    return State(s, frame.local(start.pose.translation), frame.axes.T @ start.pose.rotation.as_matrix())
