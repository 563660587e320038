"""The gallery runs, and each example draws its picture; the page shows all of them."""

import importlib.util
import os
import runpy
import struct
from pathlib import Path

import numpy as np
import pytest

from tangency.dynamics import world_of
from tangency.scene import all_contacts, load_scene
from tangency.scene.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
LINES, LINES_OF_APPLICATIONS = 60, 120
# What the texts of the applications claim, by the variables of the scripts
CLAIMS = {
    "grasp": lambda v: v["best"].success and v["best"].fun < 0.5 * v["first"].fun and max(v["errors"]) < 1e-7,
    "predictive_control": lambda v: all(v["proofs"]) and np.min(v["clearance"]) > 0.05,
    "arm_grasp": lambda v: abs(v["lifted"] - 0.15) < 3e-3 and v["found"].rms < 1e-4,
    "rocker": lambda v: abs(np.array(v["periods"]["found"]) - 2.0).max() < 1e-6 and v["error"] < 1e-6,
    "robot_arm": lambda v: (
        v["free"] == 24
        and v["gaps"](v["best"].x).min() > 0.0299
        and v["evaluations"]["differences"] > 10 * v["evaluations"]["exact"]
    ),
}


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_script(path, capsys, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    if "from_support" in path.read_text(encoding="utf-8") or "from_potential" in path.read_text(encoding="utf-8"):
        pytest.importorskip("sympy")
    if "import casadi" in path.read_text(encoding="utf-8"):
        pytest.importorskip("casadi", reason="needs CasADi: pip install 'tangency[casadi]'")
    if "import pinocchio" in path.read_text(encoding="utf-8"):
        pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install 'tangency[multibody]'")
    matplotlib.use("Agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    variables = runpy.run_path(os.fspath(path), run_name="__main__")
    plt.close("all")
    assert capsys.readouterr().out.strip()
    assert [file.name for file in tmp_path.iterdir()] == [f"{path.stem}.png"]
    assert min(size_of(tmp_path / f"{path.stem}.png")) >= 300
    assert CLAIMS.get(path.stem, lambda _: True)(variables)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_short(path, gallery):
    title, text = gallery.described(path.stem)
    assert title
    assert text
    assert len(path.read_text(encoding="utf-8").splitlines()) <= (
        LINES_OF_APPLICATIONS if path.stem in gallery.SECTIONS["Applications"] else LINES
    )


def test_gallery_page(gallery):
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page(), "run python docs/gallery.py --page"
    for path in SCRIPTS:
        assert (gallery.THUMBNAILS / f"{path.stem}.png").exists(), f"run python docs/gallery.py {path.stem}"
    for thumbnail in gallery.THUMBNAILS.iterdir():
        assert (EXAMPLES / f"{thumbnail.stem}.py").exists(), f"{thumbnail.name} belongs to no example"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda p: p.name)
def test_scene(path):
    pytest.importorskip("sympy")
    scene = load_scene(path)
    if scene.mechanisms:  # for a simulation only
        pytest.importorskip("pinocchio")
        assert len(world_of(scene).mechanisms) == len(scene.mechanisms)
        return
    pairs = all_contacts(scene)
    assert pairs
    assert all(bool(pair.contact.converged) for pair in pairs)


def test_every_shape_is_in_every_shape():
    text = (EXAMPLES / "every_shape.toml").read_text(encoding="utf-8")
    missing = [name for name in CATALOGUE if f'shape = "{name}"' not in text and name != "plane"]
    assert not missing, f"examples/every_shape.toml lacks {missing}"


def size_of(path):
    """Width and height of a PNG."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])
