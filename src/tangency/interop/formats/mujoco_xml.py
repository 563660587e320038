"""MJCF, URDF and USD files as scenes, read by MuJoCo; scenes as MJCF files."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from ...scene import Body, Compound, Scene, SceneError
from ...shapes import Box, Cavity, Cylinder, Ellipsoid, HalfSpace, MeshWall, Offset, Segment, Sphere
from ...shapes.shape import Shape
from ...viz.mesh import surface
from .imported import Imported, Part, imported, named
from .left_out import left_out
from .urdf import prepared

USD = (".usd", ".usda", ".usdc")
#: Numbers of an mjModel, and what they count that a scene does not hold
LOST = (
    ("njnt", "joints are"),
    ("nu", "actuators are"),
    ("ntendon", "tendons are"),
    ("neq", "equality constraints are"),
    ("nexclude", "excluded pairs of bodies are"),
    ("npair", "explicit pairs of geoms are"),
    ("nflex", "flexes are"),
    ("nkey", "keyframes are"),
    ("nsensor", "sensors are"),
    ("nsite", "sites are"),
    ("ncam", "cameras are"),
    ("nlight", "lights are"),
)
#: Parameters of contacts in an mjModel, with the values of a model that says nothing about them
CONTACT = {
    "geom_friction": (1.0, 0.005, 0.0001),
    "geom_margin": (0.0,),
    "geom_gap": (0.0,),
    "geom_solref": (0.02, 1.0),
    "geom_solimp": (0.9, 0.95, 0.001, 0.5, 2.0),
    "geom_condim": (3,),
    "geom_solmix": (1.0,),
    "geom_priority": (0,),
    "geom_contype": (1,),
    "geom_conaffinity": (1,),
}
FREQUENCY = 12  # of the surfaces that MuJoCo gets as meshes: 1442 points


def read_mujoco(path: Path) -> Imported:
    """The colliding geoms of a model, placed as in its initial configuration.

    MuJoCo reads the file, so that defaults, `fromto`, includes and meshes mean what they mean there.  A mesh becomes
    its convex hull, as in MuJoCo's own collisions.
    """
    from .. import mjcf

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model, remarks = _model(mjcf, path)
    # Where frames agree to 1e-6, MuJoCo takes one for the other.
    model.geom_sameframe[:] = mjcf.mujoco.mjtSameFrame.mjSAMEFRAME_NONE
    data = mjcf.mujoco.MjData(model)
    mjcf.mujoco.mj_kinematics(model, data)
    parts = []
    remarks += [f"MuJoCo: {str(warning.message).strip()}" for warning in said]
    for k in range(model.ngeom):
        with named(str(path)):  # of names that are not UTF-8
            name = mjcf.name_of(model, "geom", k)
            owner = mjcf.name_of(model, "body", int(model.geom_bodyid[k]))
        if not (model.geom_contype[k] or model.geom_conaffinity[k]):
            remarks.append(f"geom {name!r} of body {owner!r} does not collide and is not taken over")
            continue
        try:
            shape = mjcf.shape_of(model, k)
        except ValueError as error:
            remarks.append(str(error).partition(";")[0])
            continue
        if model.geom_type[k] == mjcf.mujoco.mjtGeom.mjGEOM_MESH:
            remarks.append(f"geom {name!r}: its mesh is replaced by the convex hull of its points")
        if not (np.isfinite(data.geom_xmat[k]).all() and np.isfinite(data.geom_xpos[k]).all()):
            raise SceneError(f"{path}: geom {name!r} of body {owner!r}: its position or orientation is not finite")
        rotation = Rotation.from_matrix(data.geom_xmat[k].reshape(3, 3))
        rgba = (255.0 * model.geom_rgba[k][:3]).round().astype(int)
        color = "#" + "".join(f"{value:02x}" for value in rgba.tolist())
        label = name if model.geom(k).name else f"{owner} {name}"
        parts.append(Part(label, shape, rotation, data.geom_xpos[k].copy(), color))
    for name, what in LOST:
        count = int(getattr(model, name))
        if count:
            remarks.append(f"{count} {what} not taken over: a scene holds shapes where they are at the start")
    is_urdf = path.suffix.lower() == ".urdf"  # has remarks on masses and links already
    if model.njnt and not is_urdf:
        remarks.append("masses and gravity are not taken over")
    hits = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    set_here = [
        name.removeprefix("geom_")
        for name, usual in CONTACT.items()
        if (getattr(model, name)[hits].reshape(-1, len(usual)) != usual).any()
    ]
    if set_here:
        remarks.append(f"{', '.join(set_here)} of geoms {'is' if len(set_here) == 1 else 'are'} not taken over")
    if not is_urdf and len(set(model.geom_bodyid[hits].tolist())) < hits.sum():
        remarks.append("geoms of one body are bodies of their own here")
    return imported(path, parts, remarks)


def _model(mjcf: Any, path: Path) -> tuple[Any, list[str]]:
    """The compiled model of a file, and what it lacks."""
    try:
        if path.suffix.lower() != ".urdf":
            return mjcf.load_model(path), []
        with tempfile.TemporaryDirectory() as folder:
            text, remarks = prepared(path, Path(folder))
            if text is None:
                return mjcf.load_model(path), remarks
            spec = mjcf.mujoco.MjSpec.from_string(text)
            for mesh in spec.meshes:  # one with faces turned inside out has an area, though perhaps no volume
                mesh.inertia = mjcf.mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
            return spec.compile(), remarks
    except ValueError as error:
        if isinstance(error, SceneError):
            raise
        reason = " ".join(str(error).rpartition("cannot read it: ")[2].split())
        if path.suffix.lower() in USD:
            raise SceneError(
                f"{path}: this MuJoCo ({mjcf.mujoco.__version__}) does not read USD, which is an option of its build; "
                f"export the model as MJCF or URDF. MuJoCo says: {reason}"
            ) from None
        raise SceneError(f"{path}: MuJoCo cannot read it: {reason}") from None


def mjcf_text(scene: Scene) -> tuple[str, tuple[str, ...]]:
    """A scene as MJCF, and what it does not hold.

    Spheres, ellipsoids, capsules, boxes, cylinders and half-spaces are geoms of their own; every other shape is a mesh
    of points on its surface.  A body with a mass or a density gets a free joint, every other one is fixed.
    """
    scene.require_bodies_alone("MJCF is written")
    root = ElementTree.Element("mujoco", model=scene.title)
    asset, world = ElementTree.SubElement(root, "asset"), ElementTree.SubElement(root, "worldbody")
    remarks = []
    for body in scene.bodies:
        remarks += _add(body, [Body(body.name, body.shape)], asset, world)
    for compound in scene.compounds:
        remarks += _add(compound, compound.parts, asset, world)
    remarks += left_out(scene, kept=("mass", "density", "fixed"))
    if not len(asset):
        root.remove(asset)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n", tuple(remarks)


def _add(
    body: Body | Compound, parts: Sequence[Body], asset: ElementTree.Element, world: ElementTree.Element
) -> list[str]:
    """Add a body with its parts, in its frame, to the model; what it does not hold."""
    place = np.asarray(body.pose.translation)
    node = ElementTree.SubElement(world, "body", {"name": body.name, **_pose(body.pose.rotation, place)})
    if {"mass", "density"} & set(body.physics) and not body.physics.get("fixed", False):
        ElementTree.SubElement(node, "freejoint")
    density = _density(body, parts)
    remarks = []
    for part in parts:
        geom = ElementTree.SubElement(node, "geom", name=part.name)
        remarks += _shape(part, geom, asset)
        if density is not None:
            geom.set("density", _text(density))
        elif "mass" in body.physics:
            geom.set("mass", _text(body.physics["mass"]))
        if body.color is not None:
            rgb = [int(body.color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
            geom.set("rgba", _text([*rgb, 1.0]))
    return remarks


def _density(body: Body | Compound, parts: Sequence[Body]) -> float | None:
    """The density of a body; a mass is distributed over several parts, as in :mod:`tangency.dynamics`."""
    if "mass" in body.physics and len(parts) > 1:
        return float(body.physics["mass"]) / sum(float(part.shape.volume) for part in parts)
    return body.physics.get("density")


def _shape(body: Body, geom: ElementTree.Element, asset: ElementTree.Element) -> list[str]:
    """Add the shape of a body at its pose in the frame of the geom's body."""
    shape = body.shape
    if isinstance(shape, Cavity):
        raise SceneError(f"body {body.name!r}: MJCF cannot hold a cavity")
    if isinstance(shape, MeshWall):
        raise SceneError(f"body {body.name!r}: MJCF cannot hold a mesh wall, its meshes are convex")
    turn, place = body.pose.rotation, body.position
    if isinstance(shape, HalfSpace):
        normal = shape.normal
        upright, _ = Rotation.align_vectors([normal], [[0.0, 0.0, 1.0]])
        place = place + turn.apply(float(shape.support(normal)) * normal)
        turn = turn * upright
    if place.any() or turn.magnitude() > 0.0:
        for key, value in _pose(turn, place).items():
            geom.set(key, value)
    kind, size = ("plane", [0.0, 0.0, 1.0]) if isinstance(shape, HalfSpace) else _native(shape)
    if kind is not None:
        geom.set("type", kind)
        geom.set("size", _text(size))
        return []
    mesh = surface(shape, FREQUENCY)
    points = np.unique(mesh.vertices.round(12), axis=0)
    ElementTree.SubElement(asset, "mesh", name=body.name, vertex=_text(points.ravel()))
    geom.set("type", "mesh")
    geom.set("mesh", body.name)
    return [f"body {body.name!r}: MJCF has no {type(shape).__name__}; it is a mesh of {len(points)} points"]


def _native(shape: Shape) -> tuple[str | None, Any]:
    """Kind and size of a geom that is exactly this shape; None if there is none."""
    if isinstance(shape, Sphere):
        return "sphere", shape.radius
    if isinstance(shape, Ellipsoid):
        return "ellipsoid", shape.radii
    if isinstance(shape, Box):
        return "box", shape.half_lengths
    if type(shape) is Cylinder:
        return "cylinder", [shape.radius, shape.half_length]
    if isinstance(shape, Offset) and isinstance(shape.body, Segment):
        return "capsule", [shape.distance, shape.body.half_length]
    return None, None


def _pose(rotation: Rotation, position: np.ndarray) -> dict[str, str]:
    quaternion = rotation.as_quat(canonical=True, scalar_first=True)
    return {"pos": _text(position), "quat": _text(quaternion)}


def _text(values: Any) -> str:
    return " ".join(repr(float(value) + 0.0) for value in np.ravel(values))
