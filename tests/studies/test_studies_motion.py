"""The studies in motion at reduced size: numbers that the papers, exact solutions or balances of momentum give."""

import csv
import io
import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.stats import pearsonr

from tangency.cli.main import main
from tangency.io.progress import Progress
from tangency.studies import STUDIES, foot_gait, foot_ground, foot_shapes, lopes_bowl, romer_case


def column(result, name, **where):
    rows = csv.DictReader(io.StringIO(result.csv()))
    return np.array([float(row[name]) for row in rows if all(row[key] == value for key, value in where.items())])


# ---- Römer's two ellipsoids ----------------------------------------------------------------------
def test_the_box_is_the_papers():
    """Floor 0.5 m by 1 m; walls at 45 and 60 degrees; both bodies begin clear of it and of each other."""
    for signs in itertools.product((-1, 1), repeat=2):
        corner = np.array([0.25 * signs[0], 0.5 * signs[1], 0.0])
        gaps = sorted(np.array(n) @ corner - d for n, d in romer_case.PLANES)
        np.testing.assert_allclose(gaps[:3], 0.0, atol=1e-15)
        assert gaps[3] > 0.3
    for n, _ in romer_case.PLANES:
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-15)


def test_two_ellipsoids_in_a_box():
    """The first impacts: all energy is accounted for, none comes from nowhere, tolerances do not matter."""
    coarse, fine = (romer_case.move(450, rtol=rtol, atol=1e-3 * rtol).motion for rtol in (1e-6, 5e-7))
    energy = coarse.mechanical_energy
    turning = 0.5 * np.pi**2 * sum(_about_z(body) for body in romer_case.world().bodies[5:])
    assert energy[0] == pytest.approx(9.81 * (200.0 + 50.0 * romer_case.POSITION_II[2]) + turning, rel=1e-12)
    assert np.diff(energy).max() < 1e-6 * energy[0]
    assert energy[-1] < 0.7 * energy[0]
    assert np.abs(energy + coarse.energy["dissipated"] - energy[0]).max() < 1e-6 * energy[0]
    assert np.abs(coarse.position[-1] - fine.position[-1]).max() < 1e-5
    assert 0.3 < coarse.time[np.argmax(np.diff(coarse.contacts.first) > 0)] < 0.45
    # Free fall until then.
    free = coarse.time < 0.3
    fall = coarse.position[free, 5, 2] - (1.0 - 0.5 * 9.81 * coarse.time[free] ** 2)
    assert np.abs(fall).max() < 1e-9


def _about_z(body):
    """Moment of inertia about the vertical, at the start."""
    turn = body.rotation.as_matrix()
    return (turn @ body.mass_properties.inertia @ turn.T)[2, 2]


@pytest.mark.full
def test_two_ellipsoids_come_to_rest():
    result = STUDIES["romer-case"].run(4000, 0, Progress())
    rows = {row[0]: row[2] for row in result.tables[0].rows}
    assert rows["planes that are touched"] == "1, 2, 3, 4, 5"
    assert float(rows["largest rise of the energy from one frame to the next, of the start"]) < 1e-6
    assert float(rows["fastest point at the end [m/s]"]) <= 2.0 * romer_case.SPEED
    assert -1e-4 < float(rows["smallest distance to a plane at the end [m]"]) < 0.0
    assert float(result.tables[2].rows[1][4]) < 1e-4  # half the tolerances, positions after one second
    energy = column(result, "total")
    assert np.ptp(energy[-100:]) < 1e-3  # at rest


# ---- Lopes' bowl ---------------------------------------------------------------------------------
def test_pendulum_is_that_of_its_equation():
    time = np.linspace(0.0, 2.0, 9)
    found = solve_ivp(
        lambda t, y: [y[1], -lopes_bowl.GRAVITY / lopes_bowl.ARM * np.sin(y[0])],
        (0.0, 2.0),
        [0.5 * np.pi, 0.0],
        t_eval=time,
        rtol=1e-12,
        atol=1e-13,
        method="DOP853",
    ).y[0]
    want = lopes_bowl.ARM * np.stack([np.sin(found), -np.cos(found)], axis=1)
    np.testing.assert_allclose(lopes_bowl.pendulum(time), want, atol=1e-10)


@pytest.mark.full
def test_ball_in_a_bowl():
    result = STUDIES["lopes-bowl"].run(1, 0, Progress())
    _, exact = result.tables
    errors = [float(row[2]) for row in exact.rows]
    assert errors[0] < 3e-4
    # In the limit of a rigid wall nothing is left: depth ~ K^(-2/3), a quarter for eight times the stiffness.
    assert [a / b for a, b in itertools.pairwise(errors)] == pytest.approx([4.0, 4.0], abs=0.1)
    plane, spiral = (
        {name: column(result, name, release=release.name) for name in ("time", "x", "y", "z", "energy", "slip")}
        for release in lopes_bowl.RELEASES[:2]
    )
    assert np.abs(plane["y"]).max() < 1e-12
    assert spiral["energy"][0] == pytest.approx(9.81 * 0.9 + 0.5 * 8.1**2 + 0.5 * 0.01 * 81.0, rel=1e-9)
    assert (np.diff(spiral["energy"]) < 1e-6).all()
    # At first the ball presses with m v^2 / (R - r) and slides at v + omega r: that friction takes its energy.
    power = 0.01 * 8.1**2 / 0.9 * (8.1 + 0.9)
    early = spiral["time"] < 0.1
    assert -np.polyfit(spiral["time"][early], spiral["energy"][early], 1)[0] == pytest.approx(power, rel=0.05)
    np.testing.assert_allclose(np.hypot(np.hypot(spiral["x"], spiral["y"]), spiral["z"]), 0.9, atol=1e-4)


@pytest.mark.full
def test_a_ball_that_rolls_is_not_braked():
    result = STUDIES["lopes-bowl"].run(25, 0, Progress())
    name = lopes_bowl.RELEASES[1].name
    time, energy, slip = (column(result, c, release=name) for c in ("time", "energy", "slip"))
    late = time > 18.0
    assert slip[late].max() < 2.0 * lopes_bowl.SLOW
    assert np.ptp(energy[late]) < 1e-2
    assert energy[-1] > 15.0


# ---- Foot and ground -----------------------------------------------------------------------------
def test_points_lie_on_the_hull_of_the_ellipses():
    for segment, count in foot_shapes.POINTS.items():
        points, e = foot_shapes.sole(segment, count), foot_shapes.ELLIPSES[segment]
        inside = (((points[:, None] - e[:, :2]) / e[:, 2:]) ** 2).sum(axis=2)
        assert inside.min() > 1.0 - 1e-3
        assert points[:, 1].min() == pytest.approx(foot_shapes.SOLE, abs=1e-4)
        for pitch in (-0.2, 0.0, 0.1):
            low = (points @ [-np.sin(pitch), -np.cos(pitch)]).max()
            assert low == pytest.approx(foot_shapes.lowest(segment, pitch), abs=5e-4)
    assert sum(foot_shapes.POINTS.values()) == 31
    assert sum(map(len, foot_shapes.ELLIPSES.values())) == 6


def test_the_artificial_gait_is_smooth_and_periodic():
    gait = foot_gait.artificial(2)
    assert gait.duration == pytest.approx(2 * foot_gait.PERIOD)
    for time in (0.0, 0.31, 0.77):
        now, again = gait.at(time), gait.at(time + foot_gait.PERIOD)
        np.testing.assert_allclose(now[0], again[0], atol=1e-12)
        np.testing.assert_allclose(now[1], again[1], atol=1e-9)
        # The left foot does the same half a period later.
        np.testing.assert_allclose(now[0][:4], gait.at(time + 0.5 * foot_gait.PERIOD)[0][4:], atol=1e-9)
        ahead, behind = (np.array(gait.at(time + h)[0]) for h in (1e-5, -1e-5))
        np.testing.assert_allclose((ahead - behind) / 2e-5, now[1], atol=1e-5)


def test_foot_and_ground():
    """A quarter of a cycle: ellipsoids need fewer steps; friction stays in its cone, nothing pulls."""
    gait = foot_gait.artificial(1)
    walks = {kind: foot_ground.walk(kind, gait, 0.3) for kind in foot_ground.KINDS}
    points, ellipsoids = (walks[kind] for kind in ("points", "ellipsoids"))
    assert ellipsoids.steps[-1] < 0.8 * points.steps[-1]
    assert ellipsoids.evaluations < 0.8 * points.evaluations
    weight = gait.mass * foot_gait.GRAVITY
    for walk in walks.values():
        assert walk.force[0, :, 1].sum() == pytest.approx(weight, rel=0.05)  # the start carries the weight
        assert walk.force[:, :, 1].min() >= 0.0
        assert (np.abs(walk.force[..., 0]) <= foot_ground.FRICTION * walk.force[..., 1] + 1e-4).all()
    apart = np.abs(points.force[..., 1] - ellipsoids.force[..., 1]).mean()
    assert apart < 0.1 * weight


def test_measured_data_only_where_they_belong(tmp_path, capsys):
    for words in (["romer-fig2", "--data", "x"], ["foot-ground", "--data", str(tmp_path)]):
        assert main(["study", *words]) == 2
        assert "got" in capsys.readouterr().err
    bad = tmp_path / "walk_grf.csv"
    bad.write_text("# time,ground_force_vx\n" + "0,1\n" * 20)
    (tmp_path / "walk_foot_markers.csv").write_text("# time\n" + "0\n" * 20)
    assert main(["study", "foot-ground", "--data", str(bad)]) == 2
    assert "must have a column" in capsys.readouterr().err


@pytest.mark.full
def test_a_cycle_carries_the_weight():
    """Periodic walking: the mean vertical force is the weight, the mean forward force zero."""
    result = STUDIES["foot-ground"].run(3, 0, Progress())
    own = column(result, "time") > 2.0 * foot_gait.PERIOD + 1e-9
    assert own.sum() == round(foot_gait.PERIOD / foot_ground.FRAME)
    weight = 70.0 * foot_gait.GRAVITY
    for kind in foot_ground.KINDS:
        for name, want in (("up", 1.0), ("forward", 0.0)):
            both = sum(column(result, f"{kind}_{side}_{name}")[own] for side in foot_gait.SIDES)
            assert both.mean() / weight == pytest.approx(want, abs=2e-3)
    ratio = result.tables[0].rows[2]
    assert float(ratio[4]) > 1.3  # steps, 1.37 in print
    assert float(ratio[6]) < 0.8  # right-hand sides


def test_agreement_with_a_measurement_names_what_is_worse_than_zero():
    """The table against SciPy's correlation and plain sums, for forces made up here."""
    rng = np.random.default_rng(5)
    want, noise = rng.normal(size=(2, 60, 2, 2))
    time = np.arange(60) * foot_ground.FRAME
    force = np.stack([1.5 * noise[..., 0], want[..., 1] + 0.1 * noise[..., 1]], axis=-1)
    walk = foot_ground.Walk(time, force, np.arange(60), 1, 1, 1.0)
    up, forward = foot_ground._agreement({"points": walk}, want, time[20], 2.0).rows
    assert up[-1] == "better"
    assert forward[-1] == "worse"
    for row, k in ((up, 1), (forward, 0)):
        for side in range(2):
            assert float(row[2 + side]) == pytest.approx(pearsonr(force[20:, side, k], want[20:, side, k])[0], abs=6e-3)
        pairs = list(zip(force[20:, :, k].flat, want[20:, :, k].flat))
        errors = [sum((f - w) ** 2 for f, w in pairs), sum(w * w for _, w in pairs)]
        assert [float(v) for v in row[4:6]] == pytest.approx([np.sqrt(e / 80) / 2.0 for e in errors], abs=6e-4)


@pytest.mark.full
def test_measured_walking(extra):
    gait = foot_gait.measured(str(extra("data/gait_subject01_walk1_grf.csv.gz")))
    assert gait.mass == pytest.approx(72.6, rel=0.02)
    walk = foot_ground.walk("ellipsoids", gait)
    late = walk.time > 0.3
    want = foot_ground._at(gait, walk.time)[late]
    off = np.sqrt(np.mean((walk.force[late] - want) ** 2, axis=(0, 1))) / (gait.mass * foot_gait.GRAVITY)
    assert off[1] < 0.12
    for side in range(2):
        assert np.corrcoef(walk.force[late, side, 1], want[:, side, 1])[0, 1] > 0.95
    # What the notes of the study say of the fore-aft force, from the first 0.1 s on.
    own = walk.time >= 0.1
    found, want = walk.force[own, :, 0], foot_ground._at(gait, walk.time)[own, :, 0]
    weight = gait.mass * foot_gait.GRAVITY
    for side in range(2):
        assert 0.15 < np.corrcoef(found[:, side], want[:, side])[0, 1] < 0.45
    assert np.sqrt(np.mean((found - want) ** 2)) / weight == pytest.approx(0.12, abs=0.01)
    assert np.sqrt(np.mean(want**2)) / weight == pytest.approx(0.075, abs=0.001)
    assert np.corrcoef(found.sum(axis=1), want.sum(axis=1))[0, 1] == pytest.approx(0.83, abs=0.03)
    both = (foot_ground._at(gait, walk.time)[own, :, 1] > 40.0).all(axis=1)
    assert np.corrcoef(*(found - want)[both].T)[0, 1] == pytest.approx(-0.93, abs=0.03)
