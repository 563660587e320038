"""The run says what it took, and where the time went if it was too long."""

import subprocess
import sys

import processor_time

BUSY = """
import subprocess, sys, time
def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
def test_idle(): pass
def test_busy(): busy(0.3)
def test_child(): subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.3: pass"])
"""
PLUGIN = f"""
import sys
sys.path.insert(0, {processor_time.__file__.rpartition("/")[0]!r})
import processor_time
def pytest_addoption(parser): parser.addoption("--full", action="store_true")
def pytest_configure(config):
    processor_time.LIMIT = 0.1 / 60
    config.pluginmanager.register(processor_time.ProcessorTime(config))
"""


def test_times_are_measured_in_all_processes(tmp_path):
    """Of threads, children and the processes of pytest-xdist; the slowest are named above the limit."""
    (tmp_path / "conftest.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "test_some.py").write_text(BUSY, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    said = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=False).stdout
    shown = {line.split()[-1]: float(line.split()[0]) for line in said.splitlines() if " s  " in line}
    assert "more than 0.00166667 min" in said, said
    assert shown["test_some.py::test_busy"] >= 0.29
    assert shown["test_some.py::test_child"] >= 0.29
    assert shown["test_some.py::test_idle"] < 0.2
    assert shown["test_some.py"] >= 0.58


def test_below_the_limit_the_time_is_one_line():
    times = {"a.py::x": 3.0, "a.py::y": 2.0, "b.py::x": 4.0}
    assert processor_time.summary(times, 60.0, 1.0) == ["1.0 min of processor time in all processes of the tests"]
    named = processor_time.summary(times, 61.0, 1.0)
    assert [line.split()[-1] for line in named if " s  " in line] == ["a.py", "b.py", "b.py::x", "a.py::x", "a.py::y"]
