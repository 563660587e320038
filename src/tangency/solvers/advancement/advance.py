"""First contact of two moving bodies: steps that each prove a stretch of time to be free.

Each step keeps one direction n and proves, by two evaluations at its ends, how long F(n, t) stays positive
(``step.py``).  Then n is improved at the new time.  Towards contact, a step ends where F(n, t) nearly vanishes; as the
rate of F is that of the distance, this is Newton's method for the time, and converges quadratically.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import jit
from ...contacts.impact_status import AT_START, ImpactStatus
from .moving_pair import MovingPair, moving_pair, rate_of, rounding_at, size_of, view
from .normals import improved, overlap, start_direction, upper_bound
from .step import SLIGHTLY, flight, not_after, proved_part, reach

FAR = 0.05  # distance of swept cylinders, in sizes, for which a step without evaluation is worth while
ROUNDINGS = 4.0  # least tolerance, in rounding errors
AIM = 0.4  # clearance at the end of a step towards contact, in tolerances
DEPTHS = (0.5, 0.9)  # overlaps that are tried as upper bounds, in tolerances

_IMPACT, _TOUCH, _FREE = int(ImpactStatus.IMPACT), int(ImpactStatus.TOUCH), int(ImpactStatus.FREE)
_FAILED, _NAN = int(ImpactStatus.NOT_CONVERGED), int(ImpactStatus.NOT_A_NUMBER)


class Asked(NamedTuple):
    """The question about one pair."""

    begin: float
    end: float
    tol: float
    budget: int


class First(NamedTuple):
    """The first contact."""

    status: int
    time: float
    lower: float
    upper: float
    normal: Any
    tolerance: float
    evaluations: int


class Allowed(NamedTuple):
    """Lengths of a pair while neither body changes its segment."""

    rounding: float
    tolerance: float


@jit
def _allowed(moving, t, end, tol):
    rounding = max(rounding_at(moving, t), rounding_at(moving, min(moving.until, end)))
    return Allowed(rounding, max(tol * size_of(moving), ROUNDINGS * rounding))


@jit
def _contact(moving, seen, allowed, end, touching, work):
    """The result at the last view before contact: tries to prove an overlap shortly after.

    Bodies that are `touching` are closer than the tolerance; otherwise there is hardly a later time before contact.
    """
    tolerance = allowed.tolerance
    t, rate, used = seen.time, rate_of(seen), 0
    gap, last, next_time = max(seen.value, 0.0), min(moving.until, end), t
    for depth in DEPTHS:
        if not rate < 0.0:
            break
        next_time = np.nextafter(next_time, math.inf)
        later = min(max(t + (gap + depth * tolerance) / -rate, next_time), last)
        if not later > t:
            break
        proof = overlap(moving, view(moving, seen.normal, later, work.jets), allowed, work)
        used += proof.evaluations + 1
        time = min(max(t + gap / -rate, t), later)
        if proof.overlap:
            return First(_IMPACT, time, t, later, proof.normal, tolerance, used)
        if proof.touch:
            return First(_TOUCH, time, t, later, proof.normal, tolerance, used)
    if touching:
        return First(_TOUCH, t, t, t, seen.normal, tolerance, used)
    return First(_FAILED, t, t, math.inf, seen.normal, tolerance, used)


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
    n, evaluations = start_direction(moving, t), 0
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
            seen = view(moving, n, t, work.jets)
            evaluations += 1
        clearance, upper = 0.0, math.inf
        for strict in (False, True):
            better = improved(moving, seen, allowed, strict, work)
            seen, evaluations = better.seen, evaluations + better.evaluations
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
        how = reach(moving, seen, clearance, AIM * tolerance, last - t)
        later = min(t + how.time, last)
        contact = not later > t
        if contact:
            break
        after = view(moving, n, later, work.jets)
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
        t = later
        scene = Scene(t, moving, allowed)
    if contact:
        found = _contact(moving, seen, allowed, asked.end, touching, work)
        return First(
            found.status, found.time, found.lower, found.upper, found.normal, found.tolerance,
            evaluations + found.evaluations,
        )  # fmt: skip
    return _ended(status, t, n, allowed.tolerance, evaluations)
