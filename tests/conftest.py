"""Options and fixtures for all tests."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Data too large for the repository: beside it, or where TANGENCY_EXTRAS points.
EXTRAS = Path(os.environ.get("TANGENCY_EXTRAS", ROOT.parent / "shared"))


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run the long studies too")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--full") or "full" in config.getoption("-m"):
        return
    long = [item for item in items if "full" in item.keywords]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if "full" not in item.keywords]


@pytest.fixture
def extra():
    """Function from a name such as ``data/stone_a55.npz`` to its path; skips the test when it is absent."""

    def find(name):
        path = EXTRAS / name
        if not path.exists():
            pytest.skip(f"extra file {name} is absent (set TANGENCY_EXTRAS to the folder that holds it)")
        return path

    return find


@pytest.fixture
def root():
    """Folder of the repository."""
    return ROOT
