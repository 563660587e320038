"""Boxes around shapes in a periodic box, with copies of those that may overlap others across a boundary."""

import math
from typing import NamedTuple

import numpy as np

from ...compiled.jit import jit
from ..tables import SOLID

SHIFTS = 13  # half of the neighbouring images: of two opposite ones, one is enough


class Outlines(NamedTuple):
    """Boxes and spheres around shapes, then around images of shapes."""

    low: np.ndarray  #: (M, 3)
    high: np.ndarray  #: (M, 3)
    balls: np.ndarray  #: (M, 4) centre and radius
    of: np.ndarray  #: (M,) the shape


@jit
def _shift(number):
    """Shift of the neighbouring image 0 ... 12, in periods; the first component that is not 0 is 1."""
    code = number + 14  # in base 3, with digits -1, 0, 1
    return code // 9 - 1, code // 3 % 3 - 1, code % 3 - 1


@jit
def _wrap(periods, kind, own):
    """Move the boxes of all bounded shapes by whole periods, their centres to between 0 and the period."""
    low, high, balls = own.low, own.high, own.balls
    for k in range(own.of.shape[0]):
        if kind[own.of[k]] == SOLID:
            for c in range(3):
                if periods[c] > 0.0:
                    away = -periods[c] * math.floor(balls[k, c] / periods[c])
                    low[k, c], high[k, c], balls[k, c] = low[k, c] + away, high[k, c] + away, balls[k, c] + away


@jit
def _needed(periods, own, ends, k, shift):
    """Whether the image of box k may overlap any box; all of them lie between the `ends`."""
    for c in range(3):
        if shift[c] != 0 and periods[c] == 0.0:
            return False
        away = shift[c] * periods[c]
        if own.low[k, c] + away > ends[1, c] or own.high[k, c] + away < ends[0, c]:
            return False
    return True


@jit
def with_images(periods, kind, own):
    """The outlines of all shapes, which are moved into the box, and of the images that may overlap them."""
    count = own.of.shape[0]
    if not (periods[0] > 0.0 or periods[1] > 0.0 or periods[2] > 0.0):
        return own
    _wrap(periods, kind, own)
    ends = np.empty((2, 3))
    ends[0], ends[1] = np.inf, -np.inf
    for k in range(count):
        if kind[own.of[k]] == SOLID:
            for c in range(3):
                ends[0, c], ends[1, c] = min(ends[0, c], own.low[k, c]), max(ends[1, c], own.high[k, c])
    images = 0
    for k in range(count):
        for number in range(SHIFTS):
            if kind[own.of[k]] == SOLID and _needed(periods, own, ends, k, _shift(number)):
                images += 1
    total = count + images
    found = Outlines(np.empty((total, 3)), np.empty((total, 3)), np.empty((total, 4)), np.empty(total, np.int64))
    found.low[:count], found.high[:count], found.balls[:count] = own.low, own.high, own.balls
    found.of[:count] = own.of
    at = count
    for k in range(count):
        for number in range(SHIFTS):
            shift = _shift(number)
            if kind[own.of[k]] == SOLID and _needed(periods, own, ends, k, shift):
                for c in range(3):
                    away = shift[c] * periods[c]
                    found.low[at, c], found.high[at, c] = own.low[k, c] + away, own.high[k, c] + away
                    found.balls[at, c] = own.balls[k, c] + away
                found.balls[at, 3], found.of[at] = own.balls[k, 3], own.of[k]
                at += 1
    return found
