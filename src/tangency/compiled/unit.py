"""Compiled code that comes with the package: one archive per common level of x86-64 processors.

A wheel contains the archives (``./wheel`` makes them, see ``cli/prebuild.py``); a clone has none.  An archive is a zip
file of cache files, with the same names.  A name depends on everything that affects the code: sources, types, versions
of Numba and Python, processor.  Code that does not match is therefore not found, and is compiled as without an archive.
"""

from __future__ import annotations

import functools
import warnings
import zipfile
from pathlib import Path
from typing import Any

from llvmlite import binding
from numba.core import config as _config

config: Any = _config

#: Features that a processor of each level has, beyond those of the level below; the best level first.
LEVELS = {
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2"),
}
#: What Numba is told beside the name of a level.  LLVM would use half of each AVX-512 register only, and stacks of
#: superellipsoids would take a quarter longer.
FEATURES = {"x86-64-v4": "-prefer-256-bit", "x86-64-v3": ""}
FOLDER = Path(__file__).with_name("units")


@functools.cache
def levels() -> tuple[str, ...]:
    """Levels whose code this processor can run, the best one first."""
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:  # configured to compile for another processor
        return tuple(name for name in LEVELS if (name, FEATURES[name]) == (config.CPU_NAME, config.CPU_FEATURES))
    has = binding.get_host_cpu_features()
    able: list[str] = []
    for name in reversed(LEVELS):
        if not all(has.get(feature) for feature in LEVELS[name]):
            break
        able.insert(0, name)
    return tuple(able)


def environment(level: str) -> dict[str, str]:
    """Variables that make Numba compile for a level; without the second, Numba adds features of this machine."""
    return {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": FEATURES.get(level, "")}


@functools.cache
def names(level: str) -> frozenset[str]:
    """Names in the archive of a level; empty if there is no archive."""
    path = archive(level)
    try:
        with zipfile.ZipFile(path) as file:
            return frozenset(file.namelist())
    except FileNotFoundError:
        return frozenset()
    except (OSError, zipfile.BadZipFile) as error:
        warnings.warn(
            f"compiled code that comes with tangency was not used: {error} ({path})", RuntimeWarning, stacklevel=2
        )
        return frozenset()


def archive(level: str) -> Path:
    """Path of the archive of a level, which need not exist."""
    return FOLDER / f"{level}.zip"


def read(level: str, name: str) -> bytes:
    """A file of the archive, which is reopened each time: forked processes would share the file position."""
    with zipfile.ZipFile(archive(level)) as file:
        return file.read(name)
