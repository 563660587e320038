"""Pinocchio models from URDF and MJCF files, with their collision shapes as shapes of tangency."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ...shapes import Box, Cone, Cylinder, Ellipsoid, HalfSpace, Hull, Sphere, capsule
from ...shapes.shape import Shape
from ..body import Piece
from .dropped import refuse_dropped
from .pinocchio import pin


def is_file(model: Any) -> bool:
    """Whether a model is given as the path of a file."""
    return isinstance(model, str | os.PathLike)


def read_model(
    path: str | os.PathLike[str], floating: bool, collisions: bool
) -> tuple[Any, dict[str, tuple[Piece, ...]]]:
    """The model of a file, and its collision shapes by frame."""
    p, path = pin(), Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"model: no such file: {path}")
    kind = _kind(path)
    refuse_dropped(path, kind, collisions)
    root = (p.JointModelFreeFlyer(),) if floating else ()
    try:
        model = getattr(p, f"buildModelFrom{kind}")(str(path), *root)
        model = model[0] if isinstance(model, tuple) else model
        if not collisions:
            return model, {}
        build = getattr(p, f"buildGeomFrom{kind}")
        geometry = build(model, str(path), p.GeometryType.COLLISION)
    except (RuntimeError, ValueError) as error:
        raise ValueError(f"{path}: not a {kind.upper()} file that Pinocchio reads: {error}") from None
    written = path.read_text(encoding="utf-8", errors="replace").count("<collision") if kind == "Urdf" else 0
    if written > len(geometry.geometryObjects):  # the reader of URDF files drops them without an error
        raise ValueError(
            f"{path}: only {len(geometry.geometryObjects)} of {written} collision elements were read: URDF has boxes, "
            "cylinders, spheres and meshes; give other shapes as shapes="
        )
    found: dict[str, list[Piece]] = {}
    for item in geometry.geometryObjects:
        frame = model.frames[item.parentFrame]
        # The placement of an object is that in its joint; that in its frame follows.
        placed = frame.placement.inverse() * item.placement
        shape = shape_of(item.geometry, np.asarray(item.meshScale, float), item.name)
        found.setdefault(frame.name, []).append(Piece(shape, placed.rotation.copy(), placed.translation.copy()))
    return model, {name: tuple(pieces) for name, pieces in found.items()}


def _kind(path: Path) -> str:
    """``Urdf`` or ``MJCF``, by the root element of the file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if "<robot" in text:
        return "Urdf"
    if "<mujoco" in text:
        return "MJCF"
    raise ValueError(f"{path}: must be a URDF file, with <robot>, or an MJCF file, with <mujoco>")


def shape_of(geometry: Any, scale: np.ndarray, name: str) -> Shape:
    """A geometry of Coal as a shape."""
    kind = type(geometry).__name__
    if kind == "Sphere":
        return Sphere(geometry.radius)
    if kind == "Box":
        return Box(np.asarray(geometry.halfSide, float))
    if kind == "Ellipsoid":
        return Ellipsoid(np.asarray(geometry.radii, float))
    if kind == "Capsule":
        return capsule(geometry.radius, geometry.halfLength)
    if kind == "Cylinder":
        return Cylinder(geometry.radius, geometry.halfLength)
    if kind == "Cone":
        return Cone(geometry.radius, geometry.halfLength)
    if kind in ("Halfspace", "Plane"):
        return HalfSpace(np.asarray(geometry.n, float), float(geometry.d))
    vertices = getattr(geometry, "vertices", None)
    if vertices is None:
        raise ValueError(f"collision geometry {name!r}: {kind} has no shape in tangency; give shapes instead")
    return Hull(np.asarray(vertices() if callable(vertices) else vertices, float) * scale)
