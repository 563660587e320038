"""Memory that is lent to answers of large stacks, and taken back."""

import gc
import subprocess
import sys
import threading
import tracemalloc

import numpy as np

import tangency as tg
from lane_pairs import FIELDS
from tangency.compiled import memory

COUNT = 30_000  # enough for arrays that are lent


def test_views_of_old_answers_keep_their_numbers():
    rng = np.random.default_rng(21)
    a, held = tg.Ellipsoid([1, 0.5, 0.3]), []
    for _ in range(12):
        c = tg.contact(a, a, None, (None, 3.0 * rng.normal(size=(COUNT, 3))))
        views = [c.distance[10:20], c.normal[-5:], c.point_a[::1000], c.status[::1000], c.upper]
        held.append((views, [view.copy() for view in views]))
        del c
        if len(held) > 4:
            held.pop(int(rng.integers(0, 4)))
    for views, copies in held:
        assert all(np.array_equal(view, copy) for view, copy in zip(views, copies))


def test_an_answer_may_be_the_next_question():
    rng = np.random.default_rng(22)
    a = tg.Ellipsoid([1, 0.5, 0.3])
    c = tg.contact(a, a, None, (None, 3.0 * rng.normal(size=(COUNT, 3))))
    copies = [getattr(c, name).copy() for name in FIELDS]
    for _ in range(3):
        tg.contact(a, a, None, (None, c.point_b), guess=c)
    assert all(np.array_equal(getattr(c, name), copy) for name, copy in zip(FIELDS, copies))


def test_many_threads_may_ask_at_once():
    a = tg.Ellipsoid([1, 0.5, 0.3])
    position = 3.0 * np.random.default_rng(23).normal(size=(4, COUNT, 3))
    expected = [tg.contact(a, a, None, (None, p), threads=1).distance.copy() for p in position]
    wrong = []

    def work(k):
        for turn in range(6):
            c = tg.contact(a, a, None, (None, position[k]), threads=1 + turn % 2)
            if not np.array_equal(c.distance, expected[k]):
                wrong.append(k)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60.0)
    assert not wrong
    assert not any(worker.is_alive() for worker in workers)


_COLLECTING = """
import faulthandler, gc
faulthandler.dump_traceback_later(8, exit=True)
from tangency.compiled import memory

class Node:
    pass

class Rest(list):
    # The collector runs at any allocation: here, whenever the list of arrays at rest is touched.
    def touched(name):
        def method(self, *args):
            if hidden:
                hidden.clear()
                gc.collect()
            return getattr(list, name)(self, *args)
        return method
    __iter__, __len__, append, pop, __delitem__ = map(touched, ("__iter__", "__len__", "append", "pop", "__delitem__"))

memory._rest, hidden = Rest(), []
for k in range(3):
    loan = memory.borrow(100_000)
    node = Node()
    node.me, node.loan = node, memory.borrow(100_000)
    hidden.append(node)
    del node
    del loan
print("alive")
"""


def test_the_garbage_collector_may_run_while_memory_is_given_back():
    # In a process of its own: a thread that waits for itself could not be stopped.
    run = subprocess.run([sys.executable, "-c", _COLLECTING], capture_output=True, text=True, timeout=120)
    assert run.stdout == "alive\n", run.stderr


def test_memory_per_pair():
    """At most 400 bytes per pair of ellipsoids, inputs included, also while the answer is computed."""
    count = 1_000_000
    rng = np.random.default_rng(24)
    memory._rest.clear()
    gc.collect()
    tracemalloc.start()
    try:
        radii_a, radii_b = rng.uniform(0.2, 1.0, (count, 3)), rng.uniform(0.2, 1.0, (count, 3))
        a, b = tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b)
        del radii_a, radii_b
        pose = (np.eye(3), rng.uniform(-2.0, 2.0, (count, 3)))
        tracemalloc.reset_peak()
        c = tg.contact(a, b, None, pose)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert c.converged.all()
    assert peak / count < 400.0
