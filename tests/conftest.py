"""Options and fixtures for all tests."""

import gc
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import collection
import processor_time
from tangency.compiled import cache

ROOT = Path(__file__).parents[1]
os.environ.setdefault("TANGENCY_QUIET", "1")  # tests compare what is printed, with and without a filled cache
#: Data too large for the repository: beside it, or where TANGENCY_EXTRAS points.
EXTRAS = Path(os.environ.get("TANGENCY_EXTRAS", ROOT.parent / "shared"))


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run the long studies too")


def pytest_configure(config):
    config.pluginmanager.register(processor_time.ProcessorTime(config), processor_time.NAME)


def pytest_collect_directory(path, parent):
    return collection.reader_of(path, parent)


def pytest_collection_modifyitems(config, items):
    collection.put_in_order(config, items)
    if config.getoption("--full") or "full" in config.getoption("-m"):
        return
    long = [item for item in items if "full" in item.keywords]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if "full" not in item.keywords]


def pytest_collection_finish():
    # The compiler makes millions of small objects: searching them, and all that is imported, for cycles takes time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def _plain_arrays_only():
    """No entry point gets an array that is read-only or not C-contiguous: each such type compiles once more."""
    load = cache.DiskCache.load_overload

    def checked(self, sig, target_context):
        kinds = [cache.describe(kind) for kind in cache._arguments(sig)]
        odd = [kind for kind in kinds if re.search(r"readonly|array\([^()]*, [AF]\)", kind)]
        assert not odd, f"{self._name} is compiled once more for {odd}: use plain_rows (compiled/jit.py)"
        return load(self, sig, target_context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache.DiskCache, "load_overload", checked)
        yield


@pytest.fixture
def extra():
    """Function from a name such as ``data/stone_a55.npz`` to its path; skips the test when it is absent."""

    def find(name):
        path = EXTRAS / name
        if not path.exists():
            pytest.skip(f"extra file {name} is absent: set TANGENCY_EXTRAS to the folder that holds it")
        return path

    return find


@pytest.fixture
def root():
    """Folder of the repository."""
    return ROOT


@pytest.fixture
def visit(tmp_path):
    """Function that opens a page (HTML text) in Chromium and returns its document after some seconds.

    Errors on the console fail the test; without a Chromium that runs and has WebGL 2 it is skipped.
    """
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("no Chromium is installed; on Debian and Ubuntu: apt-get install chromium")

    def open_page(html, *flags, seconds=3, size="900,600"):
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        command = [
            program,
            "--headless",
            "--no-sandbox",
            "--use-gl=angle",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--disable-background-networking",
            "--no-first-run",
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--window-size={size}",
            f"--virtual-time-budget={1000 * seconds}",
            "--enable-logging=stderr",
            "--dump-dom",
            *flags,
            file.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if "</body>" not in done.stdout:
            pytest.skip(f"{program} does not run here (try it by hand): {done.stderr[-300:]}")
        # The driver notes slow reads of pixels; everything else on the console is ours.
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line and "GPU stall" not in line]
        assert not console, console
        assert "data-error" not in done.stdout
        if 'class="sorry"' in done.stdout and 'id="sorry" class="sorry" hidden' not in done.stdout:
            pytest.skip(f"{program} has no WebGL 2; one of version 110 or later draws it without a graphics card")
        return done.stdout

    return open_page
