"""Test of the formulas of user-defined shapes, before solvers use them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...geometry.curvature import principal
from ...geometry.directions import special
from ...geometry.moments import spread
from ...io.report import FormulaReport
from ...kernels.jet import HESSIAN, JET, POINT, SUPPORT, evaluate_many
from ..shape import _SYM, Shape, ShapeError
from ..stack import Stack
from .convexity import find_dent, require_convex
from .poles import pole_failures

DIFFERENCES = (1e-3, 1e-4, 1e-5, 1e-6)  # of difference quotients; a formula is wrong if it disagrees for all of them
DISAGREEMENT = 1e-4  # relative error of a difference quotient that counts as a disagreement
FLAT = 1e12  # a radius this many times the size counts as infinite
FEW_DIRECTIONS = 60  # directions tried when a shape is used without a call of `check`
BEYOND = "the body is not convex: a boundary point lies beyond the tangent plane"
TIGHT = 1e-9  # relative error of an identity that holds to rounding


@dataclass(frozen=True)
class CheckReport(FormulaReport):
    """Outcome of :func:`check`; ``str()`` lists the problems in sentences.

    Attributes
    ----------
    name : str
        Class of the shape.
    samples : int
        Number of directions tried per body.
    problems : tuple of str
        One sentence each; empty if nothing was found.
    remarks : tuple of str
        Properties that are not mistakes: equations of Römer 3-D that a convex body violates at a pole, bodies
        of a stack that were left out.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.check(tg.Sphere(1.0)).problems
    ()
    """

    _tried = "directions"


def check(shape: Shape, *, samples: int = 300, seed: int = 0, strict: bool = False) -> CheckReport:
    """Test the formulas of a shape: derivatives, homogeneity, convexity, and Eqs. (15) to (19) of Römer 3-D.

    Derivatives are compared in `samples` directions.  Values are also tested on the axes, around them down to 1e-12 rad
    and on both sides of the coordinate planes.  The smallest radius of curvature is searched for from all of these and
    from a dense grid, and jumps of the boundary point are located by bisection.

    Parameters
    ----------
    shape : Shape
        A single body or a stack, of which at most eight bodies are tested.
    samples : int
        Number of directions in which derivatives are compared.
    seed : int
        Seed of the random directions among them.
    strict : bool
        Raise an error instead of returning a report with problems.

    Returns
    -------
    CheckReport

    Raises
    ------
    ShapeError
        With `strict`, if there is a problem.

    Examples
    --------
    >>> import tangency as tg
    >>> print(tg.check(tg.from_support("sqrt(nx**2 + ny**2 + nz**2) + 0.1*nz")))
    FromSupport: no problem found in 300 directions.
    >>> tg.check(tg.from_support("sqrt(nx**2 + ny**2 - nz**2/2)", check=False)).ok
    False
    """
    if not isinstance(shape, Shape) or not hasattr(shape, "Kernel"):
        raise TypeError(f"shape must be a Shape with formulas, got {shape!r}")
    rng = np.random.default_rng(seed)
    random = rng.normal(size=(max(samples // 2, 1), 3))
    normals = np.concatenate([random / np.linalg.norm(random, axis=-1, keepdims=True), spread(max(samples // 2, 1))])
    problems: list[str] = []
    remarks: list[str] = []
    bodies = [()] if not shape.batch_shape else list(np.ndindex(shape.batch_shape))
    bodies = [bodies[k] for k in np.unique(np.linspace(0, len(bodies) - 1, 8).astype(int))] if bodies else []
    remarks += untested(len(bodies), shape)
    for index in bodies:
        found = _plain(shape.kernel_at(index), normals[:20]) if shape._runs_in_python else []
        known: list[str] = []
        if not found:
            found, known = _compiled(shape, index, normals)
        where = f" (body {index})" if shape.batch_shape else ""
        problems += [sentence + where for sentence in found]
        remarks += [sentence + where for sentence in known]
        if found:
            break
    report = CheckReport(type(shape).__name__, len(normals), tuple(problems), tuple(remarks))
    if strict and problems:
        raise ShapeError(str(report))
    return report


def untested(bodies: int, shape: Stack) -> list[str]:
    """Remark for a report in which only some `bodies` of the stack were tested."""
    count = math.prod(shape.batch_shape)
    return [f"{bodies} of {count} bodies were tested, evenly spread over the stack"] if bodies < count else []


def normal_text(n: Any) -> str:
    """Words for the place of a problem."""
    return "at n = (" + ", ".join(f"{v:.6g}" for v in n) + ")"


def _plain(kernel: Any, normals: np.ndarray) -> list[str]:
    """Run the formulas in plain Python, where errors are readable, unlike in compiled code."""
    axes = [row for axis in np.eye(3) for row in (axis, -axis)]
    for n in [*map(tuple, normals.tolist()), *map(tuple, np.array(axes).tolist())]:
        try:
            result = kernel.jet(n)
        except Exception as error:
            return [f"the formulas raise {type(error).__name__}: {error} {normal_text(n)}"]
        problem = _malformed(result)
        if problem:
            return [f"{problem} {normal_text(n)}"]
    return []


def _malformed(result: Any) -> str:
    if not isinstance(result, tuple) or len(result) != 3:
        return f"jet(n) must return (h, x, W), got {result!r}"
    h, x, w = result
    if not isinstance(x, tuple) or len(x) != 3:
        return f"point must be a tuple of 3 numbers, got {x!r}"
    if not isinstance(w, tuple) or len(w) != 6:
        return f"hessian must be a tuple of 6 numbers (xx, xy, xz, yy, yz, zz), got {w!r}"
    for name, value in (("support", h), *(("point", v) for v in x), *(("hessian", v) for v in w)):
        if not isinstance(value, int | float | np.floating):
            return f"{name} must consist of real numbers, got {value!r}"
        if not np.isfinite(value):
            return f"{name} must be finite, got {value!r}"
    return ""


def jets(shape: Shape, index: tuple, n: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compiled jets at the vectors n as they are, not normalised."""
    k = int(np.ravel_multi_index(index, shape.batch_shape)) if index else 0
    out = np.full((len(n), JET), np.nan)
    evaluate_many(shape.address, np.ascontiguousarray(shape.rows[k : k + 1]), 0, np.ascontiguousarray(n), out)
    return out[:, SUPPORT], out[:, POINT], out[:, HESSIAN][:, _SYM]


def require_sound(shape: Shape, name: str) -> None:
    """Raise a ShapeError if user-defined formulas are inconsistent or not convex; each object is tested once."""
    shape = getattr(shape, "hollow", shape)  # for a cavity
    if not hasattr(shape, "Kernel") or shape._is_builtin() or "sound" in shape._prepared:
        return
    normals = spread(FEW_DIRECTIONS)
    problems = _plain(shape.kernel_at(), normals[:4]) or _contradictions(shape, (), normals)[0]
    if problems:
        raise ShapeError(f"{name}: {problems[0]}; tangency.check(shape) looks for more")
    require_convex(shape, name)
    shape._prepared["sound"] = True


def _compiled(shape: Shape, index: tuple, n: np.ndarray) -> tuple[list[str], list[str]]:
    """Problems and remarks of one body."""
    problems, size = _contradictions(shape, index, n)
    if not size > 0.0:
        return problems, []
    body = shape[index] if index else shape
    convex, remarks = _convexity(body, size)
    beyond = [problem for problem in problems if problem.startswith(BEYOND)]
    lost = [] if convex else body._inaccuracies()
    return [*(problem for problem in problems if problem not in beyond), *convex, *beyond, *lost], remarks


def _contradictions(shape: Shape, index: tuple, n: np.ndarray) -> tuple[list[str], float]:
    """Inconsistencies between values and derivatives of one body, and its size; 0 if the values are not finite."""
    count = len(n)
    n = np.concatenate([n, special()])
    try:
        h, x, w = jets(shape, index, n)
    except TypeError as error:
        return [str(error)], 0.0
    for name, value in (("support", h[:, None]), ("point", x), ("hessian", w.reshape(len(n), 9))):
        bad = ~np.isfinite(value).all(axis=-1)
        if bad.any():
            return [
                f"{name} is not finite in {bad.sum()} of {len(n)} directions, first {normal_text(n[bad.argmax()])}"
            ], 0.0
    size = max(np.abs(x - x.mean(axis=0)).max(), np.abs(h).max(), 1e-300)
    radius = np.maximum(np.abs(w).max(axis=(-2, -1)), size)  # local scale of W
    problems: list[str] = []

    def note(error: np.ndarray, limit: float, text: str) -> None:
        if (error > limit).any():
            k = int((error >= 0.999999 * error.max()).argmax())  # the first of equal errors, independent of rounding
            problems.append(f"{text} (relative error {error[k]:.3g} {normal_text(n[k])})")

    for t in (0.5, 3.0):
        ht, xt, wt = jets(shape, index, t * n)
        note(np.abs(ht - t * h) / size, TIGHT, f"support is not homogeneous: h({t} n) differs from {t} h(n)")
        note(np.abs(xt - x).max(axis=-1) / size, TIGHT, f"point({t} n) differs from point(n)")
        # At a flat place a large number stands for infinity.
        gap = np.where(radius < FLAT * size, np.abs(t * wt - w).max(axis=(-2, -1)), 0.0)
        note(gap / radius, 1e-6, f"hessian({t} n) differs from hessian(n) / {t}")
    note(np.abs((n * x).sum(axis=-1) - h) / size, TIGHT, "n . point(n) differs from support(n)")
    note(np.abs(np.einsum("kij,kj->ki", w, n)).max(axis=-1) / radius, 1e-6, "hessian(n) n is not zero")
    # Many bodies have kinks on axes and coordinate planes, where differences are meaningless.
    some = slice(count)
    slope, bend = _differences(shape, index, n[some], x[some], w[some], size, radius[some])
    note(slope, DISAGREEMENT, "point is not the gradient of support")
    note(bend, DISAGREEMENT, "hessian is not the derivative of point (or not symmetric)")
    smallest = principal(n, w).radii[:, 0]
    core = float(np.broadcast_to(shape.core_radius, shape.batch_shape)[index])
    if core > 0:
        note((core - smallest) / radius, 1e-6, f"core_radius {core:.6g} exceeds a principal radius of curvature")
    # (x(n) - x(m)).n >= 0: no point of the surface lies beyond the tangent plane at another.
    beyond = (x[some] @ n.T).max(axis=0) - (x * n).sum(axis=-1)
    note(beyond / size, 1e-7, BEYOND)
    return problems, float(size)


def _convexity(shape: Shape, size: float) -> tuple[list[str], list[str]]:
    """Problems and remarks about one body: Eqs. (15) to (19) of Römer 3-D."""
    try:
        dent, failures = find_dent(shape), pole_failures(shape, size)
    except ShapeError as error:
        return [str(error)], []
    problems = [f"{failure}" for failure in failures if dent is not None or failure.equation == 15]
    remarks = [f"{failure}" for failure in failures if f"{failure}" not in problems]
    if dent is not None:
        negative = "" if np.isnan(dent.radius) else "a principal radius of curvature is negative, "
        problems.append(f"the body is not convex: {negative}{dent}")
    return problems, remarks


def _differences(
    shape: Shape, index: tuple, n: np.ndarray, x: np.ndarray, w: np.ndarray, size: float, radius: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Relative deviation of central differences from point and Hessian, the smallest over all steps."""
    slope, bend = np.full(len(n), np.inf), np.full(len(n), np.inf)
    for step in DIFFERENCES:
        dh, dx = np.empty_like(x), np.empty_like(w)
        for axis in range(3):
            move = step * np.eye(3)[axis]
            after, before = jets(shape, index, n + move), jets(shape, index, n - move)
            dh[:, axis] = (after[0] - before[0]) / (2 * step)
            dx[:, :, axis] = (after[1] - before[1]) / (2 * step)
        slope = np.fmin(slope, np.abs(dh - x).max(axis=-1) / size)
        bend = np.fmin(bend, np.abs(dx - w).max(axis=(-2, -1)) / radius)
    return slope, bend
