"""The verb ``tangency planar``, pictures and pages of the planar examples."""

import csv
import io
import json
import re

import numpy as np
import pytest

from tangency import planar
from tangency.cli.main import main


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("verb", [["planar"], ["planar", "foot"], ["planar", "cam"]])
def test_help_teaches_with_examples(verb, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*verb, "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert "example" in text
    assert f"tangency {' '.join(verb)}" in text


def test_foot(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["planar", "foot", "--duration", "1", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "rolling did not fail" in text
    assert files(tmp_path) == ["foot.csv", "foot.html", "foot.png"]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "foot.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 501
    assert float(rows[0]["alpha"]) == 0.35
    assert (tmp_path / "foot.png").read_bytes().startswith(b"\x89PNG")
    check_page((tmp_path / "foot.html").read_text(encoding="utf-8"))


def test_cam(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["planar", "cam", "--revolutions", "1", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "lift-offs        1 in 1 revolutions" in text
    assert files(tmp_path) == ["cam.csv", "cam.html", "cam.png", "cam_profile.csv", "cam_report.html"]
    check_page((tmp_path / "cam.html").read_text(encoding="utf-8"))


def check_page(page):
    """Self-contained: nothing is loaded, the data is valid JSON, every list of frames has its length."""
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
    assert "http:" not in page.replace("http-equiv", "")
    assert "https:" not in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    count = len(data["time"])
    assert count > 2
    for body in data["bodies"]:
        assert len(body["poses"]) == 3 * count
    for point in data["points"]:
        assert len(point["frames"]) == 2 * count
    for chart in data["charts"]:
        assert all(len(series["values"]) == len(chart["time"]) for series in chart["series"])


def test_own_profile_and_sweep(tmp_path, capsys):
    t = np.arange(60) * np.pi / 30
    lines = ["x, y", *(f"{0.02 * np.cos(u) + 0.004}, {0.02 * np.sin(u)}" for u in t)]
    path = tmp_path / "points.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    out = str(tmp_path / "out")
    assert main(["planar", "cam", "--profile", str(path), "--revolutions", "0.5", "--no-picture", "--out", out]) == 0
    assert "lift-offs        0" in capsys.readouterr().out
    assert files(tmp_path) == ["out/cam.csv", "out/cam_profile.csv", "points.csv"]
    assert main(["planar", "cam", "--sweep", "70", "90", "2", "--no-picture", "--out", out]) == 0
    text = capsys.readouterr().out
    assert "lift-off begins at 78." in text
    assert files(tmp_path) == ["out/cam.csv", "out/cam_profile.csv", "out/cam_sweep.csv", "points.csv"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["foot", "--mass", "-1"], "mass must be > 0"),
        (["foot", "--alpha", "3"], "alpha must lie on the sole"),
        (["cam", "--radius", "-1"], "--radius must be > 0"),
        (["cam", "--radius", "0.5"], "the parallel curve at the distance 0.49 has a cusp"),
        (["cam", "--profile", "absent.csv"], "absent.csv: No such file"),
    ],
)
def test_mistakes_are_one_sentence(arguments, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["planar", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"tangency: {sentence}")
    assert output.err.count("\n") == 1
    assert files(tmp_path) == []


def test_profile_with_a_mistake(tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("0, 1\n2, three\n", encoding="utf-8")
    assert main(["planar", "cam", "--profile", str(path)]) == 2
    assert "line 2, must hold two numbers x and y, got '2, three'" in capsys.readouterr().err


SHAPES = [planar.foot_shape(0.1), planar.Superellipse([3, 2], 6.0), planar.Ellipse([3e-6, 2e-6])]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_shape_picture(shape):
    pytest.importorskip("matplotlib")
    from tangency.planar.draw import shape_picture

    assert shape_picture(shape).startswith(b"\x89PNG")


def test_planar_is_loaded_when_asked_for():
    import subprocess
    import sys

    code = "import sys, tangency as tg; assert 'tangency.planar' not in sys.modules; tg.planar.Circle(1.0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_force_axis_is_linear_unless_impacts_hide_the_rest():
    figure = pytest.importorskip("matplotlib.figure")
    from tangency.planar.draw import _force_axis

    for spring, scale in ((2000.0, "linear"), (200.0, "symlog")):
        run = planar.run_cam(planar.CamTappet(spring=spring), revolutions=1.0)
        axes = figure.Figure().add_subplot()
        axes.plot(run.time, run.forces.normal)
        _force_axis(axes, run.time, run.forces.normal)
        assert axes.get_yscale() == scale
        assert axes.get_ylim()[0] == 0
        assert ("logarithmic above 10 N" in axes.get_title(loc="right")) == (scale == "symlog")


def test_pages_tell_their_time_and_pace():
    from tangency.planar.animation import cam_page

    page = cam_page(planar.run_cam(planar.CamTappet(), revolutions=1.0, samples=90))
    assert 'id="pace"' in page
    assert "slowed" in page
    assert '"time [" + data.clock + "]"' in page
