"""Clouds from meshes: STL and OBJ."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .clouds import Cloud, CloudError


def fans(polygons: list | np.ndarray) -> np.ndarray | None:
    """Polygons, given by the numbers of their corners, as fans of triangles; None for none."""
    if isinstance(polygons, np.ndarray):  # all have as many corners
        parts = [polygons[:, [0, k, k + 1]] for k in range(1, polygons.shape[1] - 1)]
        return np.stack(parts, axis=1).reshape(-1, 3).astype(np.int64) if parts and len(polygons) else None
    found = [(p[0], p[k], p[k + 1]) for p in polygons for k in range(1, len(p) - 1)]
    return np.array(found, np.int64) if found else None


def read_stl(path: Path) -> Cloud:
    """Read STL, as text or binary; shared corners of triangles are merged, normals are means over triangles."""
    data = path.read_bytes()
    count = int(np.frombuffer(data, "<u4", 1, 80)[0]) if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
        corners = np.frombuffer(data, layout, count, 84)["corners"].astype(float)
    elif data[:80].lstrip().lower().startswith(b"solid"):
        corners = _stl_text(data.decode("ascii", "replace"), path)
    else:
        expected = f"; it declares {count} triangles, {84 + 50 * count} bytes" if count >= 0 else ""
        raise CloudError(
            f"{path}: neither a text STL ('solid ...') nor a whole binary one (84 + 50 n bytes), got {len(data)} "
            f"bytes{expected}"
        )
    if not len(corners):
        raise CloudError(f"{path}: contains no triangles")
    points, place = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    faces = place.reshape(-1, 3)
    return Cloud(points, mesh_normals(points, faces), faces)


def _stl_text(text: str, path: Path) -> np.ndarray:
    corners: list[list[float]] = []
    closed, ended, number = 0, False, 0  # corners of whole loops; whether the last solid has ended
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        word = words[0].lower() if words else ""
        if word == "vertex":
            try:
                x, y, z = map(float, words[1:])
            except ValueError:
                raise CloudError(f"{path}, line {number}: 'vertex x y z' expected, got {line.strip()[:60]!r}") from None
            corners.append([x, y, z])
        elif word == "endloop":
            if len(corners) != closed + 3:
                raise CloudError(f"{path}, line {number}: a loop of 3 vertices expected, got {len(corners) - closed}")
            closed = len(corners)
        elif word in ("solid", "endsolid"):
            ended = word == "endsolid"
    if not ended or closed != len(corners):
        raise CloudError(f"{path}, line {number}: ends early, without 'endsolid'")
    return np.array(corners).reshape(-1, 3, 3)


def mesh_normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Normals at the points of a mesh: area-weighted means of the normals of the triangles."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    total = np.zeros_like(points)
    for k in range(3):
        np.add.at(total, faces[:, k], across)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(length > 0, total / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0])


def read_obj(path: Path) -> Cloud:
    """Read vertices and faces of a Wavefront OBJ file."""
    points: list[list[float]] = []
    polygons: list[list[int]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), 1):
        words = line.split("#")[0].split()
        try:
            if words[:1] == ["v"]:
                x, y, z = map(float, words[1:4])
                points.append([x, y, z])
            elif words[:1] == ["f"]:
                polygons.append([_corner(word, len(points)) for word in words[1:]])
                if len(polygons[-1]) < 3:
                    raise ValueError
        except ValueError:
            raise CloudError(f"{path}, line {number}: not understood: {line.strip()[:60]!r}") from None
    return Cloud(np.array(points, float).reshape(-1, 3), None, fans(polygons))


def _corner(word: str, count: int) -> int:
    """Number of a point: from 1, or backwards from the last one before the line."""
    number = int(word.split("/")[0])
    if number == 0 or number < -count:
        raise ValueError
    return number - 1 if number > 0 else count + number


def obj_of(cloud: Cloud) -> str:
    lines = ["v " + " ".join(map(repr, row)) for row in cloud.points.tolist()]
    if cloud.faces is not None:
        lines += ["f " + " ".join(map(str, row)) for row in (cloud.faces + 1).tolist()]
    return "\n".join(lines) + "\n"
