"""share(): every portion once, in whatever thread; the first error in the order of pairs is the one that is raised."""

import threading

import numpy as np
import pytest

import tangency as tg
from tangency.compiled.threads import MAX_PAIRS_AT_ONCE, share


@pytest.mark.parametrize("threads", [1, 2, 3, 8, None])
@pytest.mark.parametrize("count", [0, 1, 7, 1000, 3 * MAX_PAIRS_AT_ONCE + 5])
def test_every_pair_is_answered_once(threads, count):
    done = np.zeros(count, np.int64)
    prepared = np.zeros(count, np.int64)

    def prepare(start, stop):
        prepared[start:stop] += 1

    def loop(start, stop):
        assert (prepared[start:stop] == 1).all()
        done[start:stop] += 1

    share(loop, count, 16, threads, prepare)
    assert (done == 1).all()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_first_error_is_raised_and_the_rest_is_left(threads):
    begun = []
    second = threading.Event()

    def loop(start, stop):
        begun.append(start)
        if threads > 1 and start == 0:  # wait until a later portion has failed
            second.wait(5.0)
        if start >= 0 and (start == 0 or threads > 1):
            second.set()
            raise ValueError(f"portion {start}")

    with pytest.raises(ValueError, match=r"^portion 0$"):
        share(loop, 10_000, 16, threads)
    assert len(begun) <= threads


def test_threads_are_used_and_the_caller_works_too():
    seen = set()
    barrier = threading.Barrier(2, timeout=20.0)

    def loop(start, stop):
        seen.add(threading.get_ident())
        barrier.wait()  # neither of the two portions ends before the other has begun

    share(loop, 32, 16, 2)
    assert len(seen) == 2
    assert threading.get_ident() in seen


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_bad_pose_is_named_whatever_the_number_of_threads(threads):
    turn = np.broadcast_to(np.eye(3), (60_000, 3, 3)).copy()
    turn[20_000] *= 2.0
    with pytest.raises(ValueError, match=r"pose_b\[0\] must be a rotation, but R R' is 3 away"):
        tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), None, (turn, np.full(3, 5.0)), threads=threads)
