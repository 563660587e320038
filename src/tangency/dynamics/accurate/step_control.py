"""Control of the steps of the accurate mode: length, accuracy and energy balance.

All limits are derived from the contacts (see ``contact/scale.py``): a stiff contact is nanometres deep and lasts
microseconds, and with tolerances suited to free flight a step would skip it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..contact.laws import curved
from ..contact.scale import (
    DEEPEST,
    DURATION,
    ELASTIC_NOW,
    ENERGY,
    FELT,
    FLATNESS,
    SCALES,
    SPRING_NOW,
    contact_scales,
)
from ..loads_kernel import IMMOVABLE
from ..state import (
    INVERSE_MOMENTS,
    MASS,
    MOMENTS,
    MOMENTUM,
    PLACE,
    STATE,
    TURN,
    VELOCITY,
    energies,
    speeds,
)
from ..wrenches import no_wrenches
from .equations import Equations
from .kernel import GAP, GAP_RATE, TOL
from .motion_vector import ABSORBED, ENERGIES, IMPULSE, LOST, STRETCH, SUMS, Parts, VectorBodies, joined

EPSILON = float(np.finfo(float).eps)
MAX_APPROACH = 0.05  # approach always allowed in one step, relative to the smaller body
MAX_DEPTH_CHANGE = 0.2  # largest change of depth in one step, relative to the final depth
FIRST_STEP = 0.01  # times the duration of a contact
MAX_IMBALANCE = 100.0  # times rtol: relative energy that a contact may lose or gain in total
MAX_IMBALANCE_CURVED = 0.05  # the same if the stiffness follows from materials: its energy changes with the curvature
NO_LIMIT = 1e6  # effectively no limit
SINGLE_STEP_SHARE = 0.1  # of that, always allowed in a single step: methods of low order start with very short ones
ROUNDING = 16.0  # units in the last place, of lengths and energies
ARM = 0.1  # lever of the error of an impulse, relative to the body
PLACE_INCREMENT, SPEED_INCREMENT = 1e-8, 1e-9  # for derivatives; for bodies of size 1, and in m/s


@dataclass(frozen=True, eq=False)
class Look:
    """A state, and the quantities that limit steps from it."""

    time: float
    vector: np.ndarray
    gaps: np.ndarray  # distances of all pairs and their rates
    scales: np.ndarray  # of the touching contacts, see ``contact/scale.py``
    pushed: np.ndarray  # accelerations of the bodies
    moving: float  # kinetic and gravitational energy
    kinetic: float


class Tolerances(NamedTuple):
    """Tolerances given by the user."""

    rtol: float
    atol: float
    max_step: float


class Imbalance(NamedTuple):
    """Energy that a step lost or gained, relative to the allowed amount and in J; and the contact, -1 for none."""

    excess: float
    energy: float
    contact: int


class StepControl:
    """Step control while the same contacts touch."""

    def __init__(self, equations: Equations, touching: np.ndarray, tolerances: Tolerances) -> None:
        self._equations, self._touching, self.tolerances = equations, touching, tolerances
        assembly = self._assembly = equations.assembly
        self._free, pairs, rtol = equations.free, equations.contacts.pairs, tolerances.rtol
        self._ij = assembly.owner[pairs[:, 0]], assembly.owner[pairs[:, 1]]
        self._apart = np.ones(len(pairs), bool)
        self._apart[touching] = False
        reach = np.where(assembly.reach > 0.0, assembly.reach, np.inf)
        size = np.minimum(reach[self._ij[0]], reach[self._ij[1]])
        self._nearer = MAX_APPROACH * np.where(np.isfinite(size), size, 0.0)
        self._light = assembly.inertia[:, INVERSE_MOMENTS].max(axis=1)
        self._no_loads = no_wrenches(len(assembly.names))
        laws = assembly.law_table.between(self._ij[0][touching], self._ij[1][touching])
        self._part = np.where(
            curved(assembly.laws, laws), max(MAX_IMBALANCE_CURVED, MAX_IMBALANCE * rtol), MAX_IMBALANCE * rtol
        )
        flat = assembly.flat != 0
        self._part[flat[pairs[touching, 0]] & flat[pairs[touching, 1]]] = NO_LIMIT  # patches have several depths

    def _parts(self, vector: np.ndarray) -> Parts:
        return self._equations.parts(vector)

    # ---- states --------------------------------------------------------------------------------
    def look(self, time: float, vector: np.ndarray, gaps: np.ndarray, pushed: np.ndarray) -> Look:
        """The state after a call of `Equations.distances`, which returned `gaps`."""
        equations = self._equations
        scales, y = np.zeros((len(self._touching), SCALES)), equations.bodies(time, vector)
        kinetic, gravitational = energies(y, self._assembly.inertia, self._assembly.gravity)
        world, numbers = equations.world, self._parts(vector).joints
        if equations.joints.size:
            moving, height = equations.joints.energies(numbers)
            kinetic, gravitational = kinetic + moving, gravitational + height
            inertia = equations.joints.felt(self._assembly.inertia, y, numbers)  # changes the rows of links
            world = (inertia, *world[1:])
        bodies = tuple(VectorBodies(self._free, y, self._no_loads, self._no_loads))
        contact_scales(vector, bodies, world, tuple(equations.looked), self._touching, pushed, scales)
        return Look(time, vector, gaps, scales, pushed, kinetic + gravitational, kinetic)

    def pushes(self, vector: np.ndarray, change: np.ndarray, time: float = 1.0) -> np.ndarray:
        """Upper bounds on the acceleration of any point of each body, from the change of the vector over `time`."""
        rows = self._parts(change).bodies
        out = np.zeros(len(self._assembly.names))
        turn = self._assembly.reach[self._free] * self._light[self._free]
        out[self._free] = _norms(rows[:, VELOCITY]) + turn * _norms(rows[:, MOMENTUM])
        joints = self._equations.joints
        if joints.size:
            now, rates = self._parts(vector).joints, self._parts(change).joints / time
            joints.write_accelerations(now, rates, self._assembly.reach, time, out)
        return out / time

    # ---- length --------------------------------------------------------------------------------
    def first_step(self, here: Look) -> float | None:
        """First step after an impact, or None if nothing touches."""
        if not len(self._touching):
            return None
        return FIRST_STEP * float(here.scales[:, DURATION].min())

    def longest(self, here: Look, bends: np.ndarray | None) -> float:
        """Longest step that skips no contact; `bends` are second derivatives of the distances."""
        steps = [self.tolerances.max_step]
        if self._apart.any():
            y = self._equations.bodies(here.time, here.vector)
            fast = np.empty(len(y))
            speeds(y, self._assembly.inertia, self._assembly.reach, fast)
            i, j = self._ij
            room = np.maximum(here.gaps[:, GAP], self._nearer)
            times = _time_for(room, fast[i] + fast[j], here.pushed[i] + here.pushed[j])
            steps.append(float(times[self._apart].min()))
        if len(self._touching):
            k = self._touching
            bend = here.pushed[self._ij[0][k]] + here.pushed[self._ij[1][k]] if bends is None else np.abs(bends[k])
            deepest = here.scales[:, DEEPEST]
            times = _time_for(MAX_DEPTH_CHANGE * deepest, np.abs(here.gaps[k, GAP_RATE]), bend)
            steps.append(float(times[deepest > 0.0].min(initial=np.inf)))
        return max(min(steps), 16.0 * EPSILON * max(abs(here.time), 1e-300))

    # ---- accuracy ------------------------------------------------------------------------------
    def errors(self, here: Look) -> np.ndarray:
        """Absolute tolerances of a step: for lengths, rotations, speeds, momenta, and the sums of contacts."""
        rtol, atol, free = self.tolerances.rtol, self.tolerances.atol, self._free
        (rows, own, numbers, works), inertia = self._parts(here.vector), self._assembly.inertia
        far, fast = np.zeros(len(inertia)), np.zeros(len(inertia))
        far[free], fast[free] = _norms(rows[:, PLACE]), _norms(rows[:, VELOCITY])
        place, turn = atol + rtol * far, np.full(len(inertia), atol + rtol)
        speed, spin = atol + rtol * fast, np.zeros(len(inertia))
        heavy = inertia[:, MOMENTS].max(axis=1)
        spin[free] = atol * heavy[free] + rtol * _norms(rows[:, MOMENTUM])
        reach = np.where(self._assembly.reach > 0.0, self._assembly.reach, 1.0)
        sums = np.zeros((len(self._touching), SUMS))
        sums[:, STRETCH] = atol + rtol * np.abs(own[:, STRETCH])
        driven = False
        for m, k in enumerate(self._touching):
            scale = here.scales[m]
            if not scale[ENERGY] > 0.0 or not scale[FELT] < IMMOVABLE:  # at rest, or between bodies that are not free
                sums[m, IMPULSE:] = atol + rtol * np.abs(own[m, IMPULSE:])
                driven = True
                continue
            quick = np.sqrt(2.0 * scale[ENERGY] / scale[FELT])
            for i in (self._ij[0][k], self._ij[1][k]):
                if not self._assembly.free[i]:
                    continue
                least = ROUNDING * EPSILON * (far[i] + reach[i])
                place[i] = min(place[i], max(rtol * scale[DEEPEST], least))
                turn[i] = min(turn[i], max(rtol * scale[DEEPEST] / reach[i], ROUNDING * EPSILON))
                share = rtol * quick * min(scale[FELT] / inertia[i, MASS], 1.0)
                speed[i] = min(speed[i], max(share, atol, ROUNDING * EPSILON * fast[i]))
                # At a flat place the contact point, and the torque with it, follows small errors of the normal.
                wander = min(max(TOL * scale[FLATNESS] / reach[i] / rtol, ARM), MAX_IMBALANCE)
                spin[i] = max(spin[i], share * inertia[i, MASS] * reach[i] * wander)
            sums[m, IMPULSE] = rtol * (abs(own[m, IMPULSE]) + scale[FELT] * quick)
            sums[m, ENERGIES] = rtol * (abs(own[m, ABSORBED]) + scale[ENERGY])
        out = np.empty((len(free), STATE))
        out[:, PLACE], out[:, TURN] = place[free, None], turn[free, None]
        out[:, VELOCITY], out[:, MOMENTUM] = speed[free, None], spin[free, None]
        held = self._held(here) + float((inertia[free, MASS] * here.pushed[free] * reach[free]).sum())
        works = rtol * (held + np.abs(works)) + (atol if driven or not held > 0.0 else 0.0)
        deepest = here.scales[:, DEEPEST]
        near = self._equations.joints.errors(numbers, rtol, atol, float(deepest[deepest > 0.0].min(initial=np.inf)))
        return joined(out, np.maximum(sums, 1e-300), near, works)

    def increments(self, here: Look) -> np.ndarray:
        """Increments for derivatives of a vector of ordinary size; 0 for the sums, on which nothing depends."""
        free = self._free
        size = np.where(self._assembly.reach > 0.0, self._assembly.reach, 1.0)
        near = PLACE_INCREMENT * size
        for m, k in enumerate(self._touching):
            for i in (self._ij[0][k], self._ij[1][k]):
                # Within the depth of the contact, and well above rounding.
                near[i] = min(near[i], max(1e-3 * here.scales[m, DEEPEST], 1e-12 * size[i]))
        rows = np.full((len(free), STATE), SPEED_INCREMENT)
        rows[:, PLACE], rows[:, TURN] = near[free, None], (near / size)[free, None]
        rows[:, MOMENTUM] *= self._assembly.inertia[free, MOMENTS].max(axis=1)[:, None]
        sums = np.zeros((len(self._touching), SUMS))
        sums[:, STRETCH] = PLACE_INCREMENT * 1e-2
        return joined(rows, sums, self._equations.joints.increments(), [0.0, 0.0])

    def noise(self, here: Look) -> float:
        """Relative uncertainty of a contact force due to rounding of the positions."""
        worst = 0.0
        rows = self._parts(here.vector).bodies
        far = float(_norms(rows[:, PLACE]).max(initial=0.0) + self._assembly.reach.max(initial=0.0))
        for deepest in here.scales[:, DEEPEST]:
            if deepest > 0.0:
                worst = max(worst, EPSILON * far / deepest)
        return worst

    # ---- energy balance ------------------------------------------------------------------------
    def _held(self, here: Look) -> float:
        return here.kinetic + float(here.scales[:, ENERGY].sum())

    def imbalance(self, a: Look, b: Look, springs: float) -> Imbalance:
        """Violation of the energy balance in the step from a to b.

        For each contact: absorbed energy = stored energy + dissipated energy.  For the whole world: the change of
        kinetic, gravitational and absorbed energy = external work.  `springs` is the energy of the springs.
        """
        step, rtol = b.time - a.time, self.tolerances.rtol
        (_, old, _, works_before), (bodies, new, _, works_after) = self._parts(a.vector), self._parts(b.vector)
        worst = Imbalance(0.0, 0.0, -1)
        quickest = np.inf
        far = float(np.abs(bodies[:, PLACE]).max(initial=0.0))
        far += float(self._assembly.reach.max(initial=0.0))
        for m, k in enumerate(self._touching):
            first, last = a.scales[m], b.scales[m]
            lasts = max(min(first[DURATION], last[DURATION]), 1e-300)
            quickest = min(quickest, lasts)
            stored = last[ELASTIC_NOW] - first[ELASTIC_NOW]
            error = (new[m, ABSORBED] - old[m, ABSORBED]) - (new[m, LOST] - old[m, LOST]) - stored
            energy = max(first[ENERGY], last[ENERGY])
            allowed = self._part[m] * energy * min(1.0, max(step / lasts, SINGLE_STEP_SHARE))
            lengths = far * max(first[SPRING_NOW], last[SPRING_NOW])
            allowed += ROUNDING * EPSILON * (lengths + np.abs(new[m, ENERGIES]).sum() + energy)
            if abs(error) > worst.excess * allowed:
                worst = Imbalance(abs(error) / allowed, float(error), int(k))
        absorbed, outer = works_after - works_before
        error = b.moving - a.moving + absorbed - outer
        held = max(self._held(a), self._held(b)) + springs
        allowed = MAX_IMBALANCE * rtol * held * min(1.0, max(step / quickest, SINGLE_STEP_SHARE))
        allowed += ROUNDING * EPSILON * (held + abs(b.moving) + np.abs(works_after).sum()) + 1e-300
        if abs(error) > worst.excess * allowed:
            worst = Imbalance(abs(error) / allowed, float(error), -1)
        return worst


def _time_for(way: np.ndarray, speed: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """Time to travel a distance, from v t + a t^2 / 2."""
    with np.errstate(divide="ignore", invalid="ignore"):
        time = 2.0 * way / (speed + np.sqrt(speed * speed + 2.0 * acceleration * way))
    return np.where(np.isnan(time), np.inf, time)


def _norms(rows: np.ndarray) -> np.ndarray:
    return np.sqrt((rows * rows).sum(axis=1))
