"""Folders of the files to write: created, and checked to be writable, before a long computation."""

from __future__ import annotations

from pathlib import Path

from .mistakes import of_the_user


def require_folder(path: str | Path, option: str) -> Path:
    """The folder that follows `option`."""
    from ..io.whole_files import folder_for

    with of_the_user():
        return folder_for(path, option)


def require_folder_of(file: str | Path | None, option: str) -> None:
    """The folder of the file that follows `option`; nothing without a file, or for standard output (``-``)."""
    if file not in (None, "-"):
        require_folder(Path(str(file)).parent, f"the folder of {option}")
