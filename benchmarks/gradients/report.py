"""The tables of the gradient audit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..engine import Engine
from ..table import Table
from . import cost, engines
from .audit import CHUNK, ORDERS, Findings, audit
from .pairs import BODIES, WALLS

HEADER = (
    "family", "pairs", "flagged", "undecided", "ill-conditioned",
    "first, poses", "first, shapes", "second, poses", "second, mixed", "largest / condition",
)  # fmt: skip
STEEP = 1e4  # condition number of a pair that counts as ill-conditioned
REMARKS = (
    "Half of the pairs with ellipsoids, half with bodies of the same family; gaps from 1e-12 to 1 sizes, 5 % touching, "
    "25 % overlapping by 1e-6 to 0.1 sizes. Flagged: `differentiable` is False. Undecided: not flagged, but the oracle "
    "found no derivative. Ill-conditioned: `condition` is above 1e4. Then the largest relative errors of all other "
    "pairs: first derivatives of distance, normal and points by poses and by shape parameters, second derivatives of "
    "the distance by poses, and by pose and shape. Last the largest of all errors divided by the condition number, "
    "ill-conditioned pairs included.",
)


def row(name: str, found: Findings) -> tuple[str, ...]:
    """A row of the table."""
    known = found.decided & ~found.flagged
    mild = known & (found.condition < STEEP)
    errors = [found.errors[order] for order in ORDERS]
    share = np.max([error[known] / np.maximum(found.condition[known], 1.0) for error in errors])
    counts = len(known), found.flagged.sum(), (~found.decided & ~found.flagged).sum(), (known & ~mild).sum()
    return (name, *map(str, counts), *(f"{error[mild].max():.0e}" for error in errors), f"{share:.0e}")


def rounds(name: str, first: int, count: int, half: int = CHUNK) -> Findings:
    """Findings for several seeds."""
    found = audit(name, first, half)
    for seed in range(first + 1, first + count):
        found = found.joined(audit(name, seed, half))
    return found


def measure(engines_: list[Engine], *, quick: bool) -> Iterator[str | Table]:
    """What happens next, as text; the tables."""
    made = []
    for name in BODIES + WALLS:
        yield f"gradients: {name}"
        made.append(row(name, rounds(name, 0, 1, 20) if quick else rounds(name, 0, 20)))
    yield Table("gradients", "Gradient audit", HEADER, made, REMARKS)
    beside = engines.rows(None, 20 if quick else 200)
    for engine in engines_:
        if not engine.name.startswith(engines.LEFT_OUT):
            yield f"gradients: {engine.name}"
            beside += engines.rows(engine, max(2, (20 if quick else 200) // engine.slow))
    yield Table(
        "gradients_engines",
        "Gradients of the distance from other engines",
        ("engine", "gap", "step", "median error", "largest error", "wrong"),
        beside,
        (
            "Pairs of ellipsoids with semi-axes between 0.2 and 1 at known gaps. Central differences of the engine's "
            "distances by the six components of the twist of B, with the step from 1e-3 to 1e-7 that has the smallest "
            "median error; errors relative to the length of the gradient. Wrong: error above 10 %, or no answer.",
        ),
    )
    yield "gradients: cost"
    yield Table(
        "gradients_cost",
        "Cost of derivatives",
        ("study A, one stack", "ns per pair", "share of the contact", "asked for"),
        cost.rows(4000),
    )
