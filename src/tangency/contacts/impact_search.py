"""Search for the first contacts of moving bodies: compiled for steady motions, step by step for all others."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled.threads import share
from ..geometry.pose import ROW, Poses
from ..motions import Motion
from ..shapes.bounds import BOUNDS
from ..shapes.half_space import HalfSpace
from ..solvers.advancement.solver import first_contacts
from ..solvers.question import EACH, ONE, Query, Side, chosen, room
from ..solvers.tables import Body, Buffers, Columns, Pick, Question, Rows, columns
from . import dispatch
from .impact_status import AT_START, IMPACT_CODES, IMPACT_VALUES, ImpactStatus
from .options import as_limits
from .status import VALUES, Status

PAIRS_OF_A_THREAD = 16  # minimum per thread
CONTACT_TOLERANCE = 1e-12  # of contacts at single times, relative to the size


class Moving(NamedTuple):
    """Body A, or B, of all pairs, and its motion."""

    side: Side  #: without poses
    motion: Motion
    pick: Pick  #: which motion belongs to pair k

    def placed(self, pairs: np.ndarray, times: np.ndarray) -> Poses:
        """Poses of the bodies of these pairs at these times."""
        return self.motion.poses_at(chosen(self.pick, pairs), times)

    def speeds(self, pairs: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bounds on the speeds and angular speeds of the bodies of these pairs between these times."""
        return self.motion.speeds(chosen(self.pick, pairs), begin, end)

    def body(self) -> Body:
        """For compiled code: the segments of all motions instead of poses; a half-space has the address 0."""
        rows, shape = self.motion.rows, self.side.shape  # type: ignore[attr-defined]
        if issubclass(self.side.kind, HalfSpace):
            return Body(0, shape.rows, np.zeros((1, BOUNDS)), self.side.pick, rows, self.pick, False)
        return self.side._replace(poses=rows, pick_pose=self.pick).body()


class Search(NamedTuple):
    """What is asked about some pairs of two kinds of bodies."""

    a: Moving
    b: Moving
    begin: Rows
    end: Rows
    tol: float
    budget: int
    threads: int | None
    pairs: np.ndarray  #: their numbers


class Found(NamedTuple):
    """Room for the results of all pairs: the two buffers of `Impact`, as views."""

    values: np.ndarray  #: flat
    codes: np.ndarray  #: flat
    time: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    normal: np.ndarray  #: (n, 3)
    tolerance: np.ndarray
    status: np.ndarray
    evaluations: np.ndarray


def room_for_impacts(count: int) -> Found:
    """Room for the results of so many pairs."""
    values, codes = np.zeros(IMPACT_VALUES * count), np.zeros(IMPACT_CODES * count, np.int32)
    time, lower, upper, _, _, _, tolerance = values.reshape(IMPACT_VALUES, count)
    normal = values[3 * count : 6 * count].reshape(count, 3)
    return Found(values, codes, time, lower, upper, normal, tolerance, codes[:count], codes[count:])


def find(search: Search, found: Found) -> None:
    """Write the first contacts of all pairs of a search whose motions are steady."""
    flipped = issubclass(search.b.side.kind, HalfSpace)
    a, b = (search.b, search.a) if flipped else (search.a, search.b)
    movers = tuple(a.body()), tuple(b.body()), a.motion.segments, b.motion.segments  # type: ignore[attr-defined]
    spans = tuple(search.begin), tuple(search.end), search.tol, search.budget
    pairs = search.pairs

    def loop(start: int, stop: int) -> None:
        first_contacts(movers, spans, (pairs, start, stop), found.values, found.codes)

    share(loop, len(pairs), PAIRS_OF_A_THREAD, search.threads)
    if flipped:
        found.normal[pairs] *= -1.0
    near = pairs[found.status[pairs] == AT_START]
    if len(near):
        begin = times_of(search.begin, near)
        classify(contacts_at(search, near, begin, len(found.time)), near, begin, found)


def classify(there: Columns, near: np.ndarray, begin: np.ndarray, found: Found) -> None:
    """Write the results of pairs that are not proved to be apart at the start, from their contacts there."""
    distance, upper, status = there.distance[near], there.upper[near], there.status[near]
    touching = distance >= -found.tolerance[near]
    codes = np.where(touching, ImpactStatus.TOUCHING_AT_START, ImpactStatus.OVERLAPPING_AT_START)
    known = (status <= Status.BEYOND) & (distance <= found.tolerance[near])
    known |= upper < -found.tolerance[near]
    codes = np.where(known, codes, ImpactStatus.NOT_CONVERGED)
    found.status[near] = np.where(status == Status.NOT_A_NUMBER, ImpactStatus.NOT_A_NUMBER, codes)
    found.evaluations[near] += there.evaluations[near]
    found.time[near] = found.lower[near] = begin
    found.upper[near] = np.where(found.status[near] < ImpactStatus.NOT_CONVERGED, begin, math.inf)
    found.normal[near] = there.normal[near]


def times_of(rows: Rows, pairs: np.ndarray) -> np.ndarray:
    """The times that belong to some pairs."""
    return np.array(rows.rows[chosen(rows.pick, pairs), 0])


def contacts_at(search: Search, pairs: np.ndarray, times: np.ndarray, total: int) -> Columns:
    """Contacts of some pairs at these times, by the default solver, at their places among `total` pairs."""
    out = room(total)
    _contacts(search, pairs, times, out)
    there = columns(out)
    np.abs(there.evaluations, out=there.evaluations)  # negative where the solver asks for a finer normal
    return there


def contacts_of(searches: list[Search], times: np.ndarray) -> tuple[Buffers, list[np.ndarray]]:
    """Contacts of all pairs at these times, one each, and the poses of their bodies A and B."""
    out, poses = room(len(times)), [np.zeros((len(times), ROW)) for _ in range(2)]
    for search in searches:
        rows = _contacts(search, search.pairs, times[search.pairs], out)
        for part, new in zip(poses, rows):
            part[search.pairs] = new[search.pairs]
    return out, poses


def _contacts(search: Search, pairs: np.ndarray, times: np.ndarray, out: Buffers) -> list[np.ndarray]:
    """Write the contacts of some pairs at these times; returns the poses of both bodies, at the places of the pairs."""
    poses = [np.zeros((len(out.values) // VALUES, ROW)) for _ in range(2)]
    sides = []
    for moving, rows in zip((search.a, search.b), poses):
        rows[pairs] = moving.placed(pairs, times).rows
        sides.append(moving.side._replace(poses=rows, pick_pose=EACH))
    limits = Rows(as_limits(None).reshape(1, 1), ONE)
    question = Question(Rows(np.zeros((1, 3)), ONE), limits, CONTACT_TOLERANCE)
    dispatch.answer(Query(sides[0], sides[1], question, pairs, len(pairs), search.threads, out))
    return poses
