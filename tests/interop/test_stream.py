"""Streams of pairs: the same bits in one process, in several, on a Dask cluster, resumed, and after losing workers."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tangency as tg
from tangency.interop.executors import completed
from tangency.interop.reducers import Counts, Extreme, Histogram
from tangency.interop.stream import stream

PAIRS = 500
REDUCE = {
    "nearest": Extreme(3),
    "hardest": Extreme(4, of="iterations", largest=True),
    "histogram": Histogram(np.linspace(-2.0, 6.0, 9)),
    "count": Counts(),
}


def pairs(rng, block):
    places = rng.uniform(-5, 5, (PAIRS, 3))
    return tg.Ellipsoid(rng.uniform(1, 2, (PAIRS, 3))), tg.Sphere(1.0), None, (None, places)


def whole(blocks, seed):
    """All contacts at once, without the code under test."""
    parts = [pairs(np.random.default_rng([seed, k]), k) for k in range(blocks)]
    return [tg.contact(*part) for part in parts]


def same(a, b):
    assert repr(a) == repr(b)


def test_against_all_at_once():
    found, contacts = stream(pairs, 5, REDUCE, seed=3), whole(5, 3)
    distance = np.concatenate([c.distance for c in contacts])
    order = np.argsort(distance, kind="stable")[:3]
    assert found["nearest"].value.tolist() == distance[order].tolist()
    assert (PAIRS * found["nearest"].block + found["nearest"].index).tolist() == order.tolist()
    counts, _ = np.histogram(distance, np.linspace(-2.0, 6.0, 9))
    assert found["histogram"]["counts"].tolist() == counts.tolist()
    assert found["histogram"]["below"] == (distance < -2).sum()
    assert found["histogram"]["above"] == (distance > 6).sum()
    assert found["count"]["pairs"] == 5 * PAIRS
    assert found["count"]["touching"] == (distance <= 0).sum()
    steps = np.concatenate([c.iterations for c in contacts])
    assert sorted(found["hardest"].value.tolist()) == np.sort(steps)[-4:].tolist()


def test_order_does_not_matter():
    """Joining is exact: any order of the blocks gives the same state."""
    contacts, rng = whole(6, 0), np.random.default_rng(1)
    for reducer in REDUCE.values():
        states = [reducer.state(c, k) for k, c in enumerate(contacts)]
        results = set()
        for _ in range(5):
            state = None
            for k in rng.permutation(6):
                state = states[k] if state is None else reducer.joined(state, states[k])
            results.add(repr(reducer.result(state)))
        assert len(results) == 1


def test_resumed(tmp_path):
    file, made = tmp_path / "stream.npz", []

    def counted(rng, block, limit=[3]):  # noqa: B006 - counts across calls
        if limit[0] == 0:
            raise KeyboardInterrupt
        limit[0] -= 1
        return pairs(rng, block)

    with pytest.raises(KeyboardInterrupt):
        _interrupted(counted, file)
    limit = counted.__defaults__[0]
    limit[0] = 100
    found = stream(counted, 6, REDUCE, file=file)
    assert limit[0] == 100 - 3  # three blocks were in the file
    same(found, stream(pairs, 6, REDUCE))
    assert made == []
    with pytest.raises(ValueError, match="file must belong to the same pairs"):
        stream(counted, 6, REDUCE, file=file, seed=1)
    file.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="file must be one that stream"):
        stream(counted, 6, REDUCE, file=file)


def _interrupted(make, file):
    import tangency.interop.stream as module

    before, module.SAVE_EVERY = module.SAVE_EVERY, 0.0
    try:
        stream(make, 6, REDUCE, file=file)
    finally:
        module.SAVE_EVERY = before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"blocks": 0}, "blocks must be"),
        ({"seed": -1}, "seed must be"),
        ({"seed": None}, "seed must be"),
        ({"reduce": {}}, "reduce must map"),
        ({"reduce": {"a": 3}}, "must have the methods"),
        ({"make": lambda rng, block: 3}, "make must return"),
        ({"workers": 0}, "workers must be"),
        ({"workers": 2, "client": "x"}, "must not both"),
    ],
)
def test_refused(arguments, message):
    given = {"make": pairs, "blocks": 2, "reduce": REDUCE, **arguments}
    with pytest.raises((TypeError, ValueError), match=message):
        stream(given.pop("make"), given.pop("blocks"), given.pop("reduce"), **given)


def slow_square(item):
    number, folder = item
    marker = os.path.join(folder, f"{number}")
    if number == 2 and not os.path.exists(marker):
        open(marker, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return number**2


@pytest.mark.full
def test_processes_that_die(tmp_path):
    """The items of a process that is killed are computed again by another one."""
    found = dict(completed(slow_square, [(k, str(tmp_path)) for k in range(6)], workers=2))
    assert found == {k: k**2 for k in range(6)}
    assert (tmp_path / "2").exists()


INTERACTIVE = """
import sys
import numpy as np, tangency as tg
from tangency.interop.stream import stream
def pairs(rng, block):
    return tg.Sphere(1.0), tg.Sphere(1.0), None, (None, rng.uniform(2, 3, (10, 3)))
class Number:
    def state(self, contact, block):
        return {"n": np.array(contact.distance.size)}
    def joined(self, a, b):
        return {"n": a["n"] + b["n"]}
    def result(self, state):
        return int(state["n"])
print(stream(pairs, 3, {"number": Number()}, workers=1))
"""


def test_functions_of_a_notebook():
    """Functions and classes without a file travel to processes; a program that comes through a pipe is refused."""
    pytest.importorskip("cloudpickle", reason="needs tangency[dask]")
    done = subprocess.run([sys.executable, "-c", INTERACTIVE], capture_output=True, text=True, check=False)
    assert done.stdout == "{'number': 30}\n", done.stderr
    import tangency.interop.executors as module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["__main__"], "__file__", "<stdin>", raising=False)
        with pytest.raises(RuntimeError, match="workers need a program in a file"):
            stream(pairs, 2, REDUCE, workers=1)
        patch.delattr(sys.modules["__main__"], "__file__")
        patch.setattr(sys.modules["__main__"], "local_pairs", pairs, raising=False)
        patch.setattr(pairs, "__module__", "__main__")
        patch.setattr(pairs, "__qualname__", "local_pairs")
        patch.setitem(sys.modules, "cloudpickle", None)
        with pytest.raises(ImportError, match="need cloudpickle"):
            module._portable(pairs)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="needs tangency[dask]")
    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": ":0"}
    with distributed.LocalCluster(**options, silence_logs=50) as local, distributed.Client(local) as client:
        yield client


def test_on_a_cluster(cluster):
    alone = stream(pairs, 6, REDUCE)
    same(stream(pairs, 6, REDUCE, client=cluster), alone)
    same(stream(pairs, 6, REDUCE, client=cluster.scheduler.address), alone)


def test_dask_arrays(cluster):
    da = pytest.importorskip("dask.array", reason="needs tangency[dask]")
    from tangency.interop import dask

    rng = np.random.default_rng(0)
    places, frames = rng.uniform(-4, 4, (40, 3)), np.tile(np.eye(4), (40, 1, 1))
    frames[:, :3, 3] = rng.uniform(-1, 1, (40, 3))
    turns = np.linalg.qr(rng.normal(size=(40, 3, 3)))[0]
    turns *= np.linalg.det(turns)[:, None, None]
    eggs = tg.Ellipsoid(rng.uniform(1, 2, (40, 3)))
    chunked = (
        da.from_array(frames, chunks=(15, 4, 2)),
        (da.from_array(turns, chunks=20), da.from_array(places, chunks=9)),
    )
    found = dask.contact(eggs, tg.Sphere(1.0), *chunked)
    truth = tg.contact(eggs, tg.Sphere(1.0), frames, (turns, places))
    for name in found._fields:
        np.testing.assert_array_equal(getattr(found, name).compute(scheduler="synchronous"), getattr(truth, name))
    assert float(found.distance.min().compute()) == truth.distance.min()  # on the cluster
    with pytest.raises(TypeError, match="pose_b must be None, a Dask array"):
        dask.contact(eggs, tg.Sphere(1.0), None, (None, places))
    with pytest.raises(ValueError, match="a must be one body or a stack of 40"):
        dask.contact(eggs[:3], tg.Sphere(1.0), None, chunked[1])


def sleepy(number):
    time.sleep(0.3)
    return number


def test_cluster_that_loses_a_worker(cluster):
    """A worker killed while it works: everything is computed nevertheless."""
    workers = cluster.run(os.getpid)
    killer = threading.Timer(0.5, os.kill, (next(iter(workers.values())), signal.SIGKILL))
    killer.start()
    found = dict(completed(sleepy, list(range(8)), client=cluster))
    killer.join()
    assert found == {k: k for k in range(8)}


def test_no_such_cluster():
    pytest.importorskip("distributed", reason="needs tangency[dask]")
    with pytest.raises(TypeError, match="client must be"):
        list(completed(sleepy, [1], client=7))


@pytest.mark.full
def test_ten_million_pairs(cluster):
    """Memory stays flat, and a cluster of two processes is not much slower than two threads."""
    psutil = pytest.importorskip("psutil")

    def many(rng, block):
        places = rng.uniform(-5, 5, (250_000, 3))
        return tg.Ellipsoid(rng.uniform(1, 2, (250_000, 3))), tg.Sphere(1.0), None, (None, places)

    reduce = {"nearest": Extreme(3), "count": Counts()}
    list(cluster.run(lambda: stream(many, 1, reduce)))
    start = time.perf_counter()
    alone = stream(many, 40, reduce)
    threads = time.perf_counter() - start
    used = [psutil.Process(pid).memory_info().rss for pid in cluster.run(os.getpid).values()]
    start = time.perf_counter()
    same(stream(many, 40, reduce, client=cluster), alone)
    assert time.perf_counter() - start < 1.3 * threads
    after = [psutil.Process(pid).memory_info().rss for pid in cluster.run(os.getpid).values()]
    assert max(after) < max(used) + 3e8
