"""Compiled code on disk: in any order, from any number of processes, an answer is that of one fresh process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from compiled_jobs import JOBS
from compiled_twins import ANSWERS
from tangency.compiled import unit
from tangency.compiled.cache import cache_folder

PACKAGE = Path(tg.__file__).parent
JOBS_PROGRAM = str(Path(__file__).parents[1] / "support" / "compiled_jobs.py")
TWINS = str(Path(__file__).parents[1] / "support" / "compiled_twins.py")


def start(folder, *arguments):
    environment = {**os.environ, "TANGENCY_CACHE_DIR": str(folder), "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-W", "always", *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    out, err = process.communicate()
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1]), err


def run(folder, *arguments):
    """What a program prints, as JSON, and what it says on the error stream."""
    return finish(start(folder, *arguments))


@pytest.mark.full
def test_jobs_use_every_entry():
    """So that the test of all orders speaks of all compiled code; in the cache of the test run everything is there."""
    told, _ = run(cache_folder(), JOBS_PROGRAM, *JOBS)
    assert told["unused"] == []
    assert told["unkept"] == []


@pytest.mark.full
def test_equal_symbols_of_two_processes_are_found_and_said(tmp_path):
    """Numbered from 1, as Numba does, the symbols of both entries are equal: the first one loaded served for both.

    The process that reads them numbers its own, apart from both.
    """
    names = list(np.random.default_rng().permutation(list(ANSWERS)))
    for name in names:
        assert run(tmp_path, TWINS, "--collide", name)[0] == {"answers": {name: ANSWERS[name]}, "compiled": 1}
    told, said = run(tmp_path, TWINS, *names)
    assert told["answers"] == ANSWERS
    assert told["compiled"] > 0
    assert "symbols clash with other code" in said


@pytest.mark.full
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
def test_forked_processes_number_their_symbols_apart(tmp_path):
    """They began with the same number, that of their parent: a process that read both files used one for both."""
    names = list(np.random.default_rng().permutation(list(ANSWERS)))
    run(tmp_path, TWINS, "--fork", *names)
    told, said = run(tmp_path, TWINS, *names)
    assert told == {"answers": ANSWERS, "compiled": 0}
    assert "clash" not in said


@pytest.mark.full
def test_processes_number_their_symbols_apart(tmp_path):
    for name in ANSWERS:
        assert run(tmp_path, TWINS, name) == ({"answers": {name: ANSWERS[name]}, "compiled": 1}, "")
    assert run(tmp_path, TWINS, *ANSWERS) == ({"answers": ANSWERS, "compiled": 0}, "")


def test_many_processes_fill_one_cache(tmp_path):
    rng = np.random.default_rng()
    runs = [start(tmp_path, TWINS, *rng.permutation(list(ANSWERS))) for _ in range(3)]
    for told, said in [finish(process) for process in runs]:
        assert told["answers"] == ANSWERS
        assert said == ""
    assert run(tmp_path, TWINS, *ANSWERS) == ({"answers": ANSWERS, "compiled": 0}, "")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


SUPPORTS = """
import json, sys, tangency as tg
from tangency.compiled import jit
shapes = tg.Sphere(2.0), tg.Ellipsoid([3, 2, 1]), tg.Box([1, 2, 3]), tg.Segment(5.0)
values = [float(shape.support([1, 0, 1])) for shape in shapes]
print(json.dumps([values, sum(sum(e.stats.cache_misses.values()) for e in jit.ENTRIES)]))
"""
VALUES = [2.0 * 2.0**0.5, 10.0**0.5, 4.0, 5.0]


def spoil_swap(files, rng):
    """Two files change names."""
    a, b = rng.choice(len(files), 2, replace=False)
    held = files[a].read_bytes()
    files[a].write_bytes(files[b].read_bytes())
    files[b].write_bytes(held)


def spoil_cut(files, rng):
    """A full disk."""
    file = files[rng.integers(len(files))]
    content = file.read_bytes()
    file.write_bytes(content[: rng.integers(len(content))])


def spoil_bit(files, rng):
    """A bit that flipped in what is compiled."""
    file = files[rng.integers(len(files))]
    content = bytearray(file.read_bytes())
    place = rng.integers(content.index(b"\n\n"), len(content))
    content[place] ^= 1 << rng.integers(8)
    file.write_bytes(bytes(content))


def spoil_header(files, rng):
    """A file of another program."""
    files[rng.integers(len(files))].write_bytes(b'tangency compiled 1\n{"key": 3}\n\n')


@pytest.fixture(scope="module")
def supports(tmp_path_factory):
    """A folder with the compiled code of a few shapes; their values, and how many functions were compiled."""
    folder = tmp_path_factory.mktemp("supports")
    values, compiled = run(folder, "-c", SUPPORTS)[0]
    assert values == pytest.approx(VALUES, rel=1e-15)
    return folder, values, compiled


@pytest.mark.parametrize(
    "spoil",
    [spoil_bit, *(pytest.param(way, marks=pytest.mark.full) for way in (spoil_swap, spoil_cut, spoil_header))],
)
def test_wrong_files_are_found_and_said(tmp_path, supports, spoil):
    folder, values, compiled = supports
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    spoil(sorted(tmp_path.iterdir()), np.random.default_rng())
    (again, anew), said = run(tmp_path, "-c", SUPPORTS)
    assert again == values
    assert 0 < anew < compiled
    assert "was not used" in said
    (again, anew), said = run(tmp_path, "-c", SUPPORTS)  # the wrong file is replaced
    assert (again, anew, said) == (values, 0, "")


def test_a_cache_that_cannot_be_written_is_read(tmp_path, supports):
    folder, values, compiled = supports
    blocked = "from tangency.compiled import cache\ndef no(path):\n    raise OSError\ncache.whole_file = no\n"
    (again, anew), said = run(folder, "-c", blocked + SUPPORTS)
    assert (again, anew, said) == (values, 0, "")
    (again, anew), said = run(tmp_path / "none", "-c", blocked + SUPPORTS)
    assert (again, anew, said) == (values, compiled, "")
    assert not (tmp_path / "none").exists()


@pytest.mark.full
def test_a_folder_that_cannot_be_is_no_error(tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder", encoding="utf-8")
    (values, compiled), said = run(file, "-c", SUPPORTS)
    assert values == pytest.approx(VALUES, rel=1e-15)
    assert compiled > 0
    assert said == ""


V4, V3 = unit.LEVELS


@pytest.mark.parametrize(
    ("lacks", "name", "features", "levels"),
    [
        ((), None, None, (V4, V3)),
        (("avx512vl",), None, None, (V3,)),
        (("fma",), None, None, ()),  # wide vectors do not make up for it
        ((), V3, "", (V3,)),
        ((), V4, unit.FEATURES[V4], (V4,)),
        ((), V4, "", ()),
        ((), V3, None, ()),  # Numba then adds what the machine has: code for this machine only
        ((), "znver4", "", ()),
        ((), None, "+avx", ()),
    ],
)
def test_code_of_a_level_is_for_processors_that_have_it(monkeypatch, lacks, name, features, levels):
    has = {feature: feature not in lacks for level in unit.LEVELS.values() for feature in level}
    monkeypatch.setattr(unit.binding, "get_host_cpu_features", lambda: has)
    monkeypatch.setattr(unit.config, "CPU_NAME", name)
    monkeypatch.setattr(unit.config, "CPU_FEATURES", features)
    assert unit.levels.__wrapped__() == levels


@pytest.mark.full
@pytest.mark.parametrize("trial", range(30))
def test_any_order_and_any_company(tmp_path, trial, fresh_answers):
    """Random entries, in random orders over random partitions into processes, every fifth time eight at once."""
    rng = np.random.default_rng([2, trial])
    others = sorted(set(JOBS) - {"ellipsoids", "superellipsoids"})
    jobs = rng.permutation([*rng.choice(others, 6, replace=False), "ellipsoids", "superellipsoids"])
    at_once = 8 if trial % 5 == 0 else 1
    waiting = [list(part) for part in np.array_split(jobs, 8 if at_once > 1 else rng.integers(2, 6))]
    while waiting:
        told = [finish(process) for process in [start(tmp_path, JOBS_PROGRAM, *names) for names in waiting[:at_once]]]
        waiting = waiting[at_once:]
        for answer, said in told:
            assert said == ""
            assert answer["answers"].items() <= fresh_answers.items()
    last, said = run(tmp_path, JOBS_PROGRAM, *rng.permutation(jobs))
    assert last["answers"].items() <= fresh_answers.items()
    assert (last["compiled"], said) == (0, "")


@pytest.fixture(scope="session")
def fresh_answers(tmp_path_factory):
    """Answers of one process that has compiled everything itself."""
    folder = tmp_path_factory.mktemp("fresh")
    try:
        return run(folder, JOBS_PROGRAM, *JOBS)[0]["answers"]
    finally:
        shutil.rmtree(folder)
