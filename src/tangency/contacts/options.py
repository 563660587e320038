"""Checks of the arguments that all contact queries share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from ..io.numbers import number
from ..io.spelling import suggestion
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from ..shapes.mesh_wall import MeshWall
from ..shapes.shape import Shape
from ..solvers import DEFAULT, SOLVERS
from ..solvers.method import Method
from .result import Contact, Guess

WALLS = (HalfSpace, Cavity)  # unbounded: the distance between two of them is not meaningful


def check_pair(a: object, b: object) -> None:
    """Raise an error unless both are shapes and at least one is bounded."""
    for name, shape in (("a", a), ("b", b)):
        if not isinstance(shape, Shape):
            raise TypeError(f"{name} must be a Shape, got {_given(shape)}")
        if isinstance(shape, MeshWall):
            raise TypeError(f"{name} must be convex or a Cavity, got a MeshWall, which is for tangency.dynamics only")
    if isinstance(a, WALLS) and isinstance(b, WALLS):
        raise TypeError(
            f"a and b must not both be a HalfSpace or Cavity, got {type(a).__name__} and {type(b).__name__}: two of "
            "them have no distance or depth of interest"
        )


def _given(value: object) -> str:
    """A value that is no shape, for a message."""
    if isinstance(value, type):
        return f"the class {value.__name__}: call it with its parameters"
    planar = type(value).__module__.startswith("tangency.planar.")
    return f"{type(value).__name__}{', a planar shape: use tangency.planar.contact' if planar else ''}"


def as_method(solver: object) -> Method | None:
    """The method given by its name or as a :class:`~tangency.solvers.Method`; None for the default."""
    if isinstance(solver, Method):
        return solver
    if not isinstance(solver, str) or (solver != DEFAULT and solver not in SOLVERS):
        words = (DEFAULT, *SOLVERS)
        hint = suggestion(solver, words) if isinstance(solver, str) else ""
        if isinstance(solver, type):
            hint = f"; call the class: tg.solvers.{solver.__name__}()"
        raise ValueError(f"solver must be one of {', '.join(words)}, or a Method, got {solver!r}{hint}")
    return None if solver == DEFAULT else SOLVERS[solver]


def check_options(tol: object, threads: object) -> tuple[float, int | None]:
    """Tolerance and number of threads (None: all cores)."""
    if not (type(tol) is float and 0.0 < tol < 1.0):
        tol = float(validate.within(np.array(number(tol, "tol")), "tol", 0.0, 1.0))
    if threads is None:
        return tol, None
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise ValueError(f"threads must be a whole number >= 1, got {threads!r}")
    return tol, int(threads)


def as_limits(max_distance: ArrayLike | None) -> np.ndarray:
    """Distances beyond which a query may stop; infinite ones as large finite numbers."""
    if max_distance is None:
        return NO_LIMIT
    raw = np.asarray(max_distance)
    if raw.dtype.kind == "f" and np.isposinf(raw).any():
        raw = np.where(np.isposinf(raw), 1e300, raw)
    return validate.array(raw, "max_distance")


def as_normals(guess: Guess) -> np.ndarray:
    """World normals of a guess; the zero vector means no guess."""
    if guess is None:
        return NO_GUESS
    if isinstance(guess, Contact):
        return guess.normal
    if hasattr(guess, "point_a"):
        raise TypeError("guess must be a Contact of bodies in space, got a planar one")
    return validate.directions(guess, "guess")[0]


NO_LIMIT, NO_GUESS = np.array(1e300), np.zeros(3)
