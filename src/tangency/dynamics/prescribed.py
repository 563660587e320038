"""Bodies with prescribed motion: evaluation of their function, and checks of its poses and velocities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..geometry.pose import as_pose
from ..io import validate
from .body import Body, Motion

TIMES_COMPARED = 12  # at which velocities are compared with poses
# Spans of difference quotients, relative to the duration; a velocity is wrong if it disagrees with all of them.
DIFFERENCE_SPANS = (1e-3, 1e-4, 1e-5, 1e-6)
MAX_CONTRADICTION = 0.1  # relative to the largest speed; interpolated tables have smaller errors
PARTS_OF_DURATION = 100  # those with the strongest bends are searched for jumps,
FIRST_HALVINGS = 4  # after halving each so often, which leaves 1/256 of the bend of a smooth motion
PARTS_SEARCHED = 3
HALVINGS = 36
MIN_JUMP_SHARE = 1e-3  # fraction of its bend that a jump keeps over arbitrarily short times
ROUNDING = 1e-9  # relative to all lengths: smaller jumps are rounding
GOLDEN = 0.6180339887498949

_Pose = tuple[np.ndarray, np.ndarray]


def motion_of(body: Body, time: float) -> Motion:
    """Motion of a prescribed body at a time."""
    motion: Any = body.motion(time)  # type: ignore[misc,operator]
    if not isinstance(motion, Motion):
        raise TypeError(f"the motion of body {body.name!r} must return a Motion, got {motion!r}")
    return motion


def rates(body: Body, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of a prescribed body, from its poses shortly before (but not before 0) and after."""
    step = 1e-6 * (1.0 + abs(time))
    return _quotient(body, max(time - step, 0.0), time + step)


def _quotient(body: Body, before: float, after: float) -> tuple[np.ndarray, np.ndarray]:
    (turn, place), (turn_after, place_after) = (as_pose(motion_of(body, t).pose) for t in (before, after))
    span = after - before
    return (place_after - place) / span, Rotation.from_matrix(turn_after @ turn.T).as_rotvec() / span


def check_velocities(body: Body, duration: float) -> None:
    """Refuse a motion whose velocities disagree with its poses at any of several times."""
    times = duration * np.sort(np.mod(GOLDEN * np.arange(1, TIMES_COMPARED + 1), 1.0))
    said = [motion_of(body, float(time)) for time in times]
    for part, name in enumerate(("velocity", "angular_velocity")):
        given = [getattr(motion, name) for motion in said]
        if any(value is None for value in given):
            continue
        vectors = np.array([validate.vectors(value, name) for value in given])
        seen = [_nearest_rate(body, float(time), vector, part, duration) for time, vector in zip(times, vectors)]
        top = max(np.linalg.norm(vectors, axis=1).max(), np.linalg.norm(seen, axis=1).max())
        error = np.linalg.norm(vectors - seen, axis=1)
        k = int(error.argmax())
        if error[k] > MAX_CONTRADICTION * top:
            unit = ("m/s", "rad/s")[part]
            raise ValueError(
                f"the motion of body {body.name!r} contradicts itself at t = {times[k]:.6g} s: its {name} is "
                f"{validate.short(vectors[k])} {unit}, its poses change at {validate.short(seen[k])} {unit}; "
                f"omit {name} to derive it from the poses"
            )


def _nearest_rate(body: Body, time: float, vector: np.ndarray, part: int, duration: float) -> np.ndarray:
    """The difference quotient of the poses around a time that is closest to a given velocity."""
    nearest, error = np.zeros(3), np.inf
    for span in DIFFERENCE_SPANS:
        before, after = max(time - span * duration, 0.0), min(time + span * duration, duration)
        # One-sided as well, in case of a kink at this time.
        for times in ((before, after), (before, time), (time, after)):
            rate = _quotient(body, *times)[part]
            if np.linalg.norm(rate - vector) < error:
                nearest, error = rate, float(np.linalg.norm(rate - vector))
            if error <= 0.1 * MAX_CONTRADICTION * np.linalg.norm(vector):
                return nearest
    return nearest


def jump_warnings(body: Body, duration: float, reach: float) -> list[str]:
    """Warnings about positions and orientations that jump, which no velocity can describe.

    `reach` is the radius within which a rotation matters, larger than 0.
    """

    def pose(time: float) -> _Pose:
        return as_pose(motion_of(body, time).pose)

    times = np.linspace(0.0, duration, 2 * PARTS_OF_DURATION + 1).tolist()
    poses = [pose(time) for time in times]
    size = reach + max(float(np.linalg.norm(place)) for _, place in poses)
    # A jump is a bend that does not shrink with the time span; a smooth path is straight over short times.
    spans = [_Span(*times[k : k + 3 : 2], *poses[k : k + 3]) for k in range(0, 2 * PARTS_OF_DURATION, 2)]
    spans = [_narrowed(span, pose, reach, FIRST_HALVINGS) for span in spans]
    bends = np.array([span.bend(reach) for span in spans])
    found = []
    for k in np.sort(np.argsort(-bends)[:PARTS_SEARCHED]):
        span = _narrowed(spans[k], pose, reach, HALVINGS)
        way, angle = float(np.linalg.norm(span.last[1] - span.first[1])), _angle(span.first, span.last)
        least = max(MIN_JUMP_SHARE * bends[k], ROUNDING * size)
        jumps = [f"jumps by {way:.3g} m"] if way > least else []
        jumps += [f"turns by {angle:.3g} rad within an instant"] if reach * angle > least else []
        if jumps:
            found.append(
                f"body {body.name!r} {' and '.join(jumps)} at t = {span.high:.6g} s, as prescribed by its motion: "
                "contacts in between are missed, and the energy of contacts that start or end there is not accounted "
                "for"
            )
    return found


class _Span(NamedTuple):
    """A span of time, and the poses at its start, middle and end."""

    low: float
    high: float
    first: _Pose
    middle: _Pose
    last: _Pose

    def bend(self, reach: float) -> float:
        return _bend(self.first, self.middle, self.last, reach)


def _narrowed(span: _Span, pose: Callable[[float], _Pose], reach: float, halvings: int) -> _Span:
    """The part of a span with the strongest bend, after repeated halving."""
    low, high, first, middle, last = span
    for _ in range(halvings):
        half, quarter = 0.5 * (high + low), 0.25 * (high - low)
        left, right = pose(low + quarter), pose(half + quarter)
        if _bend(first, left, middle, reach) > _bend(middle, right, last, reach):
            high, middle, last = half, left, middle
        else:
            low, first, middle = half, middle, right
    return _Span(low, high, first, middle, last)


def _bend(a: _Pose, b: _Pose, c: _Pose, reach: float) -> float:
    """Approximate difference between the displacements of a point from a to b and from b to c [m]."""
    turn = Rotation.from_matrix([b[0] @ a[0].T, c[0] @ b[0].T]).as_rotvec()
    return float(np.linalg.norm(a[1] - 2.0 * b[1] + c[1]) + reach * np.linalg.norm(turn[1] - turn[0]))


def _angle(a: _Pose, b: _Pose) -> float:
    return float(Rotation.from_matrix(b[0] @ a[0].T).magnitude())
