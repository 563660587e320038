"""Processor time of the tests, and where it goes when it is more than `./test` may take.

The time is that of the processes, with their threads and the processes that they waited for: unlike the time by the
clock, it depends little on what else the machine does.
"""

from __future__ import annotations

import math
import os
from collections import Counter

import pytest

#: Minutes for all tests without the long studies: what is left of twelve minutes on two cores after the compilation of
#: everything built in, mypy and Sphinx, with a margin for the time in which one core waits.
LIMIT = 14.0
SHOWN = 12  # files and tests
NAME = "processor time"


def spent() -> float:
    """Processor time of this process and of those that it waited for [s]."""
    return sum(os.times()[:4])


def summary(times: dict[str, float], total: float, limit: float = LIMIT) -> list[str]:
    """Lines about the time of each test [s] and of all processes together [s]; files are named above `limit` [min]."""
    lines = [f"{total / 60:.1f} min of processor time in all processes of the tests"]
    if total <= 60 * limit:
        return lines
    files: Counter[str] = Counter()
    for name, time in times.items():
        files[name.partition("::")[0]] += time
    lines[0] += f", more than {limit:g} min: ./test must stay below twelve minutes on two cores (CONTRIBUTING.md)"
    for title, slowest in (
        ("files", files.most_common(SHOWN)),
        ("tests", Counter(times).most_common(SHOWN)),
    ):
        lines += [f"slowest {title}:", *(f"{time:8.1f} s  {name}" for name, time in slowest)]
    return lines


class ProcessorTime:
    """Plugin of pytest that measures each test, in all processes of pytest-xdist."""

    def __init__(self, config) -> None:
        self._limit = math.inf if config.getoption("--full") else LIMIT
        self._mark = spent()
        self._times: Counter[str] = Counter()
        self._elsewhere = 0.0

    def pytest_runtest_logstart(self) -> None:
        """A test begins."""
        self._mark = spent()

    def pytest_runtest_makereport(self, item, call) -> None:
        """A phase of a test has ended: its time travels with the name of the test."""
        before, self._mark = self._mark, spent()
        item.user_properties[:] = [one for one in item.user_properties if one[0] != NAME]
        item.user_properties.append((NAME, self._mark - before))

    def pytest_runtest_logreport(self, report) -> None:
        """Of each phase, in the process that prints the summary."""
        self._times[report.nodeid] += dict(report.user_properties).get(NAME, 0.0)

    def pytest_sessionfinish(self, session) -> None:
        """In a process of pytest-xdist: send the time of the whole process."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[NAME] = spent()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        """A process of pytest-xdist has ended."""
        self._elsewhere += getattr(node, "workeroutput", {}).get(NAME, 0.0)

    def pytest_terminal_summary(self, terminalreporter) -> None:
        """Print the summary."""
        own, waited_for = sum(os.times()[:2]), sum(os.times()[2:4])
        total = own + max(self._elsewhere, waited_for)  # processes of pytest-xdist that have ended are in both
        terminalreporter.section(NAME)
        for line in summary(self._times, total, self._limit):
            terminalreporter.line(line)
