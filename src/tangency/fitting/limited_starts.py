"""Starts for models within limits, and for families of bodies: all ways to place their axes along those of the cloud.

A limit may belong to one axis of a body, so that a rearrangement of the axes that changes nothing for a free model
gives another body here.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

from ..shapes.shape import ShapeError
from .canonical import FLIP, QUARTER, flipped, swapped
from .models import Model
from .open_model import OpenModel
from .own_family import without_number
from .parameter_layout import EXPONENTS, RADII, TAPERS
from .problem import Solution, State
from .starts import curved


@cache
def _rotations() -> tuple[np.ndarray, ...]:
    """The 24 rotations of a cube, as matrices whose columns are the new axes."""
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            axes = np.eye(3)[:, order] * signs
            if np.linalg.det(axes) > 0:
                found.append(axes)
    return tuple(found)


def limited_starts(model: Model, known: list[Solution]) -> list[State]:
    """Starts of a named model within limits from the solutions of free models, in every equivalent form."""
    starts = []
    for old in known:
        if not isinstance(old.model, Model):
            continue
        for form, axes in _rearranged(old.model.form(old.state.s), model):
            s = model.parameters(curved(model, form))
            starts.append(State(s, old.state.position, old.state.rotation @ axes))
    return starts


def _rearranged(form: np.ndarray, model: Model) -> list[tuple[np.ndarray, np.ndarray]]:
    """Forms of the same body with its axes rearranged, as far as the model can describe them, and the axes."""
    tapers, barr = form[TAPERS].any() if len(form) > 5 else False, len(form) == 5
    if barr or tapers:
        if barr != model.barr:
            return []
        quarter = swapped(form)
        found = [(form, np.eye(3)), (quarter, QUARTER)]
        return found + [(flipped(one), axes @ FLIP) for one, axes in found] if tapers else found
    found = []
    for axes in _rotations():
        if (axes.sum(axis=0) < 0.0).any() and np.linalg.det(np.abs(axes)) > 0.0:
            continue  # signs do not matter without taper
        order = np.abs(axes).argmax(axis=0)
        turned = model.base.copy()
        turned[RADII] = form[RADII][order]
        if not model.barr:
            turned[EXPONENTS] = form[EXPONENTS][order]
        found.append((turned, axes))
    return found


def family_starts(model: OpenModel, boxes: list[State], points: np.ndarray) -> list[State]:
    """Starts of a family: its bodies in boxes around the cloud, in all 24 orientations, and those of its own."""
    starts: list[State] = []
    if model.family.placed is not None:
        for values, position, rotation in model.family.placed(points / model.unit):
            starts.append(State(model.parameters(values), model.unit * position, rotation))
    seen: set[bytes] = set()
    failure: ShapeError | None = None
    for box in boxes:
        half = np.exp(box.s) / model.unit
        for axes in _rotations()[: model.family.orientations]:
            for guess in model.family.guesses(half[np.abs(axes).argmax(axis=0)]):
                s = model.parameters(guess)
                shape = model.body(s)
                if shape is None:
                    continue
                rotation = box.rotation @ axes
                n = _probes() @ rotation
                try:
                    centre, h = np.asarray(shape._box()[1]), shape.support(n)
                except ShapeError as error:
                    failure = without_number(model.name, model.shown, model.values(s), error)
                    continue
                position = box.position - model.unit * rotation @ centre
                # Bodies with the same box and support points are the same start.
                key = np.round(model.unit * h + _probes() @ position, 6).tobytes()
                if key not in seen:
                    seen.add(key)
                    starts.append(State(s, position, rotation))
    if failure is not None and not starts:
        raise failure
    return starts


@cache
def _probes() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(9, 3))
