"""Bad input is named; empty stacks are NumPy's; numbers leave the range of float64 with a sentence."""

import numpy as np
import pytest

from tangency import planar
from tangency.cli.main import main

CAM, FOOT = planar.CamTappet(), planar.RollingFoot()


@pytest.mark.parametrize(
    ("make", "kind", "sentence"),
    [
        (lambda: planar.run_cam(CAM, samples=0), ValueError, "samples must be an integer >= 1, got 0"),
        (lambda: planar.run_cam(CAM, samples=1.5), TypeError, "samples must be an integer >= 1, got 1.5"),
        (lambda: planar.run_cam(CAM, [1, 2]), ValueError, r"revolutions must be a single number, got .* \(2,\)"),
        (lambda: planar.run_cam(CAM, rtol=0), ValueError, "rtol must lie between 1e-14 and 1, got 0"),
        (lambda: planar.lift_off_speed(CAM, rtol=0), ValueError, "rtol must lie between 1e-14 and 1, got 0"),
        (lambda: planar.CamTappet(speed=[1, 2]), ValueError, r"speed must be a single number, got .* \(2,\)"),
        (lambda: planar.run_cam(planar.CamTappet(speed=1e-9)), ValueError, "speed must be higher or revolutions"),
        (lambda: planar.run_cam(CAM, 1e9), ValueError, "the contact would vibrate .* in 1e.09 revolutions"),
        (lambda: planar.CamTappet(speed=-3), ValueError, "speed must be > 0, got -3"),
        (lambda: planar.CamTappet(modulus=[[1, 2]]), ValueError, r"modulus must be two numbers, .* \(1, 2\)"),
        (lambda: planar.sweep_speed(CAM, [[1.0]]), ValueError, r"speeds must be a list of speeds, got .* \(1, 1\)"),
        (lambda: planar.cam_pitch([1, 2]), ValueError, "radius must be a single number"),
        (lambda: planar.cam_pitch().change_radius([1, 2]), ValueError, "radius must be a single number"),
        (lambda: planar.cam_pitch().change_radius(-1), ValueError, "radius must be >= 0, got -1"),
        (lambda: planar.pitch_from_shape(planar.Circle(1.0), [1]), ValueError, "radius must be a single number"),
        (lambda: FOOT.run(samples=0), ValueError, "samples must be an integer >= 2, got 0"),
        (lambda: planar.RollingFoot(mass=[1, 2]), ValueError, "mass must be a single number"),
        (lambda: planar.RollingFoot(friction="wet"), TypeError, "friction must be a number, got 'wet'"),
        (lambda: planar.RollingFoot(sole=[[0, 1]]), ValueError, r"sole must be two numbers, got .* \(1, 2\)"),
        (lambda: planar.RollingBody(planar.Circle(1.0), [1]), ValueError, "start must be a single number"),
        (lambda: planar.check(planar.Circle(1.0), samples=0), ValueError, "samples must be an integer >= 1, got 0"),
        (lambda: planar.Line([0, 1], 1e61), ValueError, r"offset must lie within 1e60 .* got 1.e\+61"),
        (
            lambda: planar.contact(planar.Line(), planar.Circle(1.0), pose_b=(0, [0, 1e61])),
            ValueError,
            "positions must lie within 1e60",
        ),
        (lambda: planar.contact(planar.Line(), planar.Circle(1e61)), ValueError, "the size of a body must lie between"),
    ],
)
def test_bad_input_is_named(make, kind, sentence):
    with pytest.raises(kind, match=sentence):
        make()


@pytest.mark.parametrize(
    ("sweep", "sentence"),
    [
        (["nan", "100", "3"], "--sweep LOW must be finite, got nan"),
        (["60", "inf", "3"], "--sweep HIGH must be finite, got inf"),
        (["-60", "100", "3"], "--sweep LOW must be > 0, got -60"),
        (["60", "100", "-3"], "--sweep COUNT must be an integer from 1 to 10000, got -3"),
        (["60", "100", "2.5"], "--sweep COUNT must be an integer from 1 to 10000, got 2.5"),
        (["60", "100", "nan"], "--sweep COUNT must be an integer from 1 to 10000, got nan"),
    ],
)
def test_a_bad_sweep_is_one_sentence(sweep, sentence, tmp_path, capsys):
    assert main(["planar", "cam", "--sweep", *sweep, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def empties():
    circle = planar.Circle(np.zeros(0))
    return [
        circle,
        planar.Ellipse(np.ones((0, 2))),
        planar.Superellipse(np.ones((0, 2)), 2.5),
        planar.Polygon(np.zeros((0, 3, 2))),
        planar.Polygon(np.zeros((0, 3, 2)), radius=0.1),
        planar.FourierShape(np.ones(0), [0.1], [0.1]),
        planar.FourierShape(1.0, np.zeros((0, 2)), np.zeros((0, 2))),
        planar.PiecewiseShape(np.zeros((0, 1)), np.ones((0, 1, 1))),
        circle.offset(0.1),
        circle.offset(-0.1),
        circle + planar.Circle(1.0),
        circle.affine(2 * np.eye(2)),
        circle.translate([1, 0]),
    ]


@pytest.mark.parametrize("shape", empties(), ids=lambda shape: type(shape).__name__)
def test_empty_stacks(shape):
    assert shape.batch_shape == (0,)
    for a, b in ((shape, planar.Circle(1.0)), (planar.Polygon([[0, 0], [1, 0]]), shape), (planar.Line(), shape)):
        c = planar.contact(a, b, pose_b=(0.1, [3, 0]))
        assert c.distance.shape == c.status.shape == c.curvature_a.shape == c.curvature_b.shape == (0,)
        assert c.normal.shape == c.point_a.shape == (0, 2)
    assert shape.area.shape == shape.arc_length.shape == shape.inertia().shape == shape.bounding_radius.shape == (0,)
    assert shape.centroid.shape == shape.point([1, 0]).shape == (0, 2)
    assert planar.offset_limit(shape).shape == (0,)
    assert planar.check(shape)


def test_empty_polygons_of_any_shape():
    shape = planar.Polygon(np.zeros((2, 0, 5, 2)))
    assert shape.batch_shape == (2, 0)
    assert planar.contact(shape, planar.Circle(1.0)).distance.shape == (2, 0)
