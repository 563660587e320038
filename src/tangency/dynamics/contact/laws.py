"""The laws of a world as two tables for compiled loops: addresses of their formulas, and their parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import element, jit
from ...forces.friction_base import FrictionLaw
from ...forces.friction_kernel import call_friction
from ...forces.law_lanes import call_lanes
from ...forces.normal_base import NormalLaw
from ...forces.normal_kernel import LARGEST_CURVATURE, LEAST_CURVATURE, call_normal
from ...forces.rolling import Rolling

# Columns of `kinds`: addresses of the formulas, whether the normal law needs the curvature of the gap, whether the
# friction has a state, where in `numbers` its parameters start, and the addresses of the formulas for many contacts at
# a time, 0 if there are none.
_NORMAL, _FRICTION, _CURVED, _STATE, _FRICTION_AT, _NORMAL_LANES, _FRICTION_LANES = range(7)
_KINDS = 7
# Columns of `numbers`: rolling resistance, limits of the curvature, parameters of the normal law, of the friction.
_ROLLING, _LIMITS, _NORMAL_AT = 0, 3, 5


class Laws(NamedTuple):
    """Tables of all laws of a world, one row each."""

    kinds: np.ndarray  #: (n, 7) whole numbers
    numbers: np.ndarray  #: (n, W), padded with zeros


class LawEntry(NamedTuple):
    """One row of :class:`Laws`, a text that identifies the formulas, and the normal and friction law."""

    kinds: np.ndarray
    numbers: np.ndarray
    formulas: str
    laws: tuple[NormalLaw, FrictionLaw]
    needs_radius: bool  #: whether flat gaps have no stiffness


def law_entry(normal: NormalLaw, friction: FrictionLaw, rolling: Rolling | None) -> LawEntry:
    """Entry for compiled code from three laws."""
    normal.require_finite()
    friction.require_finite()
    limits = [LEAST_CURVATURE, LARGEST_CURVATURE]
    if normal.radius_limits is not None:
        limits = [1.0 / normal.radius_limits[1], 1.0 / normal.radius_limits[0]]
    first = np.concatenate([[0.0, 0.0, 1.0] if rolling is None else rolling.row, limits, normal.row])
    kinds = [normal.address, friction.address, normal.needs_curvature, friction.has_state, len(first), 0, 0]
    texts = f"{normal.formulas} {friction.formulas}"
    numbers = np.concatenate([first, friction.row])
    return LawEntry(np.array(kinds, np.int64), numbers, texts, (normal, friction), normal.needs_radius)


def law_tables(entries: list[LawEntry]) -> Laws:
    """Tables of the given laws."""
    width = max((len(entry.numbers) for entry in entries), default=0)
    numbers = [np.pad(entry.numbers, (0, width - len(entry.numbers))) for entry in entries]
    kinds = np.array([entry.kinds for entry in entries], np.int64).reshape(len(entries), _KINDS)
    return Laws(kinds, np.array(numbers).reshape(len(entries), width))


def in_lanes(laws: Laws, entries: list[LawEntry]) -> Laws:
    """The tables of the given laws with the addresses of their formulas for many contacts at a time."""
    kinds = laws.kinds.copy()
    for k, entry in enumerate(entries):
        kinds[k, _NORMAL_LANES:] = [law.lane_address() for law in entry.laws]
    return Laws(kinds, laws.numbers)


def curved(laws: Laws, which: np.ndarray | int) -> np.ndarray:
    """Whether the laws with these numbers need the curvature of the gap."""
    return laws.kinds[which, _CURVED] != 0


def stretched(laws: Laws, which: int) -> bool:
    """Whether friction `which` depends on a stretch."""
    return bool(laws.kinds[which, _STATE] != 0)


@jit
def needs_curvature(laws, k):
    """Whether normal law k depends on the curvature of the gap."""
    return laws.kinds[k, _CURVED] != 0


@jit
def has_state(laws, k):
    """Whether friction k depends on a stretch."""
    return laws.kinds[k, _STATE] != 0


@jit
def largest_curvature(laws, k, k1, k2):
    """The larger curvature of the gap, clipped to the limits of law k."""
    return min(max(max(k1, k2), laws.numbers[k, _LIMITS]), laws.numbers[k, _LIMITS + 1])


@jit
def is_flat(laws, k, k1, k2):
    """Whether a gap with these curvatures is flatter than law k allows, and nobody has chosen its limits."""
    return min(k1, k2) < LEAST_CURVATURE == laws.numbers[k, _LIMITS]


@jit
def normal_of(laws, k, depth, rate, impact, k1, k2):
    """Normal force of law k, its elastic part and the elastic energy."""
    width = laws.numbers.shape[1]
    row = element(laws.numbers, k * width + _NORMAL_AT)
    return call_normal(laws.kinds[k, _NORMAL], row, width - _NORMAL_AT, (depth, rate, impact, k1, k2))


@jit
def friction_of(laws, k, load, slip, stretch, dt):
    """Friction on B, stretch after the step (or its rate), elastic energy and its rate, see `friction_kernel`."""
    width, begin = laws.numbers.shape[1], laws.kinds[k, _FRICTION_AT]
    row = element(laws.numbers, k * width + begin)
    given = (load, slip[0], slip[1], slip[2], stretch[0], stretch[1], stretch[2], dt)
    a = call_friction(laws.kinds[k, _FRICTION], row, width - begin, given)
    return (a[0], a[1], a[2]), (a[3], a[4], a[5]), a[6], a[7]


@jit
def press_lanes(laws, k, s, start):
    """Normal law k in all lanes of a block, from s[start] as in ``forces/law_lanes.py``; False if it cannot."""
    address, width = laws.kinds[k, _NORMAL_LANES], laws.numbers.shape[1]
    if address != 0:
        row = element(laws.numbers, k * width + _NORMAL_AT)
        call_lanes(address, row, width - _NORMAL_AT, 0.0, element(s, start))
    return address != 0


@jit
def rub_lanes(laws, k, h, s, start):
    """The same for friction k over a step h."""
    address, width, begin = laws.kinds[k, _FRICTION_LANES], laws.numbers.shape[1], laws.kinds[k, _FRICTION_AT]
    if address != 0:
        call_lanes(address, element(laws.numbers, k * width + begin), width - begin, h, element(s, start))
    return address != 0


@jit
def rolls(laws, k):
    """Whether law k resists rolling or spinning."""
    return laws.numbers[k, _ROLLING] > 0.0 or laws.numbers[k, _ROLLING + 1] > 0.0


@jit
def rolling_of(laws, k):
    """Parameters of the rolling resistance of law k."""
    return laws.numbers[k, _ROLLING], laws.numbers[k, _ROLLING + 1], laws.numbers[k, _ROLLING + 2]
