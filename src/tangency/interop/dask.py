"""Contacts of Dask arrays: each block of poses is solved where it is.

Bodies and results that fit into the memory of the workers, but not into that of one machine.  For more pairs than that,
make them in blocks from seeds and reduce them: :func:`tangency.interop.stream.stream`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..contacts.options import check_pair
from ..contacts.query import contact as solve
from ..shapes.shape import Shape

_WIDTHS = {"distance": 1, "lower": 1, "upper": 1, "normal": 3, "point_a": 3, "point_b": 3, "status": 1}
_FORMS = "None, a Dask array (N, 4, 4), or (rotation, translation) with Dask arrays (N, 3, 3) and (N, 3)"


class Contacts(NamedTuple):
    """Contacts as Dask arrays of length N, see :class:`tangency.Contact`."""

    distance: Any
    lower: Any
    upper: Any
    normal: Any  #: (N, 3)
    point_a: Any  #: (N, 3)
    point_b: Any  #: (N, 3)
    status: Any


class _Columns(NamedTuple):
    """Where the numbers of a pose stand in the table, and in which form."""

    rotation: tuple[int, int] | None
    translation: tuple[int, int] | None
    matrix: tuple[int, int] | None


def contact(
    a: Shape, b: Shape, pose_a: Any = None, pose_b: Any = None, *, tol: float = 1e-12, max_distance: float | None = None
) -> Contacts:
    """Contacts of bodies whose poses are Dask arrays; nothing is computed yet.

    Parameters
    ----------
    a, b : Shape
        One body, or a stack of N bodies, which is sent to the workers.
    pose_a, pose_b
        None, a Dask array (N, 4, 4), or ``(rotation, translation)`` with None or Dask arrays (N, 3, 3) and (N, 3).
    tol, max_distance
        As in :func:`tangency.contact`.

    Returns
    -------
    Contacts

    Examples
    --------
    >>> import dask.array as da, tangency as tg
    >>> from tangency.interop import dask
    >>> places = da.random.default_rng(0).uniform(-5, 5, (1000, 3), chunks=(250, 3))
    >>> c = dask.contact(tg.Ellipsoid([3, 2, 1]), tg.Sphere(1.0), None, (None, places))
    >>> c.distance.numblocks, float(c.distance.min().compute()) < 0
    ((4,), True)
    """
    try:
        import dask.array as da
    except ImportError as error:
        raise ImportError(f"Dask arrays need Dask, install tangency[dask] ({error})") from None
    check_pair(a, b)
    parts: list[Any] = []
    columns = _columns(pose_a, "pose_a", parts, da), _columns(pose_b, "pose_b", parts, da)
    if not parts:
        raise TypeError("pose_a or pose_b must contain a Dask array; for NumPy arrays use tangency.contact")
    count = parts[0].shape[0]
    for part in parts:
        if part.shape[0] != count:
            raise ValueError(f"poses must have the same length, got {count} and {part.shape[0]}")
    for name, shape in (("a", a), ("b", b)):
        if shape.batch_shape not in ((), (count,)):
            raise ValueError(f"{name} must be one body or a stack of {count}, got a stack of shape {shape.batch_shape}")
    rows = parts[0].chunks[0]
    flat = [part.rechunk((rows, *part.shape[1:])).reshape(count, -1) for part in parts]
    table = da.concatenate([da.arange(count, chunks=(rows,), dtype=np.float64)[:, None], *flat], axis=1)
    table = table.rechunk({1: -1})
    options = {"tol": tol, "max_distance": max_distance, "threads": 1}
    found = table.map_blocks(
        _solve, a, b, columns, options, dtype=np.float64, chunks=(rows, (sum(_WIDTHS.values()),)), meta=np.empty((0, 0))
    )
    made, start = {}, 0
    for name, width in _WIDTHS.items():
        made[name] = found[:, start] if width == 1 else found[:, start : start + width]
        start += width
    return Contacts(**{**made, "status": made["status"].astype(np.int64)})


def _columns(pose: Any, name: str, parts: list[Any], da: Any) -> _Columns:
    """Append the Dask arrays of a pose to `parts`; their columns in the table of all."""

    def put(array: Any, shape: tuple[int, ...]) -> tuple[int, int]:
        if not isinstance(array, da.Array) or array.shape[1:] != shape:
            what = f"shape {array.shape}" if isinstance(array, da.Array) else repr(type(array).__name__)
            raise TypeError(f"{name} must be {_FORMS}, got {what}")
        start = 1 + sum(int(np.prod(part.shape[1:])) for part in parts)
        parts.append(array)
        return start, start + int(np.prod(shape))

    if pose is None:
        return _Columns(None, None, None)
    if isinstance(pose, tuple):
        if len(pose) != 2:
            raise TypeError(f"{name} must be {_FORMS}, got a tuple of {len(pose)}")
        rotation, translation = pose
        turned = None if rotation is None else put(rotation, (3, 3))
        return _Columns(turned, None if translation is None else put(translation, (3,)), None)
    return _Columns(None, None, put(pose, (4, 4)))


def _solve(table: np.ndarray, a: Shape, b: Shape, columns: tuple[_Columns, _Columns], options: Any) -> np.ndarray:
    """Contacts of a block, one row each."""
    numbers = table[:, 0].astype(np.int64)
    bodies = [shape.take(numbers) if shape.batch_shape else shape for shape in (a, b)]
    poses = [_pose(table, own) for own in columns]
    found = solve(*bodies, *poses, **options)
    parts = [np.reshape(getattr(found, name), (len(table), width)) for name, width in _WIDTHS.items()]
    return np.concatenate(parts, axis=1).astype(np.float64)


def _pose(table: np.ndarray, columns: _Columns) -> Any:
    if columns.matrix is not None:
        return table[:, slice(*columns.matrix)].reshape(-1, 4, 4)
    if columns.rotation is None and columns.translation is None:
        return None
    rotation = None if columns.rotation is None else table[:, slice(*columns.rotation)].reshape(-1, 3, 3)
    translation = np.zeros(3) if columns.translation is None else table[:, slice(*columns.translation)]
    return rotation, translation
