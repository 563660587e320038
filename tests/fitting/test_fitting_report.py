"""The page and the command."""

import json
import re

import numpy as np
import pytest

from recovery import cloud, random_truth
from tangency.cli.main import main
from tangency.fitting import write_cloud
from tangency.fitting.uncertainty import covariance


@pytest.fixture(scope="module")
def scan(tmp_path_factory):
    rng = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("scan") / "scan.ply"
    return write_cloud(path, cloud(rng, random_truth(rng, "ellipsoid"), 300, 0.005, 0.2))


def test_report(scan, tmp_path, capsys):
    page = tmp_path / "out.html"
    arguments = ["fit", str(scan), "--model", "sphere", "--model", "ellipsoid", "--report", str(page)]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "300 points" in text
    assert "* ellipsoid" in text
    html = page.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)\s*=\s*["']""", html)  # nothing is loaded from anywhere
    assert "http" not in html.replace("http-equiv", "")
    assert html.count("<svg") == 2
    assert html.count("<polyline") == 2
    assert "NaN" not in html.split("<script>")[0]


def test_json(scan, capsys):
    assert main(["fit", str(scan), "--model", "ellipsoid", "--thin", "150", "--clean", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    found = data["fits"][0]
    assert data["recommended"] == "ellipsoid"
    assert found["status"] == "CONVERGED"
    assert found["statistics"]["count"] <= 153
    assert set(found["parameters"]) == {"a", "b", "c", "x", "y", "z", "rx", "ry", "rz"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.ply"], "none.ply: no such file"),
        (["{scan}", "--weights", "areas"], "--weights areas needs a mesh"),
    ],
)
def test_mistakes(scan, capsys, arguments, sentence):
    assert main(["fit", *(argument.format(scan=scan) for argument in arguments)]) == 2
    assert sentence in capsys.readouterr().err


def test_printed_rotations_have_only_errors():
    """The rotations rx, ry, rz are measured from the pose and thus zero: a fit prints what they are uncertain by."""
    from tangency.fitting import fit

    rng = np.random.default_rng(4)
    points = rng.normal(size=(200, 3))
    points = points / np.linalg.norm(points, axis=1, keepdims=True) * [3.0, 2.0, 1.0]
    found = fit(points + 0.01 * rng.normal(size=points.shape), "ellipsoid")
    lines = repr(found).splitlines()
    assert not any(re.match(r" +r[xyz] +0 ", line) for line in lines)
    errors = dict(zip(found.names, found.standard_errors))
    shown = ", ".join(f"{name} +- {errors[name]:.3g}" for name in ("rx", "ry", "rz"))
    assert f"  rotation about the body's own axes [rad]: {shown}" in lines


@pytest.mark.parametrize("loss", ["linear", "huber"])
def test_what_is_not_determined_is_no_parameter(loss):
    """A turn about an axis of revolution changes no distance, and no other standard error."""
    rng = np.random.default_rng(5)
    slopes, residuals, weights = rng.normal(size=(30, 4)), rng.normal(size=30), np.ones(30)
    wanted, errors = covariance(slopes, residuals, weights, loss, 1.0, np.ones(4, bool))
    more = np.hstack([slopes, np.zeros((30, 1))])
    found, lost = covariance(more, residuals, weights, loss, 1.0, np.ones(5, bool))
    assert np.abs(found[:4, :4] - wanted).max() < 1e-12 * np.abs(wanted).max()
    assert lost[:4] == pytest.approx(errors, rel=1e-12)
    assert np.isinf(lost[4])
