"""MJCF, URDF and USD files as scenes, read by MuJoCo; scenes as MJCF files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from ...scene import Body, Scene, SceneError
from ...shapes import Box, Cavity, Cylinder, Ellipsoid, HalfSpace, MeshWall, Offset, Segment, Sphere
from ...shapes.shape import Shape
from ...viz.mesh import surface
from .imported import Imported, Part, imported

USD = (".usd", ".usda", ".usdc")
FREQUENCY = 12  # of the surfaces that MuJoCo gets as meshes: 1442 points


def read_mujoco(path: Path) -> Imported:
    """The colliding geoms of a model, placed as in its initial configuration.

    MuJoCo reads the file, so that defaults, `fromto`, includes and meshes mean what they mean there.  A mesh becomes
    its convex hull, as in MuJoCo's own collisions.
    """
    from .. import mjcf

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = _model(mjcf, path)
    data = mjcf.mujoco.MjData(model)
    mjcf.mujoco.mj_kinematics(model, data)
    parts, remarks = [], [f"MuJoCo: {warning.message}" for warning in said]
    for k in range(model.ngeom):
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
        named = bool(model.geom(k).name)
        rotation = Rotation.from_matrix(data.geom_xmat[k].reshape(3, 3))
        rgba = (255.0 * model.geom_rgba[k][:3]).round().astype(int)
        color = "#" + "".join(f"{value:02x}" for value in rgba.tolist())
        parts.append(Part(name if named else f"{owner} {name}", shape, rotation, data.geom_xpos[k].copy(), color))
    for count, what in ((model.njnt, "joints"), (model.nu, "actuators"), (model.ntendon, "tendons")):
        if count:
            remarks.append(f"{count} {what} are not taken over: a scene holds bodies where they are at the start")
    return imported(path, parts, remarks)


def _model(mjcf: Any, path: Path) -> Any:
    try:
        return mjcf.load_model(path)
    except ValueError as error:
        if path.suffix.lower() not in USD:
            raise
        raise SceneError(
            f"{path}: this MuJoCo ({mjcf.mujoco.__version__}) does not read USD, which is an option of its build; "
            f"export the model as MJCF or URDF. MuJoCo says: {str(error).rpartition('cannot read it: ')[2]}"
        ) from None


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
        remarks += _add(body, asset, world)
    if scene.simulation:
        remarks.append("laws of contact and options of the simulation are not written: MuJoCo has its own")
    if not len(asset):
        root.remove(asset)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n", tuple(remarks)


def _add(body: Body, asset: ElementTree.Element, world: ElementTree.Element) -> list[str]:
    """Add a body to the model; what it does not hold."""
    node = ElementTree.SubElement(world, "body", {"name": body.name, **_pose(body.pose.rotation, body.position)})
    moves = bool({"mass", "density"} & set(body.physics)) and not body.physics.get("fixed", False)
    if moves:
        ElementTree.SubElement(node, "freejoint")
    geom = ElementTree.SubElement(node, "geom", name=body.name)
    remarks = _shape(body, geom, asset)
    for key in ("mass", "density"):
        if key in body.physics:
            geom.set(key, _text(body.physics[key]))
    if body.color is not None:
        parts = [int(body.color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
        geom.set("rgba", _text([*parts, 1.0]))
    lost = sorted(set(body.physics) - {"mass", "density", "fixed"})
    if lost:
        remarks.append(f"body {body.name!r}: {', '.join(lost)} is not written")
    return remarks


def _shape(body: Body, geom: ElementTree.Element, asset: ElementTree.Element) -> list[str]:
    shape = body.shape
    if isinstance(shape, Cavity):
        raise SceneError(f"body {body.name!r}: MJCF cannot hold a cavity")
    if isinstance(shape, MeshWall):
        raise SceneError(f"body {body.name!r}: MJCF cannot hold a mesh wall, its meshes are convex")
    if isinstance(shape, HalfSpace):
        normal = shape.normal
        turn, _ = Rotation.align_vectors([normal], [[0.0, 0.0, 1.0]])
        place = float(shape.support(normal)) * normal
        for key, value in {"type": "plane", "size": "0 0 1", **_pose(turn, place)}.items():
            geom.set(key, value)
        return []
    kind, size = _native(shape)
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
