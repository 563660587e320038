"""Files of VTK's XML formats: points, lines or triangles with data (.vtp), and series of them (.pvd)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

from ...io.whole_files import write_whole

_TYPES = {"f8": "Float64", "f4": "Float32", "i8": "Int64", "i4": "Int32", "u1": "UInt8"}
_HEAD = '<?xml version="1.0"?>\n<VTKFile type="{}" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'


class PolyData(NamedTuple):
    """Points, and cells that join them."""

    points: np.ndarray  #: (P, 3)
    cells: np.ndarray  #: (C, n) numbers of points: n = 1 for points, 2 for lines, 3 for triangles
    point_data: dict[str, np.ndarray]  #: (P,) or (P, k)
    cell_data: dict[str, np.ndarray]  #: (C,) or (C, k)


def write_polydata(data: PolyData, path: Path) -> Path:
    """Write a .vtp file, in binary."""
    count, size = data.cells.shape
    kind = {1: "Verts", 2: "Lines", 3: "Polys"}[size]
    numbers = {key: count if key == kind else 0 for key in ("Verts", "Lines", "Strips", "Polys")}
    head = " ".join(f'NumberOf{key}="{number}"' for key, number in numbers.items())
    lines = [
        _HEAD.format("PolyData"),
        f'<PolyData><Piece NumberOfPoints="{len(data.points)}" {head}>\n',
        "<PointData>\n",
        *(_array(name, values) for name, values in data.point_data.items()),
        "</PointData>\n<CellData>\n",
        *(_array(name, values) for name, values in data.cell_data.items()),
        "</CellData>\n<Points>\n",
        _array("Points", data.points),
        f"</Points>\n<{kind}>\n",
        _array("connectivity", data.cells.astype(np.int64).reshape(-1)),
        _array("offsets", size * np.arange(1, count + 1, dtype=np.int64)),
        f"</{kind}>\n</Piece></PolyData>\n</VTKFile>\n",
    ]
    return write_whole(path, "".join(lines))


def _array(name: str, values: np.ndarray) -> str:
    """An array as base64, preceded by the number of its bytes."""
    values = np.ascontiguousarray(values)
    values = values.astype(values.dtype.newbyteorder("<"))
    raw = values.tobytes()
    text = base64.b64encode(np.array([len(raw)], "<u8").tobytes() + raw).decode()
    wide = f' NumberOfComponents="{values.shape[1]}"' if values.ndim == 2 else ""
    kind = _TYPES[values.dtype.str[1:]]
    return f'<DataArray type="{kind}" Name={quoteattr(name)}{wide} format="binary">\n{text}\n</DataArray>\n'


def write_collection(times: Sequence[float], files: Sequence[Path], path: Path) -> Path:
    """Write a .pvd file: a series of files, with paths relative to its own."""
    rows = [
        f'<DataSet timestep="{time:.12g}" part="0" file={quoteattr(file.relative_to(path.parent).as_posix())}/>\n'
        for time, file in zip(times, files)
    ]
    return write_whole(
        path, "".join([_HEAD.format("Collection"), "<Collection>\n", *rows, "</Collection>\n</VTKFile>\n"])
    )
