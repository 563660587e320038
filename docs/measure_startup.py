"""How long the first answer takes, as a Markdown table: import, start from the cache, compilation.

    python docs/measure_startup.py           about two minutes; run it on a quiet machine

The table stands in docs/accuracy.md.  Every number is the median of several fresh processes; compilation
happens in an empty cache folder.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = str(Path(__file__).parents[1] / "src")

# Each prints one number of seconds.
IMPORT_PEERS = """
import time; start = time.perf_counter()
import numpy, scipy.spatial.transform, scipy.special
print(time.perf_counter() - start)
"""
IMPORT_NUMBA = """
import numpy, scipy.spatial.transform, scipy.special
import time; start = time.perf_counter()
import numba
print(time.perf_counter() - start)
"""
IMPORT = """
import numpy, scipy.spatial.transform, scipy.special
import time; start = time.perf_counter()
import tangency
print(time.perf_counter() - start)
"""
FIRST = """
import tangency as tg
import time; start = time.perf_counter()
tg.contact(tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 2, 3]), pose_b=(None, [5, 1, 2])).distance
print(time.perf_counter() - start)
"""
PROCESS = """
import time; start = time.perf_counter()
import tangency as tg
tg.contact(tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([1, 2, 3]), pose_b=(None, [5, 1, 2])).distance
print(time.perf_counter() - start)
"""
SHAPE = """
import tangency as tg
tg.Sphere(1.0).support([0, 0, 1])  # everything that shapes share
import time; start = time.perf_counter()
tg.{shape}.address
print(time.perf_counter() - start)
"""
SOLVER = """
import tangency as tg
a = tg.Ellipsoid([3, 2, 1])
a.bounds
import time; start = time.perf_counter()
tg.contact(a, a, pose_b=(None, [5, 1, 2])).distance
print(time.perf_counter() - start)
"""


def seconds(code: str, cache: str) -> float:
    paths = [SOURCE, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TANGENCY_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def cold(code: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return seconds(code, folder)


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        for code in (PROCESS, PROCESS):  # compile; bring files into memory
            seconds(code, cache)

        def warm(code: str) -> float:
            return statistics.median(seconds(code, cache) for _ in range(7))

        rows = [
            ("import of NumPy and SciPy alone, for comparison", warm(IMPORT_PEERS)),
            ("import of tangency on top of them", warm(IMPORT)),
            ("of which Numba", warm(IMPORT_NUMBA)),
            ("first contact in a new process, from the cache", warm(FIRST)),
            ("whole process to the first answer, imports included", warm(PROCESS)),
        ]
    rows.append(("compiling the default solver, once per version", statistics.median(cold(SOLVER) for _ in range(3))))
    for shape in ("Ellipsoid([3, 2, 1])", "Superellipsoid([3, 2, 1], (0.5, 0.5))"):
        code = SHAPE.format(shape=shape)
        rows.append((f"compiling a shape, {shape.split('(')[0]}", statistics.median(cold(code) for _ in range(3))))
    print("| what | seconds |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value:.2g} |" if value < 10 else f"| {name} | {value:.0f} |")


if __name__ == "__main__":
    main()
