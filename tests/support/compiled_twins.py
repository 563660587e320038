"""Two compiled entries from one factory, as a program: python compiled_twins.py [--collide | --fork] NAME...

What `tangency.solvers.lanes.loop` does with its loops, in small.  Prints the answers and how many entries were
compiled.  With ``--collide`` symbols are numbered from 1, with ``--fork`` each entry is compiled in a forked process of
its own.
"""

import itertools
import json
import math
import os
import sys

from tangency.compiled import cache, jit


def loop(step):
    @jit.jit
    def repeat(x):
        y = x
        for _ in range(3):
            x = step(x)
            # Long enough to stay a function of its own.
            y = math.sin(math.cos(y) + math.exp(-y * y) + math.atan(y) + math.sqrt(abs(y)) + math.log1p(y * y))
            y = math.tan(math.atan(y) + math.erf(y) + math.sinh(y) + math.cosh(y) + math.tanh(y) + math.asinh(y))
            y = math.sin(math.cos(y) + math.exp(-y * y) + math.atan(y) + math.sqrt(abs(y)) + math.log1p(y * y))
        return x + 0.0 * min(max(y, -1.0), 1.0)

    return repeat


@jit.jit
def _double(x):
    return 2.0 * x


@jit.jit
def _add(x):
    return x + 1.0


_doubled, _added = loop(_double), loop(_add)


@jit.entry
def doubled(x):
    return _doubled(x) + _doubled(x + 1.0) - _doubled(x + 1.0)


@jit.entry
def added(x):
    return _added(x) + _added(x + 1.0) - _added(x + 1.0)


ENTRIES = {"doubled": doubled, "added": added}
ANSWERS = {"doubled": 40.0, "added": 8.0}

if __name__ == "__main__":
    names = sys.argv[1:]
    if "--collide" in names:
        names.remove("--collide")
        cache.identity._unique_ids = itertools.count(1)
    if "--fork" in names:
        names.remove("--fork")
        for name in names:
            if os.fork() == 0:
                os._exit(ENTRIES[name](5.0) != ANSWERS[name])
        for _ in names:
            assert os.wait()[1] == 0
        names = []
    answers = {name: ENTRIES[name](5.0) for name in names}
    compiled = sum(sum(entry.stats.cache_misses.values()) for entry in ENTRIES.values())
    print(json.dumps({"answers": answers, "compiled": compiled}))
