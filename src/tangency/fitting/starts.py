"""Starts of fits: algebraic sphere and ellipsoid, then each model from simpler ones (Lopes thesis, 3.2.4).

All clouds here are centred and scaled to size one; every choice depends only on the cloud itself, so that
starts move and rotate with the cloud.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from .models import EQUAL_SLOPES, INWARD, Model
from .parameter_layout import EXPONENTS, LINEAR, RADII, SQUARE, TAPERS
from .problem import Solution, State

TRIALS = 400  # random spheres for clouds with outliers
BOXY = 0.5  # e of the box-like starts
LEAN = 0.15  # c1 of egg-like starts
CURVED = 0.01  # least -c2 of starts with a straight profile: slopes may then differ by 0.3 for exponents of 2
PERMUTATIONS = tuple(np.roll(np.eye(3), k, axis=1) for k in range(3))  # proper: cyclic


def algebraic_sphere(points: np.ndarray, weights: np.ndarray) -> State:
    """Sphere by linear least squares of |p|^2 - 2 c.p - k; exact for exact data."""
    root = np.sqrt(weights)
    columns = np.column_stack([2.0 * points, np.ones(len(points))])
    right = (points * points).sum(axis=1)
    solution, *_ = np.linalg.lstsq(columns * root[:, None], right * root, rcond=None)
    centre = solution[:3]
    return _sphere(centre, np.sqrt(max(solution[3] + centre @ centre, 1e-6)))


def normal_sphere(points: np.ndarray, normals: np.ndarray) -> State:
    """Sphere about the point nearest to all normal lines, with the mean distance as radius; good for small caps."""
    n = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    planes = np.eye(3) - n[:, :, None] * n[:, None, :]
    matrix = planes.sum(axis=0)
    centre = np.linalg.lstsq(matrix, np.einsum("kij,kj->i", planes, points), rcond=1e-9)[0]
    return _sphere(centre, float(np.median(np.linalg.norm(points - centre, axis=1))))


def robust_sphere(points: np.ndarray) -> State:
    """Sphere by least median of squares over spheres through four random points (Rousseeuw 1984)."""
    rng = np.random.default_rng(0)
    picks = rng.integers(0, len(points), (TRIALS, 4))
    corners = points[picks]
    matrix = 2.0 * (corners[:, 1:] - corners[:, :1])
    right = (corners[:, 1:] ** 2).sum(-1) - (corners[:, :1] ** 2).sum(-1)
    solvable = np.abs(np.linalg.det(matrix)) > 1e-3
    if not solvable.any():
        return algebraic_sphere(points, np.ones(len(points)))
    centres = np.linalg.solve(matrix[solvable], right[solvable][..., None])[..., 0]
    radii = np.linalg.norm(corners[solvable, 0] - centres, axis=1)
    some = points[rng.permutation(len(points))[:400]]
    errors = np.abs(np.linalg.norm(some - centres[:, None], axis=2) - radii[:, None])
    best = int(np.median(errors, axis=1).argmin())
    return _sphere(centres[best], radii[best])


def robust_ellipsoid(points: np.ndarray) -> tuple[State, float] | None:
    """Ellipsoid by least median of squares over quadrics through nine random points, and the median distance."""
    rng = np.random.default_rng(0)
    corners = points[rng.integers(0, len(points), (TRIALS, 9))]
    rows = np.concatenate([_squares(corners.reshape(-1, 3)).reshape(TRIALS, 9, 6), corners], axis=2)
    solvable = np.abs(np.linalg.det(rows)) > 1e-30
    solutions = np.linalg.solve(rows[solvable], np.ones((int(solvable.sum()), 9, 1)))[..., 0]
    some = points[rng.permutation(len(points))[:400]]
    best: tuple[State, float] | None = None
    for solution in solutions:
        state = _from_quadric(solution)
        if state is None:
            continue
        local = (some - state.position) @ state.rotation
        reach = np.linalg.norm(local / np.exp(state.s), axis=1)
        error = float(np.median(np.linalg.norm(local, axis=1) * np.abs(1.0 - 1.0 / np.maximum(reach, 1e-9))))
        if best is None or error < best[1]:
            best = state, error
    return best


def _from_quadric(solution: np.ndarray) -> State | None:
    """The ellipsoid p'A p + b.p = 1; None if the quadric is not an ellipsoid."""
    matrix, vector = _symmetric(solution[:6]), solution[6:]
    values = np.linalg.eigvalsh(matrix)
    if not values[0] > 1e-9 * abs(values).max():
        return None
    centre = -0.5 * np.linalg.solve(matrix, vector)
    level = 1.0 + centre @ matrix @ centre
    if not level > 0:
        return None
    lengths, axes = np.linalg.eigh(matrix / level)
    return _ellipsoid(centre, axes, 1.0 / np.sqrt(lengths))


def _sphere(centre: np.ndarray, radius: float) -> State:
    return State(np.log([np.clip(radius, 0.05, 20.0)]), np.clip(centre, -40.0, 40.0), np.eye(3))


def ellipsoids(points: np.ndarray, weights: np.ndarray, sphere: State) -> list[State]:
    """Starts for the ellipsoid: a quadric, the sphere's residuals as a quadratic form, principal axes, the sphere."""
    root = np.sqrt(weights)[:, None]
    found = []
    # The quadric p'A p + b.p = 1 (as in Dai and Newman 1998, cited in the thesis)
    solution, *_ = np.linalg.lstsq(np.hstack([_squares(points), points]) * root, root[:, 0], rcond=None)
    quadric = _from_quadric(solution)
    if quadric is not None:
        found.append(quadric)
    # Distances from the sphere, r = u'M u + b.u with the direction u from its centre
    centre, radius = sphere.position, float(np.exp(sphere.s[0]))
    away = points - centre
    distance = np.linalg.norm(away, axis=1)
    u = away / np.maximum(distance, 1e-9)[:, None]
    limited = np.clip(distance - radius, -radius, radius)
    solution, *_ = np.linalg.lstsq(np.hstack([_squares(u), u]) * root, limited * root[:, 0], rcond=1e-4)
    lengths, axes = np.linalg.eigh(_symmetric(solution[:6]))
    found.append(_ellipsoid(centre + solution[6:], axes, np.clip(radius + lengths, 0.3 * radius, 3.0 * radius)))
    found.append(principal_box(points, weights))
    found.append(_ellipsoid(centre, axes, np.full(3, radius)))
    return found


def principal_box(points: np.ndarray, weights: np.ndarray) -> State:
    """Principal axes of the cloud, and its half extents along them."""
    mean = weights @ points / weights.sum()
    _, axes = np.linalg.eigh((points - mean).T @ ((points - mean) * weights[:, None]))
    axes = _proper(axes)
    low, high = np.percentile(points @ axes, [1, 99], axis=0)
    return _ellipsoid(axes @ (0.5 * (low + high)), axes, np.maximum(0.5 * (high - low), 0.05))


def _squares(p: np.ndarray) -> np.ndarray:
    x, y, z = p.T
    return np.column_stack([x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z])


def _symmetric(m: np.ndarray) -> np.ndarray:
    return np.array([[m[0], m[3], m[4]], [m[3], m[1], m[5]], [m[4], m[5], m[2]]])


def _proper(axes: np.ndarray) -> np.ndarray:
    return axes if np.linalg.det(axes) > 0 else axes * [1.0, 1.0, -1.0]


def _ellipsoid(centre: np.ndarray, axes: np.ndarray, radii: np.ndarray) -> State:
    return State(np.log(np.clip(radii, 0.05, 20.0)), np.clip(centre, -40.0, 40.0), _proper(axes))


def from_simpler(
    model: Model,
    known: dict[str, Solution],
    rivals: dict[str, list[Solution]],
    box: State,
) -> list[State]:
    """Starts of a richer model from the solutions of simpler ones, with every choice of the z axis."""
    starts = _along_axes(model, known, box)
    if model.name == "superovoid":
        for second in rivals["ovoid"]:  # often with another axis
            assert isinstance(second.model, Model)
            starts.append(_rearranged(model, second.model.form(second.state.s), second.state, 0))
    return starts


def _along_axes(model: Model, known: dict[str, Solution], box: State) -> list[State]:
    ellipsoid = known["ellipsoid"].state
    if model.barr:
        starts = [_turned(model, ellipsoid.s, None, ellipsoid, axis) for axis in range(3)]
        for axis in range(3):
            for spin in (0.0, 45.0):
                starts.append(_turned(model, ellipsoid.s, BOXY, ellipsoid, axis, spin))
            starts.append(_turned(model, box.s, 0.3, box, axis))
        return starts
    if not model.tapers:
        starts = [_turned(model, ellipsoid.s, None, ellipsoid, 0), _turned(model, box.s, 0.3, box, 0)]
        starts += [
            _turned(model, ellipsoid.s, BOXY, ellipsoid, axis, spin) for axis in range(3) for spin in (0.0, 45.0)
        ]
        return starts
    starts = [_turned(model, ellipsoid.s, None, ellipsoid, axis) for axis in range(3)]
    if model.name == "ovoid":
        starts += [_leaning(model, start, lean) for start in starts[:3] for lean in (-LEAN, LEAN)]
    for name in ("ovoid", "power_ellipsoid"):
        if name in parents(model.name):
            solution = known[name]
            assert isinstance(solution.model, Model)
            form = solution.model.form(solution.state.s)
            turns = range(3) if name == "power_ellipsoid" else range(1)
            renumbered = [_rearranged(model, form, solution.state, axis) for axis in turns]
            starts += renumbered
            if name == "power_ellipsoid":
                starts += [_leaning(model, start, lean) for start in renumbered for lean in (-LEAN, LEAN)]
    return starts


def _turned(model: Model, radii: np.ndarray, e: float | None, state: State, axis: int, spin: float = 0.0) -> State:
    """Start with z along another axis, rotated by `spin` degrees about it."""
    order = PERMUTATIONS[axis]
    form = model.base.copy()
    form[RADII] = order.T @ radii
    form[EXPONENTS] = 1.0 if e is None else e
    if spin:
        form[:2] = form[:2].mean()
    rotation = state.rotation @ order @ Rotation.from_euler("z", spin, degrees=True).as_matrix()
    return State(model.parameters(form), state.position, rotation)


def _leaning(model: Model, start: State, lean: float) -> State:
    """The same start with one end thicker than the other."""
    form = model.form(start.s)
    form[LINEAR] = lean
    return State(model.parameters(form), start.position, start.rotation)


def _rearranged(model: Model, form: np.ndarray, state: State, axis: int) -> State:
    """Start from the form of a simpler model, with its axes permuted."""
    order = PERMUTATIONS[axis]
    form = np.concatenate([order.T @ form[RADII], order.T @ form[EXPONENTS], form[TAPERS]])
    return State(model.parameters(curved(model, form)), state.position, state.rotation @ order)


def parents(name: str) -> tuple[str, ...]:
    """Models that are fitted first: the hierarchy of the thesis (Fig. 3.2)."""
    return {
        "sphere": (),
        "ellipsoid": ("sphere",),
        "superellipsoid": ("sphere", "ellipsoid"),
        "power_ellipsoid": ("sphere", "ellipsoid"),
        "ovoid": ("sphere", "ellipsoid"),
        "superovoid": ("sphere", "ellipsoid", "power_ellipsoid", "ovoid"),
    }[name]


def across(solution: Solution, models: tuple[Model, ...]) -> list[tuple[Model, State]]:
    """The same body in other branches of its model, if it lies where the branches meet, or nearly the same.

    For Barr's form, the same axes with another special one and the exponents exchanged.
    """
    if not isinstance(solution.model, Model):
        return []
    form, state = solution.model.form(solution.state.s), solution.state
    if solution.model.barr:
        radii, (e1, e2) = form[RADII], form[EXPONENTS]
        orders = PERMUTATIONS[1:]
        forms = [np.concatenate([order.T @ radii, [e2, e1]]) for order in orders]
        return [
            (solution.model, State(solution.model.parameters(form), state.position, state.rotation @ order))
            for form, order in zip(forms, orders)
        ]
    held = [name for name, active in zip(solution.model.names, solution.active) if active]
    # Equal slopes are an edge: other slopes may be better.
    onward = (INWARD,) if solution.model.branch == EQUAL_SLOPES else ()
    return [
        (model, State(model.parameters(curved(model, form)), state.position, state.rotation))
        for model in models
        if model is not solution.model and ("g3" in held or model.branch in onward)
    ]


def curved(model: Model, form: np.ndarray) -> np.ndarray:
    """The form with tapers curved inward, if its profile is straight and its slopes could not differ otherwise."""
    if model.branch != INWARD or not form[EXPONENTS][2] < 1.0:
        return form
    form = form.copy()
    form[SQUARE] = np.minimum(form[SQUARE], -CURVED)
    return form
