"""Scenes as triangles: glTF, STL, PLY and OBJ, written by trimesh."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...scene import Body, Scene
from ...shapes import HalfSpace
from ...shapes.walls import WALLS
from ...viz.mesh import Mesh, patch
from ...viz.mesh import surface as surface_of
from ...viz.stage import GROUND, PALETTE
from .left_out import left_out

ENDINGS = ("glb", "gltf", "stl", "ply", "obj")
FREQUENCY = 24  # 5762 points per body


def surface_bytes(scene: Scene, ending: str) -> tuple[bytes, tuple[str, ...]]:
    """The surfaces of a scene in a format of trimesh, and what it does not hold.

    A half-space is a square as wide as the scene.  Formats other than glTF join all bodies in one mesh.
    """
    try:
        import trimesh
    except ImportError as error:
        raise ImportError("triangles are written by trimesh: pip install 'tangency[meshes]'") from error
    if ending not in ENDINGS:
        raise ValueError(f"ending must be one of {', '.join(ENDINGS)}, got {ending!r}")
    scene.require_bodies_alone("triangles are written")
    remarks = ["smooth surfaces are written as triangles"]
    stage = trimesh.Scene()
    for number, body in enumerate(scene.placed):
        mesh = _surface(scene, body)
        if isinstance(body.shape, HalfSpace):
            remarks.append(f"body {body.name!r}: the half-space is written as a square")
        color = body.color or (GROUND if isinstance(body.shape, HalfSpace) else PALETTE[number % len(PALETTE)])
        rgba = [*(int(color[k : k + 2], 16) for k in (1, 3, 5)), 255]
        made = trimesh.Trimesh(mesh.vertices, mesh.triangles, vertex_normals=mesh.normals, process=False)
        made.visual = trimesh.visual.TextureVisuals(
            material=trimesh.visual.material.PBRMaterial(baseColorFactor=rgba, metallicFactor=0.0, roughnessFactor=0.6)
        )
        stage.add_geometry(made, node_name=body.name, geom_name=body.name, transform=body.pose.as_matrix())
    for compound in scene.compounds:
        remarks.append(f"body {compound.name!r}: its parts are written as bodies of their own")
    remarks += left_out(scene)
    if ending in ("glb", "gltf"):
        return _gltf(stage, ending), tuple(remarks)
    remarks.append(f"{ending.upper()} holds one mesh: the names and colours of the bodies are not written")
    joined: Any = stage.to_geometry()
    joined.visual = trimesh.visual.ColorVisuals(joined)
    data = joined.export(file_type=ending)
    return (data.encode() if isinstance(data, str) else data), tuple(remarks)


def _gltf(stage: Any, ending: str) -> bytes:
    if ending == "glb":
        return stage.export(file_type="glb")
    return stage.export(file_type="gltf", merge_buffers=True, embed_buffers=True)["model.gltf"]


def _surface(scene: Scene, body: Body) -> Mesh:
    """The surface of a body in its own frame."""
    if not isinstance(body.shape, HalfSpace):
        return surface_of(body.shape, FREQUENCY)
    others = [other for other in scene.placed if not isinstance(other.shape, WALLS)]
    boxes = np.array([other.shape.aabb(other.pose) for other in others])
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    size = float(np.linalg.norm(high - low))
    square = patch(body, 0.5 * (low + high), size)  # in the world
    return Mesh((square.vertices - body.position) @ body.rotation, square.normals @ body.rotation, square.triangles)
