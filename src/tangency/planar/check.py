"""Test of the formulas of user-defined planar shapes, before the solver uses them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..io.numbers import count
from ..shapes.checks.formula import DIFFERENCES, DISAGREEMENT, TIGHT, CheckReport, untested
from ..shapes.shape import ShapeError
from .jet import JET, POINT, RADIUS, SUPPORT, evaluate_many
from .radii import direction, extreme_radius
from .shape import Shape


def check(shape: Shape, *, samples: int = 360, strict: bool = False) -> CheckReport:
    """Test the formulas of a planar shape: derivatives, homogeneity and convexity.

    Parameters
    ----------
    shape : Shape
        A single body or a stack, of which at most eight bodies are tested.
    samples : int
        Number of directions, evenly spread; the search for the smallest radius of curvature uses more.
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
    >>> from tangency import planar
    >>> print(planar.check(planar.foot_shape(0.1)))
    FourierShape: no problem found in 360 directions.
    >>> planar.check(planar.from_potential("1 + 0.5*cos(2*phi)", check=False)).ok
    False
    """
    if not isinstance(shape, Shape) or not hasattr(shape, "Kernel"):
        raise TypeError(f"shape must be a planar Shape with formulas, got {shape!r}")
    samples = count(samples, "samples")
    # Not on the axes, where many formulas have special cases; the axes follow.
    phi = np.concatenate([(np.arange(max(samples - 4, 1)) + 0.37) * (2.0 * np.pi / samples), np.arange(4) * np.pi / 2])
    n = direction(phi)
    bodies = len(shape.rows)
    problems: list[str] = []
    tested = np.unique(np.linspace(0, bodies - 1, min(bodies, 8)).astype(int))
    for k in tested:
        found = _of_one(shape, int(k), n)
        where = f" (body {tuple(map(int, np.unravel_index(k, shape.batch_shape)))})" if shape.batch_shape else ""
        problems = [sentence + where for sentence in found]
        if problems:
            break
    report = CheckReport(type(shape).__name__, len(n), tuple(problems), tuple(untested(len(tested), shape)))
    if strict and problems:
        raise ShapeError(str(report))
    return report


def _jets(shape: Shape, k: int, n: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compiled jets of body k at the vectors n as they are, not normalised."""
    out = np.full((len(n), JET), np.nan)
    evaluate_many(shape.address, np.ascontiguousarray(shape.rows[k : k + 1]), 0, np.ascontiguousarray(n), out)
    return out[:, SUPPORT], out[:, POINT], out[:, RADIUS]


def _of_one(shape: Shape, k: int, n: np.ndarray) -> list[str]:
    try:
        h, x, radius = _jets(shape, k, n)
    except TypeError as error:
        return [str(error)]
    for name, value in (("support", h[:, None]), ("point", x), ("radius of curvature", radius[:, None])):
        bad = ~np.isfinite(value).all(axis=-1)
        if bad.any():
            return [f"{name} is not finite in {bad.sum()} of {len(n)} directions, first {_at(n[bad.argmax()])}"]
    size = max(float(np.abs(x - x.mean(axis=0)).max()), float(np.abs(h).max()), 1e-300)
    scale = np.maximum(np.abs(radius), size)
    problems: list[str] = []

    def note(error: np.ndarray, limit: float, text: str) -> None:
        if (error > limit).any():
            worst = int(error.argmax())
            problems.append(f"{text} (relative error {error[worst]:.3g} {_at(n[worst])})")

    for f in (0.5, 3.0):
        ht, xt, rt = _jets(shape, k, f * n)
        note(np.abs(ht - f * h) / size, TIGHT, f"support is not homogeneous: h({f} n) differs from {f} h(n)")
        note(np.abs(xt - x).max(axis=-1) / size, TIGHT, f"point({f} n) differs from point(n)")
        note(np.abs(rt - radius) / scale, 1e-6, f"the radius of curvature at {f} n differs from that at n")
    note(np.abs((n * x).sum(axis=-1) - h) / size, TIGHT, "n . point(n) differs from support(n)")
    slope, bend = np.full(len(n), np.inf), np.full(len(n), np.inf)
    t = np.stack([-n[:, 1], n[:, 0]], axis=-1)
    for step in DIFFERENCES:
        c, s = np.cos(step), np.sin(step)
        after, before = _jets(shape, k, c * n + s * t), _jets(shape, k, c * n - s * t)
        slope = np.fmin(slope, np.abs((after[0] - before[0]) / (2 * step) - (t * x).sum(axis=-1)) / size)
        bend = np.fmin(bend, np.abs((t * (after[1] - before[1])).sum(axis=-1) / (2 * step) - radius) / scale)
    # Differences are meaningless at corners and flat places, so the axes are omitted.
    note(slope[:-4], DISAGREEMENT, "point is not the gradient of support")
    note(bend[:-4], DISAGREEMENT, "the radius of curvature is not the derivative of point")
    one = shape.take(np.array(k)) if shape.batch_shape else shape
    lowest, place = (float(v) for v in extreme_radius(one, 0))
    if lowest < -1e-9 * size:
        where = _at(direction(place))
        problems.append(
            f"the body is not convex: the radius of curvature g + g'' is negative (it falls to {lowest:.6g} {where}; "
            "Römer 3-D, Eq. 3)"
        )
    core = float(np.broadcast_to(shape.core_radius, shape.batch_shape).ravel()[k])
    if core > 0:
        note((core - radius) / scale, 1e-6, f"core_radius {core:.6g} exceeds a radius of curvature")
    # (x(n) - x(m)).n >= 0: no boundary point lies beyond the tangent at another.
    note(((x @ n.T).max(axis=0) - h) / size, 1e-7, "the body is not convex: a boundary point lies beyond a tangent")
    return problems


def _at(n: Any) -> str:
    return f"at n = ({n[0]:.6g}, {n[1]:.6g}), phi = {np.arctan2(n[1], n[0]):.6g}"
