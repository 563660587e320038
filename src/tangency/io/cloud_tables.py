"""Clouds as tables: text with commas, semicolons or spaces, NumPy's NPY and NPZ."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path

import numpy as np

from .clouds import Cloud, CloudError


def read_text(path: Path) -> Cloud:
    """Columns x, y, z and optionally nx, ny, nz: by the names in a header line, else the first columns.

    If semicolons separate the numbers, a comma is a decimal mark.
    """
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
    rows: list[list[float]] = []
    header: list[str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        parted = [field.replace(",", ".") for field in line.split(";")] if ";" in line else re.split(r"[,\s]+", line)
        fields = [field.strip() for field in parted if field.strip()]
        if not fields:
            continue
        try:
            row = [float(field) for field in fields]
        except ValueError:
            if not rows and header is None:
                header = [field.strip("\"'").lower() for field in fields]
                continue
            raise CloudError(f"{path}, line {number}: numbers expected, got {line.strip()[:60]!r}") from None
        if len(row) < 3 or (rows and len(row) != len(rows[0])):
            expected = len(rows[0]) if rows else "at least 3"
            raise CloudError(f"{path}, line {number}: {expected} numbers expected, got {len(row)}")
        rows.append(row)
    if not rows:
        raise CloudError(f"{path}: contains no points")
    table = np.array(rows)
    if header is not None and len(header) == table.shape[1] and {"x", "y", "z"} <= set(header):
        named = ["x", "y", "z", *(["nx", "ny", "nz"] if {"nx", "ny", "nz"} <= set(header) else [])]
        table = table[:, [header.index(name) for name in named]]
    return _columns(table)


def _columns(table: np.ndarray) -> Cloud:
    """The first three columns, and the next three as normals if they are unit vectors (colours are not)."""
    normals = table[:, 3:6] if table.shape[1] == 6 else None
    if normals is not None and not (np.abs(np.linalg.norm(normals, axis=1) - 1.0) < 0.01).all():
        normals = None
    return Cloud(table[:, :3], normals)


def read_npy(path: Path) -> Cloud:
    table = np.load(path, allow_pickle=False)
    if table.ndim != 2 or table.shape[1] not in (3, 6):
        raise CloudError(f"{path}: an array of shape (N, 3) or (N, 6) expected, got {table.shape}")
    return _columns(np.asarray(table, float))


def read_npz(path: Path) -> Cloud:
    """The array ``points`` (or the only one), with ``normals`` and ``faces`` if they match it."""
    with np.load(path, allow_pickle=False) as data:
        names = list(data.files)
        if "points" not in names and len(names) != 1:
            raise CloudError(f"{path}: an array named 'points' expected, got {', '.join(names) or 'none'}")
        points = np.asarray(data["points" if "points" in names else names[0]], float)
        normals = np.asarray(data["normals"], float) if "normals" in names else None
        faces = np.asarray(data["faces"], np.int64) if "faces" in names else None
    if normals is not None and normals.shape != points.shape:
        normals = None
    if faces is not None and (faces.size == 0 or faces.max() >= len(points)):
        faces = None  # they belong to a larger mesh of which the points are a part
    return Cloud(points, normals, faces)


def text_of(cloud: Cloud) -> str:
    table, names = cloud.points, ["x", "y", "z"]
    if cloud.normals is not None:
        table, names = np.hstack([table, cloud.normals]), [*names, "nx", "ny", "nz"]
    return "\n".join([",".join(names), *(",".join(map(repr, row)) for row in table.tolist())]) + "\n"


def npy_of(cloud: Cloud) -> bytes:
    target = io.BytesIO()
    np.save(target, cloud.points)
    return target.getvalue()


def npz_of(cloud: Cloud) -> bytes:
    target = io.BytesIO()
    parts = {"points": cloud.points, "normals": cloud.normals, "faces": cloud.faces}
    np.savez(target, **{name: part for name, part in parts.items() if part is not None})  # type: ignore[arg-type]
    return target.getvalue()
