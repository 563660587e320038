"""Reading and writing of clouds: one table entry per format."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import validate
from .whole_files import write_whole


class CloudError(ValueError):
    """A file does not contain a readable cloud; the message names the file and the location."""


@dataclass(frozen=True)
class Cloud:
    """Points, with normals and faces if a file provides them.

    Attributes
    ----------
    points : (N, 3) array
        The points.
    normals : (N, 3) array or None
        Normals at the points.
    faces : (F, 3) array of int or None
        Triangles of a mesh, as indices of its points.
    """

    points: np.ndarray
    normals: np.ndarray | None = None
    faces: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.points)

    def take(self, numbers: np.ndarray) -> Cloud:
        """Selected points, without the mesh."""
        normals = None if self.normals is None else self.normals[numbers]
        return Cloud(self.points[numbers], normals)

    @property
    def areas(self) -> np.ndarray | None:
        """A third of the area of the triangles around every point: weights for a mesh of uneven density."""
        if self.faces is None or not len(self.faces):
            return None
        a, b, c = (self.points[self.faces[:, k]] for k in range(3))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6.0
        return np.bincount(self.faces.ravel(), np.repeat(area, 3), len(self.points))


def read_cloud(path: str | os.PathLike[str]) -> Cloud:
    """Read a cloud: CSV or other text, NPY, NPZ, PLY, STL, OBJ, VTP; other meshes with the extra ``clouds``.

    Raises
    ------
    CloudError
        If the file cannot be read in the format given by its suffix; the message says where it fails.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from tangency.fitting import read_cloud
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "cloud.csv"
    ...     _ = path.write_text("x,y,z\\n0,0,1\\n1,0,0\\n")
    ...     read_cloud(path).points.tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    from . import cloud_tables, mesh_files, ply, vtp

    readers = {
        ".csv": cloud_tables.read_text,
        ".txt": cloud_tables.read_text,
        ".xyz": cloud_tables.read_text,
        ".npy": cloud_tables.read_npy,
        ".npz": cloud_tables.read_npz,
        ".ply": ply.read_ply,
        ".stl": mesh_files.read_stl,
        ".obj": mesh_files.read_obj,
        ".vtp": vtp.read_vtp,
    }
    path = Path(path)
    if not path.exists():
        raise CloudError(f"{path}: no such file")
    reader = readers.get(path.suffix.lower(), _by_meshio)
    try:
        cloud = reader(path)
    except CloudError:
        raise
    except OSError as error:
        raise CloudError(f"{path}: {error.strerror or error}") from None
    except Exception as error:  # a damaged file can fail anywhere
        raise CloudError(f"{path}: not a readable {path.suffix[1:].upper() or 'cloud'} file ({error})") from None
    return _checked(cloud, path)


def _checked(cloud: Cloud, path: Path) -> Cloud:
    points = np.ascontiguousarray(cloud.points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3:
        raise CloudError(f"{path}: points must have three coordinates, got an array of shape {points.shape}")
    if not len(points):
        raise CloudError(f"{path}: contains no points")
    if not np.isfinite(points).all():
        k = int((~np.isfinite(points)).any(axis=1).argmax())
        raise CloudError(f"{path}: points must be finite, but point {k} is {points[k].tolist()}")
    faces = cloud.faces
    if faces is not None and len(faces) and (faces.min() < 0 or faces.max() >= len(points)):
        wrong = int(faces.max()) if faces.max() >= len(points) else int(faces.min())
        raise CloudError(f"{path}: a face refers to point {wrong}, but there are {len(points)} points")
    return Cloud(points, cloud.normals, faces)


def _by_meshio(path: Path) -> Cloud:
    try:
        import meshio
    except ImportError:
        raise CloudError(
            f"{path}: the suffix {path.suffix!r} is none of .csv .txt .xyz .npy .npz .ply .stl .obj .vtp; others need "
            "meshio, install tangency[clouds]"
        ) from None
    from .mesh_files import fans

    mesh = meshio.read(path)
    found = [fans(np.asarray(block.data)) for block in mesh.cells if block.type in ("triangle", "quad", "polygon")]
    faces = [part for part in found if part is not None]
    return Cloud(np.asarray(mesh.points, float)[:, :3], None, np.concatenate(faces) if faces else None)


def write_cloud(path: str | os.PathLike[str], cloud: ArrayLike | Cloud) -> Path:
    """Write points (and normals, faces) as CSV, NPY, NPZ, PLY, OBJ or VTP, depending on the suffix."""
    from . import cloud_tables, mesh_files, ply, vtp

    if not isinstance(cloud, Cloud):
        cloud = Cloud(validate.vectors(cloud, "cloud"))
    writers = {
        ".csv": cloud_tables.text_of,
        ".npy": cloud_tables.npy_of,
        ".npz": cloud_tables.npz_of,
        ".ply": ply.ply_of,
        ".obj": mesh_files.obj_of,
        ".vtp": vtp.vtp_of,
    }
    path = Path(path)
    if path.suffix.lower() not in writers:
        raise ValueError(f"path must end in one of {' '.join(writers)}, got {str(path)!r}")
    content: Any = writers[path.suffix.lower()](cloud)
    return write_whole(path, content)
