"""The table of a scene file that describes a shape: the inverse of the catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import shapes
from ..shapes.formulas.support import field_name
from ..shapes.shape import Shape
from .bodies import SceneError
from .catalogue import CATALOGUE

#: Word of each class whose constructor takes the keys of the file.
_WORDS: dict[type[Shape], str] = {
    shapes.HalfSpace: "half_space",
    shapes.Superellipsoid: "superellipsoid",
    shapes.HarmonicShape: "harmonic_shape",
    shapes.SplineShape: "spline_shape",
    shapes.Offset: "offset",
    shapes.MinkowskiSum: "minkowski_sum",
    shapes.Affine: "affine",
    **{make: word for word, make in CATALOGUE.items() if isinstance(make, type) and word != "plane"},
}


def shape_table(shape: Shape, original: dict[str, Any] | None = None) -> dict[str, Any]:
    """The keys of a body for its shape.

    Parameters
    ----------
    shape : Shape
        One body.
    original : dict, optional
        The table that it was read from, for shapes that do not remember it: formulas.  Parameters of a
        formula that have changed are replaced.

    Raises
    ------
    SceneError
        For a shape that a scene file cannot hold, such as one of a class of your own.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.scene import shape_table
    >>> shape_table(tg.capsule(0.5, 2.0))
    {'shape': 'offset', 'body': {'shape': 'segment', 'half_length': 2.0}, 'distance': 0.5}
    """
    if shape.batch_shape:
        raise SceneError(f"shape must be a single body, got a stack of shape {shape.batch_shape}")
    if isinstance(shape, shapes.Cavity):
        inside = {**shape_table(shape.hollow, original), "cavity": True}
        return inside if shape.ends else {**inside, "ends": False}
    word = _WORDS.get(type(shape))
    if word is None:
        return _remembered(shape, original)
    table: dict[str, Any] = {"shape": word}
    for name, axes in shape._parameters.items():
        value = getattr(shape, name)
        table[name] = shape_table(value) if axes is None else np.asarray(value).tolist()
    return table


def _remembered(shape: Shape, original: dict[str, Any] | None) -> dict[str, Any]:
    """The original table, with the present parameters of a formula."""
    if original is None:
        raise SceneError(
            f"a scene file cannot hold a {type(shape).__name__}; it has the shapes {', '.join(sorted(CATALOGUE))}"
        )
    known = {key: value for key, value in original.items() if key not in ("cavity", "ends")}
    if "expression" not in known:
        return known
    fields = shape._fields
    present = {key: float(fields[field_name(key)]) for key in known if field_name(key) in fields}
    return {**known, **present}
