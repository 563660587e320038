"""First contacts of some pairs of moving bodies: the compiled loop over a stack."""

from __future__ import annotations

from typing import NamedTuple

from ...compiled.jit import entry, jit
from ...contacts.impact_status import IMPACT_VALUES
from ...kernels.poses import at
from ..certified.separation import room_to_work
from ..tables import Body, Part, Rows, number_at
from .advance import Asked, advance
from .moving_pair import Movers


class Spans(NamedTuple):
    """What is asked about all pairs."""

    begin: Rows  #: times (n, 1)
    end: Rows
    tol: float
    budget: int


@entry
def first_contacts(movers, spans, part, values, codes):
    """First contacts of some pairs; plain tuples, see `Movers` and `Spans`."""
    a, b, segments_a, segments_b = movers
    begin, end, tol, budget = spans
    all_pairs = Movers(Body(*a), Body(*b), segments_a, segments_b)
    _first_contacts(all_pairs, Spans(Rows(*begin), Rows(*end), tol, budget), Part(*part), values, codes)


@jit
def _first_contacts(movers, spans, part, values, codes):
    work = room_to_work()
    count = values.size // IMPACT_VALUES
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        asked = Asked(number_at(spans.begin, k), number_at(spans.end, k), spans.tol, spans.budget)
        found = advance(movers, k, asked, work)
        values[k], values[count + k], values[2 * count + k] = found.time, found.lower, found.upper
        for c in range(3):
            values[3 * count + 3 * k + c] = found.normal[c]
        values[6 * count + k] = found.tolerance
        codes[k], codes[count + k] = found.status, found.evaluations
