"""The format of a file by its ending."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ...io.spelling import nearest
from ...io.whole_files import write_whole
from ...scene import Scene, SceneError, load_scene, scene_toml
from .imported import Imported


def _toml(path: Path) -> Imported:
    return Imported(load_scene(path))


def _mujoco(path: Path) -> Imported:
    from .mujoco_xml import read_mujoco

    return read_mujoco(path)


def _sdf(path: Path) -> Imported:
    from .sdf import read_sdf

    return read_sdf(path)


def _osim(path: Path) -> Imported:
    from .osim import read_osim

    return read_osim(path)


def _superquadrics(path: Path) -> Imported:
    from .superquadrics import read_superquadrics

    return read_superquadrics(path)


def _to_toml(scene: Scene) -> tuple[str, tuple[str, ...]]:
    return scene_toml(scene), ()


def _to_mjcf(scene: Scene) -> tuple[str, tuple[str, ...]]:
    from .mujoco_xml import mjcf_text

    return mjcf_text(scene)


def _to_superquadrics(scene: Scene) -> tuple[bytes, tuple[str, ...]]:
    from .superquadrics import superquadric_bytes

    return superquadric_bytes(scene)


def _to_dump(scene: Scene) -> tuple[bytes, tuple[str, ...]]:
    from .dumps import dump_bytes

    return dump_bytes(scene)


def _to_vtp(scene: Scene) -> tuple[bytes, tuple[str, ...]]:
    from .dumps import vtp_bytes

    return vtp_bytes(scene)


def _to_surface(ending: str) -> Callable[[Scene], tuple[bytes, tuple[str, ...]]]:
    def write(scene: Scene) -> tuple[bytes, tuple[str, ...]]:
        from .surfaces import surface_bytes

        return surface_bytes(scene, ending)

    return write


#: Functions that read a file, by its ending.
READERS: dict[str, Callable[[Path], Imported]] = {
    "toml": _toml,
    "xml": _mujoco,
    "mjcf": _mujoco,
    "urdf": _mujoco,
    "usd": _mujoco,
    "usda": _mujoco,
    "usdc": _mujoco,
    "sdf": _sdf,
    "world": _sdf,
    "osim": _osim,
    "npz": _superquadrics,
}

#: Functions from a scene to the contents of a file and what it does not hold, by the ending of the file.
WRITERS: dict[str, Callable[[Scene], tuple[str | bytes, tuple[str, ...]]]] = {
    "toml": _to_toml,
    "xml": _to_mjcf,
    "mjcf": _to_mjcf,
    "npz": _to_superquadrics,
    "dump": _to_dump,
    "vtp": _to_vtp,
    **{ending: _to_surface(ending) for ending in ("glb", "gltf", "stl", "ply", "obj")},
}


def read_scene(path: str | os.PathLike[str]) -> Imported:
    """A scene from a file in any of the formats `READERS`.

    Examples
    --------
    >>> from tangency.interop.formats import READERS
    >>> sorted(READERS)
    ['mjcf', 'npz', 'osim', 'sdf', 'toml', 'urdf', 'usd', 'usda', 'usdc', 'world', 'xml']
    """
    file = Path(path)
    reader = READERS[_ending(file, READERS, "read")]
    if not file.is_file():
        raise SceneError(f"{file}: no such file")
    return reader(file)


def write_scene(scene: Scene, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write a scene to a file in any of the formats `WRITERS`; returns a sentence for everything it does not hold."""
    file = Path(path)
    content, remarks = WRITERS[_ending(file, WRITERS, "written")](scene)
    write_whole(file, content)
    return remarks


def _ending(path: Path, known: dict, what: str) -> str:
    ending = path.suffix.removeprefix(".").lower()
    if ending not in known:
        names = ", ".join(f".{name}" for name in known)
        raise SceneError(f"{path}: files ending in {names} can be {what}, got {path.suffix!r}{nearest(ending, known)}")
    return ending
