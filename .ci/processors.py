"""Run a command once for each processor that this machine can emulate.

    python .ci/processors.py python -m pytest -n 2 -k portal

The last digit of a number and the sign of a zero may differ between processors: fused multiply-add, wider vectors and
other versions of library functions round differently.  Numba, OpenBLAS, NumPy and the C library each select code by
processor, and each can be told to use that of an older one:

| processor | NUMBA_CPU_NAME | OPENBLAS_CORETYPE | switched off in NumPy and glibc |
|---|---|---|---|
| SSE4.2, no fused operations | x86-64-v2 | Nehalem | AVX2, FMA, AVX-512 |
| AVX2 | x86-64-v3 | Haswell | AVX-512 |
| AVX-512 | x86-64-v4 | SkylakeX | |

NUMBA_CPU_FEATURES is set as for wheels (`tangency.compiled.unit`): without it, Numba adds the features of the machine
to those of the name.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import numpy as np
from llvmlite import binding

from tangency.compiled.unit import LEVELS
from tangency.compiled.unit import environment as numba_environment

CORES = {"x86-64-v2": "Nehalem", "x86-64-v3": "Haswell", "x86-64-v4": "SkylakeX"}
NEEDS = {"x86-64-v2": ("sse4.2",), **dict(reversed(LEVELS.items()))}
GLIBC_OFF = {"x86-64-v2": "-AVX2,-FMA,-FMA4,-AVX512F", "x86-64-v3": "-AVX512F"}


def numpy_off(name: str) -> list[str]:
    """Features of NumPy that an older processor lacks; their names differ between versions of NumPy."""
    known = np._core._multiarray_umath.__cpu_dispatch__
    if name == "x86-64-v2":
        return list(known)
    return [feature for feature in known if name == "x86-64-v3" and ("512" in feature or feature == "X86_V4")]


def environment(name: str) -> dict[str, str]:
    """Variables that make Numba, OpenBLAS, NumPy and glibc use the code of the processor `name`."""
    chosen = {**numba_environment(name), "OPENBLAS_CORETYPE": CORES[name]}
    if off := numpy_off(name):
        chosen["NPY_DISABLE_CPU_FEATURES"] = " ".join(off)
    if name in GLIBC_OFF:
        chosen["GLIBC_TUNABLES"] = f"glibc.cpu.hwcaps={GLIBC_OFF[name]}"
    return chosen


def main(command: list[str]) -> int:
    """Exit code: 0 if the command succeeded for every processor."""
    if platform.machine() not in ("x86_64", "AMD64"):
        print(f"== {platform.machine()}: processors can be chosen only on x86-64; running once", flush=True)
        return subprocess.run(command, check=False).returncode
    features = binding.get_host_cpu_features()
    results = {}
    for name, needs in NEEDS.items():
        missing = [feature for feature in needs if not features.get(feature)]
        if missing:
            results[name] = f"not run: this machine has no {', '.join(missing)}"
            continue
        chosen = environment(name)
        print(f"== {name}: {' '.join(f'{key}={value!r}' for key, value in chosen.items())}", flush=True)
        done = subprocess.run(command, env={**os.environ, **chosen}, check=False)
        results[name] = "passed" if done.returncode == 0 else f"failed ({done.returncode})"
    for name, result in results.items():
        print(f"== {name}: {result}", flush=True)
    return int(any(result.startswith("failed") for result in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
