"""Profiles and lift tables of cams from CSV files, whose header names the columns and units."""

from __future__ import annotations

import re
from pathlib import Path
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
#: Pairs of columns; of several in one file, the first one: points need no base circle.
KINDS = (("x", "y"), ("angle", "radius"), ("angle", "lift"))
SIGNS = str.maketrans({"µ": "u", "μ": "u", "°": "deg"})
LARGEST = 1e3  # [m] or [rad]
WIDEST = 90.0  # [degrees] between neighbouring angles


class CamTable(NamedTuple):
    """Contents of a file: two columns in SI units."""

    kind: str  #: "lift", "radius" or "points"
    first: np.ndarray
    second: np.ndarray
    angular: bool = False  #: whether a lift is an angle, of a swinging follower
    header: bool = True  #: whether the file names its columns

    def points(self) -> np.ndarray:
        """(M, 2) boundary points [m]; the angle of a radius is that of the cam when it lies under the follower."""
        if self.kind == "points":
            return np.stack([self.first, self.second], axis=-1)
        angle = self.first - 0.5 * np.pi
        return self.second[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


class _Header(NamedTuple):
    """Names, units in SI and positions of the two columns, the number of columns and the character between them."""

    names: tuple[str, str] = ("x", "y")
    units: tuple[float, float] = (1.0, 1.0)
    columns: tuple[int, int] = (0, 1)
    width: int = 2
    separator: str = " "
    angular: bool = False


def read_cam_table(path: str) -> CamTable:
    """Read a file with columns angle and lift, angle and radius, or x and y; without a header they are x and y.

    Fields are separated by semicolons, tabs, commas or blanks.  Where they are not separated by commas, numbers may
    have decimal commas.  A header may be a comment, as NumPy writes it.
    """
    rows, comment = _lines(path)
    if not rows:
        raise ValueError(f"{path} must hold a table, got an empty file")
    first = rows[0]
    header, named = _Header(separator=_separator(first[1])), False
    if not _numeric(_fields(first[1], header.separator), header.separator):
        header, named, rows = _header(path, *first), True, rows[1:]
    else:
        header = header._replace(width=len(_fields(first[1], header.separator)))
        written = None if comment is None else _comment_header(path, comment, header.width)
        header, named = (header, False) if written is None else (written, True)
    if not rows:
        raise ValueError(f"{path} must hold a table, got its header alone")
    table = np.array([_row(path, number, line, header) for number, line in rows])
    kind = "points" if header.names == ("x", "y") else header.names[1]
    if kind != "points":
        _require_whole_turn(path, table[:, 0])
    return CamTable(kind, *_without_repeated_end(kind, table), header.angular, named)


def _lines(path: str) -> tuple[list[tuple[int, str]], tuple[int, str] | None]:
    """Lines with their numbers, and the last comment above them."""
    content = Path(path).read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, line {place}, must be text in UTF-8, got the byte 0x{content[error.start]:02x}"
        ) from None
    rows, comment = [], None
    for number, line in enumerate(text.splitlines(), 1):
        before, mark, after = line.partition("#")
        if before.strip():
            rows.append((number, before.strip()))
        elif mark and not rows:
            comment = number, after.strip()
    return rows, comment


def _separator(line: str) -> str:
    return next((mark for mark in ";\t," if mark in line), " ")


def _fields(line: str, separator: str) -> list[str]:
    parts = line.split() if separator == " " else line.split(separator)
    return [part.strip(' "') for part in parts]


def _number(word: str, separator: str) -> float:
    """A number; NaN if it is none."""
    try:
        return float(word if separator == "," else word.replace(",", "."))
    except ValueError:
        return float("nan")


def _numeric(words: list[str], separator: str) -> bool:
    return all(np.isfinite(_number(word, separator)) for word in words if word)


def _row(path: str, number: int, line: str, header: _Header) -> list[float]:
    words = _fields(line, header.separator)
    wanted = " and ".join(header.names)
    if len(words) != header.width:
        many = header.separator == "," and len(words) > header.width
        hint = "; decimal commas need semicolons between the columns" if many else ""
        raise ValueError(f"{path}, line {number}, must have {header.width} columns, got {line!r}{hint}")
    values = [_number(words[column], header.separator) for column in header.columns]
    if not np.isfinite(values).all():
        raise ValueError(f"{path}, line {number}, must hold two numbers {wanted}, got {line!r}")
    values = [value * unit for value, unit in zip(values, header.units)]
    if max(map(abs, values)) > LARGEST:
        raise ValueError(f"{path}, line {number}, must hold {wanted} of a cam, below a kilometre, got {line!r}")
    return values


def _header(path: str, number: int, line: str) -> _Header:
    """The columns that a line names."""
    separator = _separator(line)
    if separator == " ":
        line = re.sub(r"\s+(?=[\[(])", "", line)  # a unit belongs to its name
    words = _fields(line, separator)
    found: dict[str, tuple[int, str]] = {}
    for k, word in enumerate(words):
        match = re.fullmatch(r"(\w+?)(?:\s*[\[(]\s*(\S+?)\s*[\])]|_(mm|um|m|deg|rad))?", word.lower())
        if match is None or match[1] not in UNITS:
            continue
        name = match[1]
        unit = (match[2] or match[3] or next(iter(UNITS[name]))).translate(SIGNS)
        if unit not in UNITS[name]:
            raise ValueError(
                f"{path}, line {number}: the unit of {name} must be one of {', '.join(UNITS[name])}, got {unit!r}"
            )
        if name in found:
            raise ValueError(f"{path}, line {number}: the header must name {name} once, got {line!r}")
        found[name] = (k, unit)
    for pair in KINDS:
        if all(name in found for name in pair):
            (a, unit_a), (b, unit_b) = (found[name] for name in pair)
            units = UNITS[pair[0]][unit_a], UNITS[pair[1]][unit_b]
            return _Header(pair, units, (a, b), len(words), separator, unit_b in ("deg", "rad"))
    raise ValueError(
        f"{path}, line {number}: the header must name the columns angle and lift, angle and radius, or x and y, got "
        f"{line!r}"
    )


def _comment_header(path: str, comment: tuple[int, str], width: int) -> _Header | None:
    """The columns that a comment names, None for any other comment."""
    try:
        header = _header(path, *comment)
    except ValueError:
        return None
    return header if header.width == width else None


def _require_whole_turn(path: str, angle: np.ndarray) -> None:
    if np.ptp(angle) > 2.0 * np.pi + 1e-9:
        span = np.degrees([angle.min(), angle.max()])
        raise ValueError(f"{path}: angle must lie within one turn, got {span[0]:.6g} to {span[1]:.6g} degrees")
    around = np.sort(angle)
    steps = np.degrees(np.diff(around, append=around[0] + 2.0 * np.pi))
    k = int(steps.argmax())
    if steps[k] >= WIDEST - 1e-9:
        raise ValueError(
            f"{path}: angle must cover the whole turn, dwells too, got a gap of {steps[k]:.4g} degrees after "
            f"{np.degrees(around[k]):.6g} degrees (angles in radians need the name 'angle [rad]')"
        )


def _without_repeated_end(kind: str, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns, without a last row that repeats the first one, a turn later if it has an angle."""
    first, second = table.T
    turn = 0.0 if kind == "points" else 2.0 * np.pi
    if len(table) > 1 and abs(abs(first[-1] - first[0]) - turn) < 1e-9 and second[-1] == second[0]:
        return first[:-1], second[:-1]
    return first, second
