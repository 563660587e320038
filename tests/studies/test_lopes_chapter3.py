"""The study lopes-chapter3: on artificial heads, and on a folder of a user."""

import csv
import io

import numpy as np
import pytest

from tangency.cli.main import main
from tangency.fitting import write_cloud
from tangency.io.progress import Progress
from tangency.studies import STUDIES
from tangency.studies.artificial_heads import heads

STUDY = STUDIES["lopes-chapter3"]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def falls(rows):
    """As in Table 3.3 of the thesis: the error falls from sphere to superovoid, with the hierarchy of the models."""
    for scan in {row["scan"] for row in rows}:
        rms = {row["model"]: float(row["rms"]) for row in rows if row["scan"] == scan}
        assert rms["sphere"] >= rms["ellipsoid"] >= max(rms["superellipsoid"], rms["ovoid"])
        assert min(rms["superellipsoid"], rms["ovoid"]) >= rms["superovoid"] * (1 - 1e-9)


@pytest.mark.full
def test_scans_of_a_folder(tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    scans = tmp_path / "scans"
    scans.mkdir()
    made = heads(2, 5)
    for k, points in enumerate(made.values()):
        write_cloud(scans / f"s{k}.ply", points[:: 40 + k])
    (scans / "notes.md").write_text("not a scan")
    assert main(["study", "lopes-chapter3", "--data", "scans", "--out", "out"]) == 0
    text = capsys.readouterr().out
    assert "Measured data, scans" in text
    for title in ("Table 3.1", "Tables 3.3 and 3.4", "Comparison in pairs", "Table 3.5", "Table 3.6", "Table 3.7"):
        assert title in text
    rows = rows_of((tmp_path / "out" / "lopes-chapter3.csv").read_text())
    assert [row["model"] for row in rows[:5]] == ["sphere", "ellipsoid", "superellipsoid", "ovoid", "superovoid"]
    assert len(rows) == 10
    falls(rows)
    for row in rows:  # rms^2 = mean^2 + std^2 = mu^2 + sigma^2
        numbers = {name: float(row[name]) for name in ("mean", "std", "rms", "mu", "sigma")}
        assert np.hypot(numbers["mean"], numbers["std"]) == pytest.approx(numbers["rms"], rel=1e-9)
        assert np.hypot(numbers["mu"], numbers["sigma"]) == pytest.approx(numbers["rms"], rel=1e-9)
    assert (tmp_path / "out" / "lopes-chapter3.png").stat().st_size > 5000


@pytest.mark.parametrize(("data", "says"), [("none.ply", "no such file"), (".", "the folder contains no point clouds")])
def test_wrong_data(data, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["study", "lopes-chapter3", "--data", data]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.full
def test_artificial_heads():
    result = STUDY.run(6, 0, Progress())
    falls(rows_of(result.csv()))
    # The unevenness of the surface, 0.4 mm, remains; the ovoid describes the rest.
    rms = [float(row["rms"]) for row in rows_of(result.csv()) if row["model"] == "superovoid"]
    assert 0.25 < np.mean(rms) < 0.45
