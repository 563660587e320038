"""The command ``tangency info``: versions, cores, prebuilt code, cache folder."""

from __future__ import annotations

import os


def info() -> str:
    """Versions, cores, prebuilt code and cache folder, one line each."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from .. import __version__
    from ..compiled.cache import cache_folder, can_keep

    machine = f"{platform.system()} {platform.machine()}"
    lines = [f"tangency    {__version__}", f"python      {platform.python_version()} on {machine}"]
    for name in ("numpy", "scipy", "numba", "llvmlite", "matplotlib", "sympy"):
        try:
            lines.append(f"{name:<11} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name:<11} not installed")
    affinity = getattr(os, "sched_getaffinity", None)
    lines.append(f"cores       {len(affinity(0)) if affinity else os.cpu_count()}")
    lines.append(f"prebuilt    {_prebuilt()}")
    remark = "" if can_keep() else " (not writable: missing code is compiled in every process)"
    lines.append(f"cache       {cache_folder()}{remark}")
    return "\n".join(lines)


def _prebuilt() -> str:
    import zipfile

    from ..compiled import cache, unit

    for level in unit.levels():
        if unit.names(level):
            with zipfile.ZipFile(unit.archive(level)) as archive:
                made_for = archive.comment.decode()
            python, numba, llvmlite = made_for.split(", ")
            fits = "" if made_for == ", ".join(cache.VERSIONS) else ": not used, because other versions are installed"
            return f"{level}, for numba {numba}, llvmlite {llvmlite}, {python.split('.')[1]}{fits}"
    return "none: compiled at first use"
