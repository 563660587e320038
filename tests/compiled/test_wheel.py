"""The wheel with compiled code, installed into an empty environment: the first calls compile nothing."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from compiled_jobs import JOBS
from first_calls import CALLS
from tangency.compiled import unit

PROGRAM = str(Path(__file__).parents[1] / "support" / "first_calls.py")
JOBS_PROGRAM = str(Path(__file__).parents[1] / "support" / "compiled_jobs.py")
LEVEL = next(iter(unit.levels()), None)

pytestmark = pytest.mark.skipif(LEVEL is None, reason="wheels hold code for x86-64-v3 and x86-64-v4 only")


def build(folder, archives):
    """The wheel of this clone with the compiled code of a folder, or with none."""
    pytest.importorskip("hatchling", reason="building wheels needs hatchling: pip install -e .[test]")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", str(folder)]
    variables = {**os.environ, "TANGENCY_UNITS": str(archives)}
    subprocess.run([*command, str(Path(__file__).parents[2])], env=variables, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel for this machine's level; all that is compiled in it is in the cache of the test run."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "tangency.cli.prebuild", LEVEL, str(folder)]
    subprocess.run(command, env={**os.environ, **unit.environment(LEVEL)}, check=True)
    return build(folder, folder)


@pytest.fixture(scope="module")
def installed(tmp_path_factory, wheel):
    """Python and package of an environment with the wheel; NumPy, SciPy and Numba are those of the test run."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=os.name != "nt")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*command, str(wheel)], check=True)
    package = next(folder.rglob("tangency/__init__.py")).parent
    paths = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    (package.parent / "dependencies.pth").write_text("\n".join(sorted(paths)), encoding="utf-8")
    return python, package


def run(installed, cache, *arguments):
    """What a program prints, as JSON, and what it says on the error stream; as users run it, without our variables."""
    variables = {name: text for name, text in os.environ.items() if not name.startswith(("NUMBA_CPU", "PYTHONPATH"))}
    done = subprocess.run(
        [str(installed[0]), "-W", "always", *arguments],
        capture_output=True,
        text=True,
        env={**variables, "TANGENCY_CACHE_DIR": str(cache)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


SUPPORT = """
import json
{before}
import tangency as tg
from tangency.compiled import jit
assert float(tg.Sphere(2.0).support([0, 0, 1])) == 2.0
misses = [e.py_func.__qualname__ for e in jit.ENTRIES if e.stats.cache_misses]
print(json.dumps({{"compiled": misses}}))
"""


@pytest.mark.full
def test_wheel_in_an_empty_environment(wheel, installed, tmp_path):
    """One test, so that one process of the test run builds one wheel."""
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert f"-{version}-{version}" in wheel.name
    assert not wheel.name.endswith("-any.whl")

    told, said = run(installed, tmp_path / "all", PROGRAM, *CALLS)
    assert Path(told["file"]).parent == installed[1]
    assert (told["compiled"], said) == ([], "")
    print(told["seconds"])
    told, said = run(installed, tmp_path / "all", JOBS_PROGRAM, *JOBS)
    assert (told["compiled"], told["unused"], told["unkept"], said) == (0, [], [], "")
    assert not (tmp_path / "all").exists()

    other = SUPPORT.format(before="import numba; numba.__version__ = '0.1'")
    told, said = run(installed, tmp_path / "other", "-c", other)
    assert told["compiled"]
    assert said == ""

    archive = installed[1] / "compiled" / "units" / f"{LEVEL}.zip"
    whole = archive.read_bytes()
    with zipfile.ZipFile(archive) as file:
        shapes = [info for info in file.infolist() if info.filename.startswith("kernels.jet._evaluate")]
    spoilt = bytearray(whole)
    for info in shapes:
        spoilt[info.header_offset + 30 + len(info.filename) + info.compress_size // 2] ^= 1
    for k, content in enumerate((bytes(spoilt), whole[: len(whole) // 2])):
        archive.write_bytes(content)
        told, said = run(installed, tmp_path / str(k), "-c", SUPPORT.format(before=""))
        assert told["compiled"]
        assert "was not used" in said
    archive.write_bytes(whole)


def test_without_compiled_code_the_wheel_is_for_all(tmp_path):
    assert build(tmp_path, "").name.endswith("-py3-none-any.whl")


@pytest.mark.full
@pytest.mark.parametrize("name", CALLS)
def test_each_call_alone(installed, tmp_path, name):
    told, said = run(installed, tmp_path, PROGRAM, name)
    assert (told["compiled"], said) == ([], "")
    print(told["seconds"])
