"""The engines, one file each.

| file | engine | what the timed loop calls |
|---|---|---|
| `tangency_.py` | tangency | `tg.contact` on the stack; `tg.contact` pair by pair; `tg.Pair` |
| `coal_.py` | Coal from Python | `coal.distance` |
| `native_coal.py` | Coal from C++ | `coal::GJKSolver::shapeDistance` |
| `mujoco_.py` | MuJoCo | `mj_geomDistance` |
| `fcl_.py` | python-fcl | `fcl.distance` |
| `distance3d_.py` | distance3d | `gjk_distance`, then `epa` in overlap |

Each has `engines()`, which raises `Missing` if the engine cannot run.
"""

from __future__ import annotations

from importlib import import_module

from ..engine import Engine, Missing

FILES = ("tangency_", "coal_", "native_coal", "mujoco_", "fcl_", "distance3d_")


def available() -> tuple[list[Engine], list[str]]:
    """All engines that can run here, and a message for each that cannot."""
    found: list[Engine] = []
    left_out: list[str] = []
    for name in FILES:
        try:
            found += import_module(f"{__name__}.{name}").engines()
        except Missing as why:
            left_out.append(str(why))
        except ImportError as why:
            left_out.append(f"{name.strip('_')} is left out: {why} (the extra `bench` installs it).")
    return found, left_out
