"""Profiles and lift tables of cams from CSV files, whose header names the columns and units."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

#: Column names and the units they may have, the first being the default, in SI units.
UNITS = {
    "angle": {"deg": np.pi / 180, "degrees": np.pi / 180, "rad": 1.0},
    "lift": {"mm": 1e-3, "m": 1.0, "um": 1e-6, "deg": np.pi / 180, "rad": 1.0},
    "radius": {"mm": 1e-3, "m": 1.0, "um": 1e-6},
    "x": {"m": 1.0, "mm": 1e-3, "um": 1e-6},
    "y": {"m": 1.0, "mm": 1e-3, "um": 1e-6},
}
KINDS = (("angle", "lift"), ("angle", "radius"), ("x", "y"))


class CamTable(NamedTuple):
    """Contents of a file: two columns in SI units."""

    kind: str  #: "lift", "radius" or "points"
    first: np.ndarray
    second: np.ndarray

    def points(self) -> np.ndarray:
        """(M, 2) boundary points [m]; the angle of a radius is that of the cam when it lies under the follower."""
        if self.kind == "points":
            return np.stack([self.first, self.second], axis=-1)
        angle = self.first - 0.5 * np.pi
        return self.second[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def read_cam_table(path: str) -> CamTable:
    """Read a file with columns angle and lift, angle and radius, or x and y; without a header they are x and y."""
    with open(path, encoding="utf-8-sig") as file:
        lines = [line.split("#")[0].strip() for line in file]
    rows = [(k, _words(line)) for k, line in enumerate(lines, 1) if line]
    if not rows:
        raise ValueError(f"{path} must hold a table, got an empty file")
    names, units = ("x", "y"), (1.0, 1.0)
    columns = (0, 1)
    if not _numeric(rows[0][1]):
        names, units, columns = _header(path, rows[0][1])
        rows = rows[1:]
    values = []
    for k, words in rows:
        if len(words) <= max(columns) or not _numeric([words[c] for c in columns]):
            wanted = " and ".join(names)
            raise ValueError(f"{path}, line {k}, must hold two numbers {wanted}, got {' '.join(words)!r}")
        values.append([float(words[c]) * unit for c, unit in zip(columns, units)])
    table = np.array(values).reshape(-1, 2)
    kind = "points" if names == ("x", "y") else names[1]
    first, second = _without_repeated_end(kind, table)
    return CamTable(kind, first, second)


def _words(line: str) -> list[str]:
    """Fields separated by commas, semicolons or tabs; by spaces if there are none of these."""
    parts = re.split(r"[,;\t]", line)
    return [part.strip() for part in parts] if len(parts) > 1 else line.split()


def _numeric(words: list[str]) -> bool:
    try:
        return all(np.isfinite(float(word)) for word in words)
    except ValueError:
        return False


def _header(path: str, words: list[str]) -> tuple[tuple[str, str], tuple[float, float], tuple[int, int]]:
    """Names, units and positions of the two columns."""
    found: dict[str, tuple[int, float]] = {}
    for k, word in enumerate(words):
        match = re.fullmatch(r"(\w+?)(?:\s*[\[(]\s*(\w+)\s*[\])]|_(mm|um|m|deg|rad))?", word.strip().lower())
        if match is None or match[1] not in UNITS:
            continue
        name = match[1]
        unit = match[2] or match[3] or next(iter(UNITS[name]))
        if unit not in UNITS[name]:
            raise ValueError(f"{path}: the unit of {name} must be one of {', '.join(UNITS[name])}, got {unit!r}")
        found[name] = (k, UNITS[name][unit])
    for pair in KINDS:
        if all(name in found for name in pair):
            (a, unit_a), (b, unit_b) = (found[name] for name in pair)
            return pair, (unit_a, unit_b), (a, b)
    raise ValueError(
        f"{path}: the header must name the columns angle and lift, angle and radius, or x and y, got "
        f"{', '.join(words)!r}"
    )


def _without_repeated_end(kind: str, table: np.ndarray) -> np.ndarray:
    """Columns, without a last row that repeats the first one a turn later."""
    first, second = table.T
    if kind != "points" and len(table) > 1 and abs(first[-1] - first[0] - 2.0 * np.pi) < 1e-9:
        return np.stack([first[:-1], second[:-1]])
    return np.stack([first, second])
