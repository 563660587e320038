"""simulate(): a world, a duration, one of two ways to integrate, a trajectory."""

from __future__ import annotations

import hashlib
import math
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .. import validate
from ..progress import Progress
from .accurate import METHODS, Accurate
from .assembly import Assembly
from .files import FileError, read, save_trajectory
from .record import Record
from .steps import Fast, suggested_step
from .trajectory import Trajectory
from .world import World

MODES = ("accurate", "fast")


def simulate(
    world: World,
    duration: float,
    mode: str = "accurate",
    *,
    output_interval: float | None = None,
    method: str = "DOP853",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    max_step: float = math.inf,
    step: float | None = None,
    skin: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 10,
    resume: bool = False,
    progress: bool = False,
) -> Trajectory:
    """Motion of a world from its start.

    Parameters
    ----------
    world : World
    duration : float
        [s], a multiple of `output_interval`.
    mode : {"accurate", "fast"}
        ``"accurate"``: SciPy's integrators with variable steps, impacts located; for few bodies.  ``"fast"``: fixed
        steps, symplectic, second order, one compiled loop; for hundreds of bodies.
    output_interval : float, optional
        Time between two frames of the trajectory [s]; default a hundredth of the duration.
    method : {"DOP853", "RK45", "Radau", "BDF"}
        Accurate mode: SciPy's integrator; the last two are implicit, for stiff contacts and friction.
    rtol, atol : float
        Accurate mode: tolerances of the integrator; `atol` in m, m/s and rad.
    max_step : float
        Accurate mode: longest step [s].
    step : float, optional
        Fast mode: length of a step [s], shortened to fit into the output interval; default an estimate from the
        stiffness of the contacts.
    skin : float, optional
        Fast mode: pairs this near are candidates for contact [m]; default a tenth of the smallest body.
    checkpoint : path, optional
        File (.npz) that holds the trajectory so far at any time, and all that is needed to go on.
    checkpoint_every : int
        Frames between two checkpoints.  Accurate mode begins a new integration there, with or without a file.
    resume : bool
        Go on from the file `checkpoint` if it exists: the end is the same as without the interruption.
    progress : bool
        Say on the error stream how far it is.

    Returns
    -------
    Trajectory

    Raises
    ------
    RuntimeError
        If the integrator gives up; the message says where and what to try.
    """
    if not isinstance(world, World):
        raise TypeError(f"world must be a World, got {world!r}")
    if mode not in MODES:
        raise ValueError(f"mode must be 'accurate' or 'fast', got {mode!r}")
    end = _positive(duration, "duration")
    interval = end / 100.0 if output_interval is None else _positive(output_interval, "output_interval")
    frames = round(end / interval)
    if frames < 1 or abs(frames * interval - end) > 1e-6 * interval:
        raise ValueError(f"duration must be a multiple of output_interval, got {end:g} and {interval:g}")
    if isinstance(checkpoint_every, bool) or not isinstance(checkpoint_every, int) or checkpoint_every < 1:
        raise ValueError(f"checkpoint_every must be a whole number >= 1, got {checkpoint_every!r}")
    if resume and checkpoint is None:
        raise ValueError("checkpoint must name a file to resume from, got None")
    assembly = Assembly(world)
    options: dict[str, Any] = {"mode": mode, "output_interval": interval, "checkpoint_every": checkpoint_every}
    if mode == "accurate":
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
        longest = math.inf if max_step == math.inf else _positive(max_step, "max_step")
        options |= {"method": method, "rtol": _positive(rtol, "rtol"), "atol": _positive(atol, "atol")}
        runner: Any = Accurate(assembly, **{k: options[k] for k in ("method", "rtol", "atol")}, max_step=longest)
        options["max_step"] = longest if longest < math.inf else None
    else:
        wanted = suggested_step(assembly, end) if step is None else _positive(step, "step")
        count = max(1, math.ceil(interval / wanted - 1e-9))
        near = _default_skin(assembly) if skin is None else _positive(skin, "skin")
        options |= {"step": interval / count, "steps_per_frame": count, "skin": near}
        runner = Fast(assembly, step=options["step"], skin=near)
    run = _Run(runner, Record(assembly), interval, options, _fingerprint(assembly, options))
    path = None if checkpoint is None else Path(checkpoint)
    if resume and path is not None and path.exists():
        run.take_up(path, frames)
    with Progress() if progress else _Quiet() as shown:
        shown.step("compiling (first use; kept for next time)")
        return run.go(frames, path, shown)


class _Run:
    """Frames, segments and files of one simulation."""

    def __init__(self, runner: Any, record: Record, interval: float, options: dict[str, Any], fingerprint: str) -> None:
        self._runner, self._record, self._interval = runner, record, interval
        self._options, self._fingerprint, self._frame = options, fingerprint, 0
        self._fast = isinstance(runner, Fast)
        self._started = False

    def take_up(self, path: Path, frames: int) -> None:
        """Go on from a file."""
        trajectory, state = read(path)
        if not state:
            raise FileError(f"{path}: is no checkpoint, only a trajectory")
        if trajectory.info.get("fingerprint") != self._fingerprint:
            raise FileError(f"{path}: belongs to another world or other options; remove it to begin anew")
        if len(trajectory) - 1 > frames:
            raise FileError(f"{path}: goes on longer than the duration that is asked for; read it with load_trajectory")
        try:
            self._runner.restore(state)
        except (KeyError, ValueError) as error:
            raise FileError(f"{path}: is no whole checkpoint ({error})") from None
        self._record.resume(trajectory)
        self._frame, self._started = len(trajectory) - 1, True

    def go(self, frames: int, path: Path | None, shown: Any) -> Trajectory:
        if not self._started:
            self._first()
            self._save(path)
        every = self._options["checkpoint_every"]
        while self._frame < frames:
            # Segments end at multiples of `every`, wherever the run was taken up.
            stop = min((self._frame // every + 1) * every, frames)
            shown.step(f"simulating, {self._frame * self._interval:.4g} of {frames * self._interval:.4g} s")
            self._segment(stop)
            self._frame = stop
            self._save(path)
        if self._runner.failures:
            warnings.warn(
                f"{self._runner.failures} contacts were not solved to their tolerance; see info['contacts_failed']",
                RuntimeWarning, stacklevel=3,
            )  # fmt: skip
        return self._record.trajectory(self._info())

    def _first(self) -> None:
        if self._fast:
            self._runner.show(self._record.add)
        else:
            self._runner.first(self._add)

    def _segment(self, stop: int) -> None:
        times = np.arange(self._frame + 1, stop + 1) * self._interval
        if not self._fast:
            self._runner.advance(float(times[-1]), times, self._add)
            return
        for time in times:
            self._runner.advance(float(time), self._options["steps_per_frame"])
            self._runner.show(self._record.add)

    def _add(self, time: float, run: Accurate) -> None:
        touching = run.touching
        self._record.add(
            time, run.y, run.works, run.energies, run.pairs[touching], run.looked[touching], run.deeds[touching]
        )

    def _info(self) -> dict[str, Any]:
        run = self._runner
        counts = {"steps": int(run.steps), "contacts_failed": int(run.failures)}
        if not self._fast:
            counts |= {"evaluations": run.evaluations, "impacts": run.impacts}
        return {**self._options, **counts, "fingerprint": self._fingerprint}

    def _save(self, path: Path | None) -> None:
        if path is not None:
            save_trajectory(self._record.trajectory(self._info()), path, self._runner.arrays())


class _Quiet:
    """Stands for a `Progress` that nobody wants to see."""

    def __enter__(self) -> _Quiet:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def step(self, text: str) -> None:
        pass


def _positive(value: Any, name: str) -> float:
    number = validate.positive(validate.array(value, name), name)
    if number.shape:
        raise ValueError(f"{name} must be a single number, got shape {number.shape}")
    return float(number)


def _default_skin(assembly: Assembly) -> float:
    sizes = assembly.reach[assembly.free & (assembly.reach > 0.0)]
    return 0.1 * float(sizes.min()) if len(sizes) else 1.0


def _fingerprint(assembly: Assembly, options: dict[str, Any]) -> str:
    """Names the world (as far as numbers tell) and the options; the duration may differ."""
    digest = hashlib.sha256(repr(sorted(options.items())).encode())
    digest.update("\0".join(assembly.names).encode())
    digest.update(assembly.world.force_point.encode())
    for body in assembly.world.bodies:
        digest.update("\0".join(type(piece.shape).__qualname__ for piece in body.pieces).encode())
    for array in (assembly.start, assembly.inertia, assembly.rows, assembly.kind, assembly.local, assembly.law_of,
                  assembly.laws, assembly.springs, assembly.gravity, assembly.centre, assembly.axes):  # fmt: skip
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
