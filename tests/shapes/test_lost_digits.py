"""Formulas x(u, v) that cancel beside a singular value are reported when the body is made; others are not."""

import math
import time
import warnings

import numpy as np
import pytest

import tangency as tg

pytest.importorskip("sympy")
#: A surface whose formulas cancel, and the same one in sines and cosines.
SURFACES = {
    "power": (
        ("a*(1 - Abs(u)**p)**(1/p)*cos(v)", "b*(1 - Abs(u)**p)**(1/p)*sin(v)", "c*u"),
        ("a*Abs(cos(u))**(2/p)*cos(v)", "b*Abs(cos(u))**(2/p)*sin(v)", "c*sign(sin(u))*Abs(sin(u))**(2/p)"),
    ),
    "tangent": (
        ("a*((1 - u**2)/(1 + u**2))*cos(v)", "b*((1 - u**2)/(1 + u**2))*sin(v)", "c*2*u/(1 + u**2)"),
        ("a*cos(u)*cos(v)", "b*cos(u)*sin(v)", "c*sin(u)"),
    ),
}
CANCELS, KEEPS = (-1.0, 1.0), (-math.pi / 2, math.pi / 2)  # ranges of u


def random_parameters(rng, name):
    given = {name: float(rng.uniform(0.5, 2.0)) for name in "abc"}
    return given | ({"p": float(rng.uniform(2.2, 4.0))} if name == "power" else {})


def made(x, u, given):
    """Body and warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        return tg.from_parametric(x, u=u, **given), [str(one.message) for one in found]


def closed_form(given):
    return tg.Superellipsoid([given[k] for k in "abc"], [2.0 / given.get("p", 2.0), 1.0])


def errors(body, exact, rng):
    """Largest errors of points, and of W relative to its largest component, beside the poles."""
    near = rng.normal(size=(200, 3)) * 10.0 ** rng.uniform(-15, -4, (200, 1))
    near[:, 2] = rng.choice([-1.0, 1.0], 200)
    found, wanted = body.jet(near), exact.jet(near)
    bend = np.abs(found.hessian - wanted.hessian).max(axis=(1, 2)) / np.abs(wanted.hessian).max(axis=(1, 2))
    return np.abs(found.point - wanted.point).max(), bend.max()


def reported(name, rng):
    given = random_parameters(rng, name)
    body, sentences = made(SURFACES[name][0], CANCELS, given)
    assert max(errors(body, closed_form(given), rng)) > 1e-6  # bad: the closed form says so
    assert len(sentences) == 1
    assert sentences[0].startswith("x makes an inaccurate body next to u = ")
    assert float(sentences[0].split("u = ")[1].split(":")[0]) == pytest.approx(-1.0) or "u = 1:" in sentences[0]
    return body, sentences[0]


def judged(name, rng):
    body, sentence = reported(name, rng)
    assert sentence in tg.check(body).problems
    keeps, given = SURFACES[name][1], random_parameters(rng, name)
    exact = closed_form(given)
    good, sentences = made(keeps, KEEPS, given)
    assert max(errors(good, exact, rng)) < 1e-12
    assert sentences == []
    assert tg.check(good).ok


def test_formulas_that_cancel_are_reported():
    reported("power", np.random.default_rng(3))


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", SURFACES)
def test_formulas_at_random(name, seed):
    judged(name, np.random.default_rng(100 + seed))


def test_without_check_nothing_is_said():
    x = SURFACES["tangent"][0]
    tg.from_parametric(x, u=CANCELS, check=False, a=1, b=1, c=1)  # warnings are errors in tests


def test_the_comparison_is_quick():
    rng = np.random.default_rng(5)
    body = tg.from_parametric(SURFACES["power"][1], u=KEEPS, check=False, **random_parameters(rng, "power"))
    body.support([0.0, 0.0, 1.0])  # compiles
    start = time.process_time()
    assert body._inaccuracies() == []
    assert time.process_time() - start < 0.6  # of processor time
