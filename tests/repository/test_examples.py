"""The gallery runs."""

import os
import runpy
from pathlib import Path

import pytest

from tangency.scene import all_contacts, load_scene
from tangency.scene.catalogue import CATALOGUE

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda p: p.name)
def test_script(path, capsys, tmp_path, monkeypatch):
    if "from_support" in path.read_text(encoding="utf-8"):
        pytest.importorskip("sympy")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(os.fspath(path), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda p: p.name)
def test_scene(path):
    pytest.importorskip("sympy")
    pairs = all_contacts(load_scene(path))
    assert pairs
    assert all(bool(pair.contact.converged) for pair in pairs)


def test_every_shape_is_in_every_shape():
    text = (EXAMPLES / "every_shape.toml").read_text(encoding="utf-8")
    missing = [name for name in CATALOGUE if f'shape = "{name}"' not in text and name != "plane"]
    assert not missing, f"examples/every_shape.toml lacks {missing}"
