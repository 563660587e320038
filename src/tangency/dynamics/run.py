"""One run of a simulation: its frames, segments, warnings and files."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .energy_warnings import energy_warnings
from .energy_watch import EnergyWatch
from .files import FileError, read, save_trajectory, shapes_digest
from .frames import Frame, Instant, Record
from .initial_scene import scene_warnings
from .pace import Pace
from .runner import Runner
from .state import MASS
from .trajectory import Trajectory
from .validity import limit_warnings

_PACKAGE = __name__.partition(".")[0]


class Run:
    """A run that can be interrupted and resumed."""

    def __init__(
        self, runner: Runner, record: Record, options: dict[str, Any], fingerprint: str, jumps: list[str]
    ) -> None:
        self._runner, self._record, self._interval, self._jumps = runner, record, options["output_interval"], jumps
        self._options, self._fingerprint, self._frame = options, fingerprint, 0
        self._started = False
        self._told = ""  # the first warning, once there is one
        self._watch = EnergyWatch(runner.assembly, options.get("rtol"))
        self._rested: float | None = None  # time at which the bodies rest
        self._restless = ""  # that they do not
        self._first_gain = ""  # what was said of the energy while the run went on
        self._said: list[str] = []

    def resume(self, path: Path, frames: int) -> None:
        """Resume from a file."""
        trajectory, state = read(path)
        if not state:
            raise FileError(f"{path}: is not a checkpoint, only a trajectory")
        if trajectory.info.get("fingerprint") != self._fingerprint:
            raise FileError(
                f"{path}: belongs to another world or other options{self._functions()}; overwrite=True starts over"
            )
        if len(trajectory) - 1 > frames:
            raise FileError(f"{path}: is longer than the requested duration; read it with load_trajectory")
        try:
            self._runner.restore(state)
            self._runner.assembly.extremes[:] = state["extremes"]
            self._watch.numbers[:] = state["watch"]
        except (KeyError, ValueError) as error:
            raise FileError(f"{path}: is not a complete checkpoint ({error})") from None
        self._record.resume(trajectory)
        self._frame, self._started = len(trajectory) - 1, True
        self._first_gain = trajectory.info.get("first_gain", "")

    def _functions(self) -> str:
        world = self._runner.assembly.world
        if not world.loads and all(body.motion is None for body in world.bodies):
            return ""
        return " (loads and motions must have the same code, and the same values from outside, as before)"

    def go(self, frames: int, path: Path | None, shown: Any, rest: float | None = None) -> Trajectory:
        """Simulate up to a number of frames, with checkpoints in the file `path`; `shown` displays the progress.

        With `rest`, the run ends when the bodies are slower than that, see `simulate`.
        """
        if not self._started:
            self._runner.start(self._add)
            self._save(path)
        every, pace = self._options["checkpoint_every"], Pace(self._frame, frames, self._runner.counts()["steps"])
        while self._frame < frames and not self._at_rest(rest):
            # Segments end at multiples of `every`, regardless of where the run was resumed.
            stop = min((self._frame // every + 1) * every, frames)
            done = f"{self._frame * self._interval:.4g} of {frames * self._interval:.4g} s"
            bodies, steps = len(self._runner.assembly.names), self._runner.counts()["steps"]
            shown.step(f"simulating, {done}{pace.text(self._frame, steps, bodies)}{self._told}")
            if rest is not None:
                stop = self._frame + 1  # every frame may be the last
            self._runner.advance(np.arange(self._frame + 1, stop + 1) * self._interval, self._add, self._look)
            self._frame = stop
            if stop % every == 0 or stop == frames or self._at_rest(rest):
                self._save(path)
        if rest is not None and not self._at_rest(rest):
            self._restless = (
                f"the bodies were not at rest at the end, t = {frames * self._interval:.6g} s: their root mean square "
                f"speed was {self._speeds()[-1]:.3g} m/s, more than rest = {rest:g} m/s; use a longer duration"
            )
        trajectory = self._trajectory()
        for sentence in trajectory.info["warnings"]:
            self._say(sentence)
        return trajectory

    def _speeds(self) -> np.ndarray:
        """Root mean square speeds of the free bodies in the last two frames [m/s]."""
        assembly = self._runner.assembly
        mass = float(assembly.inertia[:, MASS].sum()) + assembly.joints.mass  # of the bodies that are there
        return np.sqrt(2.0 * np.array(self._record.kinetic) / max(mass, 1e-300))

    def _at_rest(self, rest: float | None) -> bool:
        """Whether all bodies have been poured and were slower than `rest` in the last two frames."""
        supply = getattr(self._runner, "supply", None)
        if rest is None or len(self._record.kinetic) < 2 or (supply is not None and supply.waiting):
            return False
        still = bool((self._speeds() < rest).all())
        self._rested = self._frame * self._interval if still else None
        return still

    # ---- the energy while the run goes on ------------------------------------------------------
    def _add(self, frame: Frame) -> None:
        """Append a frame, and look at the energy."""
        self._record.add(frame)
        self._watch.sample(frame.time, self._record.last)
        self._look(None)

    def _look(self, instant: Instant | None) -> None:
        """Warn as soon as the energy has risen too far."""
        if instant is not None:
            self._watch.sample(instant.time, instant.energies(self._runner.assembly))
        self._watch.contacts_ended(self._runner.log)
        if self._first_gain or not self._watch.due():
            return
        found = energy_warnings(self._so_far(), self._watch, self._options.get("rtol"))
        if not found:
            self._watch.put_off()
            return
        self._first_gain = found[0]
        self._told = f"; warning: {found[0]}"
        self._say(found[0])

    def _say(self, sentence: str) -> None:
        """Issue a warning, once, that points to the caller of the package."""
        if sentence in self._said:
            return
        self._said.append(sentence)
        frame, level = sys._getframe(), 1
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(f"{_PACKAGE}."):
            frame, level = frame.f_back, level + 1
        warnings.warn(sentence, RuntimeWarning, stacklevel=level)

    def _so_far(self) -> Trajectory:
        made = self._record.trajectory(self._info(), self._runner.log, self._runner.open_contacts())
        supply = getattr(self._runner, "supply", None)
        if supply is None or not supply.needed:
            return made
        return replace(made, added=supply.added.copy(), removed=supply.removed.copy())

    def _trajectory(self) -> Trajectory:
        made = self._so_far()
        return replace(made, info={**made.info, "warnings": self._warnings(made)})

    def _warnings(self, made: Trajectory) -> list[str]:
        """Warnings about this run."""
        assembly = self._runner.assembly
        energy = energy_warnings(made, self._watch, self._options.get("rtol"))
        if self._first_gain and not energy:
            energy = [self._first_gain]  # less than later energies
        found = self._jumps + scene_warnings(assembly) + limit_warnings(assembly) + energy
        found += self._runner.warnings(made) + ([self._restless] if self._restless else [])
        count = self._runner.counts()["contacts_failed"]
        if count:
            found.append(f"{count} contacts were not solved to their tolerance; see info['contacts_failed']")
        return found

    def _info(self) -> dict[str, Any]:
        shapes = shapes_digest(self._runner.assembly.world)
        info = {**self._options, **self._runner.counts(), "fingerprint": self._fingerprint, "shapes": shapes}
        periodic = self._runner.assembly.world.periodic
        info |= {} if periodic is None else {"periodic": [None if axis is None else list(axis) for axis in periodic]}
        info |= {} if self._rested is None else {"at_rest": self._rested}
        return info | ({"first_gain": self._first_gain} if self._first_gain else {})

    def _save(self, path: Path | None) -> None:
        if path is not None:
            made = self._trajectory()
            self._told = "".join(f"; warning: {sentence}" for sentence in made.info["warnings"][:1])
            kept = {"extremes": self._runner.assembly.extremes, "watch": self._watch.numbers}
            save_trajectory(made, path, {**self._runner.checkpoint(), **kept})
