"""Benchmarks of discrete element codes: printed numbers of LAMMPS, Chung and Ooi, Haff's law."""

import numpy as np
import pytest

from tangency.io.progress import Progress
from tangency.shapes import Sphere
from tangency.studies import STUDIES
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


@pytest.mark.full
@pytest.mark.parametrize("name", ["dem-impacts", "haff-cooling", "random-packings"])
def test_full_size(name):
    study = STUDIES[name]
    result = study.run(study.size, 0, Progress())
    assert study.markdown(result, study.size, 0).count("|") > 40
    if name == "haff-cooling":
        assert float(result.tables[0].rows[0][3]) == pytest.approx(1.0, abs=0.05)
    if name == "random-packings":
        fractions = [float(row[3]) for row in result.tables[0].rows]
        assert np.allclose(fractions, [0.64, 0.70, 0.725], atol=0.02)
