"""The surface of a body as a triangle mesh, and in the formats of MuJoCo and OpenSim where these have the shape."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import RigidTransform, Rotation

from ..geometry.pose import PoseLike, as_pose
from ..io import numbers
from ..io.clouds import Cloud
from ..io.mesh_files import obj_of
from ..io.ply import ply_of
from ..io.vtp import vtp_of
from ..io.whole_files import write_whole
from ..shapes import Box, Cylinder, Ellipsoid, Offset, Segment, Sphere
from ..shapes.shape import Shape, bounded
from .directions import spread

CORNERS = 4000  # of a mesh


def surface_mesh(shape: Shape, pose: PoseLike = None, *, corners: int = CORNERS) -> Cloud:
    """A closed triangle mesh of a convex body: the hull of surface points, with the normals there.

    Parameters
    ----------
    shape : Shape
        One body.
    pose : optional
        As in :func:`tangency.contact`.
    corners : int
        Number of surface points; flat parts need fewer, where several normals belong to one point.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.fitting import surface_mesh
    >>> mesh = surface_mesh(tg.Sphere(2.0), corners=500)
    >>> len(mesh.points), len(mesh.faces)
    (500, 996)
    """
    if shape.batch_shape:
        raise ValueError(f"shape must be a single body, got a stack of shape {shape.batch_shape}")
    normals = np.array(spread(numbers.count(corners, "corners", 50)))
    points = shape.point(normals)
    _, first = np.unique(points.round(12 - int(np.floor(np.log10(np.abs(points).max())))), axis=0, return_index=True)
    points, normals = points[np.sort(first)], normals[np.sort(first)]
    hull = ConvexHull(points)
    keep, place = np.unique(hull.simplices, return_inverse=True)
    faces, points, normals = place.reshape(-1, 3), points[keep], normals[keep]
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    rotation, translation = as_pose(pose)
    return Cloud(points @ rotation.T + translation, normals @ rotation.T, faces)


def write_surface(path: str | os.PathLike[str], shape: Shape, pose: PoseLike = None, *, corners: int = CORNERS) -> Path:
    """Write the surface of a body: STL, OBJ, PLY or VTP as a mesh; XML for MuJoCo (MJCF) and OSIM for OpenSim.

    MuJoCo has spheres, ellipsoids, capsules, cylinders and boxes, OpenSim contact spheres and ellipsoids; other shapes
    are refused there.
    """
    return write_whole(Path(path), surface_content(path, shape, pose, corners=corners))


def surface_content(
    path: str | os.PathLike[str], shape: Shape, pose: PoseLike = None, *, corners: int = CORNERS
) -> str | bytes:
    """The content of such a file, by its suffix."""
    path, shape = Path(path), bounded(shape, "shape")
    suffix = path.suffix.lower()
    meshes: dict[str, Callable[[Cloud], str | bytes]] = {".stl": _stl, ".obj": obj_of, ".ply": ply_of, ".vtp": vtp_of}
    if suffix in meshes:
        return meshes[suffix](surface_mesh(shape, pose, corners=corners))
    if suffix not in (".xml", ".osim"):
        raise ValueError(f"path must end in .stl, .obj, .ply, .vtp, .xml or .osim, got {str(path)!r}")
    rotation, translation = as_pose(pose)
    placed = RigidTransform.from_components(translation, Rotation.from_matrix(rotation))
    return (_mjcf if suffix == ".xml" else _osim)(shape, placed, path.stem)


def _stl(mesh: Cloud) -> bytes:
    """Binary STL."""
    assert mesh.faces is not None
    layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows = np.zeros(len(mesh.faces), layout)
    corners = mesh.points[mesh.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    rows["normal"] = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    rows["corners"] = corners
    return b"\0" * 80 + np.array([len(rows)], "<u4").tobytes() + rows.tobytes()


def _numbers(values: np.ndarray | list[float]) -> str:
    return " ".join(map(repr, np.asarray(values, float).ravel().tolist()))


def _mjcf(shape: Shape, pose: RigidTransform, name: str) -> str:
    kind, size = _geom(shape)
    x, y, z, w = pose.rotation.as_quat()
    where = f'pos="{_numbers(pose.translation)}" quat="{_numbers([w, x, y, z])}"'
    geom = f'<geom name={quoteattr(name)} type="{kind}" size="{_numbers(size)}"/>'
    return (
        f'<mujoco model={quoteattr(name)}>\n  <compiler angle="radian"/>\n  <worldbody>\n'
        f"    <body name={quoteattr(name)} {where}>\n      <freejoint/>\n      {geom}\n    </body>\n"
        "  </worldbody>\n</mujoco>\n"
    )


def _geom(shape: Shape) -> tuple[str, list[float]]:
    """Type and size of a geom of MuJoCo."""
    if isinstance(shape, Sphere):
        return "sphere", [float(shape.radius)]
    if isinstance(shape, Ellipsoid):
        return "ellipsoid", shape.radii.tolist()
    if isinstance(shape, Box):
        return "box", shape.half_lengths.tolist()
    if isinstance(shape, Cylinder):
        return "cylinder", [float(shape.radius), float(shape.half_length)]
    if isinstance(shape, Offset) and isinstance(shape.body, Segment):
        return "capsule", [float(shape.distance), float(shape.body.half_length)]
    raise ValueError(f"MuJoCo has no geom for a {type(shape).__name__}: write the surface as STL or OBJ instead")


def _osim(shape: Shape, pose: RigidTransform, name: str) -> str:
    if isinstance(shape, Sphere):
        kind, size = "ContactSphere", f"<radius>{_numbers([float(shape.radius)])}</radius>"
    elif isinstance(shape, Ellipsoid):
        kind, size = "ContactEllipsoid", f"<radii>{_numbers(shape.radii)}</radii>"
    else:
        raise ValueError(
            f"OpenSim has no contact geometry for a {type(shape).__name__}: write the surface as STL or OBJ instead"
        )
    angles = _numbers(pose.rotation.as_euler("XYZ"))
    label = quoteattr(name)
    return (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<OpenSimDocument Version="40500">\n'
        f'<Model name={label}>\n<ContactGeometrySet name="contactgeometryset"><objects>\n'
        f"<{kind} name={label}>\n<socket_frame>/ground</socket_frame>\n"
        f"<location>{_numbers(pose.translation)}</location>\n<orientation>{angles}</orientation>\n{size}\n</{kind}>\n"
        "</objects></ContactGeometrySet>\n</Model>\n</OpenSimDocument>\n"
    )
