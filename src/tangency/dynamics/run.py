"""One run of a simulation: its frames, segments, warnings and files."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .energy_warnings import energy_warnings
from .energy_watch import BRIEF, ENDED, EnergyWatch
from .files import FileError, shapes_digest
from .frames import Frame, Instant, Record
from .initial_scene import scene_warnings
from .pace import Pace
from .runner import Runner
from .state import MASS
from .storage import Earlier, Keeper
from .trajectory import Trajectory
from .validity import limit_warnings, step_warnings

_PACKAGE = __name__.partition(".")[0]


class Run:
    """A run that can be interrupted and resumed, if there is a keeper."""

    def __init__(
        self,
        runner: Runner,
        record: Record,
        options: dict[str, Any],
        fingerprint: str,
        jumps: list[str],
        keeper: Keeper | None = None,
    ) -> None:
        self._keeper = keeper
        self._runner, self._record, self._interval, self._jumps = runner, record, options["output_interval"], jumps
        self._options, self._fingerprint, self._frame = options, fingerprint, 0
        self._started = False
        self._told = ""  # the first warning, once there is one
        self._watch = EnergyWatch(runner.assembly, options.get("rtol"), options.get("step", 0.0))
        self._rested: float | None = None  # time at which the bodies rest
        self._restless = ""  # that they do not
        self._first_gain = ""  # what was said of the energy while the run went on
        self._said: list[str] = []

    def resume(self, path: Path, earlier: Earlier, frames: int) -> None:
        """Resume from what was kept at `path`."""
        if earlier.info.get("fingerprint") != self._fingerprint:
            why = self._changes(earlier.info) or self._functions()
            raise FileError(f"{path}: belongs to another world or other options{why}; overwrite=True starts over")
        if earlier.frames - 1 > frames:
            raise FileError(f"{path}: is longer than the requested duration; read it with load_trajectory")
        try:
            self._runner.restore(earlier.state)
            self._runner.assembly.extremes[:] = earlier.state["extremes"]
            self._watch.numbers[:] = earlier.state["watch"]
        except (KeyError, ValueError) as error:
            raise FileError(f"{path}: is not a complete checkpoint ({error})") from None
        if earlier.trajectory is not None:
            self._record.resume(earlier.trajectory)
        else:
            self._record.forget(earlier.kinetic)
        self._frame, self._started = earlier.frames - 1, True
        self._first_gain = earlier.info.get("first_gain", "")

    def _changes(self, before: dict[str, Any]) -> str:
        new = {name: value for name, value in self._options.items() if name in before and before[name] != value}
        return f" ({', '.join(f'{name} was {before[name]}, is {value}' for name, value in new.items())})" if new else ""

    def _functions(self) -> str:
        world = self._runner.assembly.world
        if not world.loads and not any(callable(body.motion) for body in world.bodies):
            return ""
        return " (loads and motions must have the same code, and the same values from outside, as before)"

    def go(self, frames: int, shown: Any, rest: float | None = None) -> Trajectory:
        """Simulate up to a number of frames, with checkpoints if there is a keeper; `shown` displays the progress.

        With `rest`, the run ends when the bodies are slower than that, see `simulate`.
        """
        if not self._started:
            self._runner.start(self._add)
            self._save()
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
                self._save()
        if rest is not None and not self._at_rest(rest):
            self._restless = (
                f"the bodies were not at rest at the end, t = {frames * self._interval:.6g} s: their root mean square "
                f"speed was {self._speeds()[-1]:.3g} m/s, more than rest = {rest:g} m/s; use a longer duration"
            )
        trajectory = self._whole()
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
        found = self._energy_warnings(self._so_far())
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
        """The run so far; the part since the last checkpoint if it is streamed."""
        made = self._record.trajectory(self._info(), self._runner.log, self._runner.open_contacts())
        supply = getattr(self._runner, "supply", None)
        if supply is None or not supply.needed:
            return made
        return replace(made, added=supply.added.copy(), removed=supply.removed.copy())

    def _trajectory(self) -> Trajectory:
        made = self._so_far()
        return replace(made, info={**made.info, "warnings": self._warnings(made)})

    def _whole(self) -> Trajectory:
        """The whole run."""
        made = self._trajectory()
        if self._keeper is None or not self._keeper.streams:
            return made
        whole, info = self._keeper.whole(made), made.info
        return replace(whole, info=info, pieces=made.pieces, springs=made.springs, rods=made.rods, masses=made.masses)

    def _energy_warnings(self, made: Trajectory) -> list[str]:
        if self._keeper is not None and self._keeper.streams:
            # The log on disk is long: it is read only to say what was found.
            if not self._watch.found(made.impacts.chosen(~made.impacts.over)):
                return []
            made = replace(made, impacts=self._keeper.impacts(made))
        return energy_warnings(made, self._watch, self._options.get("rtol"))

    def _warnings(self, made: Trajectory) -> list[str]:
        """Warnings about this run."""
        assembly = self._runner.assembly
        energy = self._energy_warnings(made)
        if self._first_gain and not energy:
            energy = [self._first_gain]  # less than later energies
        found = self._jumps + scene_warnings(assembly) + limit_warnings(assembly) + energy
        brief, ended = (int(self._watch.numbers[k]) for k in (BRIEF, ENDED))
        found += step_warnings(brief, ended, self._options.get("step", 0.0))
        found += self._runner.warnings() + ([self._restless] if self._restless else [])
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

    def _save(self) -> None:
        if self._keeper is None:
            return
        made = self._trajectory()
        self._told = "".join(f"; warning: {sentence}" for sentence in made.info["warnings"][:1])
        kept, kinetic = {"extremes": self._runner.assembly.extremes, "watch": self._watch.numbers}, self._record.kinetic
        self._keeper.save(made, {**self._runner.checkpoint(), **kept}, kinetic)
        if self._keeper.streams:
            self._record.forget(kinetic)
            self._runner.log.clear()
            self._watch.forget()
