"""Coal from C++, compiled against the headers and the library of the Python wheel."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import weakref
from functools import cache, partial
from pathlib import Path

import coal
import numpy as np

from ..clock import seconds
from ..engine import Engine, Missing, Query, Run
from ..problems import Pairs

SOURCE = Path(__file__).with_name("native_coal.cpp")


@cache
def library() -> ctypes.CDLL:
    prefix = next((p for p in Path(coal.__file__).parents if (p / "include/coal/distance.h").exists()), None)
    if prefix is None:
        raise Missing("Coal from C++ is left out: the installed coal has no C++ headers.")
    eigen = [f for f in (prefix / "include/eigen3", Path("/usr/include/eigen3")) if (f / "Eigen/Core").exists()]
    if not eigen:
        raise Missing("Coal from C++ is left out: no Eigen headers found (the extra `bench` installs cmeel-eigen).")
    compiler = shutil.which("c++")
    if compiler is None:
        raise Missing("Coal from C++ is left out: no C++ compiler (c++) found.")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "native_coal.so"
        # No -march=native: it would change Eigen's alignment, and with it the layout the library was built with.
        command = [compiler, "-O3", "-DNDEBUG", "-std=c++17", "-shared", "-fPIC", str(SOURCE), "-o", str(target)]
        command += [f"-I{prefix / 'include'}", f"-I{eigen[0]}", f"-L{prefix / 'lib'}", "-lcoal"]
        command += [f"-Wl,-rpath,{prefix / 'lib'}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            reason = next((line for line in done.stderr.splitlines() if "error" in line), "see the compiler")
            raise Missing(f"Coal from C++ is left out: it does not compile ({reason.strip()}).")
        loaded = ctypes.CDLL(str(target))
    address, number = ctypes.c_void_p, ctypes.c_double
    loaded.prepare.restype, loaded.prepare.argtypes = address, [ctypes.c_long, *[address] * 4]
    loaded.distances.restype, loaded.distances.argtypes = None, [address, number, address]
    loaded.release.restype, loaded.release.argtypes = None, [address]
    return loaded


class Prepared:
    """Pairs as C++ objects."""

    def __init__(self, pairs: Pairs) -> None:
        arrays = [
            np.ascontiguousarray(v, dtype=float) for v in (pairs.radii_a, pairs.radii_b, pairs.rotation, pairs.position)
        ]
        self.address = library().prepare(len(pairs), *(v.ctypes.data for v in arrays))
        weakref.finalize(self, library().release, self.address)


def loop(pairs: Pairs, tolerance: float) -> Query:
    """Timed: the C++ loop (and one call into it)."""
    prepared, distances = Prepared(pairs), library().distances

    def query() -> Run:
        found = np.empty(len(pairs))
        start = seconds()
        distances(prepared.address, tolerance, found.ctypes.data)
        return Run(seconds() - start, found)

    return query


def engines() -> list[Engine]:
    library()
    return [
        Engine("Coal, C++, default (1e-6)", partial(loop, tolerance=1e-6)),
        Engine("Coal, C++, 1e-12", partial(loop, tolerance=1e-12)),
    ]
