"""Benchmarks of discrete element codes: printed numbers of LAMMPS, Chung and Ooi, Haff's law."""

import numpy as np
import pytest

from tangency.io.progress import Progress
from tangency.shapes import Sphere
from tangency.studies import STUDIES, dem_equilibrium, dem_restitution, rotating_drum, silo_discharge
from tangency.studies.dem_impacts import CASES, PRINTED, SLIDING, hertz, impact, oblique, two_ellipsoids
from tangency.studies.haff_cooling import cooled, fitted_tau, gas
from tangency.studies.random_packings import KINDS, measured, settled


def test_two_ellipsoids_of_lammps():
    for step, value in two_ellipsoids().items():
        assert float(f"{value:.8g}") == PRINTED[step]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_elastic_impacts(case):
    exact = hertz(case)
    for printed, value, unit in zip(case.printed, exact, (1e6, 1e-3, 1e6)):
        assert not printed or abs(float(printed) - unit * value) < 0.6 * 10.0 ** -len(printed.partition(".")[2])
    assert np.allclose(impact(case), exact, rtol=2e-6)


def test_oblique_impacts():
    for angle, (restitution, spin) in SLIDING.items():
        found = oblique(float(angle))
        assert found[0] == pytest.approx(restitution, abs=1e-4)
        assert found[1] == pytest.approx(spin, abs=0.3)


def test_a_small_gas_of_spheres_cools_as_haff_says():
    made = gas(Sphere(0.01), 60, 0)
    run = cooled(made, 1.5)
    tau, off = fitted_tau(run, run.energy["kinetic"])
    assert tau == pytest.approx(made.tau, rel=0.15)
    assert off < 0.2


def test_a_small_packing_of_spheres():
    fraction, contacts, _ = measured(settled(KINDS[0], 130, 0, width=4.6, duration=0.5), margin=1.5)
    assert 0.58 < fraction < 0.68
    assert 5.0 < contacts < 6.6


@pytest.mark.parametrize("body", dem_restitution.SHAPES)
def test_the_restitution_asked_for_comes_out(body):
    radii, material = dem_restitution.SHAPES[body], dem_restitution.MATERIALS["cast iron"]
    for restitution in (0.2, 0.6, 1.0):
        assert dem_restitution.rebound(radii, material, restitution) == pytest.approx(restitution, abs=1e-7)


@pytest.mark.parametrize("angle", dem_restitution.ANGLES)
def test_ellipsoids_that_slide(angle):
    radii = dem_restitution.SHAPES["ellipsoid"]
    exact, found = dem_restitution.sliding(radii, angle), dem_restitution.slid(radii, angle)
    assert found[0] == pytest.approx(exact[0], abs=1e-5)
    assert found[1] == pytest.approx(exact[1], rel=2e-3)  # the body turns a little during the impact
    # A ball by the printed formula, for the same impact.
    printed = dem_restitution.sliding(dem_restitution.SHAPES["ball"], angle)
    assert (round(printed[0], 4), round(printed[1], 1)) == SLIDING[angle]


@pytest.mark.parametrize("axis", dem_equilibrium.PRINTED)
def test_forces_of_opensim(axis):
    found = dem_equilibrium.pressed(axis)
    assert found[0] == pytest.approx(dem_equilibrium.PRINTED[axis], rel=1e-12)
    # The geometric mean of the radii of curvature is close to Hertz's elliptic contact, and less than it.
    assert 0.88 * found[2] < found[1] < found[2]


@pytest.mark.parametrize("case", dem_equilibrium.SETTLING, ids=lambda case: case.name)
def test_bodies_settle_to_their_equilibrium(case):
    height, tilt, speed = dem_equilibrium.settled(case)
    assert height == pytest.approx(dem_equilibrium.rest_height(case), abs=1e-8)
    assert tilt < 1e-4
    assert speed < 1e-6


def test_a_small_silo_discharges(monkeypatch):
    monkeypatch.setattr(silo_discharge, "FLOW", 0.24)
    silo = 6.0 * silo_discharge.RADIUS
    rest = silo_discharge.filled("spheres", 70, 0, silo)
    assert rest.position[-1, rest.group("grains"), 2].min() > 0.9 * silo_discharge.RADIUS
    hole = 7.0 * silo_discharge.RADIUS
    flow = silo_discharge.discharged(rest, "spheres", hole, silo)
    out = np.isfinite(flow.removed)
    assert 3 < out.sum() <= 70
    # Nobody passes the wall or the floor beside the hole.
    places = flow.position[-1, flow.group("grains")][flow.present(-1)[flow.group("grains")]]
    away = np.hypot(places[:, 0], places[:, 1])
    assert (away < silo).all()
    assert (away[places[:, 2] < 0.5 * silo_discharge.RADIUS] < 0.5 * hole).all()


def test_the_hole_of_a_silo_has_the_area_of_its_diameter():
    floor = silo_discharge.floor(0.04, 0.07)
    corners = np.array([piece.shape.point([-np.cos(a), -np.sin(a), 0.1])[:2] for piece, a in zip(
        floor.pieces, 2.0 * np.pi / len(floor.pieces) * (np.arange(len(floor.pieces)) + 0.4))])  # fmt: skip
    x, y = corners.T
    area = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    assert area == pytest.approx(np.pi * 0.02**2, rel=1e-9)


@pytest.mark.full
def test_a_small_drum():
    found = rotating_drum.slopes(rotating_drum.turned(rotating_drum.KINDS[1], 300, 0, 0.4, 0.4))
    assert 25.0 < found.surface < 40.0
    assert found.mass == pytest.approx(found.surface, abs=3.0)
    assert found.torque == pytest.approx(found.weight, rel=0.05)


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        "dem-impacts",
        "dem-restitution",
        "dem-equilibrium",
        "haff-cooling",
        "random-packings",
        "silo-discharge",
        "rotating-drum",
    ],
)
def test_full_size(name):
    study = STUDIES[name]
    result = study.run(study.size, 0, Progress())
    assert study.markdown(result, study.size, 0).count("|") > 30
    if name == "silo-discharge":
        spheres = [float(row[4]) for row in result.tables[0].rows if row[0] == "spheres"]
        assert spheres == pytest.approx([1.0] * len(silo_discharge.HOLES), abs=0.2)
    if name == "rotating-drum":
        assert [float(row[6]) for row in result.tables[0].rows] == pytest.approx([1.0] * 3, abs=0.05)
    if name == "haff-cooling":
        assert float(result.tables[0].rows[0][3]) == pytest.approx(1.0, abs=0.05)
    if name == "random-packings":
        fractions = [float(row[3]) for row in result.tables[0].rows]
        assert np.allclose(fractions, [0.64, 0.70, 0.725], atol=0.02)
