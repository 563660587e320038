"""Springs with dampers between two points, and user-defined loads."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import jit
from ..io import validate
from ..io.spelling import Spelled
from ..kernels.quaternions import matrix
from ..kernels.vectors import add, cross, dot, mat_mul, scale, sub
from .ranges import in_range
from .state import orientation, place, velocity_at
from .wrenches import push

# Columns of the table of springs: both ends in the principal frames, stiffness, damping, natural length.
_END_A, _END_B, STIFFNESS, DAMPING, _LENGTH = 0, 3, 6, 7, 8
SPRING = 9


@dataclass(frozen=True, eq=False)
class Spring(Spelled):
    """A straight spring with a parallel damper between a point of a body and another body or the world.

    Parameters
    ----------
    a, b : str
        Names of the bodies; with ``b=None`` the second end is fixed in the world.
    point_a, point_b : (3,) array_like
        Ends in the body frames (in the world frame for ``b=None``) [m].
    stiffness : float
        Stiffness [N/m], >= 0.
    damping : float
        Damping coefficient [N s/m], >= 0.
    length : float, optional
        Natural length [m]; default the initial length.
    """

    a: str
    b: str | None = None
    point_a: ArrayLike = (0.0, 0.0, 0.0)
    point_b: ArrayLike = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    length: float | None = None

    def __post_init__(self) -> None:
        for name in ("point_a", "point_b"):
            vector = validate.vectors(getattr(self, name), name)
            validate.single({name: vector.shape[:-1]})
            object.__setattr__(self, name, vector)
        for name in ("stiffness", "damping", "length"):
            value = getattr(self, name)
            if value is None:
                continue
            number = validate.array(value, name)
            if number.shape or not number >= 0.0:
                raise ValueError(f"{name} must be a single number >= 0, got {value!r}")
            if name != "length":
                in_range(number, name)
            object.__setattr__(self, name, float(number))
        if self.stiffness == 0.0 and self.damping == 0.0:
            raise ValueError("stiffness or damping must be > 0, got 0 for both")
        if self.stiffness == 0.0 and self.length is not None:
            raise ValueError(f"length must not be given without a stiffness, got {self.length:g}")
        if self.a == self.b:
            raise ValueError(f"a and b must be two different bodies, got {self.a!r} twice")


class BodyState(NamedTuple):
    """Argument of a load: state of one body at one instant, in the world."""

    position: np.ndarray  #: (3,) origin of the body frame [m]
    rotation: np.ndarray  #: (3, 3) body to world
    centre_of_mass: np.ndarray  #: (3,) [m]
    velocity: np.ndarray  #: (3,) of the centre of mass [m/s]
    angular_velocity: np.ndarray  #: (3,) [rad/s]


@dataclass(frozen=True, eq=False)
class Load(Spelled):
    """A user-defined force on one body.

    Parameters
    ----------
    body : str
        Name of the body.
    function : callable
        Function of the time [s] and the :class:`BodyState`; returns the force [N] at the centre of mass, or a
        pair (force, torque) with the torque about the centre of mass [N m], both in the world.  The fast mode
        passes the state before the step, which makes these forces first order in the step.

    Examples
    --------
    >>> import tangency as tg
    >>> drag = tg.dynamics.Load("ball", lambda t, state: -0.1 * state.velocity)
    """

    body: str
    function: Callable[[float, BodyState], ArrayLike | tuple[ArrayLike, ArrayLike]]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {self.function!r}")

    def __call__(self, time: float, state: BodyState) -> tuple[np.ndarray, np.ndarray]:
        answer = self.function(time, state)
        both = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, (0.0, 0.0, 0.0))
        try:
            parts = [np.asarray(part) for part in both]
            real = not any(np.iscomplexobj(part) for part in parts)
            force, torque = (part.real.astype(float) for part in parts)
        except (TypeError, ValueError):
            real = False
        if not real or force.shape != (3,) or torque.shape != (3,) or not np.isfinite([force, torque]).all():
            raise ValueError(
                f"the load on body {self.body!r} must return three finite numbers, or a pair of three, got {answer!r}"
            )
        in_range([force, torque], "force", f"the load on body {self.body!r}")
        return force, torque


@jit
def _ends(y, i, j, spring):
    """Both ends of a spring between the bodies i and j (-1 for the world), in the world."""
    p = (spring[_END_A], spring[_END_A + 1], spring[_END_A + 2])
    q = (spring[_END_B], spring[_END_B + 1], spring[_END_B + 2])
    p = add(place(y, i), mat_mul(matrix(orientation(y, i)), p))
    if j >= 0:
        q = add(place(y, j), mat_mul(matrix(orientation(y, j)), q))
    return p, q


@jit
def pull(motion, ends, springs, forces):
    """Add the forces of all springs to `forces`; return their elastic energy and the power they absorb."""
    y, energy, power = motion.y, 0.0, 0.0
    for k in range(ends.shape[0]):
        i, j, spring = ends[k, 0], ends[k, 1], springs[k]
        p, q = _ends(y, i, j, spring)
        d = sub(q, p)
        length = math.sqrt(dot(d, d))
        stretch = length - spring[_LENGTH]
        energy += 0.5 * spring[STIFFNESS] * stretch * stretch
        if length == 0.0:
            continue  # zero length: no direction
        e = scale(d, 1.0 / length)
        v = velocity_at(motion, i, p)
        if j >= 0:
            v = sub(velocity_at(motion, j, q), v)
        else:
            v = scale(v, -1.0)
        rate = dot(v, e)
        tension = spring[STIFFNESS] * stretch + spring[DAMPING] * rate
        power += tension * rate
        f = scale(e, tension)
        push(forces, i, f, cross(sub(p, place(y, i)), f))
        if j >= 0:
            f = scale(f, -1.0)
            push(forces, j, f, cross(sub(q, place(y, j)), f))
    return energy, power
