"""Lopes thesis, section 5.2.7 and Fig. 5.7: a ball in a spherical bowl, conformal contact.

The thesis releases the ball at the equator with "a y-angle of 10 rad and a y-angular velocity of 9 rad/s" and shows a
path that spirals down.  With a spin about y the ball stays in the plane of x and z; a spiral needs a velocity
along the equator.  Both interpretations are computed: the ball spins about y; or the whole ball moves around the
vertical axis at 9 rad/s, as for a coordinate about the centre of the bowl.
"""

from __future__ import annotations

from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ellipj, ellipk

from .. import forces
from ..dynamics import Body, Cavity, Interaction, Trajectory, World, simulate
from ..io.progress import Progress
from ..shapes import Sphere
from . import picture
from .study import Result, Study, Table

BOWL, BALL, MASS, INERTIA, GRAVITY = 1.0, 0.1, 1.0, 0.01, 9.81  # [m, m, kg, kg m^2, m/s^2]
STIFFNESS, RESTITUTION, FRICTION, TURNING = 140e6, 0.9, 0.01, 9.0
ARM = BOWL - BALL
SLOW = 1e-3  # slip at which Coulomb's law reaches its limit [m/s]
PER_SECOND = 50  # frames


class Release(NamedTuple):
    """Initial state of the ball."""

    name: str
    velocity: tuple[float, float, float]
    spin: tuple[float, float, float]
    rolling: float  #: lever arm of the rolling and spinning resistance [m]
    longest: int  #: [s]


LEVER = 0.5 * FRICTION * BALL
RELEASES = (
    Release("spin about y", (0.0, 0.0, 0.0), (0.0, TURNING, 0.0), 0.0, 10),
    Release("round the axis", (0.0, ARM * TURNING, 0.0), (0.0, 0.0, TURNING), 0.0, 60),
    Release("round the axis, rolling resisted", (0.0, ARM * TURNING, 0.0), (0.0, 0.0, TURNING), LEVER, 60),
)


def world(release: Release, stiffness: float = STIFFNESS, friction: float = FRICTION) -> World:
    """Bowl and ball of section 5.2.7, the ball at the equator."""
    laws: Any = forces.Frictionless()
    if friction > 0.0:
        laws = forces.Coulomb(static=friction, dynamic=friction, peak_speed=SLOW)
    rolling = forces.Rolling(rolling=release.rolling, spinning=release.rolling) if release.rolling > 0.0 else None
    normal = forces.HuntCrossley(stiffness=stiffness, restitution=RESTITUTION)
    ball = Body(
        "ball",
        Sphere(BALL),
        (None, [ARM, 0.0, 0.0]),
        mass=MASS,
        inertia=[INERTIA] * 3,
        velocity=release.velocity,
        angular_velocity=release.spin,
    )
    bowl = Body("bowl", Cavity(Sphere(BOWL)))
    return World((bowl, ball), gravity=(0.0, 0.0, -GRAVITY), interaction=Interaction(normal, laws, rolling))


def move(made: World, seconds: float, method: str = "BDF", rtol: float = 1e-7) -> Trajectory:
    """The motion, with `PER_SECOND` frames per second."""
    return simulate(
        made,
        seconds,
        output_interval=1.0 / PER_SECOND,
        method=method,
        rtol=rtol,
        atol=1e-3 * rtol,
        checkpoint_every=10**6,
    )


def pendulum(time: np.ndarray) -> np.ndarray:
    """(n, 2) x and z of a pendulum of length `ARM` released at rest from the horizontal (Jacobi's functions)."""
    m = 0.5  # sin^2 of half the amplitude
    sn = ellipj(ellipk(m) - np.sqrt(GRAVITY / ARM) * time, m)[0]
    angle = 2.0 * np.arcsin(np.sqrt(m) * sn)
    return ARM * np.stack([np.sin(angle), -np.cos(angle)], axis=-1)


def slip(motion: Trajectory) -> np.ndarray:
    """(n,) speed at which the ball slides on the wall [m/s]."""
    n = motion.position[:, 1] / np.linalg.norm(motion.position[:, 1], axis=1)[:, None]
    v = motion.velocity[:, 1] + np.cross(motion.angular_velocity[:, 1], BALL * n)
    return np.linalg.norm(v - (v * n).sum(axis=1)[:, None] * n, axis=1)


def energy(motion: Trajectory) -> np.ndarray:
    """(n,) mechanical energy above that of rest at the lowest point [J]."""
    return motion.mechanical_energy + MASS * GRAVITY * ARM


def run(size: int, seed: int, progress: Progress) -> Result:
    """`size` seconds of the spiral; the study is deterministic."""
    still = Release("at rest", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 1)
    exact, errors = [], []
    for factor in (1.0, 8.0, 64.0):
        progress.step(f"pendulum, stiffness {factor:g} times that of the thesis")
        motion = move(world(still, factor * STIFFNESS, 0.0), still.longest, "DOP853", 1e-8)
        error = float(np.abs(motion.position[:, 1, ::2] - pendulum(motion.time)).max())
        errors.append(error)
        depth = float(motion.contacts.depth.max())
        ratio = f"{errors[-2] / error:.2f}" if len(errors) > 1 else ""
        exact.append([f"{factor * STIFFNESS:.3g}", f"{1e6 * depth:.2f}", f"{error:.2e}", ratio])
    motions, times = [], []
    for release in RELEASES:
        seconds = min(size, release.longest)
        progress.step(f"ball released: {release.name}, {seconds} s")
        start = process_time()
        motions.append(move(world(release), float(seconds)))
        times.append(process_time() - start)
    notes = [
        "A homogeneous ball of 1 kg and 0.1 m has a moment of inertia of 0.004 kg m^2; the printed 0.01 is used.",
        "With a spin about y the ball oscillates in a plane. Started around the axis at 9 rad/s (8.1 m/s) it "
        "follows a descending spiral as in Fig. 5.7.",
        "Coulomb friction dissipates energy only as long as the ball slides. After that it rolls without loss on an "
        "orbit that does not descend. To reach the lowest point, as in the thesis, it needs rolling resistance: the "
        f"last column, with a lever of {LEVER:g} m for rolling and spinning, half the moment of the friction, which "
        "is not in the thesis.",
        "The ball never leaves the wall.",
        "Without friction a ball released at rest is a pendulum of length R - r, except for the contact depth: the "
        "difference decreases with the depth like K^(-2/3), to a quarter for 8 times the stiffness.",
        f"Friction rises to its limit within {SLOW:g} m/s, instead of the bristle model of Gonthier et al. The "
        "'y-angle of 10 rad' does not matter for a ball.",
    ]
    columns = ("release", "time", "x", "y", "z", "slip", "kinetic", "gravitational", "energy", "dissipated")
    records: list[list[Any]] = []
    for release, motion in zip(RELEASES, motions):
        own = (
            motion.time,
            *motion.position[:, 1].T,
            slip(motion),
            motion.energy["kinetic"],
            motion.energy["gravitational"],
            energy(motion),
            motion.energy["dissipated"],
        )
        records += [[release.name, *(float(v) for v in row)] for row in zip(*own)]
    tables = [
        _compared(motions, times),
        Table(
            ("stiffness [N/m^1.5]", "deepest [um]", "difference [m]", "falls by (exact: 4)"),
            exact,
            "Without friction, from rest at the equator: 1 s against Jacobi's elliptic functions.",
        ),
    ]
    return Result(tables, notes, columns, records, lambda: _figure(motions))


def _compared(motions: list[Trajectory], times: list[float]) -> Table:
    rows: list[tuple[Any, ...]] = []

    def row(text: str, printed: str, values: Any) -> None:
        rows.append((text, printed, *values))

    place = [motion.position[:, 1] for motion in motions]
    turns = [abs(np.unwrap(np.arctan2(x[:, 1], x[:, 0]))[-1]) / (2.0 * np.pi) for x in place]
    row("turns about the axis", "spiral", [f"{n:.1f}" if k else "0" for k, n in enumerate(turns)])
    row("farthest out of the plane of x and z [m]", "", [f"{np.abs(x[:, 1]).max():.2g}" for x in place])
    row("energy at the start [J]", "", [f"{energy(m)[0]:.2f}" for m in motions])
    row("energy at the end [J]", "all lost", [f"{energy(m)[-1]:.2g}" for m in motions])
    row("height above the lowest point at the end [m]", "0", [f"{x[-1, 2] + ARM:.3f}" for x in place])
    row("slides faster than 10 mm/s until [s]", "slides", [_until(m) for m in motions])
    row("frames without contact", "bounces", [int((np.diff(m.contacts.first) == 0).sum()) for m in motions])
    rises = [max(float(np.diff(m.mechanical_energy).max()), 0.0) for m in motions]
    row("largest rise of the energy [J]", "", [f"{rise:.0e}" for rise in rises])
    row("right-hand sides", "", [m.info["evaluations"] for m in motions])
    row("processor time [s]", "", [f"{t:.1f}" for t in times])
    header = ("quantity", "printed", *(f"{r.name}, {m.time[-1]:g} s" for r, m in zip(RELEASES, motions)))
    return Table(header, rows, "Released at the equator.")


def _until(motion: Trajectory) -> str:
    fast = np.flatnonzero(slip(motion) > 1e-2)
    if len(fast) and fast[-1] == len(motion) - 1:
        return "the end"
    return f"{motion.time[fast[-1]]:.2f}" if len(fast) else "never"


def _figure(motions: list[Trajectory]) -> Any:
    made = picture.figure(11.0, 7.6)
    (top, side), (energies, slips) = made.subplots(2, 2, height_ratios=(1.25, 1.0))
    ring = np.linspace(0.0, 2.0 * np.pi, 181)
    colours = (picture.SECOND, picture.BODY, picture.MARK)
    top.plot(BOWL * np.cos(ring), BOWL * np.sin(ring), color=picture.SOFT)
    side.plot(BOWL * np.cos(0.5 * ring), -BOWL * np.sin(0.5 * ring), color=picture.SOFT)
    for motion, release, colour in zip(motions, RELEASES, colours):
        x, y, z = motion.position[:, 1].T
        top.plot(x, y, color=colour, linewidth=0.8, label=release.name)
        if release.velocity[1] > 0.0:
            side.plot(np.hypot(x, y), z, color=colour, linewidth=0.8)
        else:
            side.plot(x, z, color=colour, linewidth=0.8)
        energies.plot(motion.time, energy(motion), color=colour, linewidth=1.6, label=release.name)
        slips.semilogy(motion.time, np.maximum(slip(motion), 1e-6), color=colour, linewidth=1.0)
    top.set_aspect("equal")
    side.set_aspect("equal")
    picture.plain(top, "x [m]", "y [m]", "From above")
    picture.plain(side, "distance to the axis, or x [m]", "z [m]", "From the side")
    picture.plain(energies, "t [s]", "energy above the lowest point [J]", "Energy")
    picture.plain(slips, "t [s]", "slip [m/s]", "Sliding")
    slips.set_ylim(1e-5, 20.0)
    energies.legend(frameon=False, fontsize=9)
    return made


STUDY = Study(
    "lopes-bowl",
    "Lopes thesis, section 5.2.7 and Fig. 5.7: a ball in a bowl",
    run,
    40,
    "seconds of the spiral",
    duration="38 s",
)
