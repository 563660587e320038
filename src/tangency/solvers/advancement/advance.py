"""First contact of two moving bodies: steps that each prove a stretch of time to be free.

Each step keeps one direction n, or turns it at a constant rate, and proves, by two evaluations at its ends, how long
F(n, t) stays positive (``step.py``).  Then n is improved at the new time.  Towards contact, a step ends where F(n, t)
nearly vanishes; as the rate of F is that of the distance, this is Newton's method for the time, and converges
quadratically.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...compiled.jit import jit
from ...contacts.impact_status import AT_START, ImpactStatus
from .carried import carried_to
from .features import Features, course, directed, room_for_features
from .landing import First, landed
from .moving_pair import MovingPair, moving_pair, plane_normal, rounding_at, size_of, view
from .normals import improved, start_direction, upper_bound
from .step import SLIGHTLY, flight, not_after, proved_part, reach

FAR = 0.05  # distance of swept cylinders, in sizes, for which a step without evaluation is worth while
ROUNDINGS = 4.0  # least tolerance, in rounding errors
AIM = 0.4  # clearance at the end of a step towards contact, in tolerances

_FREE, _FAILED, _NAN = int(ImpactStatus.FREE), int(ImpactStatus.NOT_CONVERGED), int(ImpactStatus.NOT_A_NUMBER)


class Asked(NamedTuple):
    """The question about one pair."""

    begin: float
    end: float
    tol: float
    budget: int


class Allowed(NamedTuple):
    """Lengths of a pair while neither body changes its segment."""

    rounding: float
    tolerance: float


@jit
def _allowed(moving, t, end, tol):
    rounding = max(rounding_at(moving, t), rounding_at(moving, min(moving.until, end)))
    return Allowed(rounding, max(tol * size_of(moving), ROUNDINGS * rounding))


@jit
def _ended(status, t, seen_normal, tolerance, evaluations):
    """A result without contact."""
    upper = math.inf
    return First(status, upper if status == _FREE else t, t, upper, seen_normal, tolerance, evaluations)


class Scene(NamedTuple):
    """Both bodies from some time on, and their lengths."""

    time: float
    moving: MovingPair
    allowed: Allowed


@jit
def _from(movers, k, t, asked):
    """Pair k from time t on."""
    moving = moving_pair(movers, k, t)
    return Scene(t, moving, _allowed(moving, t, asked.end, asked.tol))


@jit
def _flown(movers, k, scene, asked):
    """The scene at the time until which swept cylinders prove the bodies to be apart, without any evaluation."""
    while scene.time < asked.end:
        if scene.time >= scene.moving.until:
            scene = _from(movers, k, scene.time, asked)
        far = flight(scene.moving, scene.time, scene.allowed.rounding + scene.allowed.tolerance)
        last = min(scene.moving.until, asked.end)
        worth = far.time >= last or far.clearance > FAR * size_of(scene.moving)
        if not (far.apart and worth and far.time > scene.time):
            break
        scene = Scene(min(far.time, last), scene.moving, scene.allowed)
    return scene


@jit
def advance(movers, k, asked, work):
    """First contact of pair k of all moving bodies."""
    scene = _flown(movers, k, _from(movers, k, asked.begin, asked), asked)
    t, moving, allowed = scene
    n, evaluations, features = start_direction(moving, t), 0, Features(room_for_features(), 0)
    if t >= asked.end and t > asked.begin:
        return _ended(_FREE, t, n, allowed.tolerance, evaluations)
    seen, known = view(moving, n, t, work.jets), True
    evaluations += 1
    status, touching, contact = _FAILED, False, False
    while evaluations < asked.budget:
        scene = _flown(movers, k, scene, asked)
        if scene.time > t or scene.moving.until != moving.until:
            known = False
        t, moving, allowed = scene
        rounding, tolerance = allowed
        if t >= asked.end and t > asked.begin:
            status = _FREE
            break
        if not known:
            n = plane_normal(moving, t) if moving.is_plane else directed(moving, features, n, t, work)
            seen = view(moving, n, t, work.jets)
            evaluations += 1
        clearance, upper = 0.0, math.inf
        for strict in (False, True):
            better = improved(moving, seen, features, allowed, strict, work)
            seen, features, evaluations = better.seen, better.features, evaluations + better.evaluations
            clearance = seen.value - rounding
            if clearance > tolerance or (t == asked.begin and clearance <= 0.0):
                break
            upper = min(better.upper, upper_bound(moving, seen, work)) + rounding
            if upper <= tolerance:
                break
        n = seen.normal
        if not abs(clearance) < 1e300:
            status = _NAN
            break
        touching = upper <= tolerance
        if t == asked.begin and (touching or clearance <= 0.0):
            status = AT_START
            break
        if t >= asked.end:  # a single time
            status = _FREE
            break
        contact = touching
        if touching or not clearance > 0.0:
            break
        last = min(moving.until, asked.end)
        way = course(moving, seen, features)
        how = reach(moving, seen, clearance, AIM * tolerance, last - t, way)
        later = min(t + how.time, last)
        contact = not later > t
        if contact:
            break
        after = view(moving, carried_to(moving, n, how.spin, t, later), later, work.jets)
        evaluations += 1
        if not abs(after.value) < 1e300:
            status = _NAN
            break
        part = proved_part(moving, seen, after, rounding, how)
        known = part >= 1.0
        if known:
            seen = after
        else:
            later = not_after(t, part * (later - t) * SLIGHTLY)
            contact = not later > t
            if contact:
                break
        n = carried_to(moving, n, how.spin, t, later)
        t = later
        scene = Scene(t, moving, allowed)
    if contact:
        found = landed(moving, seen, features, allowed, asked.end, touching, work)
        return First(
            found.status, found.time, found.lower, found.upper, found.normal, found.tolerance,
            evaluations + found.evaluations,
        )  # fmt: skip
    return _ended(status, t, n, allowed.tolerance, evaluations)
