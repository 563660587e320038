"""The walking person: masses, forces under its feet, fit, feedback, muscles and the calibration of a foot."""

import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.linalg import solve_discrete_are

import tangency as tg
from tangency.dynamics import acceleration_derivatives, simulate
from tangency.io.progress import Progress

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install 'tangency[multibody]'")

from tangency.studies import STUDIES, lopes_walking  # noqa: E402
from tangency.studies.foot_gait import GRAVITY  # noqa: E402
from tangency.studies.walking import (  # noqa: E402
    Cycle,
    Element,
    Foot,
    artificial_cycle,
    calibrate_foot,
    excitations,
    feedback,
    foot_calibration,
    foot_of_ellipsoids,
    foot_of_points,
    measured_cycle,
    muscle_walk,
    muscles,
    person,
    simulation,
    spline_fit,
    tracking,
)
from tangency.studies.walking.foot import KINDS  # noqa: E402

DATA = Path(__file__).parents[3] / "shared" / "data"
STEP = 1e-8  # so short that contacts do not change [s]
HIP = (0.245 + 0.246) * 1.8 + 0.045 + 0.03  # height of the hip above the sole of a person of 1.8 m [m]


def standing(nodes=6, deep=0.005):
    """A cycle of a person who stands on both feet."""
    cycle = artificial_cycle()
    force, place, zero = np.zeros((nodes, 2, 2)), np.zeros((nodes, 2, 2)), np.zeros((nodes, 2, 2))
    force[..., 1] = 0.5 * cycle.weight
    place[...] = 0.165, 0.03 - deep
    position = np.zeros((nodes, 13))
    position[:, 1] = HIP - deep
    time = 0.01 * np.arange(nodes)
    return Cycle(time, force, np.full((nodes, 2), np.nan), place, zero, position, cycle.mass, 0.0)


def test_masses_and_lengths():
    model = person.person(foot_of_points(), 70.0, 1.8).model
    assert sum(inertia.mass for inertia in model.inertias) == pytest.approx(70.0)
    data = model.createData()
    centre = pin.centerOfMass(model, data, np.zeros(13))
    assert 0.54 < (HIP + centre[2]) / 1.8 < 0.6  # height of the centre of mass of standing people
    sole = data.oMi[model.getJointId("right toes")].translation[2] - 0.03
    assert -sole == pytest.approx(HIP, abs=1e-9)
    assert (len(foot_of_points().elements), len(foot_of_ellipsoids().elements)) == (31, 6)


def test_a_foot_is_what_the_user_makes_it():
    assert len(foot_of_points(12).elements) == 12
    own = Foot([Element(tg.Superellipsoid([0.05, 0.04, 0.02], (0.5, 1.0)), np.array([-0.1, -0.01]))], stiffness=2e5)
    assert own.elements[0].part == "midfoot"
    assert own.law.normal.stiffness == 2e5
    for make, message in (
        (lambda: Foot([]), "at least one Element"),
        (lambda: foot_of_points(2), "count must be a whole number >= 4"),
        (lambda: foot_of_ellipsoids([[1, 2, 3]]), r"ellipses must have shape \(n, 4\)"),
        (lambda: foot_of_ellipsoids(stiffness=-1.0), "stiffness"),
    ):
        with pytest.raises(ValueError, match=message):
            make()


@pytest.mark.parametrize("kind", [*KINDS, "superellipsoids"])
def test_forces_under_the_feet_are_those_of_the_simulation(kind):
    """The fit computes all contacts at once; the simulation finds them one by one."""
    if kind in KINDS:
        foot = KINDS[kind]()
    else:
        shape = tg.Superellipsoid([0.06, 0.04, 0.025], (0.8, 0.8))
        foot = Foot([Element(shape, np.array([x, -0.01])) for x in (-0.16, -0.05, 0.03)])
    tracker = tracking.Tracker(foot, standing(), 1.8)
    rng = np.random.default_rng(3)
    q, v = rng.normal(0.0, 0.01, (3, 13)), rng.normal(0.0, 0.2, (3, 13))
    q[:, 1] += HIP - 0.01
    force = tracker.pushes(tracker.feet(q, v))[..., :2].sum(axis=2)
    drive = np.zeros((3, 13))
    drive[:, person.actuated()] = rng.normal(0.0, 20.0, (3, 6))
    a = tracker.accelerations(q, v, drive)
    back = tracker.torques(q, v, a, tracker.pushes(tracker.feet(q, v)))
    np.testing.assert_allclose(back, drive, atol=1e-7)  # inverse and forward dynamics
    for k in range(3):
        made = person.person(foot, 70.0, 1.8, position=q[k], velocity=v[k], torque=lambda t, state, k=k: drive[k])
        scene = person.world(foot, made)
        np.testing.assert_allclose(acceleration_derivatives(scene).acceleration, a[k], rtol=1e-9, atol=1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # points are smaller than their depths
            run = simulate(scene, STEP, "fast", step=STEP)
        np.testing.assert_allclose(force[k], simulation.reactions(run)[0], rtol=1e-6, atol=1e-6)
        gained = (run.joints.velocity[-1] - run.joints.velocity[0]) / STEP
        np.testing.assert_allclose(gained, a[k], rtol=1e-3, atol=2e-3 * np.abs(a[k]).max())


def test_collocation_solves_a_differential_equation():
    """x'' = -x with x(0) = 1, x'(0) = 0."""
    time = np.linspace(0.0, 2.0, 41)
    fit = spline_fit.SplineFit(time, 0.1, 1)

    def residuals(x, v, a):
        start = np.zeros((len(x), 2))
        start[0] = x[0, 0] - 1.0, v[0, 0]
        return np.concatenate([a + x, start], axis=1)

    c = fit.improved(residuals, np.zeros((fit.count, 1)), 20, report=lambda k, value: None, enough=0.0)
    np.testing.assert_allclose(fit.states(c)[0][:, 0], np.cos(time), atol=1e-6)
    np.testing.assert_allclose(fit.at(c, time[:3] + 0.01)[1][:, 0], -np.sin(time[:3] + 0.01), atol=1e-5)


def test_gains_are_those_of_the_algebraic_riccati_equation():
    """Far from the end, for rates that do not change."""
    rng = np.random.default_rng(1)
    a, b, step = rng.normal(size=(4, 4)), rng.normal(size=(4, 2)), 0.05
    gain = feedback.regulator(np.repeat(a[None], 400, axis=0), np.repeat(b[None], 400, axis=0), step)
    whole = feedback.expm(step * np.block([[a, b], [np.zeros((2, 6))]]))
    ad, bd = whole[:4, :4], whole[:4, 4:]
    q = np.diag(1.0 / np.repeat(feedback.DEVIATION, 2) ** 2)
    r = np.eye(2) / feedback.TORQUE**2
    p = solve_discrete_are(ad, bd, q, r)
    np.testing.assert_allclose(gain[0], np.linalg.solve(r + bd.T @ p @ bd, bd.T @ p @ ad), rtol=1e-6)


# ---- Muscles -------------------------------------------------------------------------------------
def test_muscles_have_the_printed_forms():
    assert muscles.strength(1.0, np.array([1.0, 0.44, 1.56])).tolist() == pytest.approx([1.0, 0.05, 0.05 + 1.0])
    assert muscles.force_velocity(np.array([-1.0, -2.0, 0.0, 1.0])).tolist() == pytest.approx([0.0, 0.0, 1.0, 1.5])
    force = np.linspace(0.0, 1.5, 31)
    np.testing.assert_allclose(muscles.force_velocity(muscles.fibre_velocity(force)), force, atol=1e-12)
    assert len(muscles.MUSCLES) == 9
    for muscle in muscles.MUSCLES:  # at the reference angles, fibre and tendon are slack
        joints = np.zeros(3)
        for joint in muscle.attachments:
            j = muscles.JOINTS.index(joint.joint)
            joints[j] = (np.radians(joint.reference) - muscles.STRAIGHT[j]) * muscles.SENSE[j]
        length = muscles.geometry(joints)[0][muscles.MUSCLES.index(muscle)]
        assert length == pytest.approx(muscle.optimum + muscle.slack)


def test_moment_arms_are_derivatives_of_the_lengths():
    """Except for the share of the path that stretches the fibre."""
    rng = np.random.default_rng(2)
    joints, step = rng.uniform(-0.5, 0.5, (20, 3)), 1e-6
    _, arms = muscles.geometry(joints)
    for j in range(3):
        ends = [muscles.geometry(joints + sign * step * np.eye(3)[j])[0] for sign in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * step)
        for k, muscle in enumerate(muscles.MUSCLES):
            share = [joint.share for joint in muscle.attachments if joint.joint == muscles.JOINTS[j]] or [1.0]
            np.testing.assert_allclose(arms[:, j, k], -slope[:, k] / share[0], atol=1e-7)
    # Glutei and hamstrings extend the hip, vasti the knee, the soleus bends the foot down.
    names = [muscle.name for muscle in muscles.MUSCLES]
    for name, j, sign in (("glutei", 0, -1), ("hamstrings", 0, -1), ("vasti", 1, 1), ("soleus", 2, -1)):
        assert (sign * arms[:, j, names.index(name)] > 0).all()


def test_excitations_give_the_torques_when_the_muscles_are_integrated():
    """The splines of the fit against an integration of fibres and activations along the same motion."""
    time = np.arange(0.0, 0.26, 0.01)
    joints = np.stack([0.3 * np.cos(3 * time), -0.5 + 0.2 * np.sin(4 * time), 0.1 * np.sin(5 * time)], axis=1)
    torque = np.stack([20 * np.sin(6 * time), 15 + 10 * np.sin(5 * time), -40 - 20 * np.cos(4 * time)], axis=1)
    leg = excitations.Leg(time, joints, torque).excitations(lambda k, value: None)
    assert np.abs(leg.missing).max() < 3.0
    assert leg.excitation.min() > -0.03
    assert leg.excitation.max() < 1.03
    drive, path = muscle_walk.MuscleDrive([leg, leg]), CubicSpline(time, joints)
    rates = lambda t, y: drive.rates(t, path(t) * np.ones((2, 1)), y.reshape(2, 9))[0].ravel()  # noqa: E731
    found = solve_ivp(rates, (0, time[-1]), drive.start.ravel(), "LSODA", time, rtol=1e-8, atol=1e-10)
    given = np.array(
        [drive.rates(t, path(t) * np.ones((2, 1)), y.reshape(2, 9))[1][0] for t, y in zip(time, found.y.T)]
    )
    assert np.sqrt(((given - torque) ** 2).mean()) < 3.0


# ---- The foot alone ------------------------------------------------------------------------------
def test_calibration_finds_the_stiffness_that_made_the_forces():
    """Forces of a known foot whose markers were 2 mm too high, with noise."""
    cycle = artificial_cycle()
    true = foot_of_ellipsoids(stiffness=5e5, damping=1.5, friction=foot_calibration.FRICTIONLESS)
    rates = [CubicSpline(cycle.time, part, axis=0)(cycle.time, 1) for part in (cycle.ball, cycle.pitch)]
    moved = np.array([[0.007, 0.01, -0.02], [0.006, -0.01, 0.02]])
    made = foot_calibration._reaction(true, cycle, rates, moved)
    noise = np.random.default_rng(4).normal(0.0, 5.0, made.shape[:2])
    force = np.stack([np.zeros_like(noise), made[..., 0] + noise], axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        pressure = np.where(made[..., 0] > 20.0, cycle.ball[..., 0] + made[..., 1] / made[..., 0], np.nan)
    known = cycle._replace(force=force, pressure=pressure)
    found = calibrate_foot(foot_of_ellipsoids(), known)
    for name, want in (("stiffness", 5e5), ("damping", 1.5), ("right height", 0.007), ("left height", 0.006)):
        value, error = found.of(name)
        scale = want if name == "stiffness" else 1.0
        assert abs(value - want) < 4.0 * error * scale + 1e-3 * abs(want), name
        assert error * scale < 0.2 * want, name
    assert found.rms < 0.01
    assert found.foot.friction == foot_of_ellipsoids().friction


# ---- The walk ------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def short_walk():
    """A person who stands, fitted on ellipsoids."""
    tracker = tracking.Tracker(foot_of_ellipsoids(), standing(), 1.8)
    found = tracker.fit(12, Progress(), "test")
    return tracker, tracker.motion(found), feedback.plan(tracker, found)


def test_a_short_walk(short_walk):
    tracker, fitted, plan = short_walk
    cycle = tracker.cycle
    d = tracking.deviations(fitted.q, fitted.force, cycle)
    assert d["up"] < 0.08
    assert d["forward"] < 0.04
    walk = simulation.walk(tracker, plan, Progress(), "test", 0.02)
    np.testing.assert_allclose(walk.q, fitted.q[:3], atol=0.02)
    np.testing.assert_allclose(walk.force, cycle.force[:3], atol=0.08 * cycle.weight)
    pieces = simulation.pieces(tracker, plan, Progress(), "test", 0.03)
    np.testing.assert_allclose(pieces.q, fitted.q[: len(pieces.q)], atol=0.02)
    assert walk.steps[-1] > 0


def test_a_short_walk_with_muscles(short_walk):
    """The fibres in the simulation against an integration along the simulated joints."""
    tracker, fitted, plan = short_walk
    own = person.actuated().reshape(2, 3)
    legs = [excitations.Leg(fitted.time, fitted.q[:, k], fitted.torque[:, k]) for k in own]
    legs = [leg.excitations(lambda k, value: None) for leg in legs]
    walk = muscle_walk.muscle_walk(tracker, plan, legs, Progress(), "test", 0.02)
    drive, path = muscle_walk.MuscleDrive(legs), CubicSpline(walk.motion.time, walk.q[:, own])
    rates = lambda t, y: drive.rates(t, path(t), y.reshape(2, 9))[0].ravel()  # noqa: E731
    found = solve_ivp(rates, (0, 0.02), drive.start.ravel(), "LSODA", rtol=1e-9, atol=1e-12).y[:, -1]
    np.testing.assert_allclose(walk.motion.joints.velocity[-1, 13:], found, atol=1e-4)
    page = lopes_page(walk.motion)
    assert "right thigh" in page


def lopes_page(motion):
    from tangency.studies.walking.pictures import page

    return page(motion, "A person who walks")


def test_the_made_up_cycle_carries_the_weight():
    cycle = artificial_cycle()
    assert cycle.force[:-1, :, 1].sum(axis=1).mean() == pytest.approx(70.0 * GRAVITY, rel=5e-3)
    assert np.abs(cycle.force[:-1, :, 0].mean()) < 1.0
    assert (np.degrees(-cycle.position[:, 4]) > 5.0).all()  # no knee is overstretched
    assert (np.degrees(-cycle.position[:, 4]) < 90.0).all()


def test_deviations_follow_from_the_columns_of_the_file():
    """The RMS deviations of the table, recomputed from the curves that the study writes."""
    cycle, rng = standing(), np.random.default_rng(3)
    n = len(cycle.time)
    walk = SimpleNamespace(force=cycle.force + rng.normal(size=(n, 2, 2)), q=cycle.position + rng.normal(size=(n, 13)))
    titles, rows = lopes_walking._curves(cycle, {"points": walk, "muscles": walk})
    column = dict(zip(titles, np.array(rows).T))
    assert len(column) == len(titles) == 1 + 3 * (4 + 6)
    np.testing.assert_array_equal(column["time"], cycle.time)
    expected = tracking.deviations(walk.q, walk.force, cycle)
    angles = ("hip_flexion", "knee_flexion", "ankle_dorsiflexion")
    for key, names, size in (
        ("up", ("up",), cycle.weight),
        ("forward", ("forward",), cycle.weight),
        ("angles", angles, 1),
    ):
        off = [column[f"muscles_{s}_{c}"] - column[f"followed_{s}_{c}"] for s in ("right", "left") for c in names]
        np.testing.assert_allclose(np.sqrt(np.mean(np.square(off))) / size, expected[key], rtol=1e-9)
    knee = person.actuated()[1]
    np.testing.assert_allclose(column["points_right_knee_flexion"], -np.degrees(walk.q[:, knee]))


def test_the_study_is_listed():
    assert STUDIES["lopes-walking"].measured is not None


def write_recording(folder, cycle):
    """The made-up cycle, three times, as OpenSim's files of a treadmill."""
    n = len(cycle.time) - 1
    clock = 0.01 * np.arange(3 * n)
    force = np.tile(cycle.force[:n], (3, 1, 1))
    heads = [f"{side}ground_force_v{c}" for side in ("", "1_") for c in "xy"]
    lines = ["walk_grf.mot", f"nRows={len(clock)}", "endheader", "\t".join(["time", *heads])]
    lines += ["\t".join(f"{x:.6f}" for x in (t, *f.ravel())) for t, f in zip(clock, force)]
    (folder / "walk_grf.mot").write_text("\n".join(lines) + "\n")
    ball = np.tile(cycle.ball[:n] - cycle.speed * cycle.time[:n, None, None] * [1, 0], (3, 1, 1))
    pitch = np.tile(cycle.pitch[:n], (3, 1, 1))
    turned = lambda a, x, z: np.stack([np.cos(a) * x - np.sin(a) * z, np.sin(a) * x + np.cos(a) * z], axis=-1)  # noqa: E731
    paths = {}
    for k, side in enumerate("RL"):
        paths[f"{side}.Heel"] = ball[:, k] + turned(pitch[:, k, 0], -0.2, 0.02)
        paths[f"{side}.Toe.Lat"] = paths[f"{side}.Toe.Med"] = ball[:, k] + turned(pitch[:, k, 0], 0.0, 0.02)
        paths[f"{side}.Toe.Tip"] = paths[f"{side}.Toe.Lat"] + turned(pitch[:, k, 1], 0.06, 0.0)
    lines = ["PathFileType\t4\t(X/Y/Z)\twalk.trc", "DataRate\tUnits", "100\tm"]
    lines += ["\t".join(["Frame#", "Time", *(f"{name}\t\t" for name in paths)]), "\tX1\tY1\tZ1"]
    for i, t in enumerate(clock):
        cells = [f"{path[i, 0]:.6f}\t{path[i, 1]:.6f}\t0" for path in paths.values()]
        lines.append("\t".join([str(i + 1), f"{t:.3f}", *cells]))
    (folder / "walk.trc").write_text("\n".join(lines) + "\n")


def test_a_recording_in_the_files_of_opensim(tmp_path):
    """The made-up cycle is found again in its files, but for the filter of the markers."""
    cycle = artificial_cycle()
    write_recording(tmp_path, cycle)
    found = measured_cycle(str(tmp_path))
    assert found.mass == pytest.approx(70.0, rel=5e-3)
    assert found.speed == pytest.approx(cycle.speed, rel=0.03)
    assert found.time[-1] == pytest.approx(cycle.time[-1], abs=0.011)
    n = min(len(found.time), len(cycle.time))
    late = np.sqrt(((found.force[:n] - cycle.force[:n]) ** 2).mean()) / cycle.weight
    assert late < 0.05
    assert np.degrees(np.sqrt(((found.pitch[:n] - cycle.pitch[:n]) ** 2).mean())) < 6.0
    (tmp_path / "walk.trc").unlink()
    with pytest.raises(ValueError, match=r"a file of markers beside .*walk_grf\.mot"):
        measured_cycle(str(tmp_path))


@pytest.mark.full
@pytest.mark.skipif(not DATA.is_dir(), reason="needs the measured gait of ../shared/data")
def test_the_measured_cycle_is_followed():
    """Driven by torques within 0.08 and 0.04 weights and 5 degrees, by muscles within twice that."""
    study = STUDIES["lopes-walking"]
    result = study.measured(study.size, 0, Progress(), str(DATA))
    for row in result.tables[0].rows[:-1]:
        factor = 2.0 if row[1].startswith("muscles") else 1.0
        for cell, limit in zip(row[2:5], (0.08, 0.04, 5.0)):
            assert float(cell) <= factor * limit, row
