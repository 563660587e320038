"""Source files on which a compiled function depends, and their hash.

Numba does not notice edits in other files.  The name of an entry on disk therefore includes a hash of the sources of
its module and of all modules of this package that it imports, directly or indirectly.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parent.parent

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<source>[.\w]+)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n]*)"
    r"|import[ \t]+(?P<whole>[^\n]*))",
    re.MULTILINE,
)
_NAME = re.compile(r"(\w[\w.]*)(?:[ \t]+as[ \t]+\w+)?")


def _file(module: str) -> Path | None:
    """Source of a module of this package; None if there is no such module."""
    parts = module.split(".")
    if parts[0] != PACKAGE.name:
        return None
    base = PACKAGE.joinpath(*parts[1:])
    for path in (base.with_suffix(".py") if len(parts) > 1 else base / "__init__.py", base / "__init__.py"):
        if path.is_file():
            return path
    return None


@functools.cache
def _read(module: str) -> tuple[bytes, frozenset[str]]:
    """Text of a module and the modules of this package that it imports, anywhere in the file."""
    path = _file(module)
    if path is None:
        return b"", frozenset()
    content = path.read_bytes()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for match in _IMPORT.finditer(re.sub(rb"#[^\n]*", b"", content).decode("utf-8")):
        if match["whole"] is not None:
            found.update(name for name in _NAME.findall(match["whole"]) if _file(name))
            continue
        source = match["source"]
        dots = len(source) - len(source.lstrip("."))
        if dots:
            parents = package.split(".")
            start = ".".join(parents[: len(parents) - dots + 1])
            source = f"{start}.{source[dots:]}".rstrip(".")
        for name in _NAME.findall(match["names"].strip("()")):
            inside = f"{source}.{name}"
            found.add(inside if _file(inside) else source)
    return content, frozenset(name for name in found if _file(name))


def closure(modules: Iterable[str]) -> list[str]:
    """Names of the given modules and of all modules of this package that they import, sorted."""
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting.extend(_read(module)[1])
    return sorted(reached)


@functools.cache
def source_hash(modules: tuple[str, ...]) -> str:
    """Hash of the sources of :func:`closure`."""
    digest = hashlib.sha256()
    for module in closure(modules):
        digest.update(f"{module}\0".encode())
        digest.update(hashlib.sha256(_read(module)[0]).digest())
    return digest.hexdigest()
