"""A rocker that keeps time.

A rocker with a round profile swings more slowly the farther it tilts.  Its profile is changed until one swing takes 2 s
from any tilt up to 50 degrees.  Height and contact point follow from a contact with the ground, and so do their
derivatives by the 81 coefficients of the shape.  Simulations of the rolling body then measure the periods.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.spatial.transform import Rotation

import tangency as tg

PERIOD, MASS, INERTIA, CENTRE = 2.0, 2.0, 0.04, np.array([0, 0, -0.08])  # [s, kg, kg m^2, m]
tilt = np.radians(np.linspace(-50, 50, 101))
turns = Rotation.from_rotvec(np.outer(tilt, [0, 1, 0]))


def swing(body):
    """Error of the motion at each tilt, and its derivatives by the parameters of the shape.

    With the inertia J about the contact point and ds = sqrt(J) d(tilt), the energy is (ds/dt)^2 / 2 + m g height. Its
    swings take the same time from any tilt if this is a linear spring: 2 m g height = (2 pi s / period)^2.
    """
    c = tg.contact(tg.HalfSpace([0, 0, 1]), body, pose_b=(turns, -turns.apply(CENTRE)))  # centre of mass at the origin
    height, height_slope = -c.distance, -c.jacobian("distance", by="shape_b")
    inertia = INERTIA + MASS * (c.point_b**2).sum(axis=-1)
    inertia_slope = 2 * MASS * np.einsum("ni,nip->np", c.point_b, c.jacobian("point_b", by="shape_b"))
    root = np.sqrt(inertia)[:, None]
    s = cumulative_simpson(np.hstack([root, inertia_slope / (2 * root)]), x=tilt, axis=0, initial=0)
    s = 2 * np.pi / PERIOD * (s - s[50])
    spring = np.sign(tilt) * np.sqrt(2 * MASS * 9.81 * (height - height[50]))
    away = np.arange(101) != 50  # at zero tilt both vanish
    spring_slope = MASS * 9.81 * (height_slope - height_slope[50])[away] / spring[away, None]
    return spring[away] - s[away, 0], spring_slope - s[away, 1:]


def simulated(body, degrees):
    """Time and tilt of the rolling body, and its period from two passages through zero."""
    rocker = tg.rolling.RollingBody(body, mass=MASS, inertia=INERTIA * np.eye(3), centre_of_mass=CENTRE)
    run = rocker.simulate(Rotation.from_rotvec([0, np.radians(degrees), 0]), duration=4.0, samples=2001)
    angle = run.orientation.as_rotvec()[:, 1]
    k = np.flatnonzero(np.diff(np.sign(angle)))[:2]
    zeros = run.time[k] - angle[k] * (run.time[k + 1] - run.time[k]) / (angle[k + 1] - angle[k])
    return run.time, np.degrees(angle), 2 * (zeros[1] - zeros[0])


first = body = tg.HarmonicShape.from_shape(tg.Sphere(0.3), degree=8)
degree = np.repeat(np.arange(9), 2 * np.arange(9) + 1)
weight = 1.0 / (1.0 + degree * (degree + 1.0))  # smooth changes rather than ripples
for step in range(6):
    wrong, slope = swing(body)
    print(f"step {step}: largest error {abs(wrong).max():.1e}")
    change = -weight * np.linalg.lstsq(slope * weight, wrong, rcond=1e-8)[0]
    if step == 0:
        ahead, behind = (swing(body.with_parameters(body.parameters + h * change))[0] for h in (1e-4, -1e-4))
        error = abs(slope @ change - (ahead - behind) / 2e-4).max() / abs(slope @ change).max()
        print(f"derivatives agree with differences to {error:.0e}")
    body = body.with_parameters(body.parameters + change)

amplitudes = np.array([2, 10, 20, 30, 40, 50])
periods = {name: [simulated(each, a)[2] for a in amplitudes] for name, each in (("round", first), ("found", body))}
for name, values in periods.items():
    print(f"{name}: simulated periods", " ".join(f"{value:.6f}" for value in values), "s")

figure = plt.figure(figsize=(8.0, 4.2), layout="constrained")
axes = figure.subplot_mosaic([["shape", "period"], ["shape", "motion"]], width_ratios=[1, 1.35])
around = np.radians(np.arange(-180, 181))
n = np.column_stack([np.sin(around), 0 * around, -np.cos(around)])
for name, each, color, dash in (("round", first, "#8a94a0", "--"), ("found", body, "#c2185b", "-")):
    lift = np.array([0, 0, each.support([0, 0, -1])])
    outline = 100 * (each.point(n) + lift)[:, ::2]
    axes["shape"].plot(*outline.T, color=color, linestyle=dash, linewidth=1)
    axes["shape"].plot(*outline[130:231].T, color=color, linestyle=dash, linewidth=3)
    axes["shape"].plot(0, 100 * (CENTRE + lift)[2], "o", color=color)
    axes["period"].plot(amplitudes, periods[name], "o", color=color, linestyle=dash, label=f"{name} profile")
    for a in (10, 30, 50):
        axes["motion"].plot(*simulated(each, a)[:2], color=color, linestyle=dash, linewidth=1.2)
axes["shape"].axhline(0, color="#1b2430", linewidth=1)
axes["shape"].set(
    xlabel="x [cm]", ylabel="z [cm]", aspect="equal", title="profiles, thick where they roll,\nand centres of mass"
)
axes["period"].set(xlabel="amplitude [degrees]", ylabel="period [s]", title="period: wanted 2 s, simulated")
axes["period"].legend(frameon=False)
axes["motion"].set(xlabel="time [s]", ylabel="tilt [degrees]", title="three swings, simulated")
axes["motion"].grid(axis="x", color="#dfe3e8")
figure.savefig("rocker.png")
