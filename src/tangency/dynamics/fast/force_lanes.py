"""Many contacts at a time, in vector instructions: the parts of `contact_force` before, between and after the laws.

The formulas are those of ``loads_kernel.py``, for contacts at one point.  No lane affects another one.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled.cache_lines import aligned
from ...compiled.jit import lane, lane_part, select
from ...kernels.block import LANES, add, axpy, cross, dot, get3, put3, scale, sub
from ..contact.forces import DAMPED_PER_STEP
from ..contact.law_faults import INFINITE
from ..loads_kernel import IMMOVABLE, ROUNDED_DOWN

# Rows of a block.  Both bodies: centre of mass, velocity, angular velocity, inverse mass, largest inverse moment.
X_A, V_A, W_A, LIGHT_A, SWING_A = 0, 3, 6, 9, 10
X_B, V_B, W_B, LIGHT_B, SWING_B = 11, 14, 17, 20, 21
# The contact: distance, normal, point on A, stretch of the bristles, smaller half width, whether friction has a state.
GAP, NORMAL, FOOT, STRETCH, HALF, STATE = 22, 23, 26, 29, 32, 33
# Before the laws: point of application, velocity of B relative to A, its parts, angular velocity of B relative to A,
# stretch in the tangent plane; lower bounds on the effective mass, along the normal and in any direction.
POINT, VELOCITY, SPEED, SPIN, LEAST_ALONG, LEAST = 34, 37, 40, 41, 44, 45
# Arguments and results of the laws, in the order of ``forces/law_lanes.py``: depth, its rate, impact speed, curvatures,
# elastic part and energy of the normal force, normal force; slip, stretch, friction, stretch after it, its energy.
OVERLAP, RATE, IMPACT, CURVATURES, SPRING, ELASTIC, LOAD = 46, 47, 48, 49, 51, 52, 53
SLIP, TURNED, FRICTION, CHANGE, BRISTLES = 54, 57, 60, 63, 66
# After the laws: torque; whether the normal force is finite and the step resolves it, and the same for the friction;
# force on B, its power, torques about both centres of mass; slip, relative rotation and undue slip in the step, and the
# depth, in half widths.
TORQUE, SOUND, RESOLVED, FORCE, POWER, TORQUE_A, TORQUE_B = 67, 70, 71, 72, 75, 76, 79
WAY, ROTATION, UNDUE, DEPTH = 82, 85, 88, 91
ROWS = 92


def new_lanes() -> np.ndarray:
    """A block of ones."""
    memory = aligned((ROWS * LANES,))
    memory[:] = 1.0
    return memory


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
        s[OVERLAP * LANES + l], s[RATE * LANES + l] = -gap, -rate
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
def weigh(s, h):
    """Whether the normal force is finite, and the step h is short enough for its damper, see `weakened`."""
    for l in range(LANES):
        load, spring, rate = s[LOAD * LANES + l], s[SPRING * LANES + l], s[RATE * LANES + l]
        finite = abs(load) + abs(spring) + abs(s[ELASTIC * LANES + l]) < INFINITE
        slow = abs(load - spring) * h <= DAMPED_PER_STEP * s[LEAST_ALONG * LANES + l] * abs(rate)
        s[SOUND * LANES + l] = select(finite & slow, 1.0, 0.0)


@lane
def judge(s, h):
    """Whether the friction is finite, and the step h is short enough for it, see `is_resolved`.

    Torque and undue slip are set to zero.
    """
    for l in range(LANES):
        for c in range(3):
            s[(TORQUE + c) * LANES + l] = s[(UNDUE + c) * LANES + l] = 0.0
        friction, change, speed = get3(s, FRICTION, l), get3(s, CHANGE, l), s[SPEED * LANES + l]
        most = DAMPED_PER_STEP * s[LEAST * LANES + l] * speed / h
        square = dot(change, change)
        some = square > 0.0
        stiffness = select(some, 2.0 * s[BRISTLES * LANES + l] / select(some, square, 1.0), 0.0)
        rest = axpy(friction, stiffness, change)
        grows = h * stiffness * speed + math.sqrt(dot(rest, rest))
        weak = (math.sqrt(dot(friction, friction)) <= most) | (not speed > 0.0)
        soft = (s[STATE * LANES + l] > 0.0) & (grows <= most)
        size = abs(friction[0]) + abs(friction[1]) + abs(friction[2]) + abs(change[0]) + abs(change[1]) + abs(change[2])
        finite = size + abs(s[BRISTLES * LANES + l]) < INFINITE
        s[RESOLVED * LANES + l] = select((weak | soft) & finite, 1.0, 0.0)


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
