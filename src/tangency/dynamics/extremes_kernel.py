"""Extreme values of the contacts of a run, on which its warnings are based; in compiled code."""

import math

from ..compiled.jit import entry, inlined, jit
from .contact.columns import DISTANCE, creep_of, curvatures
from .contact.laws import is_flat, largest_curvature, needs_curvature
from .contact.undue_slip import SMALL_SHARE
from .law_between import law_between
from .tables import named_world

# Columns of the extremes: largest depth, relative to the smallest half width of the smaller body, and its two shapes;
# largest semi-axis of a contact ellipse, relative to the radius of curvature, and its two shapes; longest way that a
# pair slipped because the step was too long for its friction (see `undue_slip`), in half widths as well, and its two
# shapes; 1 if a law that needs the curvature of the gap met a flat one, and its two shapes.
DEEPEST, WIDEST, SLIPPED, FLATTEST = 0, 3, 6, 9
EXTREMES = 12


@inlined
def note_extremes(extremes, pair, row, record, half, laws, which):
    """Update the extremes with one contact, but for its slip; `half` is the smaller half width of both shapes."""
    depth = -row[DISTANCE]
    values = (depth / half, 0.0, 0.0, 0.0)
    if depth > 0.0 and needs_curvature(laws, which):
        # Hertz: the semi-axis in the direction of the larger curvature k is about sqrt(depth / k).
        k1, k2 = curvatures(record)
        flat = 1.0 if is_flat(laws, which, k1, k2) else 0.0
        values = (values[0], math.sqrt(depth * largest_curvature(laws, which, k1, k2)), 0.0, flat)
    for k in range(4):
        if values[k] > extremes[3 * k]:
            extremes[3 * k], extremes[3 * k + 1], extremes[3 * k + 2] = values[k], pair[0], pair[1]


@jit
def note_parted(extremes, labels, pairs, memory, stays):
    """Update the extremes with the slip of the first pairs, those that do not stay in the list.

    The pairs are noted with the `labels` of their shapes.
    """
    for m in range(stays.shape[0]):
        if stays[m]:
            continue
        crept, moved = creep_of(memory[m])
        if crept > max(SMALL_SHARE * (1.0 + moved), extremes[SLIPPED]):
            extremes[SLIPPED] = crept
            extremes[SLIPPED + 1], extremes[SLIPPED + 2] = labels[pairs[m, 0]], labels[pairs[m, 1]]


@entry
def note_contacts(world, pairs, rows, records):
    """The same for several contacts."""
    world = named_world(world)
    widths, owner = world.shapes.widths, world.owner
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        half = min(widths[a], widths[b])
        which = law_between(world.body_labels, world.class_of, world.law_of, owner[a], owner[b])
        note_extremes(world.extremes, pairs[k], rows[k], records[k], half, world.laws, which)
