"""Time to the first result: imports, compiled code from the cache, compilation; and the same for other engines."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import tangency

from .engine import Engine
from .table import Table

SOURCE = str(Path(tangency.__file__).parents[1])

# Each prints one number of seconds.
TIMED = "import time; start = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
LIBRARIES = "import numpy as np, scipy.spatial.transform, scipy.special"
BEFORE = f"{LIBRARIES}\nimport tangency as tg"
CONTACT = "a = tg.{shape}; tg.contact(a, a, pose_b=(None, [5, 1, 2])).distance"
STACK = "a = tg.{shape}; tg.contact(a, a, pose_b=(None, np.full((10_000, 3), 5.0))).distance"
ELLIPSOID, SUPERELLIPSOID = "Ellipsoid([3, 2, 1])", "Superellipsoid([3, 2, 1], (0.5, 0.5))"
FIT = "tg.fit(tg.Ellipsoid([3, 2, 1]).point(np.random.default_rng(0).normal(size=(200, 3))), 'superellipsoid')"
PLANAR = "a = tg.planar.Ellipse([3, 2]); tg.planar.contact(a, a, pose_b=(0.3, [9, 1])).distance"
MOTION = """
from tangency.dynamics import Body, Interaction, World, simulate
from tangency.forces import Hertz
bodies = Body("ground", tg.HalfSpace([0, 0, 1])), Body("egg", tg.Ellipsoid([3, 2, 1]), (None, [0, 0, 1.1]))
simulate(World(bodies, interaction=Interaction(Hertz(stiffness=1e6))), 0.1)
"""
FIRST = {
    "first contact of two ellipsoids": CONTACT.format(shape=ELLIPSOID),
    "first contact of two superellipsoids": CONTACT.format(shape=SUPERELLIPSOID),
    "first contacts of 10,000 ellipsoid pairs": STACK.format(shape=ELLIPSOID),
    "first contacts of 10,000 superellipsoid pairs": STACK.format(shape=SUPERELLIPSOID),
    "first planar contact": PLANAR,
    "first fit": FIT,
    "first simulation": MOTION,
}
SHARED = "tg.Sphere(1.0).support([0, 0, 1])"  # needed by all shapes
COLD = {
    "compiling a shape, Ellipsoid": (f"tg.{ELLIPSOID}.address", f"{BEFORE}\n{SHARED}"),
    "compiling a shape, Superellipsoid": (f"tg.{SUPERELLIPSOID}.address", f"{BEFORE}\n{SHARED}"),
    "first contact of two ellipsoids": (CONTACT.format(shape=ELLIPSOID), BEFORE),
    "first contacts of 10,000 superellipsoid pairs": (STACK.format(shape=SUPERELLIPSOID), BEFORE),
}
WHOLE = "import tangency as tg\n" + FIRST["first contact of two ellipsoids"]
WARMUP = "import subprocess, sys; subprocess.run([sys.executable, '-m', 'tangency', 'warmup'], check=True)"
PEERS = {
    "Coal": """
import coal
a = coal.Ellipsoid(3, 2, 1)
coal.distance(a, coal.Transform3s.Identity(), a, coal.Transform3s.Identity(),
              coal.DistanceRequest(), coal.DistanceResult())
""",
    "MuJoCo": """
import mujoco
geom = '<geom type="ellipsoid" size="3 2 1"/>'
model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geom}{geom}</worldbody></mujoco>")
data = mujoco.MjData(model)
mujoco.mj_kinematics(model, data)
mujoco.mj_geomDistance(model, data, 0, 1, 1e10, None)
""",
    "python-fcl": """
import fcl, numpy as np
a = fcl.CollisionObject(fcl.Ellipsoid(3, 2, 1))
b = fcl.CollisionObject(fcl.Ellipsoid(3, 2, 1), fcl.Transform(np.eye(3), np.array([9.0, 0, 0])))
fcl.distance(a, b)
""",
    "distance3d": """
import numpy as np
from distance3d import colliders, gjk
a = colliders.Ellipsoid(np.eye(4), np.array([3.0, 2, 1]))
b = colliders.Ellipsoid(np.eye(4) + np.eye(4, k=3) * 9, np.array([3.0, 2, 1]))
gjk.gjk_distance(a, b)
""",
}


def seconds(code: str, cache: str | None, before: str = "") -> float:
    """Time that `code` takes in a new process, after the statements `before`; NaN if it fails.

    `cache` is the cache folder, None for the default one.
    """
    paths = [SOURCE, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    if cache is not None:
        environment["TANGENCY_CACHE_DIR"] = cache
    program = f"{before}\n{TIMED.format(code=code)}"
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        return float("nan")
    return float(done.stdout.splitlines()[-1])


def measure(engines: list[Engine], *, quick: bool) -> Iterator[str | Table]:
    """Progress messages, then the table."""
    with tempfile.TemporaryDirectory() as filled:
        rows: list[tuple[str, str, float]] = []
        if not quick:
            yield "start-up: cold, first contacts"
            for name, (code, before) in COLD.items():
                with tempfile.TemporaryDirectory() as empty:
                    rows.append((name, "cold", seconds(code, empty, before)))
            yield "start-up: cold, tangency warmup"
            rows.append(("`tangency warmup`", "cold", seconds(WARMUP, filled)))
        rounds, cache = (1, None) if quick else (3, filled)
        warm = {
            "import of NumPy and SciPy": (LIBRARIES, ""),
            "import of tangency on top of them": ("import tangency", LIBRARIES),
            **{name: (code, BEFORE) for name, code in FIRST.items()},
            "whole process to the first contact, tangency": (WHOLE, ""),
        }
        known = {engine.name.split(",")[0].split(" (")[0] for engine in engines}
        warm |= {f"whole process to the first distance, {name}": (PEERS[name], "") for name in PEERS if name in known}
        for name, (code, before) in warm.items():
            yield f"start-up: warm, {name}"
            rows.append((name, "warm", min(seconds(code, cache, before) for _ in range(rounds))))
    remarks = [
        "Cold: an empty cache folder, as after an installation, one run each. Warm: compiled code is on disk, "
        f"best of {rounds} new processes. First contacts: after the imports."
    ]
    if quick:
        remarks.append("Cold starts are left out by --quick.")
    cells = [(name, state, _text(value)) for name, state, value in rows]
    yield Table("startup", "Start-up and compilation", ("what", "cache", "seconds"), cells, tuple(remarks))


def _text(value: float) -> str:
    if math.isnan(value):
        return "failed"
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"
