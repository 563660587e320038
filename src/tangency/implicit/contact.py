"""Contact of implicit surfaces: Newton's method in six coordinates, then a classification of the common normal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import plain_rows
from ..geometry.curvature import Curvature
from ..geometry.pose import PoseLike, as_pose
from ..io import validate
from ..shapes.shape import Shape
from ..shapes.stack import Stack
from .contact_kernel import many_normals
from .newton import BROKEN, HOUSEHOLDER, PLATE, RAN_OUT
from .operators import curvature_of
from .stationary import SurfaceContact, SurfaceStatus, nearest
from .surface import ImplicitJet, Patch, Surface, SurfaceLike, evaluate, implicit_stack

TANGENTS = {"householder": HOUSEHOLDER, "auxiliary": PLATE}
SAMPLES = 20  # points per parameter of a surface in the search for a start
MAX_ITERATIONS = 1_000_000


def contact(
    a: SurfaceLike,
    b: SurfaceLike,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    start: tuple[ArrayLike, ArrayLike] | None = None,
    tol: float | None = None,
    tangents: str = "householder",
    max_iterations: int = 50,
) -> SurfaceContact:
    """Common normal of two implicit surfaces, which may be open and nonconvex.

    For two closed convex shapes, :func:`tangency.contact` gives proved bounds.  The start determines which of several
    common normals is found.

    Parameters
    ----------
    a, b : Surface, Patch or Shape
        Each a single surface or a stack; shapes must have an implicit function.
    pose_a, pose_b : optional
        As in :func:`tangency.contact`.
    start : (points_a, points_b), optional
        (..., 3) arrays each, in the frames of the surfaces [m], for instance `local_a` and `local_b` of the previous
        step of a motion.  Default: the nearest of some hundred points of each surface; an unbounded surface must then
        be a patch.
    tol : float, optional
        The iteration stops when the step of both points together is not longer than this [m]; default 1e-10 times the
        larger of the distance between the origins and the coordinates of the start.
    tangents : str
        Construction of the tangents, ``"householder"`` or ``"auxiliary"``.
    max_iterations : int
        Largest number of Newton steps.

    Returns
    -------
    SurfaceContact

    Examples
    --------
    >>> import tangency as tg
    >>> bowl = tg.implicit.elliptic_paraboloid([1, 1]).patch([-2, -2, -1], [2, 2, 3])
    >>> c = tg.implicit.contact(bowl, tg.Sphere(1.0), pose_b=(None, [0, 0, -4]))
    >>> round(float(c.distance), 12), tg.implicit.SurfaceStatus(int(c.status)).name
    (2.0, 'SEPARATED')
    """
    stack_a, stack_b = implicit_stack(a, "a"), implicit_stack(b, "b")
    if not isinstance(tangents, str) or tangents not in TANGENTS:
        raise ValueError(f"tangents must be one of {', '.join(TANGENTS)}, got {tangents!r}")
    if type(max_iterations) is not int or not 1 <= max_iterations <= MAX_ITERATIONS:
        text = f"max_iterations must be a whole number between 1 and {MAX_ITERATIONS}, got {max_iterations!r}"
        raise ValueError(text)
    step = None if tol is None else validate.positive(validate.array(tol, "tol"), "tol")
    if step is not None and step.ndim:
        raise ValueError(f"tol must be a single number, got shape {step.shape}")
    (turn_a, home_a), (turn_b, home_b) = as_pose(pose_a, "pose_a"), as_pose(pose_b, "pose_b")
    points = None
    named = {
        "a": stack_a.batch_shape,
        "b": stack_b.batch_shape,
        "pose_a": home_a.shape[:-1],
        "pose_b": home_b.shape[:-1],
    }
    if start is not None:
        if not isinstance(start, tuple | list) or len(start) != 2:
            raise ValueError(f"start must be (points of A, points of B), got {type(start).__name__}")
        points = [validate.vectors(p, f"start[{k}]") for k, p in enumerate(start)]
        named |= {f"start[{k}]": p.shape[:-1] for k, p in enumerate(points)}
    batch = validate.broadcast(named)
    turn_a, turn_b = (np.broadcast_to(turn, (*batch, 3, 3)) for turn in (turn_a, turn_b))
    home_a, home_b = (np.broadcast_to(home, (*batch, 3)) for home in (home_a, home_b))
    rotation = np.swapaxes(turn_a, -1, -2) @ turn_b
    position = np.einsum("...ji,...j->...i", turn_a, home_b - home_a)
    if points is None:
        points = _nearest_samples(a, b, rotation, position, batch)
    count = math.prod(batch)
    q = np.concatenate([np.broadcast_to(p, (*batch, 3)) for p in points], axis=-1).reshape(count, 6).copy()
    first = q.copy()
    size = np.maximum(np.abs(q).max(axis=1, initial=0.0), np.linalg.norm(position.reshape(count, 3), axis=1))
    limits = np.full(count, 1e-10) * size if step is None else np.full(count, float(step))
    surfaces = [(stack.implicit_address, _rows(stack, batch, count)) for stack in (stack_a, stack_b)]
    poses = plain_rows(rotation, (count, 9)), plain_rows(position, (count, 3))
    codes, jets = np.zeros((count, 3), dtype=np.int64), np.zeros((count, 20))
    many_normals(*surfaces, poses, TANGENTS[tangents], (limits, 10.0 * size, max_iterations), (q, codes, jets))
    lost = ~np.isfinite(q).all(axis=1) | ~np.isfinite(jets).all(axis=1)
    q[lost], codes[lost, 0] = first[lost], BROKEN
    local_a, local_b = q[:, :3].reshape(*batch, 3), q[:, 3:].reshape(*batch, 3)
    sides = (a, b), (stack_a, stack_b), (local_a, local_b), ((turn_a, home_a), (turn_b, home_b))
    return _judged(*sides, codes.reshape(*batch, 3), limits.reshape(batch))


def _rows(stack: Stack, batch: tuple[int, ...], count: int) -> np.ndarray:
    rows = stack.rows
    if len(rows) == 1:
        return rows
    return plain_rows(
        np.broadcast_to(rows.reshape(*stack.batch_shape, rows.shape[1]), (*batch, rows.shape[1])),
        (count, rows.shape[1]),
    )


def _judged(bodies: Any, stacks: Any, points: Any, poses: Any, codes: np.ndarray, tol: np.ndarray) -> SurfaceContact:
    """Classification of the points found: residuals, second-order test, bounds of the patches."""
    jets, world, normals, curved = [], [], [], []
    for stack, x, (turn, home) in zip(stacks, points, poses):
        jet = evaluate(stack, x)
        flat = np.linalg.norm(jet.gradient, axis=-1, keepdims=True) == 0.0
        jet = jet._replace(gradient=np.where(flat, [1.0, 0.0, 0.0], jet.gradient))  # no normal: BROKE_DOWN below
        jets.append((jet, flat[..., 0]))
        world.append(home + np.einsum("...ij,...j->...i", turn, x))
        gradient = np.einsum("...ij,...j->...i", turn, jet.gradient)
        normals.append(gradient / np.linalg.norm(gradient, axis=-1, keepdims=True))
        local = curvature_of(ImplicitJet(*jet))
        directions = np.einsum("...ij,...kj->...ki", turn, local.directions)
        curved.append(Curvature(local.values, local.radii, directions))
    n, d = normals[0], world[1] - world[0]
    distance = (n * d).sum(axis=-1)
    off = [np.abs(jet.value) / np.linalg.norm(jet.gradient, axis=-1) for jet, _ in jets]
    sine = np.linalg.norm(np.cross(n, normals[1]), axis=-1)
    residual = np.max([*off, sine, np.linalg.norm(d - distance[..., None] * n, axis=-1)], axis=0)
    status = np.full(distance.shape, int(SurfaceStatus.LOCAL))
    convex = np.logical_and(*(_convex(stack) for stack in stacks))
    status[np.broadcast_to(convex, status.shape) & (distance >= -tol)] = SurfaceStatus.SEPARATED
    status[~nearest(n, distance, *curved)] = SurfaceStatus.SADDLE
    held = np.logical_and(*(_holds(body, x) for body, x in zip(bodies, points)))
    status[~held] = SurfaceStatus.OUTSIDE
    status[(n * normals[1]).sum(axis=-1) > 0.0] = SurfaceStatus.SAME_SIDE
    status[codes[..., 0] == RAN_OUT] = SurfaceStatus.NOT_CONVERGED
    status[(codes[..., 0] == BROKEN) | jets[0][1] | jets[1][1]] = SurfaceStatus.BROKE_DOWN
    return SurfaceContact(
        distance,
        n,
        world[0],
        world[1],
        points[0],
        points[1],
        status,
        codes[..., 1],
        codes[..., 1] + 1,
        codes[..., 2],
        residual,
        curved[0],
        curved[1],
    )


def _convex(stack: Any) -> np.ndarray:
    return stack.convex if isinstance(stack, Surface) else np.ones(stack.batch_shape, dtype=bool)


def _holds(body: Any, x: np.ndarray) -> np.ndarray:
    return body.holds(x) if isinstance(body, Patch) else np.ones(x.shape[:-1], dtype=bool)


def _nearest_samples(a: Any, b: Any, rotation: np.ndarray, position: np.ndarray, batch: tuple[int, ...]) -> list:
    """For every pair, the two nearest samples with opposing normals."""
    first = np.empty((*batch, 3)), np.empty((*batch, 3))
    known: dict[tuple[int, tuple[int, ...]], Any] = {}
    for index in np.ndindex(*batch):
        chosen = []
        for side, body in enumerate((a, b)):
            stack = body.surface if isinstance(body, Patch) else body
            own = index[len(index) - len(stack.batch_shape) :]
            own = tuple(0 if size == 1 else i for i, size in zip(own, stack.batch_shape))
            if (side, own) not in known:
                known[side, own] = _samples(_single(body, own), "ab"[side])
            chosen.append(known[side, own])
        (p, n), (s, m) = chosen
        there, facing = s @ rotation[index].T + position[index], n @ rotation[index] @ m.T < 0.0
        gap = np.linalg.norm(p[:, None] - there, axis=-1)
        i, j = np.unravel_index(np.where(facing, gap, gap + gap.max()).argmin(), gap.shape)
        first[0][index], first[1][index] = p[i], s[j]
    return list(first)


def _single(body: Any, own: tuple[int, ...]) -> Any:
    """One body of a stack."""
    if not isinstance(body, Patch):
        return body[own] if own else body
    bounds = (np.broadcast_to(v, (*body.surface.batch_shape, 3))[own] for v in (body.lower, body.upper))
    return Patch(body.surface[own] if own else body.surface, *bounds)


def _samples(body: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Points of a surface, and gradients there."""
    single = body.surface if isinstance(body, Patch) else body
    if isinstance(single, Shape):
        k = np.arange(SAMPLES * SAMPLES) + 0.5
        z, phi = 1.0 - 2.0 * k / len(k), np.pi * (1.0 + 5.0**0.5) * k  # a spiral on the sphere
        rho = np.sqrt(1.0 - z * z)
        x = single.point(np.stack([rho * np.cos(phi), rho * np.sin(phi), z], axis=-1))
        return x, evaluate(single, x).gradient
    reach = np.inf
    if isinstance(body, Patch):
        reach = float(np.maximum(np.abs(body.lower), np.abs(body.upper)).max())
    elif all(np.allclose(near, far) for near, far in zip(single.sheets(1e3, 4), single.sheets(1e6, 4))):
        reach = 1.0  # closed: it has no open axis
    if not np.isfinite(reach):
        raise ValueError(f"start must be given, or {name} be a patch: {single!r} is not bounded")
    x = np.concatenate([sheet.reshape(-1, 3) for sheet in single.sheets(reach, SAMPLES)] or [np.empty((0, 3))])
    if isinstance(body, Patch):
        x = x[body.holds(x)]
    if not len(x):
        raise ValueError(f"start must be given: no sample of {single!r} lies in the patch {name}")
    gradient = evaluate(single, x).gradient
    regular = np.linalg.norm(gradient, axis=-1) > 0.0
    return x[regular], gradient[regular]
