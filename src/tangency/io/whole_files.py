"""Atomic file writing, and a check that a folder is writable."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def folder_for(path: str | os.PathLike[str], option: str) -> Path:
    """The folder, created if missing; checked to be writable before a long computation."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise ValueError(f"{option} must be a folder that can be written to, got {path} ({error.strerror})") from None
    return folder


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to under a temporary name, renamed to `path` at the end; removed after an error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # mkstemp makes files for the owner only; set the permissions that open() would set.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:  # such as a full disk
            error.filename = str(path)
        raise


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write text or bytes atomically."""
    with whole_file(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
    return Path(path)
