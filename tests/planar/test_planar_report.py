"""The cam workbench on the command line: tables, followers, report and export."""

import csv
import io
import re

import numpy as np
import pytest

from tangency import planar
from tangency.cli.main import main

#: Where the follower of the table rests [degrees]: stated where the search for dwells is not what a test is about.
RESTS = ["--dwell", "286.479", "114.592"]


@pytest.fixture
def lift_table(tmp_path):
    """A lift table rounded to a micrometre: 3-4-5 rise and return of 6 mm."""
    rise, fall = planar.Segment("3-4-5", 1.5, 0.006), planar.Segment("3-4-5", 1.5, 0.0)
    law = planar.lift_program(
        [planar.Segment("dwell", 2.0, 0.0), rise, fall, planar.Segment("dwell", 2 * np.pi - 5, 0)]
    )
    degrees = np.arange(361)
    lift = 1e3 * law(np.radians(degrees)).value
    path = tmp_path / "lift.csv"
    path.write_text("angle,lift\n" + "\n".join(f"{d},{s:.3f}" for d, s in zip(degrees, lift)), encoding="utf-8")
    return path, law


def test_a_lift_table_with_a_flat_follower(lift_table, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path, law = lift_table
    out = tmp_path / "out"
    words = ["--follower", "flat", "--speed", "100", "--spring", "4000", "--base", "0.03", "--revolutions", "1"]
    assert main(["planar", "cam", "--profile", str(path), *words, "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "lift-offs        0 in 1 revolutions" in text
    assert "360 points lie within" in text
    names = sorted(file.name for file in out.iterdir())
    assert names == ["cam.csv", "cam.html", "cam.png", "cam_profile.csv", "cam_report.html"]
    # Force of a rigid follower with the exact law, and the profile as the envelope of its face.
    rows = list(csv.DictReader(io.StringIO((out / "cam.csv").read_text(encoding="utf-8"))))
    alpha, force = (np.array([float(row[name]) for row in rows]) for name in ("alpha", "normal_force"))
    q, _, q2 = law(alpha % (2 * np.pi))
    rigid = 4000 * (0.03 + q) + 0.025 * 100**2 * q2
    assert np.abs(force - rigid).max() < 0.02 * rigid.max()
    rows = list(csv.DictReader(io.StringIO((out / "cam_profile.csv").read_text(encoding="utf-8"))))
    alpha, x, y = (np.array([float(row[name]) for row in rows]) for name in ("angle [deg]", "x [mm]", "y [mm]"))
    phi = np.radians(alpha) - np.pi / 2
    q, q1, _ = law(np.radians(alpha))
    h = 1e3 * (0.03 + q)
    assert x == pytest.approx(h * np.cos(phi) - 1e3 * q1 * np.sin(phi), abs=0.05)
    assert y == pytest.approx(h * np.sin(phi) + 1e3 * q1 * np.cos(phi), abs=0.05)
    page = (out / "cam_report.html").read_text(encoding="utf-8")
    assert not re.findall(r"(?:src|href)=\"(?!data:|#)", page)
    assert "http" not in page.replace("http-equiv", "")
    charts = page[page.index("<svg") :]
    assert "var(--body)" in charts
    assert not re.findall(r"#[0-9a-f]{6}\b", charts)  # all colours are those of the page, light or dark
    for name in ("Motion at this speed", "jerk", "pressure angle", "curvature of the cam", "normal force"):
        assert name in page


def test_a_table_that_would_be_undercut(lift_table, capsys):
    path, law = lift_table
    words = ["--follower", "flat", "--base", "0.005", "--no-picture", *RESTS]
    assert main(["planar", "cam", "--profile", str(path), *words]) == 2
    message = capsys.readouterr().err
    more = float(re.search(r"--base must be larger by (\S+) m", message)[1])
    q, _, q2 = law(np.linspace(0, 6.28, 20001))
    assert more == pytest.approx(-(0.005 + q + q2).min(), rel=0.05)


def test_points_of_a_measuring_machine(tmp_path, capsys):
    """Radii with noise: the same cam as the exact one, with a roller and swinging."""
    rng = np.random.default_rng(0)
    angle = np.arange(360)
    exact = planar.cam_pitch(0.01).change_radius(0.0).values(np.radians(angle)).value
    radius = 1e3 * (exact + 5e-6 * rng.normal(size=360))
    path = tmp_path / "cmm.csv"
    lines = "\n".join(f"{k};{d};{r}" for k, (d, r) in enumerate(zip(angle, radius)))
    path.write_text("number;angle [deg];radius [mm]\n" + lines, encoding="utf-8")
    words = [
        "--tolerance",
        "5e-6",
        "--spring",
        "2000",
        "--revolutions",
        "1",
        "--no-picture",
        "--out",
        str(tmp_path / "o"),
    ]
    assert main(["planar", "cam", "--profile", str(path), *words]) == 0
    text = capsys.readouterr().out
    force = float(re.search(r"normal force     \S+ to (\S+) N", text)[1])
    run = planar.run_cam(planar.CamTappet(spring=2000.0), 1.0)
    assert force == pytest.approx(run.forces.normal.max(), rel=0.05)
    words += ["--follower", "swinging-roller", "--pivot", "0.06", "0", "--arm", "0.055", "--mass", "1e-4"]
    assert main(["planar", "cam", "--profile", str(path), *words, "--spring", "8", "--friction", "0.1"]) == 0
    assert "pressure angle" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--follower", "swinging-flat"], "--pivot must be given with --follower swinging-flat"),
        (["--follower", "swinging-roller", "--pivot", "1", "0"], "--arm must be given"),
        (["--follower", "flat", "--inside"], "--inside must be given with --follower roller only, got flat"),
        (["--follower", "flat", "--radius", "0.01"], "--radius must be given with --follower roller or knife or"),
        (["--follower", "flat", "--offset", "0"], "--offset must be given with --follower roller or knife only"),
        (["--follower", "flat", "--roller-inertia", "1"], "--roller-inertia must be given with --follower roller or"),
        (["--pivot", "1", "0"], "--pivot must be given with --follower swinging-roller or swinging-flat only"),
        (["--arm", "1"], "--arm must be given with --follower swinging-roller only, got roller"),
        (["--face", "0"], "--face must be given with --follower swinging-flat only, got roller"),
        (["--side", "1"], "--side must be given with --follower swinging-roller or swinging-flat only"),
        (["--inside"], "--inside must be given with --profile: the paper's cam is not a ring"),
        (["--radius", "0"], "--radius must be > 0, got 0"),
        (["--speed", "0"], "speed must be > 0, got 0"),
        (["--speed", "-5"], "speed must be > 0, got -5"),
        (["--base", "0.02"], "--base, --tolerance, --dwell and --interpolate must be given with --profile"),
        (["--follower", "flat"], "the body must be convex"),
        (["--profile", "LIFT", "--dwell", "10", "10"], "--dwell must give different angles [degrees] with motion"),
        (["--profile", "LIFT", "--dwell", "350", "20", "--dwell", "10", "30"], "--dwell must give different angles"),
    ],
)
def test_mistakes(words, sentence, lift_table, capsys):
    words = [str(lift_table[0]) if word == "LIFT" else word for word in words]
    assert main(["planar", "cam", *words]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"tangency: {sentence}")  # after progress, if it is slow


@pytest.mark.parametrize(
    ("factor", "wrong", "words", "sentence"),
    [
        (1.0, 0.0, [], None),
        (1.0, 0.0, ["--tolerance", "2e-6", *RESTS], None),
        (1.0, 0.5, [], "Value 171 of 360 lies 0.0004"),
        (1.0, 0.0, ["--tolerance", "5", *RESTS], "The stated tolerance of 5 m smooths the lift away: check its unit."),
        (1.0, 0.0, ["--tolerance", "1e-5", "--dwell", "150", "250"], "The values scatter by 0.00"),
        (1e-3, 0.0, RESTS, "The travel of 0.006 mm is less than a thousandth of the size of the cam, 30 mm"),
        (1e3, 0.0, ["--base", "30", *RESTS], "The cam has a radius of 36 m: lengths are in metres unless"),
    ],
)
def test_warnings(factor, wrong, words, sentence, lift_table, tmp_path, capsys):
    """Wrong units, values and statements are named on the command line; a sound table is not suspected."""
    rng = np.random.default_rng(3)
    angle = np.arange(360)
    lift = 1e3 * lift_table[1](np.radians(angle)).value + 2e-3 * rng.normal(size=360)
    lift[170] += wrong
    path = tmp_path / "table.csv"
    path.write_text("angle,lift\n" + "\n".join(f"{a},{factor * s}" for a, s in zip(angle, lift)), encoding="utf-8")
    words = [*([] if "--base" in words else ["--base", "0.03"]), *words, "--spring", "20000", "--revolutions", "1"]
    assert main(["planar", "cam", "--profile", str(path), *words, "--no-picture", "--out", str(tmp_path / "o")]) == 0
    warnings = re.findall(r"^warning +(.*)$", capsys.readouterr().out, re.MULTILINE)
    if sentence is None:
        assert not warnings
    else:
        assert warnings[0].startswith(sentence)


def test_the_spring_force_is_reported(tmp_path, capsys):
    """A preload of 60 N on the base circle, and the stiffness times the lift at the nose."""
    cam = planar.cam_pitch(0.01).values(np.linspace(0, 2 * np.pi, 3601)).value
    words = ["--spring", "5000", "--rest", str(60 / 5000 - cam.min()), "--speed", "20", "--revolutions", "1"]
    assert main(["planar", "cam", *words, "--no-picture", "--out", str(tmp_path / "o")]) == 0
    found = re.search(r"^spring force +(\S+) to (\S+) N$", capsys.readouterr().out, re.MULTILINE)
    low, high = float(found[1]), float(found[2])
    assert low == pytest.approx(60, abs=0.1)  # the roller penetrates the cam by micrometres
    assert high == pytest.approx(60 + 5000 * np.ptp(cam), rel=2e-3)


def test_limits_in_closed_form():
    base, nose, distance = 0.02, 0.006, 0.025
    limits = planar.cam_limits(
        planar.cam_motion(planar.pitch_from_arcs(planar.tangent_cam(base, nose, distance), 0.01))
    )
    assert limits.sharpest == pytest.approx(nose, rel=1e-6)
    assert limits.undercut_radius == pytest.approx(nose + 0.01, rel=1e-6)
    half = np.arccos((base - nose) / distance)
    end = np.arctan(distance * np.sin(half) / (base + 0.01))  # on the flank, the pressure angle is that of the ray
    assert limits.pressure_angle == pytest.approx(end, abs=1e-6)
    disc = planar.Circle(0.03).translate([0.01, 0])
    limits = planar.cam_limits(planar.cam_motion(disc, planar.FlatFace()))
    assert limits.face == pytest.approx((-0.01, 0.01), abs=1e-8)
    assert (limits.hollow, limits.undercut_radius, limits.pressure_angle) == (np.inf, np.inf, 0.0)
    limits = planar.cam_limits(planar.cam_motion(disc, planar.Roller(0.01)))
    assert limits.pressure_angle == pytest.approx(np.arcsin(0.01 / 0.04), rel=1e-9)


def test_the_report_opens_in_a_browser(visit):
    pytest.importorskip("matplotlib")
    from tangency.planar.cam_report import cam_report

    cam = planar.CamTappet()
    sweep = planar.sweep_speed(cam, [70.0, 90.0], 1, settle=1)
    page = visit(cam_report(planar.run_cam(cam, 1.0), sweep))
    assert page.count("<svg") == 6 - 1
    assert "The follower leaves the cam" in page
    assert "nearly undercut" in page
