"""Numbers and orientations in a scene file."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

from ..geometry.pose import as_pose
from .bodies import SceneError

_ORIENTATIONS = ({"axis", "angle_deg"}, {"quaternion"}, {"euler", "angles_deg"}, {"matrix"})


def rotation_of(table: object, where: str, more: str = "") -> Rotation | None:
    """Rotation from one of the tables {axis, angle_deg}, {quaternion} (x, y, z, w), {euler, angles_deg}, {matrix}."""
    if table is None:
        return None
    if not isinstance(table, dict) or set(table) not in _ORIENTATIONS:
        forms = " or ".join("{" + ", ".join(sorted(form)) + "}" for form in _ORIENTATIONS)
        raise SceneError(f"{where}: orientation must be {more}one of {forms}, got {table!r}")
    where = f"{where}, orientation"
    if "quaternion" in table:
        quaternion = numbers(table["quaternion"], "quaternion (x, y, z, w)", (4,), where)
        if not np.linalg.norm(quaternion) > 0:
            raise SceneError(f"{where}: quaternion must not be zero, got {table['quaternion']!r}")
        return Rotation.from_quat(quaternion)
    if "matrix" in table:
        matrix = numbers(table["matrix"], "matrix", (3, 3), where)
        try:
            return Rotation.from_matrix(as_pose((matrix, np.zeros(3)), "orientation")[0])
        except ValueError as error:
            raise SceneError(f"{where}: {str(error).replace('orientation[0]', 'matrix')}") from None
    if "axis" in table:
        axis = numbers(table["axis"], "axis", (3,), where)
        length = float(np.linalg.norm(axis))
        if not length > 0:
            raise SceneError(f"{where}: axis must not be zero, got {table['axis']!r}")
        angle = float(numbers(table["angle_deg"], "angle_deg", (), where))
        return Rotation.from_rotvec(axis / length * math.radians(angle))
    order = table["euler"]
    angles = numbers(table["angles_deg"], "angles_deg", None, where)
    try:
        return Rotation.from_euler(order, angles, degrees=True)
    except (TypeError, ValueError, AttributeError):
        raise SceneError(
            f"{where}: euler must name 1 to 3 axes, such as 'xyz' (about fixed axes) or 'XYZ' (about rotated axes), "
            f"with as many angles_deg; got {order!r} and {table['angles_deg']!r}"
        ) from None


def numbers(value: object, key: str, shape: tuple[int, ...] | None, where: str) -> np.ndarray:
    """Finite float64 array from a TOML value; `shape` None accepts any."""
    form = "a number or a list of numbers" if shape is None else " x ".join(map(str, shape)) + " numbers"
    form = "a number" if shape == () else form
    try:
        array = np.array(value, dtype=object)
        flat = [float(entry) for entry in array.ravel() if is_number(entry)]
        if len(flat) != array.size or (shape is not None and array.shape != shape):
            raise ValueError
    except ValueError:
        raise SceneError(f"{where}: {key} must be {form}, got {value!r}") from None
    except OverflowError:
        raise SceneError(f"{where}: {key} must lie within the range of floats, got a larger number") from None
    if not all(map(math.isfinite, flat)):
        raise SceneError(f"{where}: {key} must be finite, got {value!r}")
    return np.array(flat).reshape(array.shape)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
