"""Equations of motion of a rolling body, compiled.

All vectors are in the frame of the body.  u is the normal of the plane, x the contact point, c the centre of mass,
r = c - x, and w the angular velocity; m is the mass, J the inertia about c, g gravity, F the contact force.

The body touches the plane at its lowest point (Römer 3-D, Eq. 77), which moves over the surface as the body turns::

    x = x(-u),  u' = u x w,  x' = -W u'

with W = Hess h at -u.  The point of the body that touches the plane rests (Eq. 75), so c has the velocity and the
acceleration ::

    v = w x r,  a = w' x r + w x (W u') + w x (w x r)

Newton's law m a = m g + F gives the force, and with it Euler's law about c, J w' + w x J w = -r x F, contains only w'::

    (J + m (r.r - r r')) w' = -w x J w - m r x (w x (W u') + w x (w x r) - g)

The matrix is the inertia about the contact point: positive definite for any mass distribution.  Where the body must not
pivot, a torque N u acts in addition and w' has no component along u.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import call_shape, element, entry, jit
from ..kernels.jet import JET, SUPPORT, hessian_of, point_of
from ..kernels.quaternions import matrix, multiply
from ..kernels.vectors import add, axpy, cross, dot, mat_mul, mat_t_mul, scale, sub, sym_mul, sym_solve

# The state: quaternion of the body in the world, angular velocity in the body, centre of mass along the plane.
TURN, SPIN, PLACE, STATE = slice(0, 4), slice(4, 7), slice(7, 9), 9

# What `observe` writes for a state; world frame but for BODY_POINT.
BODY_POINT, CONTACT, REFERENCE, CENTRE = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)
VELOCITY, ANGULAR_VELOCITY, ANGULAR_ACCELERATION = slice(12, 15), slice(15, 18), slice(18, 21)
CONTACT_VELOCITY, FORCE, TORQUE, KINETIC, POTENTIAL, OBSERVED = slice(21, 24), slice(24, 27), 27, 28, 29, 30

REST = (0.0, 0.0, 0.0)


class Constants(NamedTuple):
    """What does not change during a motion."""

    mass: float
    centre: Any  #: centre of mass, in the body
    inertia: Any  #: about it, (xx, xy, xz, yy, yz, zz)
    normal: Any  #: of the plane, in the world
    along: Any  #: two unit vectors along the plane, in the world
    aside: Any
    gravity: Any  #: in the world
    pivots: bool  #: whether the body may spin about the normal


class Instant(NamedTuple):
    """A body at one instant; in its own frame but for `rotation`."""

    rotation: Any
    normal: Any
    height: float  #: of the reference point above the plane
    point: Any  #: contact point
    arm: Any  #: from the contact point to the centre of mass
    spin: Any
    slide: Any  #: rate of the contact point on the surface
    spin_rate: Any
    acceleration: Any  #: of the centre of mass
    torque: float  #: along the normal, on a body that must not pivot


def packed(constants: Constants) -> np.ndarray:
    """The constants as the row that compiled code takes."""
    return np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in constants])


@jit
def _triple(row, i):
    return (row[i], row[i + 1], row[i + 2])


@jit
def unpacked(row):
    """The constants in a row."""
    inertia = (row[4], row[5], row[6], row[7], row[8], row[9])
    normal, along, aside, gravity = _triple(row, 10), _triple(row, 13), _triple(row, 16), _triple(row, 19)
    return Constants(row[0], _triple(row, 1), inertia, normal, along, aside, gravity, row[22] > 0.0)


@jit
def _about_contact(constants, r):
    """Inertia about the contact point."""
    m, j, square = constants.mass, constants.inertia, dot(r, r)
    return (
        j[0] + m * (square - r[0] * r[0]),
        j[1] - m * r[0] * r[1],
        j[2] - m * r[0] * r[2],
        j[3] + m * (square - r[1] * r[1]),
        j[4] - m * r[1] * r[2],
        j[5] + m * (square - r[2] * r[2]),
    )


@jit
def instant(address, rows, constants, y, jet):
    """Kinematics and acceleration in the state y; `jet` is room for the jet of the shape."""
    rotation = matrix((y[0], y[1], y[2], y[3]))
    w = (y[4], y[5], y[6])
    u, gravity = mat_t_mul(rotation, constants.normal), mat_t_mul(rotation, constants.gravity)
    call_shape(address, element(rows, 0), rows.shape[1], -u[0], -u[1], -u[2], element(jet, 0))
    point = point_of(jet, 0)
    r = sub(constants.centre, point)
    turning, slide = cross(u, w), REST
    if dot(turning, turning) > 0.0:  # a body may rest or pivot on a flat place, where W is infinite
        slide = scale(sym_mul(hessian_of(jet, 0), turning), -1.0)
    driven = sub(cross(w, cross(w, r)), cross(w, slide))  # acceleration without w'
    gyroscopic = cross(w, sym_mul(constants.inertia, w))
    load = scale(add(gyroscopic, scale(cross(r, sub(driven, gravity)), constants.mass)), -1.0)
    inertia = _about_contact(constants, r)
    rate, torque = sym_solve(inertia, load), 0.0
    if not constants.pivots:
        turn = sym_solve(inertia, u)
        torque = -dot(u, rate) / dot(u, turn)
        rate = axpy(rate, torque, turn)
    acceleration = add(driven, cross(rate, r))
    return Instant(rotation, u, jet[SUPPORT], point, r, w, slide, rate, acceleration, torque)


@entry
def rates(address, rows, row, y, out):
    """Write the rate of the state y to `out`; NaN where the shape has no finite curvature."""
    constants = unpacked(row)
    now = instant(address, rows, constants, y, np.empty(JET))
    q = multiply((y[0], y[1], y[2], y[3]), (now.spin[0], now.spin[1], now.spin[2], 0.0))
    for i in range(4):
        out[i] = 0.5 * q[i]
    for i in range(3):
        out[4 + i] = now.spin_rate[i]
    velocity = mat_mul(now.rotation, cross(now.spin, now.arm))  # Römer 3-D, Eq. (76)
    out[7], out[8] = dot(velocity, constants.along), dot(velocity, constants.aside)


@jit
def _write(out, i, vector):
    out[i], out[i + 1], out[i + 2] = vector


@entry
def observe(address, rows, row, states, out):
    """Write positions, velocities, force and energy of many states, in the columns above."""
    constants, jet = unpacked(row), np.empty(JET)
    m, g = constants.mass, constants.gravity
    for k in range(states.shape[0]):
        y, seen = states[k], out[k]
        now = instant(address, rows, constants, y, jet)
        turn, w, r = now.rotation, now.spin, now.arm
        height = dot(now.normal, constants.centre) + now.height
        centre = axpy(scale(constants.along, y[7]), y[8], constants.aside)
        centre = axpy(centre, height, constants.normal)
        to_contact = mat_mul(turn, r)
        contact = sub(centre, to_contact)
        contact = axpy(contact, -dot(contact, constants.normal), constants.normal)  # rounding
        spin = mat_mul(turn, sym_mul(_about_contact(constants, r), w))
        _write(seen, 0, now.point)
        _write(seen, 3, contact)
        _write(seen, 6, sub(centre, mat_mul(turn, constants.centre)))
        _write(seen, 9, centre)
        _write(seen, 12, mat_mul(turn, cross(now.point, w)))  # Römer 3-D, Eq. (76)
        _write(seen, 15, mat_mul(turn, w))
        _write(seen, 18, mat_mul(turn, now.spin_rate))
        _write(seen, 21, mat_mul(turn, now.slide))
        _write(seen, 24, scale(sub(mat_mul(turn, now.acceleration), g), m))
        seen[27] = now.torque
        seen[28], seen[29] = 0.5 * dot(mat_mul(turn, w), spin), -m * dot(g, centre)
