"""Every example in a docstring runs and prints what it shows."""

import doctest
import importlib
import pkgutil

import pytest

import printed
import tangency

MODULES = [
    module.name
    for module in pkgutil.walk_packages(tangency.__path__, "tangency.")
    if not module.name.endswith("__main__")
]
NEEDS = {
    "sympy": ("from_potential", "from_support", "pitch_from_formula", "shape_from"),
    "matplotlib": ("picture", "plot", "figure"),
}


def examples(name):
    library = name.rpartition(".")[2]
    if library in ("jax", "torch", "casadi", "dask"):
        pytest.importorskip(library, reason=f"needs pip install 'tangency[{library}]'")
    if library in ("mujoco", "mjcf"):
        pytest.importorskip("mujoco", reason="needs pip install 'tangency[mujoco]'")
    if ".joints" in name:
        pytest.importorskip("pinocchio", reason="needs pip install 'tangency[multibody]'")
    module = importlib.import_module(name)
    return [test for test in doctest.DocTestFinder(exclude_empty=True).find(module, name) if test.examples]


@pytest.mark.parametrize("name", ["tangency", *MODULES])
def test_examples(name, monkeypatch, root):
    monkeypatch.chdir(root)
    for test in examples(name):
        assert not [noise for example in test.examples for noise in printed.noise(example.want)], test.name
        for package, words in NEEDS.items():
            if any(word in test.docstring for word in words):
                pytest.importorskip(package)
        wrong = printed.run(test)
        assert not wrong, wrong


PACKAGES = ("tangency", "tangency.planar", "tangency.forces", "tangency.dynamics", "tangency.rolling", "tangency.scene")
PUBLIC = [
    (module, name) for module in PACKAGES for name in importlib.import_module(module).__all__ if not name.isupper()
]


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_public_names_are_documented(module, name):
    assert (getattr(importlib.import_module(module), name).__doc__ or "").strip()
