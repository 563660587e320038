"""The default solver: distance and depth with proved bounds, for any two bounded shapes."""

from __future__ import annotations

import numpy as np

from ...compiled.jit import entry, jit
from ...contacts.status import Status
from ...kernels.poses import at
from ...kernels.vectors import add, axpy, mat_mul, mat_t_mul, norm, scale, unit
from ..tables import FOLLOWED, HINT, Answer, Body, Buffers, Part, named_question, number_at, vector_at, write
from ..tolerances import is_coarse, scales
from .box_overlap import between_boxes
from .contact_point import contact_point
from .deep_overlap import Overlap, penetrate
from .growing_polytope import no_polytope, room_for_polytope
from .pair import core_of, first_normal, place
from .places import has_edge, is_flat
from .separation import (
    BEYOND,
    BROKEN,
    CONVERGED,
    INSIDE,
    NEARLY,
    REFUSED,
    ROUGH,
    room_to_work,
    separate,
    separate_above,
)
from .shallow_overlap import CLIMBS, shallow

APART_BUDGET, OVERLAP_BUDGET = 400, 500

_APART, _PROVED, _OVERLAP, _FOLLOWED = (
    int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.OVERLAP), int(Status.OVERLAP_FOLLOWED)
)  # fmt: skip
_BEYOND, _FAILED, _NAN = int(Status.BEYOND), int(Status.NOT_CONVERGED), int(Status.NOT_A_NUMBER)


@entry
def certified(a, b, question, part, out):
    """Contacts of some pairs, in the world frame; all tables are plain tuples, see ``solvers/tables.py``."""
    certified_pairs(Body(*a), Body(*b), named_question(question), Part(*part), Buffers(*out))


@jit
def certified_pairs(a, b, question, part, out):
    """The same, called from compiled code."""
    work, polytope = room_to_work(), no_polytope()
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        placed = place(a, b, k)
        pair, turn = placed.pair, placed.turn
        core = core_of(pair)
        lengths = scales(placed.bounds_a, placed.bounds_b, pair.position, question.tol)
        rounding = lengths.rounding
        begin = mat_t_mul(turn, vector_at(question.guess, k))
        length = norm(begin)
        followed = length > FOLLOWED
        if not followed:
            begin = scale(begin, 1.0 / length) if length > 0.5 * HINT else first_normal(placed)
        limit = number_at(question.limits, k) + rounding + core
        end, lower, upper, distance, n, foot, evaluations, corners = separate_above(
            pair, begin, lengths, 0.0, limit, APART_BUDGET, work
        )
        status, exact = _APART, False
        if end == REFUSED:
            # Probably an overlap.
            boxes = placed.bounds_a.box > 0.0 and placed.bounds_b.box > 0.0
            if boxes and not followed:
                proved, lower, upper, distance, n, foot, climbed = between_boxes(placed, lengths, work)
            else:
                proved, lower, upper, distance, n, foot, climbed = shallow(
                    pair, begin, lengths, 1 if followed else CLIMBS, work
                )
            evaluations += climbed
            if not proved:
                end, lower, upper, distance, n, foot, used, corners = separate(
                    pair, n, lengths, limit, APART_BUDGET, work
                )
                evaluations += used
        refine = end in (ROUGH, NEARLY)
        if end == ROUGH:
            value, n, foot, used, _ = contact_point(pair, n, distance, lengths, work)
            lower, distance = max(lower, value), min(max(distance, value), max(upper, value))
            evaluations += used
        if refine:
            end = CONVERGED
        if end == REFUSED:  # proved above
            status = _PROVED
        elif end == INSIDE:
            if polytope.vertices.shape[0] == 0:  # allocated once, and only if bodies overlap
                polytope = room_for_polytope()
            known = Overlap(begin if followed else n, followed, upper, corners)
            proved, found, lower, upper, distance, n, foot, used, exact = penetrate(
                pair, known, lengths, OVERLAP_BUDGET, work, polytope
            )
            evaluations += used
            if proved:
                status = _PROVED
            elif found:
                status = _FOLLOWED if followed else _OVERLAP
            else:
                status = _FAILED
        elif end == BEYOND:
            status = _BEYOND
        elif end == BROKEN:
            status = _NAN
            distance, lower, upper, foot = core, -np.inf, np.inf, (0.0, 0.0, 0.0)
        elif end != CONVERGED:
            status = _FAILED
        if end in (REFUSED, INSIDE):
            refine = not exact and (has_edge(pair, work.jets) or is_flat(work.jets, lengths.size))
        # From the cores to the bodies, and from the frame of A to the world.
        distance, lower, upper = distance - core, lower - core, upper - core
        if status <= _PROVED:
            status = _APART if upper + rounding >= 0.0 else _PROVED
        if status < _BEYOND and (is_coarse(placed.bounds_a) or is_coarse(placed.bounds_b)):
            status = _FAILED
        foot = add(mat_mul(turn, axpy(foot, pair.core_a, n)), placed.home)
        n = unit(mat_mul(turn, n))
        lower, upper = min(lower, distance) - rounding, max(upper, distance) + rounding
        evaluations = -evaluations if refine else evaluations
        write(out.values, out.codes, k, Answer(distance, lower, upper, n, foot, status, evaluations))
