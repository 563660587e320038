"""simulate(): integrate the motion of a world in one of two modes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..compiled.function_text import function_text
from ..io.progress import Progress
from ..io.whole_files import folder_for
from .accurate.runner import AccurateRunner
from .assembly import Assembly
from .fast.neighbour_list import skin_limits
from .fast.runner import FastRunner
from .files import FileError, shapes_digest
from .frames import Record
from .joints.identity import mechanism_text
from .options import MODES, check_threads, options_for, positive
from .periodic import check_box
from .prescribed import check_velocities, jump_warnings
from .run import Run
from .storage import is_folder, keeper_of
from .trajectory import Trajectory
from .world import World

RUNNERS: dict[str, Any] = {"accurate": AccurateRunner, "fast": FastRunner}


def simulate(
    world: World,
    duration: float,
    mode: str = "accurate",
    *,
    output_interval: float | None = None,
    method: str | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
    step: float | None = None,
    skin: float | None = None,
    threads: int | None = None,
    rest: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 10,
    resume: bool = False,
    overwrite: bool = False,
    progress: bool = False,
) -> Trajectory:
    """Simulate the motion of a world.

    Parameters
    ----------
    world : World
        Bodies in their initial state, and everything that acts on them.
    duration : float
        Simulated time [s], a multiple of `output_interval`.
    mode : {"accurate", "fast"}
        ``"accurate"``: SciPy's integrators with variable steps and located impacts; for few bodies.  ``"fast"``: fixed
        steps, symplectic, second order, one compiled loop; for up to a hundred thousand bodies.
    output_interval : float, optional
        Time between two frames of the trajectory [s]; default a hundredth of the duration, or near that if `step` is
        given.
    method : {"DOP853", "RK45", "Radau", "BDF"}
        Accurate mode: SciPy's integrator, default the first.  The last two are implicit, for stiff contacts and
        friction.
    rtol, atol : float, optional
        Accurate mode: tolerances of the integrator, default 1e-9 and 1e-12; `atol` in m, m/s and rad.
    max_step : float, optional
        Accurate mode: longest step [s].
    step : float, optional
        Fast mode: length of a step [s], shortened by at most a tenth to fit into `output_interval`; default an
        estimate from the stiffness of the contacts.
    skin : float, optional
        Fast mode: pairs closer than this are candidates for contact [m]; default a tenth of the smallest body at first,
        then what keeps the list of candidates short and lets it last.
    threads : int, optional
        Fast mode: number of threads; the result is the same for any.  Default one per processor for thousands of
        bodies.
    rest : float, optional
        Fast mode: end the run before its duration when the free bodies rest: when the root mean square of their speeds,
        sqrt(2 kinetic energy / mass), is below this at two frames in a row [m/s], and all have been poured.
    checkpoint : path, optional
        File (.npz) for the trajectory so far and the complete state, from which the run can be resumed.  A name that
        ends with ``.zarr`` is a folder to which the run is streamed: only the frames since the last checkpoint are in
        memory, and the arrays of the result are read from disk when they are used.  See docs/granular.md.
    checkpoint_every : int
        Frames between two checkpoints.  Accurate mode restarts the integrator there, with or without a
        file.
    resume : bool
        Resume from the file `checkpoint` if it exists; the result is the same as without the interruption.  Another
        world is refused.  Loads and motions are compared by their code and the numbers, texts, tuples and arrays that
        they use from outside; lists, dictionaries and other objects are not compared.
    overwrite : bool
        Replace the file or folder `checkpoint` if it exists.
    progress : bool
        Report progress on stderr.

    Returns
    -------
    Trajectory

    Raises
    ------
    RuntimeError
        If the integrator fails, or the energy of a step does not balance; the message says where and what to try.

    Warns
    -----
    RuntimeWarning
        For each entry of ``info["warnings"]``: where the run gained energy or left the valid range of its laws.
    """
    given = {"method": method, "rtol": rtol, "atol": atol, "max_step": max_step, "step": step, "skin": skin}
    given |= {"threads": threads, "rest": rest}
    files = Files(checkpoint, checkpoint_every, resume, overwrite)
    return simulate_by(RUNNERS.get(mode), world, duration, mode, output_interval, given, files=files, progress=progress)


class Files(NamedTuple):
    """The checkpoint of a run, see :func:`simulate`."""

    checkpoint: str | os.PathLike[str] | None = None
    checkpoint_every: int = 10
    resume: bool = False
    overwrite: bool = False


def simulate_by(
    make: Any,
    world: World,
    duration: float,
    mode: str,
    output_interval: float | None,
    given: dict[str, Any],
    *,
    files: Files,
    progress: bool,
) -> Trajectory:
    """:func:`simulate` with a runner that `make` makes of an assembly and the options of the mode."""
    if not isinstance(world, World):
        raise TypeError(f"world must be a World, got {world!r}")
    path, checkpoint_every, resume = _path_of(files), files.checkpoint_every, files.resume
    if world.mechanisms and path is not None and is_folder(path):
        raise ValueError(
            f"checkpoint must be a file (.npz) for a world with mechanisms, whose joints are not streamed, got {path}"
        )
    if isinstance(checkpoint_every, bool) or not isinstance(checkpoint_every, int) or checkpoint_every < 1:
        raise ValueError(f"checkpoint_every must be a whole number >= 1, got {checkpoint_every!r}")
    with Progress() if progress else _Quiet() as shown:
        shown.step("preparing (at first use, compiling takes a minute or two)")
        assembly = Assembly(world)
        workers = check_threads(given["threads"])
        stop = None if given["rest"] is None else positive(given["rest"], "rest")
        options, frames = options_for(assembly, duration, mode, output_interval, given)
        check_box(assembly, mode, _widest_skin(assembly, options))
        if mode != "fast" and world.local_damping > 0.0:
            raise ValueError(f"local_damping must be 0 in mode {mode!r}, got {world.local_damping:g}")
        if mode != "fast" and assembly.servos:
            name = assembly.names[assembly.servos[0][0]]
            raise ValueError(f"motion of {name!r} must not be a Servo in mode {mode!r}, only the mode 'fast' has them")
        if mode != "fast" and (world.pours or world.outlets):
            raise ValueError(f"pours and outlets must be empty in mode {mode!r}, only the mode 'fast' has them")
        options["checkpoint_every"], interval = checkpoint_every, options["output_interval"]
        chosen = {name: options[name] for name in MODES[mode].options} | (
            {"threads": workers} if mode == "fast" else {}
        )
        runner = make(assembly, **chosen)
        # Far points of an unbounded body move when it turns: those that other bodies may reach count.
        size = float(assembly.reach.max(initial=0.0)) or 1.0
        moved = [(assembly.reach[i], body) for i, body in assembly.prescribed]
        for _, body in moved:
            check_velocities(body, frames * interval)
        jumps = [text for reach, body in moved for text in jump_warnings(body, frames * interval, float(reach) or size)]
        keeper = keeper_of(path)
        run = Run(runner, Record(assembly), options, fingerprint(assembly, options), jumps, keeper)
        earlier = keeper.earlier(assembly.names) if resume and keeper is not None else None
        if path is not None and earlier is not None:
            run.resume(path, earlier, frames)
        return run.go(frames, shown, stop)


def _widest_skin(assembly: Assembly, options: dict[str, Any]) -> float:
    """Widest skin of a run in fast mode [m]."""
    sizes = assembly.reach[assembly.free & (assembly.reach > 0.0)]
    chosen = skin_limits(sizes)[1] if len(sizes) and not options.get("fixed_skin", True) else 0.0
    return max(options.get("skin", 0.0), chosen)


class _Quiet:
    """A `Progress` that prints nothing."""

    def __enter__(self) -> _Quiet:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def step(self, text: str) -> None:
        pass


def _path_of(files: Files) -> Path | None:
    """The file of a run, which must not exist without `resume` or `overwrite`."""
    checkpoint, _, resume, overwrite = files
    if checkpoint is None:
        for name, value in (("resume", resume), ("overwrite", overwrite)):
            if value:
                raise ValueError(f"checkpoint must name a file for {name}=True, got None")
        return None
    if resume and overwrite:
        raise ValueError("resume and overwrite must not both be True: one resumes from the file, the other replaces it")
    path = Path(checkpoint)
    if path.is_dir() and not is_folder(path):
        raise FileError(f"{path}: is a folder, not a file; a folder to stream to must have a name ending with .zarr")
    if is_folder(path) and path.is_file():
        raise FileError(f"{path}: is a file; a name that ends with .zarr stands for a folder")
    if path.exists() and not (resume or overwrite):
        raise FileError(f"{path}: already exists; resume=True resumes from it, overwrite=True replaces it")
    folder_for(path.parent, "the folder of checkpoint")
    return path


def fingerprint(assembly: Assembly, options: dict[str, Any]) -> str:
    """Digest of the world (its numbers and functions) and the options, except the duration."""
    digest = hashlib.sha256(repr(sorted(options.items())).encode())
    digest.update("\0".join(assembly.names).encode())
    world = assembly.world
    digest.update(f"{world.force_point} {world.periodic} {world.local_damping}".encode())
    for item in (*world.pours, *world.outlets):
        digest.update(repr({name: np.asarray(value).tolist() for name, value in vars(item).items()}).encode())
    digest.update(shapes_digest(assembly.world).encode())
    for spring in assembly.world.springs:
        digest.update(f"spring {spring.a!r} {spring.b!r}".encode())
    for load in assembly.world.loads:
        digest.update(f"load {load.body!r} {function_text(load.function)}".encode())
    for i, servo in assembly.servos:
        digest.update(f"servo {assembly.names[i]!r} {servo!r}".encode())
    for _, body in assembly.prescribed:
        digest.update(f"motion {body.name!r} {function_text(body.motion)}".encode())
    for mechanism in world.mechanisms:
        digest.update(mechanism_text(mechanism).encode())
    for text in assembly.formulas:
        digest.update(text.encode())
    a = assembly
    bodies = a.start, a.inertia, a.shapes.rows, a.kind, a.local, *a.law_table[:2], a.laws.numbers
    for array in (*bodies, a.springs, a.gravity, a.centre, a.axes):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
