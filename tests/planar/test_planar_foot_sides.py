"""Soles with straight sides: rocking and sliding blocks, rolling polygons."""

import math

import numpy as np
import pytest

from tangency import planar

G = 9.81


def block(b, h, **options):
    """A block of half width b and half height h, about its centre."""
    corners = [[b, h], [-b, h], [-b, -h], [b, -h]]
    return planar.RollingFoot(planar.Polygon(corners), **{"sole": None, "mass": 2.0, **options})


def balanced(run):
    return run.balance_error < 1e-8 * abs(run.energy).max()


def test_rocking_block():
    """Housner: each fall onto the base leaves 1 - 3/2 sin^2 of the rate, for a rough ground and no rebound."""
    b, h = 0.05, 0.2
    foot = block(b, h, friction=math.inf)
    run = foot.run(alpha=0.1, duration=1.2, samples=4001)
    first = run.events[0]
    assert first.kind == "landing"
    before, after = (run.rate[np.searchsorted(run.time, first.time) + k] for k in (-1, 1))
    ratio = 1 - 1.5 * math.sin(math.atan(b / h)) ** 2
    assert after / before == pytest.approx(ratio, rel=0.02)  # the samples lie next to the impact
    # exactly, by the energy that it took: I = 4/3 m r^2 about the corner
    energy = 2.0 * G * (float(foot.rolling.height(0.1)[0]) - h)
    assert first.loss == pytest.approx(energy * (1 - ratio**2), rel=1e-9)
    assert balanced(run)


def test_sliding_block_stops():
    foot = block(0.1, 0.05, friction=0.3)
    run = foot.run(slip=1.0, duration=1.0)
    assert (run.phase == "stand").all()
    stop = 1.0 / (0.3 * G)
    assert run.events[0].time == pytest.approx(stop, rel=1e-9)
    assert run.reference[-1, 0] - run.reference[0, 0] == pytest.approx(0.5 * stop, rel=1e-9)
    # the centre of pressure moves ahead by mu h while it slides
    sliding = run.time < stop
    assert (run.contact - run.reference)[sliding, 0] == pytest.approx(0.3 * 0.05 + 0 * run.time[sliding], abs=1e-12)
    assert run.friction_loss[-1] == pytest.approx(0.5 * 2.0, rel=1e-9)
    assert balanced(run)


def test_tall_block_tips():
    """On a slope it slides if tan > mu, and tips if tan > b / h first."""
    tips = block(0.05, 0.2, friction=0.5, slope=math.atan(0.3)).run(duration=0.2)
    assert tips.alpha[-1] > 0.01
    assert (tips.phase == "roll").mean() > 0.9
    slides = block(0.1, 0.1, friction=0.2, slope=math.atan(0.3)).run(duration=0.2)
    assert (slides.phase == "stand").all()
    angle = math.atan(0.3)
    assert slides.velocity[:, 0] == pytest.approx(G * (math.sin(angle) - 0.2 * math.cos(angle)) * slides.time, abs=1e-9)
    rests = block(0.1, 0.1, friction=0.4, slope=math.atan(0.3)).run(duration=0.2)
    assert (rests.velocity == 0).all()
    for run in (tips, slides, rests):
        assert balanced(run)


def test_dropped_flat():
    """A block that lands flat stays, without rebound; it bounces with restitution, flat, like a ball."""
    run = block(0.1, 0.05, friction=0.3).run(height=0.1, duration=0.5)
    assert run.phase[-1] == "stand"
    assert run.impact_loss[-1] == pytest.approx(2.0 * G * 0.1, rel=1e-9)
    assert balanced(run)


@pytest.mark.parametrize("sides", [5, 8])
def test_polygon_rolls_down_a_slope(sides):
    angle = np.arange(sides) * 2 * np.pi / sides
    shape = planar.Polygon(0.1 * np.stack([np.cos(angle), np.sin(angle)], -1))
    foot = planar.RollingFoot(shape, sole=None, friction=0.8, slope=0.35)
    run = foot.run(alpha=0.02, rate=3.0, duration=1.0)
    assert len([event for event in run.events if event.kind == "landing"]) >= 3
    assert run.alpha[-1] > 1.0
    assert run.gap.min() > -1e-12
    assert balanced(run)


def test_rounded_block_and_restitution():
    shape = planar.Polygon([[0.08, 0.1], [-0.08, 0.1], [-0.08, -0.1], [0.08, -0.1]], radius=0.02)
    foot = planar.RollingFoot(shape, sole=None, friction=0.4, restitution=0.4)
    run = foot.run(alpha=0.4, height=0.05, rate=-1.0, duration=1.5)
    assert run.end == "time"
    assert balanced(run)
    assert run.phase[-1] == "stand"
    assert run.force[-1] == pytest.approx([0.0, G], abs=1e-9)
