"""Files that are written whole or not at all, and folders that are tried before the work."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def folder_for(path: str | os.PathLike[str], option: str) -> Path:
    """The folder, made if it is missing: whoever computes for minutes asks first whether the answer can be kept."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise ValueError(f"{option} must be a folder that can be written to, got {path} ({error.strerror})") from None
    return folder


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to, under another name that becomes `path` at the end; after an error nothing is left of it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # mkstemp makes files for the owner only; give what a plain open() would have given.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a text or bytes, whole or not at all."""
    with whole_file(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
    return Path(path)
