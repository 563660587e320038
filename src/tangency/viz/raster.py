"""A small renderer of triangles and planes with a depth buffer.

Bodies may overlap and hide each other, so the picture needs a depth test, which matplotlib's 3-D axes
lack.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..compiled.jit import entry
from .mesh import Mesh

f4 = np.float32


@dataclass(frozen=True)
class Camera:
    """Perspective camera (parallel projection for `fov` = 0) looking from `eye` to `target`.

    Attributes
    ----------
    eye, target, up : (3,) arrays
        Position, point looked at, and upward direction, world frame [m].
    fov : float
        Full vertical field of view [rad]; 0 for parallel rays.
    span : float
        Height of the view [m], for parallel rays only.
    """

    eye: np.ndarray
    target: np.ndarray
    up: np.ndarray
    fov: float
    span: float = 1.0

    @cached_property
    def axes(self) -> np.ndarray:
        """Axes of the camera as rows: right, up, backward."""
        back = self.eye - self.target
        back = back / np.linalg.norm(back)
        right = np.cross(self.up, back)
        right = right / np.linalg.norm(right)
        return np.array([right, np.cross(back, right), back])

    def project(self, points: np.ndarray, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
        """Pixel coordinates (..., 2), y downward, and distance along the view direction (...)."""
        local = (points - self.eye) @ self.axes.T
        depth = -local[..., 2]
        if self.fov > 0:
            scale = 0.5 * height / np.tan(0.5 * self.fov) / np.maximum(depth, 1e-9)
        else:
            scale = np.full_like(depth, height / self.span)
        x = 0.5 * width + local[..., 0] * scale
        y = 0.5 * height - local[..., 1] * scale
        return np.stack([x, y], axis=-1), depth

    def pixel_axes(self, height: int) -> np.ndarray:
        """Rows: steps to the next pixel right and up, and forward, for a ray that advances by 1 along the view."""
        unit = 2.0 * np.tan(0.5 * self.fov) / height
        return self.axes * np.array([[unit], [unit], [-1.0]])


class Buffer(NamedTuple):
    """Surface visible in each pixel.

    Attributes
    ----------
    depth : (H, W) array
        Distance along the view direction; inf for the background.
    body : (H, W) array of int
        Index of the mesh; -1 for the background.
    normal : (H, W, 3) array
        Unit normal, world frame.
    """

    depth: np.ndarray
    body: np.ndarray
    normal: np.ndarray


class SeenPlane(NamedTuple):
    """A plane in front of the camera, with lengths from the camera's eye or target.

    Attributes
    ----------
    normal : (3,) array, world frame
    height : float, of the plane above the eye [m]
    within : float, radius about the target up to which it is seen [m]
    limits : (K, 4) array, rows (n, d): the part with n.x >= d is seen, x from the target
    """

    normal: np.ndarray
    height: float
    within: float
    limits: np.ndarray


def rasterize(meshes: list[Mesh], camera: Camera, width: int, height: int) -> Buffer:
    """Nearest surface in each pixel."""
    buffer = Buffer(
        np.full((height, width), np.inf, dtype=f4),
        np.full((height, width), -1, dtype=np.int16),
        np.zeros((height, width, 3), dtype=f4),
    )
    for number, mesh in enumerate(meshes):
        xy, depth = camera.project(mesh.vertices, width, height)
        _fill(xy, depth, camera.fov > 0, mesh.triangles, mesh.normals, number, buffer)
    return buffer


def add_plane(
    buffer: Buffer, number: int, normal: np.ndarray, offset: float, camera: Camera, within: float, limits: np.ndarray
) -> None:
    """Add the plane normal.x = offset, up to the distance `within` from the camera's target, as body `number`.

    Rows (n, d) of `limits` (K, 4) clip it: the part with n.x >= d is visible.
    """
    step = camera.pixel_axes(buffer.depth.shape[0])
    height, eye = offset - float(normal @ camera.eye), camera.eye - camera.target
    near = limits.copy()
    near[:, 3] -= limits[:, :3] @ camera.target
    _fill_plane(SeenPlane(normal, height, within, near), step, eye, number, buffer)


@entry
def _fill(xy, depth, perspective, triangles, normals, number, out):
    out_depth, out_body, out_normal = out.depth, out.body, out.normal
    rows, columns = out_depth.shape
    for t in range(triangles.shape[0]):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        x0, y0 = xy[i, 0] - 0.5, xy[i, 1] - 0.5
        ax, ay = xy[j, 0] - 0.5 - x0, xy[j, 1] - 0.5 - y0
        bx, by = xy[k, 0] - 0.5 - x0, xy[k, 1] - 0.5 - y0
        area = ax * by - ay * bx
        # Pixel y points down, so triangles that face the camera are clockwise.
        if area > -1e-9 or min(depth[i], depth[j], depth[k]) < 1e-9:
            continue
        wi, wj, wk = 1.0, 1.0, 1.0
        if perspective:  # 1/depth is linear in the picture
            wi, wj, wk = 1.0 / depth[i], 1.0 / depth[j], 1.0 / depth[k]
        left = max(math.ceil(x0 + min(0.0, ax, bx)), 0)
        right = min(math.floor(x0 + max(0.0, ax, bx)), columns - 1)
        top = max(math.ceil(y0 + min(0.0, ay, by)), 0)
        bottom = min(math.floor(y0 + max(0.0, ay, by)), rows - 1)
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                dx, dy = x - x0, y - y0
                b = (dx * by - dy * bx) / area
                c = (ax * dy - ay * dx) / area
                if b < -1e-6 or c < -1e-6 or b + c > 1.0 + 1e-6:
                    continue
                u, v, w = (1.0 - b - c) * wi, b * wj, c * wk
                total = u + v + w
                z = 1.0 / total if perspective else u * depth[i] + v * depth[j] + w * depth[k]
                if z < out_depth[y, x]:
                    out_depth[y, x], out_body[y, x] = z, number
                    nx = u * normals[i, 0] + v * normals[j, 0] + w * normals[k, 0]
                    ny = u * normals[i, 1] + v * normals[j, 1] + w * normals[k, 1]
                    nz = u * normals[i, 2] + v * normals[j, 2] + w * normals[k, 2]
                    scale = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
                    out_normal[y, x, 0] = nx * scale
                    out_normal[y, x, 1] = ny * scale
                    out_normal[y, x, 2] = nz * scale


@entry
def _fill_plane(plane, step, eye, number, out):
    normal, height, within, limits = plane.normal, plane.height, plane.within, plane.limits
    out_depth, out_body, out_normal = out.depth, out.body, out.normal
    rows, columns = out_depth.shape
    for y in range(rows):
        for x in range(columns):
            right, up = x + 0.5 - 0.5 * columns, 0.5 * rows - y - 0.5
            slope = 0.0
            for i in range(3):
                slope += normal[i] * (right * step[0, i] + up * step[1, i] + step[2, i])
            if slope * height <= 0.0 or height / slope >= out_depth[y, x]:
                continue
            z = height / slope
            away, cut = 0.0, False
            for i in range(3):
                away += (eye[i] + z * (right * step[0, i] + up * step[1, i] + step[2, i])) ** 2
            for k in range(limits.shape[0]):
                above = -limits[k, 3]
                for i in range(3):
                    above += limits[k, i] * (eye[i] + z * (right * step[0, i] + up * step[1, i] + step[2, i]))
                cut = cut or above < 0.0
            if away < within * within and not cut:
                out_depth[y, x], out_body[y, x] = z, number
                for i in range(3):
                    out_normal[y, x, i] = normal[i]
