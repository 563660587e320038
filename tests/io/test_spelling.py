"""Misspelt names: attributes, keywords and words that select something come with a suggestion."""

import inspect

import numpy as np
import pytest

import tangency as tg
from tangency import dynamics, fitting, forces, planar

BALL = tg.Sphere(1.0)


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: tg.Elipsoid, "Ellipsoid"),
        (lambda: tg.sphere, "Sphere"),
        (lambda: tg.dynamic, "dynamics"),
        (lambda: tg.Ellipsoid(radi=[1, 2, 3]), "radii"),
        (lambda: tg.Superellipsoid([1, 2, 3], epsilom=1.0), "epsilon"),
        (lambda: planar.Ellipse(radi=[1, 2]), "radii"),
        (lambda: forces.Florez, "Flores"),
        (lambda: forces.Hertz(stifness=1e5), "stiffness"),
        (lambda: forces.Material(yong=1e9, poisson=0.3), "young"),
        (lambda: dynamics.Body("a", BALL, densty=1.0), "density"),
        (lambda: tg.contact(BALL, BALL, solver="romer3"), "romer-3"),
        (lambda: planar.contact(planar.Circle(1.0), planar.Circle(1.0), solver="romer3"), "romer-3"),
        (lambda: dynamics.simulate(dynamics.World([dynamics.Body("a", BALL)]), 1.0, "acurate"), "accurate"),
        (lambda: dynamics.World([dynamics.Body("ball", BALL)])["bal"], "ball"),
        (lambda: fitting.fit(np.eye(3), "elipsoid"), "ellipsoid"),
    ],
)
def test_the_name_that_was_meant(call, meant):
    with pytest.raises((AttributeError, TypeError, ValueError), match=f"; did you mean '{meant}'"):
        call()


def test_nothing_is_suggested_for_other_words():
    with pytest.raises(AttributeError, match=r"no attribute 'zzz'$"):
        _ = tg.zzz
    assert not hasattr(tg, "_private")


def test_constructors_keep_their_signatures():
    """Classes that suggest keywords still show which ones they take."""
    assert list(inspect.signature(tg.Ellipsoid).parameters) == ["radii"]
    assert "stiffness" in inspect.signature(forces.Hertz).parameters
    assert "density" in inspect.signature(dynamics.Body).parameters
