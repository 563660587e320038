"""Few bodies, accurately: SciPy's integrators from one event to the next.

A pair of shapes begins to touch, or ceases to, at an instant that is searched for on the integrator's own
interpolant; there the integration stops and begins anew.  So the closing speed at the impact, on which the
dissipative laws depend, is the true one, and no step crosses the kink of a force.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate
from scipy.optimize import brentq

from .assembly import Assembly
from .loads import BRISTLE, DEED, IMPACT, MEMORY, TOUCHING
from .smooth import evaluate, speeds
from .state import STATE
from .touch import ROW

IMPLICIT = ("Radau", "BDF")
METHODS = {"DOP853": integrate.DOP853, "RK45": integrate.RK45, "Radau": integrate.Radau, "BDF": integrate.BDF}
SHORT = 0.05  # part of the smaller body that two bodies may move towards each other in one step, at least
TOL = 1e-12  # of the contact solver
NEAR, SLOW = 1e-8, 1e-9  # differences of places (of bodies of size 1) and speeds (m/s) for derivatives
_NONE = np.empty((0, 2))


class Accurate:
    """A world on its way, with SciPy's integrators.

    Everything the further way depends on is in `arrays()`, so that a run can be taken up where it was left.
    """

    def __init__(self, assembly: Assembly, *, method: str, rtol: float, atol: float, max_step: float) -> None:
        pairs = assembly.all_pairs()
        self.assembly, self.pairs, self._world = assembly, pairs, assembly.tables()
        self._method, self._rtol, self._atol, self._max_step = method, rtol, atol, max_step
        count = len(pairs)
        self.time, self.y = 0.0, assembly.start.copy()
        self.table, self.memory, self.deeds = np.zeros((count, ROW)), np.zeros((count, MEMORY)), np.zeros((count, DEED))
        self.works = np.zeros(2)  # absorbed by contacts and springs, from outside [J]
        self.failures, self.steps, self.evaluations, self.impacts = 0, 0, 0, 0
        self._free = np.flatnonzero(assembly.free)
        self._moved = [(i, body) for i, body in enumerate(assembly.world.bodies) if body.motion is not None]
        self._loads = [(assembly.names.index(load.body), load) for load in assembly.world.loads]
        self._pieces = assembly.pieces(np.zeros((len(assembly.owner), 12)))
        self._extra, self._all = np.zeros((len(self.y), 6)), np.arange(count)
        i, j = assembly.owner[pairs[:, 0]], assembly.owner[pairs[:, 1]]
        self._ij = i, j
        reach = np.where(assembly.reach > 0.0, assembly.reach, np.inf)
        size = np.minimum(reach[i], reach[j])
        self._short = SHORT * np.where(np.isfinite(size), size, 0.0)
        self.looked = self.table.copy()  # the same at the last evaluation
        self.energies = (0.0, 0.0)  # of contacts and springs, at the last evaluation

    # ---- what has to be kept -------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """All that the further way depends on."""
        counts = np.array([self.failures, self.steps, self.evaluations, self.impacts], np.int64)
        return {"time": np.array(self.time), "y": self.y, "table": self.table, "memory": self.memory,
                "works": self.works, "counts": counts}  # fmt: skip

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Take up a run."""
        self.time = float(arrays["time"])
        for name in ("y", "table", "memory", "works"):
            getattr(self, name)[:] = arrays[name]
        self.failures, self.steps, self.evaluations, self.impacts = (int(n) for n in arrays["counts"])

    @property
    def touching(self) -> np.ndarray:
        """Numbers of the pairs that touch."""
        return np.flatnonzero(self.memory[:, TOUCHING])

    # ---- the vector ----------------------------------------------------------------------------
    def _vector(self) -> np.ndarray:
        bristles = self.memory[self.touching, BRISTLE : BRISTLE + 3]
        return np.concatenate([self.y[self._free].ravel(), bristles.ravel(), self.works])

    def _tolerances(self, touching: np.ndarray) -> np.ndarray:
        """Absolute tolerances: of lengths, quaternions, speeds; of momenta and works in proportion."""
        rows = np.full((len(self._free), STATE), self._atol)
        rows[:, 10:13] *= self.assembly.inertia[self._free, 1:4].max(axis=1)[:, None]
        works = self._atol * max(1.0, 100.0 * float(self.assembly.inertia[:, 0].max(initial=0.0)))
        return np.concatenate([rows.ravel(), np.full(3 * len(touching), self._atol), [works, works]])

    def _increments(self, touching: np.ndarray) -> np.ndarray:
        """Differences for derivatives, of a vector of ordinary size; nothing depends on the works."""
        free = self._free
        size = np.where(self.assembly.reach[free] > 0.0, self.assembly.reach[free], 1.0)
        rows = np.full((len(free), STATE), SLOW)
        rows[:, 0:3], rows[:, 3:7] = NEAR * size[:, None], NEAR
        rows[:, 10:13] *= self.assembly.inertia[free, 1:4].max(axis=1)[:, None]
        return np.concatenate([rows.ravel(), np.full(3 * len(touching), NEAR * 1e-2), [0.0, 0.0]])

    def _keep(self, time: float, vector: np.ndarray, touching: np.ndarray) -> None:
        """The vector back into the state, quaternions brought to unit length (the rotation they mean stays)."""
        rows = vector[: len(self._free) * STATE].reshape(-1, STATE)
        self.y[self._free] = rows
        self.y[self._free, 3:7] /= np.linalg.norm(rows[:, 3:7], axis=1, keepdims=True)
        self._place(time)
        self.memory[:, BRISTLE : BRISTLE + 3] = 0.0
        self.memory[touching, BRISTLE : BRISTLE + 3] = vector[len(self._free) * STATE : -2].reshape(-1, 3)
        self.works[:], self.time = vector[-2:], time

    def _place(self, time: float) -> None:
        for i, body in self._moved:
            self.y[i] = self.assembly.moved(i, body, time)

    def _rate(self, touching: np.ndarray) -> Callable[[float, np.ndarray], np.ndarray]:
        y, extra = self.y.copy(), self._extra
        common = (
            self._world,
            self._pieces,
            self.pairs,
            touching,
            self.looked,
            self.memory,
            self.deeds,
            TOL,
        )
        free, size = self._free, len(self._free) * STATE

        def rate(time: float, vector: np.ndarray) -> np.ndarray:
            for i, body in self._moved:
                y[i] = self.assembly.moved(i, body, time)
            if self._loads:
                y[free] = vector[:size].reshape(-1, STATE)
                extra[:] = 0.0
                for i, load in self._loads:
                    force, torque = load(time, self.assembly.state_of(i, y))
                    extra[i, :3] += force
                    extra[i, 3:] += torque
            self.looked[touching] = self.table[touching]
            out = np.empty_like(vector)
            contacts, springs, failures = evaluate(vector, free, y, extra, *common, False, out, _NONE)
            self.energies = (contacts, springs)
            self.failures += failures
            self.evaluations += 1
            return out

        return rate

    def _distances(
        self, time: float, vector: np.ndarray, which: np.ndarray | None = None, keep: bool = False
    ) -> np.ndarray:
        """Distance and rate of all pairs, or of some.

        Contacts start from the normals of the last accepted step, so that trial states leave no trace; `keep`
        accepts the present ones.
        """
        y = self.y.copy()
        for i, body in self._moved:
            y[i] = self.assembly.moved(i, body, time)
        which = self._all if which is None else which
        out = np.empty((len(which), 2))
        self.looked[which] = self.table[which]
        self.failures += evaluate(
            vector, self._free, y, self._extra, self._world, self._pieces, self.pairs, which, self.looked, self.memory,
            self.deeds, TOL, True, vector, out,
        )[2]  # fmt: skip
        if keep:
            self.table[which] = self.looked[which]
        return out

    def first(self, record: Callable[[float, Any], None]) -> None:
        """Call `record` at the start."""
        self._begin_touching()
        self._rate(self.touching)(self.time, self._vector())
        self.works[0] = sum(self.energies)
        record(self.time, self)

    # ---- the way -------------------------------------------------------------------------------
    def advance(self, until: float, frames: np.ndarray, record: Callable[[float, Any], None]) -> None:
        """Integrate to the time `until`; `record` is called at all `frames` on the way."""
        frames = frames[(frames > self.time) & (frames <= until)]
        while self.time < until:
            self._begin_touching()
            start = self.time
            self._smooth_part(until, frames, record)
            frames = frames[frames > self.time] if self.time > start else frames

    def _begin_touching(self) -> None:
        """Pairs that overlap but do not count as touching, do so from now on."""
        if not len(self.pairs):
            return
        gaps = self._distances(self.time, self._vector(), keep=True)
        fresh = (gaps[:, 0] <= 0.0) & (self.memory[:, TOUCHING] == 0.0)
        self.memory[fresh, TOUCHING] = 1.0
        self.memory[fresh, IMPACT] = np.maximum(-gaps[fresh, 1], 0.0)
        self.memory[fresh, BRISTLE : BRISTLE + 3] = 0.0
        self.impacts += int(fresh.sum())

    def _smooth_part(self, until: float, frames: np.ndarray, record: Callable[[float, Any], None]) -> None:
        """Integrate until a pair begins or ceases to touch, or to the time `until`."""
        touching = self.touching
        rate, vector = self._rate(touching), self._vector()
        tolerances = {"rtol": self._rtol, "atol": self._tolerances(touching), "max_step": self._max_step}
        if self._method in IMPLICIT:
            tolerances["jac"] = jacobian(rate, self._increments(touching))
        solver = METHODS[self._method](rate, self.time, vector, until, **tolerances)
        apart = self.memory[:, TOUCHING] == 0.0
        before = self._distances(self.time, vector, keep=True)
        while solver.status == "running":
            solver.max_step = self._longest(solver.y, before, apart)
            message = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise RuntimeError(
                    f"{self._method} gave up at t = {solver.t:.9g} s ({message or 'numbers not finite'}); "
                    "try another method, such as 'Radau' for stiff contacts, or a larger rtol"
                )
            self.steps += 1
            after = self._distances(solver.t, solver.y)
            accepted = self.looked.copy()
            event = self._event(solver, before, after, apart)
            end = solver.t if event is None else event[0]
            passed = frames[(frames > solver.t_old) & (frames <= end)]
            if len(passed) or event is not None:
                dense = solver.dense_output()
                for time in passed:
                    self._show(time, solver.y if time == solver.t else dense(time), touching, rate, record)
            if event is not None:
                time, pair = event
                self._keep(time, dense(time), touching)
                self.memory[pair, TOUCHING] = 0.0
                if apart[pair]:
                    gap = self._distances(time, self._vector(), np.array([pair]))[0]
                    self.memory[pair, TOUCHING], self.memory[pair, IMPACT] = 1.0, max(-gap[1], 0.0)
                    self.impacts += 1
                self.memory[pair, BRISTLE : BRISTLE + 3] = 0.0
                return
            before = after
            self.table[:] = accepted
        self._keep(solver.t, solver.y, touching)

    def _show(self, time: float, vector: np.ndarray, touching: np.ndarray, rate: Any, record: Any) -> None:
        """Call `record` with the state at a time within a step."""
        held = self.time, self.y.copy(), self.memory.copy(), self.works.copy()
        self._keep(time, vector, touching)
        rate(time, vector)
        record(time, self)
        self.time, self.y[:], self.memory[:], self.works[:] = held

    def _longest(self, vector: np.ndarray, gaps: np.ndarray, apart: np.ndarray) -> float:
        """Longest step in which no two bodies can pass through each other unseen."""
        if not apart.any():
            return self._max_step
        fast, y = np.empty(len(self.y)), self.y.copy()
        y[self._free] = vector[: len(self._free) * STATE].reshape(-1, STATE)
        speeds(y, self._world, self.assembly.reach, fast)
        together = fast[self._ij[0]] + fast[self._ij[1]]
        room = np.maximum(gaps[:, 0], self._short)
        with np.errstate(divide="ignore"):
            steps = np.where(apart & (together > 0.0), room / np.where(together > 0.0, together, 1.0), np.inf)
        return float(max(min(self._max_step, 2.0 * steps.min()), 1e-12))

    # ---- events --------------------------------------------------------------------------------
    def _event(self, solver: Any, before: np.ndarray, after: np.ndarray, apart: np.ndarray) -> tuple[float, int] | None:
        """First instant in the last step at which a pair begins or ceases to touch, and the pair."""
        enter = apart & (after[:, 0] <= 0.0)
        leave = ~apart & (after[:, 0] > 0.0)
        # In and out again within one step: nearer at first, then farther.
        dip = apart & ~enter & (before[:, 1] < 0.0) & (after[:, 1] > 0.0)
        dip &= before[:, 0] < -2.0 * before[:, 1] * (solver.t - solver.t_old)
        if not (enter | leave | dip).any():
            return None
        dense = solver.dense_output()
        found = []
        for k in np.flatnonzero(enter | leave | dip):
            only = np.array([k])

            def gap(time: float, column: int = 0, only: np.ndarray = only) -> float:
                return float(self._distances(time, dense(time), only)[0, column])

            low, high = solver.t_old, solver.t
            if dip[k]:
                low_rate, high_rate = gap(low, 1), gap(high, 1)
                if not low_rate < 0.0 < high_rate:
                    continue
                high = brentq(gap, low, high, args=(1,))
                if gap(high) > 0.0:
                    continue
            sign = -1.0 if apart[k] else 1.0  # of the distance after the event
            found.append((_crossing(gap, low, high, sign), int(k)))
        return min(found) if found else None


def jacobian(
    rate: Callable[[float, np.ndarray], np.ndarray], increments: np.ndarray
) -> Callable[[float, np.ndarray], np.ndarray]:
    """Derivatives of `rate` by differences; 0 where the increment is 0.

    SciPy's own differences grow tenfold each time that nothing depends on a variable, such as the orientation of a
    ball, until they overflow.
    """

    def derivatives(time: float, vector: np.ndarray) -> np.ndarray:
        out, here, there = np.zeros((len(vector), len(vector))), rate(time, vector), vector.copy()
        for k in np.flatnonzero(increments):
            there[k] += increments[k] * max(abs(vector[k]), 1.0)
            out[:, k] = (rate(time, there) - here) / (there[k] - vector[k])
            there[k] = vector[k]
        return out

    return derivatives


def _crossing(gap: Callable[[float], float], low: float, high: float, sign: float) -> float:
    """Time at which the distance changes to `sign`, or an instant later, never before."""
    if sign * gap(low) >= 0.0:
        time = low  # at the very start, up to rounding
    elif sign * gap(high) <= 0.0:
        return high
    else:
        time = _root(gap, low, high, sign)
    step = 1e-15 * max(abs(high), high - low)
    while time < high and not sign * gap(time) > 0.0:
        time, step = min(time + step, high), 2.0 * step
    return time


def _root(gap: Callable[[float], float], low: float, high: float, sign: float) -> float:
    """Root between a time before the event and one after it."""
    try:
        return brentq(gap, low, high, xtol=4e-16 * max(abs(high), high - low), rtol=1e-15)
    except ValueError:
        # In deep overlap the depth may jump from one common normal to another: halve without asking the ends.
        while high - low > 1e-15 * max(abs(high), high - low):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            low, high = (low, middle) if sign * gap(middle) > 0.0 else (middle, high)
        return high
