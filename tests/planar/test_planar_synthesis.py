"""Motion laws against the tables of handbooks, cams from motions and back, export."""

import csv
import io

import numpy as np
import pytest

from tangency import planar

X = np.linspace(0, 1, 20001)
THIRD = 2 * np.pi / 3
#: Largest velocity and acceleration of a motion from 0 to 1, as printed in handbooks of cam design.
PEAKS = {
    "harmonic": (1.5708, 4.9348),
    "cycloidal": (2.0, 6.2832),
    "modified-sine": (1.7596, 5.5280),
    "3-4-5": (1.875, 5.7735),
    "4-5-6-7": (2.1875, 7.5132),
}


@pytest.mark.parametrize("name", PEAKS)
def test_motion_laws(name):
    s, v, a = planar.motion_law(name, X)
    assert s[[0, -1]] == pytest.approx([0, 1], abs=1e-15)
    assert v[[0, -1]] == pytest.approx([0, 0], abs=1e-14)
    assert (v.max(), np.abs(a).max()) == pytest.approx(PEAKS[name], rel=3e-5)
    assert s + s[::-1] == pytest.approx(1.0, abs=1e-14)  # symmetric
    assert np.gradient(s, X)[1:-1] == pytest.approx(v[1:-1], abs=1e-6)
    assert np.gradient(v, X)[1:-1] == pytest.approx(a[1:-1], abs=2e-3)
    assert (a[0] == 0) == (name != "harmonic")


def program(law, height, start):
    rise, fall = planar.Segment(law, THIRD, height), planar.Segment(law, THIRD, 0.0)
    return planar.lift_program([planar.Segment("dwell", THIRD, 0.0), rise, fall], start)


FOLLOWERS = [
    (planar.Roller(0.01), 0.04, 0.008),
    (planar.Roller(0.01, offset=0.005), 0.04, 0.008),
    (planar.Roller(0.01, inside=True), -0.06, 0.008),
    (planar.KnifeEdge(), 0.03, 0.008),
    (planar.FlatFace(), 0.03, 0.008),
    (planar.SwingingRoller((0.07, -0.01), 0.06, 0.01), 0.55, 0.15),
    (planar.SwingingFlat((0.07, -0.01), 0.003), 0.5, 0.1),
    (planar.SwingingFlat((0.07, -0.01), 0.003, side=-1), 0.5, 0.1),
]


@pytest.mark.parametrize(("follower", "start", "height"), FOLLOWERS, ids=lambda v: type(v).__name__)
def test_the_cam_of_a_motion_gives_that_motion(follower, start, height):
    wanted = program("3-4-5", height, start)
    made = planar.cam_from_motion(wanted, follower)
    alpha = np.linspace(0, 7, 500)
    for got, want, digits in zip(
        planar.cam_motion(made.cam, follower).values(alpha), wanted(alpha), (1e-12, 1e-10, 1e-7)
    ):
        assert got == pytest.approx(want, abs=digits)
    # The boundary touches the follower and nowhere enters it.
    _, points = planar.profile_points(made, 1e-5)
    at, turn = made.contact(alpha[::50]), alpha[::50] - np.pi
    for k, angle in enumerate(turn):
        c, s = np.cos(-angle), np.sin(-angle)
        fixed = points @ np.array([[c, s], [-s, c]])
        if follower.flat:
            gap = ((at.point[k] - fixed) * at.normal[k]).sum(-1).min()
        else:
            centre = follower.path(made.values(alpha[::50][k]).value).point
            gap = np.linalg.norm(fixed - centre, axis=1).min() - follower.radius
        assert -1e-9 < gap < 1e-3  # between neighbouring points


def test_undercutting_is_refused():
    with pytest.raises(ValueError, match=r"undercut at alpha = .*; use a smaller radius"):
        planar.cam_from_motion(program("harmonic", 0.006, 0.1001), planar.Roller(0.1))
    steep = program("cycloidal", 0.03, 0.015)
    with pytest.raises(ValueError, match=r"raise the base circle by more than ([\d.]+) m") as error:
        planar.cam_from_motion(steep, planar.FlatFace())
    more = float(str(error.value).split("more than ")[1].split()[0])
    x = np.linspace(0, 2 * np.pi, 100001)
    q, _, q2 = steep(x)
    assert more == pytest.approx(-(q + q2).min(), rel=1e-4)  # radius of curvature base + s + s''
    assert planar.cam_from_motion(program("cycloidal", 0.03, 0.0151 + more), planar.FlatFace()).travel > 0.029


def test_a_program_runs():
    """A cam from a motion has no lift-off below the rigid limit, and the force of the prescribed acceleration."""
    made = planar.cam_from_motion(program("4-5-6-7", 0.006, 0.03), planar.FlatFace())
    cam = planar.CamTappet(made, spring=3000.0, speed=60.0, friction=0.0)
    run = planar.run_cam(cam, 1.0)
    q, _, q2 = made.values(run.alpha)
    rigid = cam.spring * q + cam.mass * cam.speed**2 * q2
    assert not run.events
    assert run.forces.normal == pytest.approx(rigid, abs=0.02 * rigid.max())
    assert cam.speed < cam.rigid_lift_off_speed() < np.inf


def test_profile_points_keep_the_tolerance():
    base, nose, distance, flank = 0.02, 0.006, 0.025, 0.06
    pitch = planar.pitch_from_arcs(planar.circular_arc_cam(base, nose, distance, flank), 0.01)
    for tolerance in (1e-5, 1e-7):
        _, points = planar.profile_points(planar.cam_motion(pitch), tolerance)
        middle = 0.5 * (points + np.roll(points, -1, axis=0))
        polar = pitch.change_radius(0.0).values(np.arctan2(middle[:, 1], middle[:, 0]) + np.pi / 2).value
        miss = polar - np.linalg.norm(middle, axis=1)
        assert miss.min() > -1e-12
        assert 0.1 * tolerance < miss.max() < 1.2 * tolerance  # radially


def test_csv_can_be_read_back():
    motion = planar.cam_motion(planar.cam_pitch(0.01))
    rows = list(csv.DictReader(io.StringIO(planar.profile_csv(motion, tolerance=1e-5))))
    alpha = np.radians([float(row["angle [deg]"]) for row in rows])
    points = 1e-3 * np.array([[float(row["x [mm]"]), float(row["y [mm]"])] for row in rows])
    centres = 1e-3 * np.array([[float(row["pitch x [mm]"]), float(row["pitch y [mm]"])] for row in rows])
    at = planar.cam_pitch(0.01).at(alpha)
    assert points == pytest.approx(at.point, abs=1e-9)
    assert centres == pytest.approx(at.centre, abs=1e-9)
    assert "pitch x" not in planar.profile_csv(planar.cam_motion(planar.Ellipse([0.03, 0.02]), planar.FlatFace()))


def test_dxf_can_be_read_back():
    ezdxf = pytest.importorskip("ezdxf")
    motion = planar.cam_motion(planar.cam_pitch(0.01))
    drawing = ezdxf.read(io.StringIO(planar.profile_dxf(motion, tolerance=1e-5)))
    assert not drawing.audit().errors
    lines = {line.dxf.layer: line for line in drawing.modelspace().query("LWPOLYLINE")}
    assert set(lines) == {"CAM", "PITCH"}
    points = np.array(lines["CAM"].get_points("xy"))
    assert lines["CAM"].closed
    assert 1e-3 * points == pytest.approx(planar.profile_points(motion, 1e-5)[1], abs=1e-9)


@pytest.mark.parametrize(
    ("segments", "sentence"),
    [
        ([("3-4-5", 3.0, 0.01)], "widths that add up to 2 pi"),
        ([("3-4-5", 2 * np.pi, 0.01)], "must end at the height 0"),
        ([("spline", np.pi, 0.01), ("3-4-5", np.pi, 0.0)], "law must be one of harmonic, cycloidal"),
        ([("3-4-5", np.pi, 0.01), ("dwell", np.pi, 0.0)], "segment 1 must dwell at the height 0.01, got 0"),
        ([("3-4-5", -1.0, 0.01)], "width of segment 0 must be > 0"),
    ],
)
def test_mistakes(segments, sentence):
    with pytest.raises(ValueError, match=sentence):
        planar.lift_program(segments)
    with pytest.raises(TypeError, match="motion must be a PeriodicFunction"):
        planar.cam_from_motion(3.0, planar.FlatFace())
