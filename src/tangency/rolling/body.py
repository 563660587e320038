"""A convex body that rolls on a plane without slipping (Römer 3-D, section 4.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..dynamics.body import Body
from ..dynamics.mass import Mass
from ..geometry.pose import RotationLike
from ..io import validate
from ..io.numbers import count, not_negative, number, positive
from ..io.spelling import Spelled
from ..kernels.vectors import frame
from ..shapes.shape import Shape, bounded
from .angles import rotations
from .equations_kernel import CONTACT_VELOCITY, OBSERVED, PLACE, SPIN, STATE, TURN, Constants, packed
from .integration import Equations, integrate
from .run import RollingRun
from .state import RollingState, fields_from

FLAT = 1e3  # times the size: a larger radius of curvature is that of a flat place
FLAT_START = 1e6  # times the size: at a larger one, no motion can start
OFF_PLANE = 1e-9  # times the size: largest distance of a given contact point from the plane


@dataclass(frozen=True, eq=False)
class RollingBody(Spelled):
    """A convex body that rolls without slipping on a plane through the origin.

    Parameters
    ----------
    shape : Shape
        A single body, without faces, edges and straight lines, with which it would hit the plane.
    density : float, optional
        Density [kg/m^3], from which mass, centre of mass and inertia of the shape follow.  Default 1000.
    mass : float, optional
        Mass [kg], instead of a density.
    inertia : (3, 3) or (3,) array_like, optional
        Inertia about the centre of mass, in the axes of the shape [kg m^2]; default that of the solid shape.
    centre_of_mass : (3,) array_like, optional
        Centre of mass in the frame of the shape [m]; default that of the shape.  Unless given, the inertia is
        shifted to it.
    gravity : (3,) array_like
        Gravitational acceleration in the world [m/s^2].
    normal : (3,) array_like
        Normal of the plane in the world, on the side of the body; need not be a unit vector.
    pivoting : bool
        Whether the body may spin about the normal of the plane.  If False, a torque about the normal keeps it
        from pivoting, as for rubber.

    Notes
    -----
    The contact point is the lowest point of the body, x(-u) with u the normal of the plane in the frame of the body.
    There the body rests, so its angular velocity determines all velocities.  The equations of motion are in
    docs/rolling-in-space.md.

    Examples
    --------
    A solid ellipsoid rocks about its shortest axis with the frequency of a pendulum.

    >>> import math, tangency as tg
    >>> from scipy.spatial.transform import Rotation
    >>> pebble = tg.rolling.RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1]), mass=1.0)
    >>> omega = math.sqrt(9.81 * (0.3**2 - 0.1**2) / 0.1 / ((0.3**2 + 0.1**2) / 5 + 0.1**2))
    >>> run = pebble.simulate(Rotation.from_rotvec([0, 1e-4, 0]), duration=2 * math.pi / omega)
    >>> (1e4 * run.orientation[-1].as_rotvec()).round(6).tolist()
    [0.0, 1.0, 0.0]
    """

    shape: Shape
    density: float | None = None
    mass: float | None = None
    inertia: ArrayLike | None = None
    centre_of_mass: ArrayLike | None = None
    gravity: ArrayLike = (0.0, 0.0, -9.81)
    normal: ArrayLike = (0.0, 0.0, 1.0)
    pivoting: bool = True

    mass_properties: Mass = field(init=False, repr=False)  #: mass, centre of mass and inertia about it
    _up: np.ndarray = field(init=False, repr=False)  #: (3,) unit normal of the plane

    def __post_init__(self) -> None:
        if bounded(self.shape, "shape").batch_shape:
            raise ValueError(f"shape must be a single body, got a stack of {self.shape.batch_shape}")
        if self.shape.flat:
            raise ValueError(
                "shape must be round: a body with faces, edges or straight lines hits the plane instead of rolling, "
                f"got {self.shape!r}; use tangency.dynamics"
            )
        given = {name: getattr(self, name) for name in ("density", "mass", "inertia", "centre_of_mass")}
        normal, _ = validate.directions(_one_vector(self.normal, "normal"), "normal")
        values = {
            "mass_properties": Body("rolling", self.shape, **given).mass_properties,
            "gravity": _one_vector(self.gravity, "gravity"),
            "normal": normal,
            "_up": normal,
        }
        if not isinstance(self.pivoting, bool | np.bool_):
            raise TypeError(f"pivoting must be True or False, got {self.pivoting!r}")
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def state(
        self,
        orientation: RotationLike = None,
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        *,
        contact: ArrayLike = (0.0, 0.0, 0.0),
    ) -> RollingState:
        """Position, velocity, acceleration, contact force and energy of the rolling body.

        Parameters
        ----------
        orientation : Rotation, (..., 3, 3) array_like or None
            From the frame of the shape to the world.
        angular_velocity : (..., 3) array_like
            In the world [rad/s].
        contact : (..., 3) array_like
            Contact point on the plane [m].

        Returns
        -------
        RollingState
            With the common leading axis of the arguments, at most one.

        Examples
        --------
        >>> import tangency as tg
        >>> egg = tg.rolling.RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1]), mass=2.0)
        >>> state = egg.state(angular_velocity=[0, 5, 0])
        >>> state.velocity.tolist(), state.contact_velocity.round(12).tolist()
        ([0.5, 0.0, 0.0], [4.5, 0.0, 0.0])
        """
        vectors = self._states(orientation, angular_velocity, contact)
        observed = self._observed(vectors.reshape(-1, STATE)).reshape(*vectors.shape[:-1], OBSERVED)
        return RollingState(**fields_from(observed, Rotation.from_quat(vectors[..., TURN]), self._up))

    def simulate(
        self,
        orientation: RotationLike = None,
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        duration: float = 1.0,
        *,
        friction: float | None = None,
        contact: ArrayLike = (0.0, 0.0, 0.0),
        samples: int = 501,
        rtol: float = 1e-13,
    ) -> RollingRun:
        """Motion from an initial state until the end of the duration, or until rolling fails.

        Parameters
        ----------
        orientation : Rotation, (3, 3) array_like or None
            Initial orientation, from the frame of the shape to the world.
        angular_velocity : (3,) array_like
            Initial angular velocity in the world [rad/s].
        duration : float
            Simulated time [s].
        friction : float, optional
            Coefficient of static friction, beyond which the body slips.  By default it never slips.
        contact : (3,) array_like
            Initial contact point on the plane [m].
        samples : int
            Number of evenly spaced times in the result.  If rolling fails, its time is the last one instead.
        rtol : float
            Relative tolerance of the integrator, SciPy's DOP853; at least 1e-13.

        Returns
        -------
        RollingRun

        Examples
        --------
        A ball on a slope of 45 degrees needs a coefficient of friction of 2/7.

        >>> import tangency as tg
        >>> ball = tg.rolling.RollingBody(tg.Sphere(0.1), gravity=[7, 0, -7])
        >>> ball.simulate(friction=0.28).end, ball.simulate(friction=0.29).end
        ('slip', 'time')
        """
        start = self._states(orientation, angular_velocity, contact)
        if start.ndim > 1:
            raise ValueError(f"orientation and angular_velocity must be single, got a stack of {start.shape[:-1]}")
        duration, samples = positive(duration, "duration"), count(samples, "samples", 2)
        friction = None if friction is None else not_negative(friction, "friction")
        rtol = number(rtol, "rtol", least=1e-13, most=1e-2)
        self._observed(start[None])
        equations = self._equations()
        path = integrate(equations, start, rtol * self._scale(start), np.linspace(0.0, duration, samples), friction)
        if path.end == "flat":
            self._require_flat(path.states[-1], float(path.time[-1]))
        observed = equations.observed(path.states)
        fields = fields_from(observed, Rotation.from_quat(path.states[:, TURN]), self._up)
        info = {"steps": path.steps, "evaluations": equations.evaluations}
        return RollingRun(**fields, time=path.time, body=self, end=path.end, info=info)

    # ---- states as vectors ---------------------------------------------------------------------
    def _equations(self) -> Equations:
        mass, centre, inertia = self.mass_properties
        normal = tuple(self._up.tolist())
        along, aside = frame.py_func(normal)
        upper = inertia[np.triu_indices(3)]
        constants = Constants(mass, centre, upper, normal, along, aside, self.gravity, bool(self.pivoting))
        return Equations(self.shape, packed(constants), self._up)

    def _states(self, orientation: RotationLike, angular_velocity: ArrayLike, contact: ArrayLike) -> np.ndarray:
        """Vectors (..., STATE) of the compiled code."""
        turn = rotations(orientation)
        spin, place = validate.vectors(angular_velocity, "angular_velocity"), validate.vectors(contact, "contact")
        stacks = {"orientation": turn.shape[:-2], "angular_velocity": spin.shape[:-1], "contact": place.shape[:-1]}
        shape = validate.broadcast(stacks)
        if len(shape) > 1:
            raise ValueError(f"orientation, angular_velocity and contact must have one stack axis, got {shape}")
        self._check(spin, place)
        rotation = Rotation.from_matrix(np.broadcast_to(turn, (*shape, 3, 3)))
        matrix = rotation.as_matrix()
        out = np.empty((*shape, STATE))
        out[..., TURN], out[..., SPIN] = rotation.as_quat(), np.einsum("...ji,...j->...i", matrix, spin)
        low = self.shape.point(-np.einsum("...ji,j->...i", matrix, self._up))
        arm = np.einsum("...ij,...j->...i", matrix, self.mass_properties.centre - low)
        out[..., PLACE] = (place + arm) @ np.array(frame.py_func(tuple(self._up.tolist()))).T
        return out

    def _observed(self, states: np.ndarray) -> np.ndarray:
        """What the compiled code sees in states (K, STATE); an error on flat places."""
        observed = self._equations().observed(states)
        most = FLAT_START * float(self.shape.bounding_radius) * np.linalg.norm(states[:, SPIN], axis=1)
        fine = np.isfinite(observed).all(axis=1) & (np.linalg.norm(observed[:, CONTACT_VELOCITY], axis=1) <= most)
        if not fine.all():
            name = f"orientation[{int(fine.argmin())}]" if len(states) > 1 else "orientation"
            raise ValueError(
                f"{name} must not put a turning body on a flat place: its contact point would move infinitely fast"
            )
        return observed

    def _check(self, spin: np.ndarray, place: np.ndarray) -> None:
        size = float(self.shape.bounding_radius)
        off = np.abs(place @ self._up) > OFF_PLANE * (size + np.linalg.norm(place, axis=-1))
        if off.any():
            raise ValueError(f"contact must lie on the plane through the origin, got {validate.short(place)}")
        pivots = np.abs(spin @ self._up) > 1e-12 * np.linalg.norm(spin, axis=-1)
        if not self.pivoting and pivots.any():
            raise ValueError(
                "angular_velocity must have no component along the normal for a body without pivoting, got "
                f"{validate.short(spin)}"
            )

    def _scale(self, start: np.ndarray) -> np.ndarray:
        """Magnitudes to which the errors of the integration are relative."""
        size = float(self.shape.bounding_radius)
        rate = max(float(np.linalg.norm(start[SPIN])), math.sqrt(float(np.linalg.norm(self.gravity)) / size)) or 1.0
        scale = np.ones(STATE)
        scale[SPIN], scale[PLACE] = rate, size
        return scale

    def _require_flat(self, state: np.ndarray, time: float) -> None:
        """Raise an error if the integration has failed elsewhere than at a flat place."""
        normal = -Rotation.from_quat(state[TURN]).inv().apply(self._up)
        largest = float(np.abs(self.shape.hessian(normal)).max())
        if self.shape.smooth and not largest > FLAT * float(self.shape.bounding_radius):
            raise RuntimeError(f"the motion could not be integrated beyond t = {time:.9g} s; try a larger rtol")


def _one_vector(value: ArrayLike, name: str) -> np.ndarray:
    vector = validate.vectors(value, name)
    if vector.ndim > 1:
        raise ValueError(f"{name} must be one vector, got shape {vector.shape}")
    return vector
