"""Data that are needed soon, loaded into the cache.

The tables of ten thousand bodies do not fit into the cache of a core.  The data of one block do; those of the next
block are loaded while the forces of this one are computed, which hides the time that memory takes.  The places of its
forces are loaded while its pairs are solved, and the bodies of a flock while those before them finish their step.  A
processor waits when it is asked for too many lines at once, so they are asked for a few at a time, between
computations.
"""

from ...compiled.fetch import fetch
from ...compiled.jit import inlined
from .tables import BLOCK, TOUCHING_NOW


@inlined
def _fetch_body(bodies, world, p):
    """Load what contacts need of a body into the cache, given one of its shapes."""
    i = world.owner[p]
    fetch(world.shapes.poses, p, 0)
    fetch(world.shapes.poses, p, 8)
    fetch(bodies.ahead, i, 0)
    fetch(bodies.ahead, i, 8)
    fetch(bodies.ahead, i, 16)


@inlined
def fetch_bodies(bodies, world, lists, k):
    """Load what contacts need of the bodies of a pair into the cache."""
    _fetch_body(bodies, world, lists.pairs[k, 0])
    _fetch_body(bodies, world, lists.pairs[k, 1])


@inlined
def fetch_contact(lists, k):
    """Load the contact of a pair into the cache."""
    _, rows, memory, records = lists.contacts
    c = lists.contact_of[k]
    if c >= 0:
        fetch(rows, c, 0)
        fetch(memory, c, 0)
        fetch(memory, c, 8)
        fetch(records, c, 0)


@inlined
def fetch_pushes(lists, k):
    """Load the places of the forces of a pair into the cache."""
    fetch(lists.pushes, lists.places[k, 0], 0)
    fetch(lists.pushes, lists.places[k, 1], 0)


@inlined
def fetch_state(bodies, world, i):
    """Load what the end of a step needs of body i, if there is one, into the cache."""
    if i < bodies.y.shape[0]:
        fetch(bodies.y, i, 0)
        fetch(bodies.y, i, 8)
        fetch(bodies.forces, i, 0)
        fetch(bodies.marks, i, 0)
        fetch(world.inertia, i, 0)


@inlined
def upcoming_pairs(lists, block, listed):
    """Pairs of a block that touched at its last evaluation: most of those that will be due."""
    first, count = block * BLOCK, 0
    if first < listed:
        count = lists.counts[block, TOUCHING_NOW]
    first = min(first, lists.touching.shape[0])
    return lists.touching[first : first + count]
