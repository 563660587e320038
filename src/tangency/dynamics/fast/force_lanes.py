"""Many contacts at a time, in vector instructions: the parts of `contact_force` before, between and after the laws.

The formulas are those of ``loads_kernel.py``, for contacts at one point.  No lane affects another one.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled.jit import lane, lane_part, select
from ...kernels.block import LANES, add, axpy, cross, dot, get3, put3, scale, sub
from ..contact.forces import DAMPED_PER_STEP
from ..loads_kernel import IMMOVABLE, ROUNDED_DOWN

# Rows of a block.  Both bodies: centre of mass, velocity, angular velocity, inverse mass, largest inverse moment.
X_A, V_A, W_A, LIGHT_A, SWING_A = 0, 3, 6, 9, 10
X_B, V_B, W_B, LIGHT_B, SWING_B = 11, 14, 17, 20, 21
# The contact: distance, normal, point on A, stretch of the bristles, smaller half width, whether friction has a state.
GAP, NORMAL, FOOT, STRETCH, HALF, STATE = 22, 23, 26, 29, 32, 33
# Before the laws: point of application, velocity of B relative to A, its parts, angular velocity of B relative to A,
# stretch in the tangent plane; lower bounds on the effective mass, along the normal and in any direction.
POINT, VELOCITY, RATE, SLIP, SPEED, SPIN, TURNED, LEAST_ALONG, LEAST = 34, 37, 40, 41, 44, 45, 48, 51, 52
# From the laws: normal force, its elastic part and energy, friction, stretch after the step, energy of it, torque.
LOAD, SPRING, ELASTIC, FRICTION, CHANGE, BRISTLES, TORQUE = 53, 54, 55, 56, 59, 62, 63
# After the laws: whether the step resolves the friction; force on B, its power, torques about both centres of mass;
# slip, relative rotation and undue slip in the step, and the depth, in half widths.
RESOLVED, FORCE, POWER, TORQUE_A, TORQUE_B, WAY, ROTATION, UNDUE, DEPTH = 66, 67, 70, 71, 74, 77, 80, 83, 86
ROWS = 87

_LINE = 8  # numbers in a cache line


def new_lanes() -> np.ndarray:
    """A block of ones that begins at a cache line."""
    memory = np.ones(ROWS * LANES + _LINE)
    start = -(memory.ctypes.data // 8) % _LINE
    return memory[start : start + ROWS * LANES]


@lane_part
def _least(light):
    """Lower bound on the mass, from an upper bound on its inverse."""
    free = light > 0.0
    return select(free, ROUNDED_DOWN / select(free, light, 1.0), IMMOVABLE)


@lane
def meet(s, where):
    """How the bodies move against each other; `where` as in `WorldTables`."""
    for l in range(LANES):
        n, gap = get3(s, NORMAL, l), s[GAP * LANES + l]
        x = axpy(get3(s, FOOT, l), where * gap, n)
        arm_a, arm_b = sub(x, get3(s, X_A, l)), sub(x, get3(s, X_B, l))
        w_a, w_b = get3(s, W_A, l), get3(s, W_B, l)
        v_a, v_b = add(get3(s, V_A, l), cross(w_a, arm_a)), add(get3(s, V_B, l), cross(w_b, arm_b))
        u = sub(v_b, v_a)
        rate = dot(u, n)
        slip = axpy(u, -rate, n)
        put3(s, POINT, l, x)
        put3(s, VELOCITY, l, u)
        put3(s, SLIP, l, slip)
        put3(s, SPIN, l, sub(w_b, w_a))
        s[RATE * LANES + l] = -rate
        s[SPEED * LANES + l] = math.sqrt(dot(slip, slip))
        square_a, square_b, along_a, along_b = dot(arm_a, arm_a), dot(arm_b, arm_b), dot(arm_a, n), dot(arm_b, n)
        light, swing_a, swing_b = s[LIGHT_A * LANES + l], s[SWING_A * LANES + l], s[SWING_B * LANES + l]
        light += s[LIGHT_B * LANES + l]
        s[LEAST * LANES + l] = _least(light + square_a * swing_a + square_b * swing_b)
        square_a, square_b = square_a - along_a * along_a, square_b - along_b * along_b
        s[LEAST_ALONG * LANES + l] = _least(light + square_a * swing_a + square_b * swing_b)
    for l in range(LANES):
        # `turned`: into the tangent plane, with the same length.
        n, stretch = get3(s, NORMAL, l), get3(s, STRETCH, l)
        flat = axpy(stretch, -dot(stretch, n), n)
        old, new = dot(stretch, stretch), dot(flat, flat)
        some = new > 0.0
        put3(s, TURNED, l, scale(flat, math.sqrt(select(some, old, 1.0) / select(some, new, 1.0))))


@lane
def judge(s, h):
    """Whether the step h is short enough for the friction, see `is_resolved`."""
    for l in range(LANES):
        friction, change, speed = get3(s, FRICTION, l), get3(s, CHANGE, l), s[SPEED * LANES + l]
        most = DAMPED_PER_STEP * s[LEAST * LANES + l] * speed / h
        square = dot(change, change)
        some = square > 0.0
        stiffness = select(some, 2.0 * s[BRISTLES * LANES + l] / select(some, square, 1.0), 0.0)
        rest = axpy(friction, stiffness, change)
        grows = h * stiffness * speed + math.sqrt(dot(rest, rest))
        weak = (math.sqrt(dot(friction, friction)) <= most) | (not speed > 0.0)
        soft = (s[STATE * LANES + l] > 0.0) & (grows <= most)
        s[RESOLVED * LANES + l] = select(weak | soft, 1.0, 0.0)


@lane
def join(s, h):
    """Force on B, its power and torques about the centres of mass; ways in the step h."""
    for l in range(LANES):
        n, x, torque, spin = get3(s, NORMAL, l), get3(s, POINT, l), get3(s, TORQUE, l), get3(s, SPIN, l)
        f = axpy(get3(s, FRICTION, l), s[LOAD * LANES + l], n)
        put3(s, FORCE, l, f)
        s[POWER * LANES + l] = -dot(f, get3(s, VELOCITY, l)) - dot(torque, spin)
        put3(s, TORQUE_A, l, sub(cross(f, sub(x, get3(s, X_A, l))), torque))
        put3(s, TORQUE_B, l, add(cross(sub(x, get3(s, X_B, l)), f), torque))
        inverse = 1.0 / s[HALF * LANES + l]
        put3(s, WAY, l, scale(get3(s, SLIP, l), h * inverse))
        put3(s, ROTATION, l, scale(spin, h))
        s[DEPTH * LANES + l] = -s[GAP * LANES + l] * inverse
