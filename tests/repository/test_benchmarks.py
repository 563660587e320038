"""The benchmarks run: every engine that is installed answers a handful of pairs."""

import csv
import io
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks import accuracy, half_space, heaps, many_bodies, overlap, scaling, speed, time_of_impact
from benchmarks.__main__ import write
from benchmarks.engine import Engine, Missing, Run
from benchmarks.peers import FILES
from benchmarks.peers.tangency_ import engines, stack
from benchmarks.problems import ellipsoids, study_a, superellipsoids
from benchmarks.table import Table, digits
from benchmarks.timing import best

import tangency as tg

ROOT = Path(__file__).parents[2]

# Wheels of other projects may warn while they are imported.
pytestmark = pytest.mark.filterwarnings("ignore")


ALONE = """
import importlib, os, runpy, sys
for path in sys.argv[1:]:
    known, modules = sys.path[:], set(sys.modules)
    sys.path.insert(0, os.path.dirname(path))  # as Python does for a script
    runpy.run_path(path, run_name="imported")
    sys.path[:] = known
    for name in set(sys.modules) - modules:
        if "tangency" not in name and "site-packages" not in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
importlib.import_module("benchmarks.__main__")
"""


@pytest.mark.full
def test_scripts_find_what_they_import():
    """In a process of its own: the test run knows more folders than a user's Python."""
    scripts = [*(ROOT / "docs").glob("*.py"), *(ROOT / "benchmarks").glob("measure_*.py")]
    assert len(scripts) > 5
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ALONE, *map(str, scripts)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# Distance3D compiles itself for half a minute, and the program in C++ around Coal takes ten seconds to compile.
SLOW = ("distance3d_", "native_coal")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full) if name in SLOW else name for name in FILES]
)
def test_engine_answers(name):
    try:
        found = import_module(f"benchmarks.peers.{name}").engines()
    except (ImportError, Missing) as why:
        pytest.skip(f"{name} cannot run here: {why}")
    for gap in (0.5, -0.05):
        pairs = ellipsoids(np.random.default_rng(0), 5, gap, 1.0)
        for engine in found:
            run = engine.prepare(pairs)()
            assert run.distance.shape == (5,)
            assert run.seconds > 0
            if name == "tangency_":
                assert not accuracy.failures(run, pairs).any()
            elif gap > 0:  # in overlap some engines fail, as the benchmarks show
                assert np.allclose(run.distance, gap, atol=1e-3)


def test_truth_is_within_the_bounds_of_tangency():
    for pairs in (*superellipsoids(np.random.default_rng(0), 50, near=True), study_a(np.random.default_rng(0), 50)):
        run = stack(pairs)()
        assert run.converged.all()
        if pairs.distance is not None:
            assert not accuracy.failures(run, pairs).any()


def test_depth_beyond_what_is_known_is_refused():
    with pytest.raises(AssertionError, match="would not be known"):
        ellipsoids(np.random.default_rng(0), 100, -0.5, 1.0)


def test_failures():
    pairs = ellipsoids(np.random.default_rng(0), 6, 1e-6, 1.0)
    distance = np.array([1e-6, -1e-4, 1e-3, np.nan, -np.finfo(float).max, -1e-6])
    run = Run(1.0, distance)
    assert accuracy.failures(run, pairs).tolist() == [False, True, True, True, True, False]
    assert run.answered.tolist() == [True, True, True, False, False, True]
    lower = np.where(np.arange(6) == 2, pairs.distance + 1e-9, pairs.distance)
    proved = Run(1.0, pairs.distance, lower, pairs.distance, np.arange(6) > 0)
    assert accuracy.failures(proved, pairs).tolist() == [True, False, True, False, False, False]


def test_rounds_take_turns_and_the_fastest_counts():
    order = []

    def query(name, times):
        seconds = iter(times)

        def run():
            order.append(name)
            return Run(next(seconds), np.zeros(1))

        return run

    runs = best({"a": query("a", [0.1, 3, 2]), "b": query("b", [0.1, 4, 5])}, rounds=2)
    assert order == ["a", "b"] * 3
    assert {name: run.seconds for name, run in runs.items()} == {"a": 2, "b": 4}  # the first run is not counted


def test_short_runs_count_with_the_mean_of_a_turn():
    seconds = iter([9.0, 0.04, 0.02, 0.06, 0.03, 0.03, 0.03, 0.03])
    runs = best({"a": lambda: Run(next(seconds), np.zeros(1))}, rounds=2)
    assert runs["a"].seconds == pytest.approx(0.03)
    assert next(seconds, None) is None  # 3 runs, then 4: a turn lasts 0.1 s at least


def test_heaps_go_on_in_other_engines(monkeypatch):
    """Same springs, walls and places: contacts and overlaps are the same; MuJoCo's heap is stiffer."""
    monkeypatch.delitem(heaps.ENGINES, "LAMMPS, gran/hooke/history")  # starts MPI in this process
    ran = heaps.measured(heaps.settled(12, "sphere"), 1)
    assert "tangency" in ran
    assert all(one.seconds > 0.0 and one.contacts > 10 for one in ran.values())
    if "Yade, ViscElPhys" in ran:
        assert ran["Yade, ViscElPhys"].contacts == ran["tangency"].contacts
        assert ran["Yade, ViscElPhys"].overlap == pytest.approx(ran["tangency"].overlap, rel=0.01)


def test_tables():
    table = Table("name", "Title", ("a", "b"), [("1", "2, 3")], ("Remark.",))
    assert table.markdown() == "## Title\n\n| a | b |\n| --- | --- |\n| 1 | 2, 3 |\n\nRemark.\n"
    (content,) = table.files().values()
    assert list(csv.reader(io.StringIO(content.decode()))) == [["a", "b"], ["1", "2, 3"]]
    assert [digits(v) for v in (1234.5, 12.345, 1.2345)] == ["1234", "12.3", "1.23"]


def test_files_are_written_whole_or_not_at_all(tmp_path):
    write(tmp_path, {"a": b"1", "b": b"2"})
    with pytest.raises(OSError, match="missing"):
        write(tmp_path, {"a": b"3", "missing/b": b"4"})
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a": b"1", "b": b"2"}


@pytest.fixture
def short_turns(monkeypatch):
    """Measurements that need not be precise."""
    monkeypatch.setattr("benchmarks.timing.TURN", 1e-3)


@pytest.mark.usefixtures("short_turns")
def test_figures_are_pictures():
    pytest.importorskip("matplotlib")
    pairs = study_a(np.random.default_rng(0), 30)
    compared = [Engine("Coal, 1e-12", stack)]
    figures = [*scaling.batch_sizes(compared, pairs, quick=True), *scaling.thread_numbers(pairs)]
    for figure in (f for f in figures if not isinstance(f, str)):
        assert figure.png.startswith(b"\x89PNG")
        assert f"{figure.table.name}.png" in figure.markdown()


def test_prepared_pairs(monkeypatch):
    # Also where this version of tangency has no tg.Pair yet.
    if not hasattr(tg, "Pair"):
        monkeypatch.setattr(tg, "Pair", lambda a, b: lambda pose_a, pose_b: tg.contact(a, b, pose_a, pose_b), False)
    pairs = ellipsoids(np.random.default_rng(0), 5, 1e-4, 1e-3)
    (engine,) = (e for e in engines() if "Pair" in e.name)
    assert not accuracy.failures(engine.prepare(pairs)(), pairs).any()


def test_ratios_without_a_peer():
    run = stack(study_a(np.random.default_rng(0), 10))()
    assert speed.ratio("what", run, "none", None)[3:5] == ("", "")


@pytest.mark.usefixtures("short_turns")
def test_overlap_row():
    found = overlap.row("A", "B", overlap.meeting(0.9, 1.1, 8))
    assert len(found) == len(overlap.HEADER)
    assert found[-1] == "100 %"


def test_bytes_of_a_half_space_contact():
    # Nine and three numbers of the pose, three radii; a distance, two bounds, two points, a status at least.
    assert 8 * (9 + 3 + 3 + 3 + 6 + 1) <= half_space.traffic(tg.Ellipsoid(np.ones((1000, 3))), 3) <= 400


def test_poured_bodies_fall_alike():
    """Before anything touches, both engines have the energy of a fall."""
    bodies, duration, step = many_bodies.heap(40), 0.05, 1e-3
    assert bodies.place.shape == (40, 3)
    ran = many_bodies.with_tangency(bodies, duration, step, super_=False)
    volume = 4.0 / 3.0 * np.pi * bodies.radii.prod(axis=1)
    mass, r2 = many_bodies.DENSITY * volume, bodies.radii**2
    spin = bodies.turn.inv().apply(bodies.spin)
    turning = 0.1 * mass * ((r2.sum(axis=1, keepdims=True) - r2) * spin**2).sum(axis=1)
    expected = float((0.5 * mass * (9.81 * duration) ** 2 + turning).sum())
    assert ran.kinetic == pytest.approx(expected, rel=1e-6)
    pytest.importorskip("mujoco")
    other = many_bodies.with_mujoco(bodies, duration, step, solver="CG")
    assert other.kinetic == pytest.approx(expected, rel=1e-3)


def test_times_of_impact():
    tables = [item for item in time_of_impact.measure([], quick=True) if isinstance(item, Table)]
    assert all(row[2:6] == ("0", "0", "0", "0") for row in tables[0].rows)
    assert [len(row) for table in tables for row in table.rows] == [len(t.header) for t in tables for _ in t.rows]
    assert tables[1].rows[0][2:4] == ("0", "0")
