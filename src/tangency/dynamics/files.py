"""Files of trajectories and checkpoints: NumPy's .npz without pickle, with a JSON header, written atomically.

A file holds the arrays of :class:`Trajectory` under their own names, ``contact_*`` for the contacts,
``impact_*`` for the impact log, ``energy_*`` for the energies, and ``header``: the bytes of a JSON object with
``format``, ``version``, ``names`` and ``info``.  A checkpoint also holds the complete state, as
``state_*``.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..compiled.captured import formulas_text
from ..io.whole_files import whole_file
from ..shapes import Cavity
from ..shapes.shape import Shape
from .assembly import world_masses
from .group import AllPieces
from .impacts import Impacts
from .joints.history import JointHistory
from .trajectory import ENERGIES, Contacts, Trajectory
from .world import World

FORMAT, VERSION = "tangency trajectory", 3
_JOINTS = ("position", "velocity", "torque", "columns")
_ARRAYS = ("time", "position", "quaternion", "centre_of_mass", "velocity", "angular_velocity")


class FileError(ValueError):
    """A file is not a trajectory, or not one of this world; the message says what is wrong."""


def save_trajectory(trajectory: Trajectory, path: str | os.PathLike[str], state: dict[str, Any] | None = None) -> None:
    """Write a trajectory (with `state`, a checkpoint) under a temporary name, then rename it."""
    arrays = {name: getattr(trajectory, name) for name in _ARRAYS}
    arrays |= {f"contact_{f.name}": getattr(trajectory.contacts, f.name) for f in fields(Contacts)}
    arrays |= {f"impact_{f.name}": getattr(trajectory.impacts, f.name) for f in fields(Impacts)}
    arrays |= {f"energy_{name}": trajectory.energy[name] for name in ENERGIES}
    if trajectory.added is not None and trajectory.removed is not None:
        arrays |= {"added": trajectory.added, "removed": trajectory.removed}
    if trajectory.joints is not None:
        own = trajectory.joints
        arrays |= {f"joint_{name}": getattr(own, name) for name in _JOINTS} | {"joint_names": np.array(own.names)}
    arrays |= {f"state_{name}": value for name, value in (state or {}).items()}
    header = {"format": FORMAT, "version": VERSION, "names": trajectory.names, "info": trajectory.info}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    with whole_file(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_trajectory(path: str | os.PathLike[str], world: World | None = None) -> Trajectory:
    """Read a file written by :meth:`Trajectory.save` or by a simulation.

    Parameters
    ----------
    path : path
        The file, or the folder of a streamed run, of which the arrays are read when they are used.
    world : World, optional
        The world of the run.  Files contain no shapes, which are needed for pictures.

    Returns
    -------
    Trajectory

    Raises
    ------
    FileError
        If the file is not a trajectory, or not one of this world.
    """
    trajectory = _load(path)
    if world is None:
        return trajectory
    names = world.names
    if names != trajectory.names:
        raise FileError(f"{path}: contains the bodies {', '.join(trajectory.names)}; the world has {', '.join(names)}")
    known = trajectory.info.get("shapes")
    if known is not None and known != shapes_digest(world):
        raise FileError(f"{path}: belongs to bodies with other shapes than those of the world")
    pieces, masses = AllPieces(world.bodies), world_masses(world)
    return replace(trajectory, pieces=pieces, springs=world.springs, rods=world.rods, masses=masses)


def _load(path: str | os.PathLike[str]) -> Trajectory:
    if not Path(path).is_dir():
        return read(path)[0]
    from .stored.stream import load_stream  # which reads headers as this file does

    return load_stream(path)


def shapes_digest(world: World) -> str:
    """Digest of the shapes of all bodies: classes, parameters, formulas and poses."""
    digest = hashlib.sha256()
    for body in world.bodies:
        digest.update(f"body {body.name!r}".encode())
        for shape, rotation, position in body.pieces:
            rows = getattr(shape, "hollow", shape).rows
            digest.update(f"{_kinds(shape)} {formulas_text(shape)}".encode())
            for array in (rows, rotation, position):
                digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


def _kinds(shape: Any) -> str:
    """Classes of a shape and of the shapes it contains."""
    if isinstance(shape, Cavity):
        return f"Cavity({_kinds(shape.hollow)}, {shape.ends})"
    inner = ", ".join(_kinds(part) for part in shape._fields.values() if isinstance(part, Shape))
    return f"{type(shape).__qualname__}({inner})"


def header_of(array: np.ndarray, path: str | os.PathLike[str], wanted: str, version: int) -> dict[str, Any]:
    """The JSON object of a file, which must have a format and a version."""
    header: dict[str, Any] = json.loads(bytes(array))
    if header["format"] != wanted or header["version"] != version:
        given = f"{header['format']!r}, version {header['version']!r}"
        raise FileError(f"{path}: must be a '{wanted}' of version {version}, got {given}")
    return header


def read(path: str | os.PathLike[str]) -> tuple[Trajectory, dict[str, np.ndarray]]:
    """Trajectory and state of a file; the state is empty unless the file is a checkpoint."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = header_of(arrays.pop("header"), path, FORMAT, VERSION)
        contacts = Contacts(**{f.name: arrays[f"contact_{f.name}"] for f in fields(Contacts)})
        impacts = Impacts(**{f.name: arrays[f"impact_{f.name}"] for f in fields(Impacts)})
        energy = {name: arrays[f"energy_{name}"] for name in ENERGIES}
        main = {name: arrays[name] for name in _ARRAYS}
    except FileError:
        raise
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError, NotImplementedError, zlib.error) as error:
        why = "" if "pickle" in str(error) else f" ({error})"  # NumPy takes any other file for a pickled one
        raise FileError(f"{path}: is not a trajectory file{why}") from None
    names = tuple(header["names"])
    shapes = {name: (len(main["time"]), *(() if name == "time" else (len(names),))) for name in _ARRAYS}
    for name, array in (*main.items(), *energy.items()):
        wanted = shapes.get(name, (len(main["time"]),))
        if array.shape[: len(wanted)] != wanted:
            raise FileError(f"{path}: is damaged, {name} has the shape {array.shape} for {len(main['time'])} frames")
        if not np.isfinite(array).all():
            raise FileError(f"{path}: is damaged, {name} contains numbers that are not finite")
    if len(contacts.first) != len(main["time"]) + 1 or (np.diff(contacts.first, prepend=0) < 0).any():
        raise FileError(f"{path}: is damaged, its contacts do not match its {len(main['time'])} frames")
    for name, part in (("contact", contacts), ("impact", impacts)):
        for field in fields(part):
            array, count = getattr(part, field.name), len(part)
            if field.name != "first" and len(array) != count:
                raise FileError(f"{path}: is damaged, {name}_{field.name} has {len(array)} entries for {count}")
            if field.name.startswith("body") and not ((array >= 0) & (array < len(names))).all():
                raise FileError(f"{path}: is damaged, {name}_{field.name} refers to bodies that do not exist")
    state = {name.removeprefix("state_"): value for name, value in arrays.items() if name.startswith("state_")}
    info, times = header["info"], {name: arrays[name] for name in ("added", "removed") if name in arrays}
    if any(array.shape != (len(names),) for array in times.values()) or len(times) == 1:
        raise FileError(f"{path}: is damaged, added and removed must be given for {len(names)} bodies")
    joints = _joints(path, arrays, len(main["time"]))
    rest = {"contacts": contacts, "energy": energy, "names": names, "info": info, "impacts": impacts, "joints": joints}
    return Trajectory(**main, **rest, **times), state


def _joints(path: str | os.PathLike[str], arrays: dict[str, np.ndarray], frames: int) -> JointHistory | None:
    """The motion of joints in a file, if there are any."""
    if "joint_names" not in arrays:
        return None
    try:
        names = tuple(str(name) for name in arrays["joint_names"])
        parts = {name: arrays[f"joint_{name}"] for name in _JOINTS}
        made = JointHistory(names=names, **parts)
        fits = made.columns.shape == (len(names), 4) and all(len(parts[k]) == frames for k in _JOINTS[:3])
        fits = fits and all(np.isfinite(parts[k]).all() for k in _JOINTS[:3])
        fits = fits and made.columns[:, 1].max() <= made.position.shape[1]
        fits = fits and made.columns[:, 3].max() <= min(made.velocity.shape[1], made.torque.shape[1])
    except (KeyError, TypeError, ValueError, IndexError):
        fits = False
    if not fits:
        raise FileError(f"{path}: is damaged, its joints do not match its {frames} frames")
    return made
