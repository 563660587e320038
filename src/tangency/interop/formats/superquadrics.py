"""Arrays of superquadrics, as fits of scans use them: NPZ files with semi-axes, exponents, rotations, translations."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ...geometry.pose import as_pose
from ...scene import Scene, SceneError
from ...shapes import Ellipsoid, Sphere, Superellipsoid
from .imported import Imported, Part, imported
from .left_out import left_out

#: Arrays of the file and their trailing shape; epsilon is Barr's e1 (along z) and e2 (around it).
ARRAYS = {"scale": (3,), "epsilon": (2,), "rotation": (3, 3), "translation": (3,)}


def read_superquadrics(path: Path) -> Imported:
    """Bodies from the arrays `scale` (N, 3), `epsilon` (N, 2), `rotation` (N, 3, 3), `translation` (N, 3)."""
    remarks = []
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name]) for name in (*ARRAYS, "name") if name in file}
            held = file.files
    except Exception as error:  # damaged files raise errors of many kinds
        raise SceneError(f"{path}: not an NPZ file of plain numbers: {error}") from None
    missing = [name for name in ARRAYS if name not in arrays]
    if missing:
        raise SceneError(
            f"{path}: the arrays {', '.join(ARRAYS)} are needed, {', '.join(missing)} is missing; "
            f"the file has {', '.join(held) or 'none'}"
        )
    names, extra = arrays.pop("name", None), [name for name in held if name not in (*ARRAYS, "name")]
    if extra:
        remarks.append(f"the arrays {', '.join(extra)} are not read")
    count = len(np.atleast_1d(arrays["scale"]))
    for name, tail in ARRAYS.items():
        if arrays[name].dtype.kind not in "fiu":
            raise SceneError(f"{path}: {name} must hold real numbers, got {arrays[name].dtype}")
        if arrays[name].shape != (count, *tail):
            raise SceneError(f"{path}: {name} must have the shape {(count, *tail)}, got {arrays[name].shape}")
    if names is not None and (names.shape != (count,) or names.dtype.kind != "U"):
        raise SceneError(f"{path}: name must hold {count} texts, got {names.dtype} of shape {names.shape}")
    values = {name: array.astype(float) for name, array in arrays.items()}
    parts = []
    for k in range(count):
        label = f"superquadric {k + 1}" if names is None else str(names[k])
        try:
            shape = Superellipsoid(values["scale"][k], values["epsilon"][k])
            turn = as_pose((values["rotation"][k], values["translation"][k]))[0]
        except ValueError as error:
            raise SceneError(f"{path}: {label!r}: {error}") from None
        parts.append(Part(label, shape, Rotation.from_matrix(turn), values["translation"][k]))
    return imported(path, parts, remarks)


def superquadric_bytes(scene: Scene) -> tuple[bytes, tuple[str, ...]]:
    """The superellipsoids, ellipsoids and spheres of a scene as an NPZ file, and the bodies it cannot hold."""
    scene.require_bodies_alone("superquadrics are written")
    rows, remarks = [], []
    for body in scene.placed:
        shape = body.shape
        if isinstance(shape, Superellipsoid):
            scale, epsilon = shape.radii, shape.epsilon
        elif isinstance(shape, Ellipsoid):
            scale, epsilon = shape.radii, np.ones(2)
        elif isinstance(shape, Sphere):
            scale, epsilon = np.full(3, float(shape.radius)), np.ones(2)
        else:
            remarks.append(f"body {body.name!r}: a {type(shape).__name__} is no superquadric and is not written")
            continue
        rows.append((body.name, scale, epsilon, body.rotation, body.position))
    if not rows:
        raise SceneError(f"the scene has no superquadric to write: {'; '.join(remarks)}")
    columns = list(zip(*rows))
    arrays: dict[str, Any] = {name: np.array(column) for name, column in zip(("name", *ARRAYS), columns)}
    file = io.BytesIO()
    np.savez(file, **arrays)
    for compound in scene.compounds:
        remarks.append(f"body {compound.name!r}: its parts are written as bodies of their own")
    return file.getvalue(), (*remarks, *left_out(scene, colors=False))
