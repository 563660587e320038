"""Files that are written as a whole or not at all."""

import re
import resource
from contextlib import contextmanager

import pytest

import tangency as tg
from tangency.dynamics import Body, World, load_trajectory, simulate
from tangency.io.whole_files import write_whole

MOST = 40_000  # bytes per file


@contextmanager
def little_room():
    """Files that grow beyond a limit fail, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_cannot_be_written_is_named_and_leaves_the_old_one(tmp_path):
    path = tmp_path / "a.txt"
    write_whole(path, "old")
    for size in (MOST + 1, 1_000_000):  # noticed at the end, and while writing
        with little_room(), pytest.raises(OSError, match=re.escape(str(path))):
            write_whole(path, b"x" * size)
        assert path.read_text(encoding="utf-8") == "old"
        assert [other.name for other in tmp_path.iterdir()] == ["a.txt"]


def test_a_run_that_cannot_be_written_names_the_file_and_can_be_resumed(tmp_path):
    path = tmp_path / "run.npz"
    world = World([Body(f"b{k}", tg.Sphere(0.1), (None, [k, 0, 0]), velocity=[0, 1, k]) for k in range(4)], pairs=[])

    def run(**options):
        return simulate(world, 1.0, "fast", step=1e-2, output_interval=1e-2, **options)

    files = {"checkpoint": path, "checkpoint_every": 5}
    whole = run()  # everything is compiled and cached before there is little room
    with little_room(), pytest.raises(OSError, match=re.escape(str(path))):
        run(**files)
    assert 1 < len(load_trajectory(path)) < len(whole)
    assert (run(**files, resume=True).position == whole.position).all()
