"""Standard motion laws of cams, and lift programmes composed of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import number, positive
from ..pitch.periodic import FULL, PeriodicFunction, Values

PI = np.pi


def _harmonic(x: np.ndarray) -> Values:
    return Values(0.5 - 0.5 * np.cos(PI * x), 0.5 * PI * np.sin(PI * x), 0.5 * PI**2 * np.cos(PI * x))


def _cycloidal(x: np.ndarray) -> Values:
    s, c = np.sin(FULL * x), np.cos(FULL * x)
    return Values(x - s / FULL, 1.0 - c, FULL * s)


def _modified_sine(x: np.ndarray) -> Values:
    """A sine of acceleration in each eighth at the ends, and one three times as long between them."""
    k = 1.0 / (4.0 + PI)
    inner = (x > 0.125) & (x < 0.875)
    angle = np.where(inner, 4.0 * PI * x / 3.0 + PI / 3.0, 4.0 * PI * x)
    size, rate = np.where(inner, 2.25, 0.25), np.where(inner, 4.0 * PI / 3.0, 4.0 * PI)
    shift = np.where(inner, 2.0, np.where(x < 0.5, 0.0, 4.0))
    return Values(
        k * (shift + PI * x - size * np.sin(angle)),
        k * (PI - size * rate * np.cos(angle)),
        k * size * rate**2 * np.sin(angle),
    )


def _polynomial(*coefficients: float) -> Callable[[np.ndarray], Values]:
    law = np.polynomial.Polynomial(coefficients)
    first, second = law.deriv(), law.deriv(2)
    return lambda x: Values(law(x), first(x), second(x))


#: Motion from 0 to 1 while x runs from 0 to 1, with two derivatives.
LAWS: dict[str, Callable[[np.ndarray], Values]] = {
    "harmonic": _harmonic,
    "cycloidal": _cycloidal,
    "modified-sine": _modified_sine,
    "3-4-5": _polynomial(0, 0, 0, 10, -15, 6),
    "4-5-6-7": _polynomial(0, 0, 0, 0, 35, -84, 70, -20),
}
INNER_BREAKS = {"modified-sine": (0.125, 0.875)}


class Segment(NamedTuple):
    """A part of a lift programme: the follower moves to `height` while the cam turns by `width`.

    Examples
    --------
    >>> from tangency import planar
    >>> planar.Segment("cycloidal", 2.0, 0.01).height
    0.01
    """

    law: str  #: "dwell", "harmonic", "cycloidal", "modified-sine", "3-4-5" or "4-5-6-7"
    width: float  #: [rad]
    height: float  #: at its end [m] or [rad]


def motion_law(name: str, x: ArrayLike) -> Values:
    """A motion law from 0 to 1 with two derivatives, at 0 <= x <= 1.

    Examples
    --------
    >>> from tangency import planar
    >>> [round(float(v), 6) for v in planar.motion_law("cycloidal", 0.25)]
    [0.090845, 1.0, 6.283185]
    """
    x = validate.array(x, "x")
    if not ((x >= 0) & (x <= 1)).all():
        raise ValueError(f"x must lie between 0 and 1, got {x.min():.6g} to {x.max():.6g}")
    return _law(name)(x)


def _law(name: str) -> Callable[[np.ndarray], Values]:
    if name not in LAWS:
        raise ValueError(f"law must be one of {', '.join(LAWS)}, got {name!r}")
    return LAWS[name]


def lift_program(segments: list[Segment], start: float = 0.0) -> PeriodicFunction:
    """Motion of a follower over one turn, composed of standard laws.

    Parameters
    ----------
    segments : list of Segment
        In order, from alpha = 0; their widths add up to 2 pi, and the last one returns to the height 0 of the start.
    start : float
        Coordinate at the height 0 [m] or [rad]: for a roller, radius of the base circle plus that of the roller.

    Returns
    -------
    PeriodicFunction
        Coordinate of the follower with two derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> third = 2 * np.pi / 3
    >>> up, down = planar.Segment("3-4-5", third, 0.008), planar.Segment("cycloidal", third, 0.0)
    >>> lift = planar.lift_program([planar.Segment("dwell", third, 0.0), up, down], start=0.03)
    >>> round(float(lift(2 * third).value), 9)
    0.038
    """
    start = number(start, "start")
    rows, alpha, height = [], 0.0, 0.0
    for k, given in enumerate(segments):
        segment = Segment(
            given[0], positive(given[1], f"width of segment {k}"), number(given[2], f"height of segment {k}")
        )
        if segment.law == "dwell" and segment.height != height:
            raise ValueError(f"segment {k} must dwell at the height {height:.6g}, got {segment.height:.6g}")
        rows.append((alpha, segment, height))
        alpha, height = alpha + segment.width, segment.height
    if not rows or abs(alpha - FULL) > 1e-9:
        raise ValueError(f"segments must have widths that add up to 2 pi, got {alpha:.9g}")
    if height != 0.0:
        raise ValueError(f"segments must end at the height 0 of the start, got {height:.6g}")
    starts = np.array([row[0] for row in rows])
    laws = [None if row[1].law == "dwell" else _law(row[1].law) for row in rows]

    def function(alpha: np.ndarray) -> Values:
        shape, alpha = alpha.shape, np.atleast_1d(alpha)
        which = np.clip(np.searchsorted(starts, alpha, side="right") - 1, 0, None)
        out = np.zeros((3, *alpha.shape))
        for k, ((begin, segment, before), law) in enumerate(zip(rows, laws)):
            here = which == k
            out[0][here] = start + before
            if law is not None and here.any():
                rise = segment.height - before
                values = law(np.clip((alpha[here] - begin) / segment.width, 0.0, 1.0))
                for order in range(3):
                    out[order][here] += rise * values[order] / segment.width**order
        return Values(*(column.reshape(shape) for column in out))

    inner = [begin + x * s.width for begin, s, _ in rows for x in INNER_BREAKS.get(s.law, ())]
    return PeriodicFunction(function, np.concatenate([starts, inner]))
