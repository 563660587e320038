"""Shapes and bodies as text of a scene file: the inverse of reading one."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from scipy.spatial.transform import RigidTransform

from .. import shapes
from ..shapes.shape import Shape

#: For every class: its name in scene files, and the keys with the attributes that hold their values.
_WRITTEN: dict[type, tuple[str, dict[str, str]]] = {
    shapes.HalfSpace: ("half_space", {"normal": "normal", "offset": "offset"}),
    shapes.Sphere: ("sphere", {"radius": "radius"}),
    shapes.Ellipsoid: ("ellipsoid", {"radii": "radii"}),
    shapes.Superellipsoid: ("superellipsoid", {"radii": "radii", "epsilon": "epsilon"}),
    shapes.PowerEllipsoid: ("power_ellipsoid", {"radii": "radii", "exponents": "exponents"}),
    shapes.Ovoid: ("ovoid", {"radii": "radii", "taper_x": "taper_x", "taper_y": "taper_y"}),
    shapes.Superovoid: (
        "superovoid",
        {"radii": "radii", "exponents": "exponents", "taper_x": "taper_x", "taper_y": "taper_y"},
    ),
    shapes.TaperedSuperellipsoid: (
        "tapered_superellipsoid",
        {"radii": "radii", "epsilon": "epsilon", "taper": "taper"},
    ),
    shapes.HarmonicShape: ("harmonic_shape", {"coefficients": "coefficients"}),
    shapes.SplineShape: ("spline_shape", {"coefficients": "coefficients"}),
    shapes.Box: ("box", {"half_lengths": "half_lengths"}),
    shapes.Cylinder: ("cylinder", {"radius": "radius", "half_length": "half_length"}),
    shapes.Cone: ("cone", {"radius": "radius", "half_length": "half_length", "top_radius": "top_radius"}),
    shapes.Segment: ("segment", {"half_length": "half_length"}),
    shapes.Hull: ("hull", {"points": "points"}),
    shapes.Offset: ("offset", {"body": "body", "distance": "distance"}),
    shapes.MinkowskiSum: ("minkowski_sum", {"a": "a", "b": "b"}),
    shapes.Affine: ("affine", {"body": "body", "matrix": "matrix", "translation": "translation"}),
}


def shape_table(shape: Shape) -> dict[str, Any]:
    """A shape as a table of a scene file.

    Raises
    ------
    ValueError
        If scene files have no name for the shape, as for a class of a user.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.scene import shape_table
    >>> shape_table(tg.Ellipsoid([3, 2, 1]))
    {'shape': 'ellipsoid', 'radii': [3.0, 2.0, 1.0]}
    """
    if shape.batch_shape:
        raise ValueError(f"shape must be a single body, got a stack of shape {shape.batch_shape}")
    if isinstance(shape, shapes.Cavity):
        return {**shape_table(shape.hollow), "cavity": True}
    if type(shape) not in _WRITTEN:
        raise ValueError(f"scene files have no name for the shape {type(shape).__name__}; use it from Python")
    name, keys = _WRITTEN[type(shape)]
    table: dict[str, Any] = {"shape": name}
    for key, attribute in keys.items():
        value = getattr(shape, attribute)
        table[key] = shape_table(value) if isinstance(value, Shape) else np.asarray(value).tolist()
    return table


def body_text(name: str, shape: Shape, pose: RigidTransform | None = None, **more: Any) -> str:
    """A body as a table ``[[body]]``, with further keys such as the density.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.scene import body_text
    >>> print(body_text("ball", tg.Sphere(0.1), density=1000.0), end="")
    [[body]]
    name = "ball"
    shape = "sphere"
    radius = 0.1
    density = 1000.0
    """
    table = {"name": name, **shape_table(shape)}
    if pose is not None:
        table["position"] = pose.translation.tolist()
        table["orientation"] = {"quaternion": pose.rotation.as_quat().tolist()}
    return table_text("[[body]]", {**table, **more})


def table_text(head: str, table: dict[str, Any]) -> str:
    """A table of a TOML file."""
    return "\n".join([head, *(f"{key} = {_value(value)}" for key, value in table.items())]) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + re.sub(r'(["\\])', r"\\\1", re.sub(r"[\x00-\x1f\x7f]", " ", value)) + '"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value) if isinstance(value, int) else repr(float(value))
