"""In which order the files of tests are read, and the tests run, by several processes of pytest-xdist.

pytest compiles each file of tests when it is first read, with its assertions rewritten, and keeps the result for other
processes.  In a fresh clone, two processes that read the files in the same order would both compile all of them.  Here
every second process reads them from the end, so each compiles half.
"""

from __future__ import annotations

import pytest

#: Pages that run for tens of seconds begin early: near the end, the other process would wait for them.
FIRST = "test_docs.py"


class Backwards(pytest.Dir):
    """A folder that is read from its end."""

    def collect(self):
        return list(super().collect())[::-1]


def reader_of(path, parent):
    """The collector of a folder in this process; None for the usual one."""
    worker = getattr(parent.config, "workerinput", {}).get("workerid", "gw0")
    return Backwards.from_parent(parent, path=path) if int(worker.removeprefix("gw")) % 2 else None


def put_in_order(config, items):
    """Sort the tests by their files, in all processes alike; tests of one file keep their order."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: (item.path.name != FIRST, item.path.parts))
