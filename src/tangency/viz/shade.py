"""Shading of the rendered surfaces: one sun with soft shadows, light from the sky, slight gloss."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled.jit import entry
from .mesh import plane
from .raster import Buffer, Camera, add_plane, rasterize
from .stage import Stage

SUN = np.array([0.42, -0.36, 0.83]) / math.sqrt(0.42**2 + 0.36**2 + 0.83**2)
REACH = 2.5  # extent of a plane, in scene radii; it fades out
MAP = 1200  # pixels of the depth map from the sun


def rgb(color: str) -> np.ndarray:
    """``#rrggbb`` as three numbers between 0 and 1."""
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0


def render(stage: Stage, camera: Camera, width: int, height: int, background: str) -> tuple[np.ndarray, Buffer]:
    """Picture (height, width, 3) between 0 and 1, and the buffer of visible surfaces at twice the resolution."""
    buffer = rasterize(stage.meshes, camera, 2 * width, 2 * height)
    for k, body in enumerate(stage.planes):
        limits = stage.limits[k] if stage.limits else np.zeros((0, 4))
        add_plane(buffer, len(stage.meshes) + k, *plane(body), camera, REACH * stage.radius, limits)
    above = stage.centre + 4.0 * stage.radius * SUN
    lamp = Camera(above, stage.centre, np.array([0.0, 1.0, 0.2]), 0.0, 2.1 * stage.radius)
    sunny = rasterize(stage.meshes, lamp, MAP, MAP).depth

    paint = np.array([rgb(color) for color in (*stage.colors, *stage.plane_colors, background)])
    along = np.zeros((len(stage.colors) + len(stage.planes), 2, 3))
    for k, mesh in enumerate(stage.patches):
        sides = mesh.vertices[[1, 3]] - mesh.vertices[0]
        along[len(stage.meshes) + k] = sides / np.linalg.norm(sides, axis=1, keepdims=True)
    # Points on a sunflower disc, for a soft edge without noise.
    turn = 2.399963 * np.arange(40)
    away = 0.013 * MAP * np.sqrt((np.arange(40) + 0.5) / 40)
    disc = away[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)

    image = np.empty((2 * height, 2 * width, 3), dtype=np.float32)
    view = View(camera.eye, camera.target, camera.pixel_axes(2 * height))
    sun = Sun(SUN, lamp.eye, lamp.axes, MAP / lamp.span, sunny, disc)
    floor = Floor(len(stage.meshes), along, stage.grid)
    _light(buffer, view, sun, floor, paint, stage.radius, image)
    return image.reshape(height, 2, width, 2, 3).mean(axis=(1, 3)), buffer


def warm_renderer() -> None:
    """Compile the renderer by drawing a trivial picture."""
    from ..scene import Body, Scene
    from ..shapes import HalfSpace, Sphere
    from .stage import prepare

    scene = Scene((Body("plane", HalfSpace([0, 0, 1], 0.0)), Body("ball", Sphere(1.0))))
    camera = Camera(np.array([0.0, -9.0, 1.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.5)
    render(prepare(scene, [], 4), camera, 16, 16, "#ffffff")


class View(NamedTuple):
    """The rays of all pixels."""

    eye: np.ndarray
    target: np.ndarray
    step: np.ndarray  #: `Camera.pixel_axes`


class Sun(NamedTuple):
    """The light, and what it sees."""

    direction: np.ndarray  #: towards the sun
    eye: np.ndarray  #: of a parallel camera that looks from the sun
    axes: np.ndarray  #: `Camera.axes` of it
    scale: float  #: its pixels per metre
    depth: np.ndarray  #: (MAP, MAP) what it sees
    disc: np.ndarray  #: (K, 2) places around a point of that map, over which a shadow is averaged


class Floor(NamedTuple):
    """Planes, drawn with a grid."""

    first: int  #: number of the first one in a `Buffer`
    along: np.ndarray  #: (bodies, 2, 3) directions of the lines
    grid: float  #: distance of the lines [m]


@entry
def _light(seen, view, light_from, floors, paint, radius, image):
    """Colours of all pixels of a `Buffer`; the last row of `paint` is the background."""
    depth, body, normal = seen.depth, seen.body, seen.normal
    eye, target, step = view.eye, view.target, view.step
    sun, lamp, lamp_axes, lamp_scale = light_from.direction, light_from.eye, light_from.axes, light_from.scale
    sunny, disc = light_from.depth, light_from.disc
    along, grid = floors.along, floors.grid
    rows, columns = depth.shape
    size = sunny.shape[0]
    background = paint[-1]
    for y in range(rows):
        for x in range(columns):
            number = body[y, x]
            if number < 0:
                for i in range(3):
                    image[y, x, i] = background[i]
                continue
            right, up = x + 0.5 - 0.5 * columns, 0.5 * rows - y - 0.5
            n = (normal[y, x, 0], normal[y, x, 1], normal[y, x, 2])
            vx = -(right * step[0, 0] + up * step[1, 0] + step[2, 0])
            vy = -(right * step[0, 1] + up * step[1, 1] + step[2, 1])
            vz = -(right * step[0, 2] + up * step[1, 2] + step[2, 2])
            z = depth[y, x]
            px, py, pz = eye[0] - z * vx, eye[1] - z * vy, eye[2] - z * vz
            length = math.sqrt(vx * vx + vy * vy + vz * vz)
            vx, vy, vz = vx / length, vy / length, vz / length
            direct = n[0] * sun[0] + n[1] * sun[1] + n[2] * sun[2]

            # Shadow: the fraction of the disc at which the sun is occluded.
            lift = 0.006 * radius
            lx, ly, lz = px + lift * n[0] - lamp[0], py + lift * n[1] - lamp[1], pz + lift * n[2] - lamp[2]
            mx = 0.5 * size + (lx * lamp_axes[0, 0] + ly * lamp_axes[0, 1] + lz * lamp_axes[0, 2]) * lamp_scale
            my = 0.5 * size - (lx * lamp_axes[1, 0] + ly * lamp_axes[1, 1] + lz * lamp_axes[1, 2]) * lamp_scale
            far = -(lx * lamp_axes[2, 0] + ly * lamp_axes[2, 1] + lz * lamp_axes[2, 2]) - 0.012 * radius
            light = 1.0
            if direct > 0.0 and abs(mx - 0.5 * size) < 0.6 * size and abs(my - 0.5 * size) < 0.6 * size:
                blocked = 0
                for k in range(disc.shape[0]):
                    cx, cy = math.floor(mx + disc[k, 0]), math.floor(my + disc[k, 1])
                    if 0 <= cx < size and 0 <= cy < size and sunny[cy, cx] < far:
                        blocked += 1
                light = 1.0 - blocked / disc.shape[0]

            if number < floors.first:
                strength = 0.52 + 0.14 * n[2] + 0.46 * max(direct, 0.0) * light
                hx, hy, hz = vx + sun[0], vy + sun[1], vz + sun[2]
                half = max(n[0] * hx + n[1] * hy + n[2] * hz, 0.0) / math.sqrt(hx * hx + hy * hy + hz * hz)
                rim = 1.0 - min(max(n[0] * vx + n[1] * vy + n[2] * vz, 0.0), 1.0)
                shine = 0.20 * half**50 * light + 0.10 * rim * rim * rim
                for i in range(3):
                    image[y, x, i] = min(paint[number, i] * strength + shine, 1.0)
                continue
            # The ground fades into the background, so that a half-space looks infinite.
            line = 0.0
            for k in range(2):
                u = (px * along[number, k, 0] + py * along[number, k, 1] + pz * along[number, k, 2]) / grid
                line = max(line, 1.5 - abs(u - round(u)) * grid / (0.0035 * radius))
            tone = (0.70 + 0.30 * light) * (1.0 - 0.07 * min(line, 1.0))
            away = math.sqrt((px - target[0]) ** 2 + (py - target[1]) ** 2 + (pz - target[2]) ** 2) / radius
            fade = min(max(2.5 - away, 0.0), 1.0)
            fade = fade * fade * (3.0 - 2.0 * fade)
            for i in range(3):
                floor = (0.72 * background[i] + 0.28 * paint[number, i]) * tone
                image[y, x, i] = background[i] + (floor - background[i]) * fade
