"""Many bodies at a time, in vector instructions: kicks, free motion, bounds on the motion of the next step.

No lane affects another one.
"""

from __future__ import annotations

import math

from ...compiled.jit import lane, lane_part, select
from ...kernels.block import LANES, axpy, dot, get3, get9, larger, mat_mul, mat_t_mul, put3, sub
from ...kernels.free_rotation import SHORT, turned_little
from ...kernels.quaternions import matrix

# Rows of a block: the state, in the order of its columns (`state`); force and torque, the loads among them, mass and
# inverse mass, inverse moments, rotation matrix, reach.
X, Q, V, L, F, T, LOAD_F, LOAD_T = 0, 3, 7, 10, 13, 16, 19, 22
MASS, LIGHT, INVERSE, FRAME, REACH = 25, 26, 27, 30, 39
# Velocities predicted for the end of the step, those after it, and their differences.
AHEAD, SPIN, AFTER, CHANGE_V, CHANGE_W = 40, 43, 46, 49, 52
# Works of a kick, absorbed and external; bounds on displacement and rotation; whether a body turns fast; place and
# quaternion when the list of pairs was made, and a bound on the displacement since then.
ABSORBED, GIVEN, MOVE, ANGLE, FAST, MARKS, FAR = 55, 56, 57, 58, 59, 60, 67
ROWS = 68
ROUNDING = 1e-7  # of displacements by rotation, in units of the reach: square root of a rounding error


@lane_part
def _spin(s, l, momentum):
    """Angular velocity of a body with this angular momentum; if it is not free, the momentum is its velocity."""
    inverse, frame = get3(s, INVERSE, l), get9(s, FRAME, l)
    p = mat_t_mul(frame, momentum)
    w = mat_mul(frame, (inverse[0] * p[0], inverse[1] * p[1], inverse[2] * p[2]))
    free = s[LIGHT * LANES + l] > 0.0
    return select(free, w[0], momentum[0]), select(free, w[1], momentum[1]), select(free, w[2], momentum[2])


@lane
def kick(s, t, gx, gy, gz):
    """Update the velocities over the time t under the forces, and note the absorbed and the external work.

    The works are those of the kicks themselves, so that the energy balance holds for any step.  (gx, gy, gz) is the
    acceleration of gravity.
    """
    for l in range(LANES):
        f, torque, light, free = get3(s, F, l), get3(s, T, l), s[LIGHT * LANES + l], s[LIGHT * LANES + l] > 0.0
        push = select(free, t, 0.0)
        v, momentum = get3(s, V, l), get3(s, L, l)
        middle = axpy(v, 0.5 * push * light, f)
        w = _spin(s, l, axpy(momentum, 0.5 * push, torque))
        given = t * (dot(get3(s, LOAD_F, l), middle) + dot(get3(s, LOAD_T, l), w))
        weight = t * s[MASS * LANES + l] * dot((gx, gy, gz), middle)
        done = t * (dot(f, middle) + dot(torque, w))
        s[ABSORBED * LANES + l] = select(free, given + weight - done, -done)
        s[GIVEN * LANES + l] = select(free, given, -done)
        put3(s, V, l, axpy(v, push * light, f))
        put3(s, L, l, axpy(momentum, push, torque))


@lane
def fly(s, h):
    """Move free bodies for the time h without forces; FAST is written for those that turn too far for this."""
    for l in range(LANES):
        free = s[LIGHT * LANES + l] > 0.0
        time, momentum, inverse = select(free, h, 0.0), get3(s, L, l), get3(s, INVERSE, l)
        put3(s, X, l, axpy(get3(s, X, l), time, get3(s, V, l)))
        angle = 0.5 * time * math.sqrt(dot(momentum, momentum)) * larger(inverse[0], larger(inverse[1], inverse[2]))
        s[FAST * LANES + l] = select(angle > SHORT, 1.0, 0.0)
        x, y, z = get3(s, Q, l)
        w = s[(Q + 3) * LANES + l]
        q = turned_little((x, y, z, w), momentum, inverse, time)
        little = free & (angle <= SHORT)
        put3(s, Q, l, (select(little, q[0], x), select(little, q[1], y), select(little, q[2], z)))
        s[(Q + 3) * LANES + l] = select(little, q[3], w)


@lane
def turn_frames(s):
    """Rotation matrices of the quaternions.

    They have the bits of `matrix` for one body, by which other ranks and resumed runs compute them.
    """
    for l in range(LANES):
        x, y, z = get3(s, Q, l)
        m = matrix((x, y, z, s[(Q + 3) * LANES + l]))
        put3(s, FRAME, l, (m[0], m[1], m[2]))
        put3(s, FRAME + 3, l, (m[3], m[4], m[5]))
        put3(s, FRAME + 6, l, (m[6], m[7], m[8]))


@lane
def predict(s, h):
    """The velocities at the end of the step h if the forces stay."""
    for l in range(LANES):
        light = s[LIGHT * LANES + l]
        push = select(light > 0.0, 0.5 * h, 0.0)
        put3(s, AHEAD, l, axpy(get3(s, V, l), push * light, get3(s, F, l)))
        put3(s, SPIN, l, _spin(s, l, axpy(get3(s, L, l), push, get3(s, T, l))))


@lane
def compare(s):
    """By how much the velocities differ from those predicted."""
    for l in range(LANES):
        w = _spin(s, l, get3(s, L, l))
        put3(s, AFTER, l, w)
        put3(s, CHANGE_V, l, sub(get3(s, V, l), get3(s, AHEAD, l)))
        put3(s, CHANGE_W, l, sub(w, get3(s, SPIN, l)))


@lane
def bound(s, h):
    """Bounds on displacement and rotation in a step h under the forces, and on the displacement so far.

    A rotation by the angle a moves points at the distance r by up to 2 r sin(a / 2); cos(a / 2) is the product of both
    quaternions.
    """
    for l in range(LANES):
        v, momentum, f, torque = get3(s, V, l), get3(s, L, l), get3(s, F, l), get3(s, T, l)
        light, inverse = s[LIGHT * LANES + l], get3(s, INVERSE, l)
        free = light > 0.0
        half = select(free, 0.5 * h, 0.0)
        speed = math.sqrt(dot(v, v)) + half * light * math.sqrt(dot(f, f))
        turn = math.sqrt(dot(momentum, momentum)) + half * math.sqrt(dot(torque, torque))
        turn = turn * select(free, larger(inverse[0], larger(inverse[1], inverse[2])), 1.0)
        s[MOVE * LANES + l] = h * (speed + s[REACH * LANES + l] * turn)
        s[ANGLE * LANES + l] = h * turn
        away, p, m = sub(get3(s, X, l), get3(s, MARKS, l)), get3(s, Q, l), get3(s, MARKS + 3, l)
        cosine = dot(p, m) + s[(Q + 3) * LANES + l] * s[(MARKS + 6) * LANES + l]
        sine = math.sqrt(larger(1.0 - cosine * cosine, 0.0)) + ROUNDING
        s[FAR * LANES + l] = math.sqrt(dot(away, away)) + 2.0 * s[REACH * LANES + l] * sine
