"""Geoms of MuJoCo models as shapes; MJCF and URDF files are read by MuJoCo itself.

MuJoCo's ``MjSpec`` reads MJCF, URDF and whatever its decoders know; what follows from defaults, inertias from geoms,
`fromto`, meshes and includes is taken from the compiled model.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..shapes import Box, Cylinder, Ellipsoid, HalfSpace, Hull, Sphere, capsule
from ..shapes.shape import Shape

try:
    import mujoco
except ImportError:
    raise ImportError("tangency.interop.mjcf needs MuJoCo: pip install 'tangency[mujoco]'") from None


class Geom(NamedTuple):
    """A geom as a shape with its pose in its body."""

    name: str
    body: int  #: number of the body, 0 for the world
    shape: Shape
    rotation: Rotation
    position: np.ndarray  #: (3,) [m]
    contype: int
    conaffinity: int

    @property
    def collides(self) -> bool:
        """Whether the geom takes part in collisions."""
        return bool(self.contype or self.conaffinity)


def load_model(source: str | os.PathLike[str]) -> Any:
    """The compiled ``mujoco.MjModel`` of a file, or of a text in MJCF or URDF."""
    text = os.fspath(source)
    if isinstance(text, str) and "<" in text:
        return mujoco.MjSpec.from_string(text).compile()
    if not Path(text).is_file():
        raise FileNotFoundError(f"{text}: no such file")
    try:
        return mujoco.MjSpec.from_file(str(text)).compile()
    except ValueError as error:
        raise ValueError(f"{text}: MuJoCo cannot read it: {error}") from None


def turned(quaternion: np.ndarray) -> Rotation:
    """A rotation from MuJoCo's quaternion (w, x, y, z)."""
    return Rotation.from_quat(np.roll(np.asarray(quaternion), -1, axis=-1))


def name_of(model: Any, kind: str, number: int) -> str:
    """Name of a body, geom or joint; ``geom 3`` for one without."""
    return getattr(model, kind)(number).name or f"{kind} {number}"


def geoms_of(model: Any, *, colliding: bool = True) -> list[Geom]:
    """The geoms of a model as shapes.

    Parameters
    ----------
    model : mujoco.MjModel
        A compiled model.
    colliding : bool
        Only those that take part in collisions; a geom of another kind, such as a height field, is then no error
        unless it collides.
    """
    found = []
    for k in range(model.ngeom):
        masks = int(model.geom_contype[k]), int(model.geom_conaffinity[k])
        if colliding and not any(masks):
            continue
        home = turned(model.geom_quat[k]), model.geom_pos[k].copy()
        found.append(Geom(name_of(model, "geom", k), int(model.geom_bodyid[k]), shape_of(model, k), *home, *masks))
    return found


def shape_of(model: Any, number: int) -> Shape:
    """The shape of a geom, in its own frame."""
    kinds, size = mujoco.mjtGeom, model.geom_size[number].copy()
    kind = int(model.geom_type[number])
    if kind == kinds.mjGEOM_PLANE:
        return HalfSpace([0.0, 0.0, 1.0])
    if kind == kinds.mjGEOM_SPHERE:
        return Sphere(size[0])
    if kind == kinds.mjGEOM_ELLIPSOID:
        return Ellipsoid(size)
    if kind == kinds.mjGEOM_CAPSULE:
        return capsule(size[0], size[1])
    if kind == kinds.mjGEOM_CYLINDER:
        return Cylinder(size[0], size[1])
    if kind == kinds.mjGEOM_BOX:
        return Box(size)
    if kind == kinds.mjGEOM_MESH:
        mesh = int(model.geom_dataid[number])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        return Hull(np.array(model.mesh_vert[first : first + count], float))
    raise ValueError(
        f"geom {name_of(model, 'geom', number)!r}: {mujoco.mjtGeom(kind).name} has no shape in tangency; set its "
        "contype and conaffinity to 0"
    )
