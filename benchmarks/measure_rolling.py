"""Measure rolling in space: energy over 100 s, located events, and the limit of stiff contact.

    python benchmarks/measure_rolling.py        about a minute

The numbers of docs/rolling-in-space.md are printed by it.
"""

from __future__ import annotations

import math
import time

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate
from tangency.rolling import RollingBody

G = 9.81
TAPER = [1, 0.16, -0.03, 0]
BODIES = {
    "ellipsoid": (RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1])), [0.3, 0.5, 0.1], [1, 2, 3]),
    "egg": (RollingBody(tg.Superovoid([0.021, 0.021, 0.029], [2, 2, 2], TAPER, TAPER)), [0, 1.13, 0], [2, 14, 6]),
    "superovoid": (
        RollingBody(tg.Superovoid([0.02, 0.021, 0.03], [2.2, 2.2, 2], [1, 0.2, -0.02, 0], [1, 0.15, -0.02, 0])),
        [1.3, 0.5, 0.1],
        [1, 2, 3],
    ),
    "rattleback": (
        RollingBody(
            tg.Ellipsoid([0.2, 0.03, 0.02]),
            mass=1.0,
            inertia=1e-4 * np.array([[2, -0.2, 0], [-0.2, 16, 0], [0, 0, 17]]),
            centre_of_mass=[0, 0, -0.01],
        ),
        np.radians([0.5, 0.5, 0]),
        [0, 0, -5],
    ),
}


def energies() -> None:
    """Largest relative change of the energy in 100 s."""
    print("body          energy    steps  evaluations  processor time [s]")
    for name, (body, start, spin) in BODIES.items():
        begin = time.process_time()
        run = body.simulate(Rotation.from_rotvec(start), spin, 100.0, samples=2001)
        took = time.process_time() - begin
        change = np.abs(run.energy - run.energy[0]).max() / np.abs(run.energy).max()
        print(f"{name:12s}  {change:.1e}  {run.info['steps']:6d}  {run.info['evaluations']:11d}  {took:.1f}  {run.end}")


def events(a: float = 0.3, c: float = 0.1) -> None:
    """Times of lift-off and slip of a spheroid that rolls end over end, against quadrature."""
    inertia = (a * a + c * c) / 5

    def motion(angle: float, rate: float) -> tuple[float, float, float]:
        s, k = math.sin(angle), math.cos(angle)
        f = math.hypot(a * s, c * k)
        f1 = (a * a - c * c) * s * k / f
        f2 = ((a * a - c * c) * (k * k - s * s) - f1 * f1) / f
        weight = f * f + f1 * f1 + inertia
        square = ((c * c + inertia) * rate**2 - 2 * G * (f - c)) / weight
        second = -f1 * ((f + f2) * square + G) / weight
        return math.sqrt(square), f * second + f1 * square, f1 * second + f2 * square + G

    worst = {"lift-off": 0.0, "slip": 0.0}
    for rate in np.linspace(16.5, 40.0, 48):
        for friction in (None, 0.3, 0.6, 1.5):

            def margin(angle: float, rate: float = rate, friction: float | None = friction) -> float:
                _, along, up = motion(angle, rate)
                return up if friction is None else friction * up - abs(along)

            angles = np.linspace(0.0, 0.5 * math.pi, 2001)
            first = int(np.argmax([margin(angle) <= 0.0 for angle in angles]))
            angle = brentq(margin, angles[first - 1], angles[first], xtol=1e-15)
            exact = quad(lambda angle, rate=rate: 1 / motion(angle, rate)[0], 0, angle, epsabs=0, epsrel=1e-13)[0]
            run = RollingBody(tg.Ellipsoid([a, a, c])).simulate(None, [0, rate, 0], 2.0, friction=friction)
            worst[run.end] = max(worst[run.end], abs(run.end_time - exact))
    print("largest error of the time of an event [s]:", {kind: f"{error:.1e}" for kind, error in worst.items()})


def stiff_limit() -> list[tuple[float, float, float]]:
    """Difference to `tangency.dynamics` after half a second, for contacts of growing stiffness."""
    body = RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1]), mass=2.0)
    start, spin = Rotation.from_rotvec([0.3, 0.5, 0.1]), [0.5, 1.0, 2.0]
    run, state = body.simulate(start, spin, 0.5, samples=51), body.state(start, spin)
    rows = []
    for stiffness in (1e5, 1e6, 1e7, 1e8):
        damping = math.sqrt(2.0 * stiffness)
        normal = forces.KelvinVoigt(stiffness=stiffness, damping=damping)
        law = Interaction(normal, forces.Bristle(static=10.0, stiffness=stiffness, damping=damping))
        place = state.reference - [0, 0, float(state.normal_force) / stiffness]
        moves = {"velocity": state.centre_velocity, "angular_velocity": spin}
        free = Body("body", body.shape, (start, place), mass=2.0, **moves)
        world = World([Body("plane", tg.HalfSpace([0, 0, 1])), free], interaction=law)
        soft = simulate(world, 0.5, "accurate", output_interval=0.01)
        turn = (Rotation.from_quat(soft.quaternion[:, 1]) * run.orientation.inv()).magnitude().max()
        rows.append((stiffness, float(turn), float(np.abs(soft.position[:, 1] - run.reference).max())))
    return rows


if __name__ == "__main__":
    energies()
    events()
    for stiffness, turn, place in stiff_limit():
        print(f"stiffness {stiffness:.0e} N/m: orientation differs by {turn:.1e}, place by {place:.1e} m")
