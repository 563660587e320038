"""Compiled code that comes with the package: one archive for each common level of x86-64 processors.

A wheel holds the archives (``./wheel`` makes them, see ``cli/prebuild.py``); a clone has none.  An archive is a zip
file of files of the cache, under their names there.  Such a name is made of all that the code depends on: sources,
types, versions of Numba and Python, processor.  So what does not fit is not found, and compiled as without the archive.
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
FOLDER = Path(__file__).with_name("units")


@functools.cache
def levels() -> tuple[str, ...]:
    """Levels whose code this processor can run, the best one first."""
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:  # told to compile for another processor
        return tuple(name for name in LEVELS if name == config.CPU_NAME and config.CPU_FEATURES == "")
    has = binding.get_host_cpu_features()
    able: list[str] = []
    for name in reversed(LEVELS):
        if not all(has.get(feature) for feature in LEVELS[name]):
            break
        able.insert(0, name)
    return tuple(able)


def environment(level: str) -> dict[str, str]:
    """Variables that make Numba compile for a level; without the second one, features of the machine are added."""
    return {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}


@functools.cache
def names(level: str) -> frozenset[str]:
    """What the archive of a level holds; nothing if there is no archive."""
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
    """File of a level, there or not."""
    return FOLDER / f"{level}.zip"


def read(level: str, name: str) -> bytes:
    """A file of the archive.  It is opened anew each time: processes that fork would share the place to read from."""
    with zipfile.ZipFile(archive(level)) as file:
        return file.read(name)
