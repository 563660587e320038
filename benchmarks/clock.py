"""The clock of all benchmarks: real time, or processor time on a machine that others use as well."""

from __future__ import annotations

from time import perf_counter, process_time

_clock = perf_counter


def use_processor_time() -> None:
    """From now on, measure the processor time of all threads of this process."""
    global _clock
    _clock = process_time


def seconds() -> float:
    """Time since some moment."""
    return _clock()
