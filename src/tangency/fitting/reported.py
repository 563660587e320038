"""Result of a fit from its solution: every number is measured on the body that is returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

from ..shapes.shape import Shape
from .chosen_model import is_symmetric
from .cloud_frame import Frame
from .directions import spread
from .open_model import OpenModel
from .problem import Solution, State, distance_slopes
from .result import ROTATIONS, FitResult, FitStatus
from .surface_distance import signed_distance
from .uncertainty import covariance

if TYPE_CHECKING:
    from .hierarchy import Search


def reported(solution: Solution, search: Search, frame: Frame, key: str) -> FitResult:
    """The result, in the unit and frame of the cloud."""
    model, state, scale = solution.model, solution.state, frame.scale
    values, rates = model.report(state.s, scale)
    if key in search.limits:
        values = search.limits[key].kept(model.shown, values)
    shape = model.reported_shape(values)
    position = frame.axes @ state.position * scale + frame.centre
    pose = RigidTransform.from_components(position, Rotation.from_matrix(frame.axes @ state.rotation))
    position, rotation = pose.translation, pose.rotation.as_matrix()
    found = signed_distance(shape, search.cloud, pose, certify=True)
    # Uncertainty of the parameters s, in the unit of the cloud, then of the reported parameters
    feet = np.column_stack([found.distance, found.normal @ rotation, (found.foot - position) @ rotation])
    slopes = distance_slopes(model, State(state.s, position, rotation), feet, scale)
    free = np.concatenate([~solution.active, np.ones(slopes.shape[1] - len(state.s), bool)])
    pulls = None if search.priors is None else scale * search.priors.slopes(model, state.s)
    units = np.full(slopes.shape[1], scale)  # of lengths, except for the slopes by the position, which are numbers
    units[len(state.s) : len(state.s) + 3] = 1.0
    loss_scale = scale * search.scales[key]
    own, lost = covariance(slopes, found.distance, search.weights, search.loss, loss_scale, free, pulls, units=units)
    turns = ROTATIONS if model.turns else ()
    pose_size = 3 + len(turns)
    into = np.zeros((len(rates) + pose_size, slopes.shape[1]))
    into[: len(rates), : len(state.s)] = rates
    into[len(rates) :, len(state.s) :] = np.eye(pose_size)
    own = into @ own @ into.T
    errors = np.where(((into != 0.0) & np.isinf(lost)).any(axis=1), np.inf, np.sqrt(np.maximum(np.diag(own), 0.0)))
    names = (*model.shown, "x", "y", "z", *turns)
    status, message = _judge(solution, names, errors, _free_turns(shape), _own_bounds(solution, search, key, values))
    if status is FitStatus.UNDETERMINED and len(slopes) <= free.sum():
        message = f"The fit converged, but {len(slopes)} points are not more than its {free.sum()} free parameters."
    missed = int((~found.converged).sum())
    if missed:
        message += f" The foot points of {missed} points are not certain."
    return FitResult(
        model.name,
        shape,
        pose,
        names,
        np.concatenate([values, position, np.zeros(len(turns))]),
        errors,
        own,
        found.distance,
        found.foot,
        found.normal,
        search.weights,
        status,
        message,
        solution.evaluations,
        search.loss,
        solution,
    )


def _free_turns(shape: Shape) -> set[str]:
    """Rotations that do not change the body: those about an axis of revolution."""
    normals = np.array(spread(122))
    return {name for axis, name in enumerate(ROTATIONS) if is_symmetric(shape, normals, axis)}


def _own_bounds(solution: Solution, search: Search, key: str, values: np.ndarray) -> dict[str, float]:
    """The bounds given by the user at which parameters of the solution are."""
    bounds = search.limits[key].bounds if key in search.limits else {}
    found = {}
    for name, value in zip(solution.model.shown, values):
        for bound in bounds.get(name, ()):
            if abs(value - bound) <= 1e-9 * abs(value):
                found[name] = bound
    return found


def _vanishing(solution: Solution) -> Mapping[str, float]:
    """Lengths of the model that may become zero."""
    return solution.model.family.vanishing if isinstance(solution.model, OpenModel) else {}


def _between(solution: Solution) -> dict[str, float]:
    """Parameters whose ranges meet there in two branches of the model, and where they meet."""
    model = solution.model
    if isinstance(model, OpenModel):
        name, value = "e1", 1.0
        branched = len(model.family.branches) > 1
    else:
        name, value = "g3", 2.0
        branched = bool(model.branch)
    if not branched or name not in model.names:
        return {}
    return {name: value} if abs(solution.state.s[list(model.names).index(name)] - 1.0) < 1e-9 else {}


def _judge(
    solution: Solution, names: tuple[str, ...], errors: np.ndarray, symmetric: set[str], own: dict[str, float]
) -> tuple[FitStatus, str]:
    held = [solution.model.names[k] for k in np.flatnonzero(solution.active)]
    lost = [name for name, error in zip(names, errors) if np.isinf(error) and name not in symmetric]
    if not solution.converged:
        where, most = (" along the limit of convexity", "at most ") if solution.pressed else ("", "")
        share = 100 * min(solution.gain, 1.0)
        return FitStatus.NOT_CONVERGED, (
            f"The fit did not converge{where}: another step is predicted to lower the sum of squares by {most}"
            f"{share:.2g} %; the body is the best so far. Try a simpler model, or this result as start."
        )
    edge = solution.model.family.edge if isinstance(solution.model, OpenModel) else ""
    if solution.pressed and edge:
        return FitStatus.AT_CONVEXITY, (
            f"The best body of this model: {edge}, so the standard errors are too small. Try the simpler model."
        )
    if solution.pressed:
        return FitStatus.AT_CONVEXITY, (
            "The best convex body: one that is not convex would fit the cloud better, so the standard errors are too "
            f"small.{' Try a model without taper.' if solution.model.tapers else ''}"
        )
    if own and all(name in own for name in held):
        return FitStatus.AT_BOUND, (
            f"The fit converged at the given bound {', '.join(f'{name} = {bound:g}' for name, bound in own.items())}. "
            "Errors hold for the other parameters."
        )
    vanished = [name for name in held if name in _vanishing(solution)]
    if held and held == vanished:
        return FitStatus.AT_BOUND, (
            f"The fit converged with {', '.join(held)} at the least value, where the body is a simpler one. Errors "
            "hold for the other parameters."
        )
    if held and held == [name for name in held if name in _between(solution)]:
        return FitStatus.AT_BOUND, (
            f"The fit converged at {', '.join(f'{name} = {_between(solution)[name]:g}' for name in held)}, where the "
            "profile is straight on one side and round on the other, and other tapers are convex: neither side has a "
            "better body. Errors hold for the other parameters."
        )
    if held:
        return FitStatus.AT_BOUND, (
            f"The fit converged with {', '.join(held)} at a bound: the cloud is flatter, sharper or more "
            "tapered than the model can be, or does not determine it. Errors hold for the other parameters."
        )
    if lost:
        return FitStatus.UNDETERMINED, (
            f"The fit converged, but the cloud does not determine {', '.join(lost)} (symmetry, or too "
            "small a part of the surface)."
        )
    loose = [name for name, error in zip(names, errors) if name in ROTATIONS and (error > 1.0 or name in symmetric)]
    if loose:
        return FitStatus.CONVERGED, (
            f"The fit converged; the angle {', '.join(loose)} is not determined, because the body is one of "
            "revolution, or nearly so."
        )
    return FitStatus.CONVERGED, "The fit converged; every parameter is determined."
