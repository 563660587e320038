"""Every example in a docstring of the planar package runs and prints what it shows."""

import doctest
import importlib
import pkgutil

import pytest

from tangency import planar

MODULES = [planar.__name__, *(m.name for m in pkgutil.walk_packages(planar.__path__, f"{planar.__name__}."))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        if any(word in test.docstring for word in ("from_potential", "pitch_from_formula")):
            pytest.importorskip("sympy")
        if "picture" in test.docstring:
            pytest.importorskip("matplotlib")
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
        report = []
        runner.run(test, out=report.append)
        assert not runner.failures, "".join(report)


@pytest.mark.parametrize("name", planar.__all__)
def test_public_names_are_documented(name):
    assert (getattr(planar, name).__doc__ or "").strip()
