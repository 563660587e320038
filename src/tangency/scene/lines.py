"""Line numbers of errors in scene files: the line of the table or key that an error refers to."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from .bodies import SceneError
from .changes import changed


@contextmanager
def within(*path: str | int) -> Iterator[None]:
    """Errors in this block refer to the table at `path`, such as ``("body", 2)`` or ``("simulation", "normal")``."""
    try:
        yield
    except SceneError as error:
        error.path = (*path, *error.path)
        raise


@contextmanager
def mistakes_in(file: SceneFile | None) -> Iterator[None]:
    """Add the name of the file and the line to errors in this block; without a file, do nothing."""
    try:
        yield
    except SceneError as error:
        raise error if file is None else file.placed(error) from None


class SceneFile(NamedTuple):
    """The text of a scene file, and values that replace some of its own."""

    path: Path
    text: str
    changes: Mapping[str, Any] = {}

    def tables(self) -> dict[str, Any]:
        """The tables of the file, with the changes."""
        return changed(tomllib.loads(self.text), self.changes)

    def placed(self, error: SceneError) -> SceneError:
        """The same error, preceded by the file and, if known, the line."""
        if error.placed:
            return error
        data, path = tomllib.loads(self.text), error.path
        if (key := _named(str(error), _at(data, path))) is not None:
            path = (*path, key)
        line = f", line {self.line(path)}" if path and _at(data, path) is not None else ""
        return SceneError(f"{self.path}{line}: {error}", path, placed=True)

    def line(self, path: tuple[str | int, ...]) -> int:
        """Number of the line where the table or key at `path` begins.

        Bisection: the file is parsed up to some line, and a key begins after the last line up to which it is missing.
        Lines inside a multi-line value cannot be parsed and are skipped.
        """
        lines = [line + "\n" for line in self.text.split("\n")]
        without, low, high = 0, 0, len(lines)
        while low < high:
            middle = (low + high) // 2
            stop, data = middle, None
            while stop < high and (data := _read("".join(lines[:stop]))) is None:
                stop += 1
            if stop < high and _at(data, path) is None:
                without, low = stop, stop + 1
            else:
                high = middle
        return min(without + 1, len(lines))


def _read(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _at(data: Any, path: tuple[str | int, ...]) -> Any:
    """The value at `path`, or None."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _named(message: str, table: Any) -> str | None:
    """The first key of the table that the message names, between the body's name and the expected value."""
    words = re.findall(r"\w+", re.split(r";| must ", message.partition(": ")[2] or message, maxsplit=1)[0])
    return next((word for word in words if word in table), None) if isinstance(table, dict) else None
