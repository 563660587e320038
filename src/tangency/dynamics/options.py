"""Options of a simulation: those of each mode, and how steps, frames and duration fit together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import validate
from .accurate import METHODS
from .assembly import Assembly
from .steps import suggested_step

MODES: dict[str, tuple[str, ...]] = {"accurate": ("method", "rtol", "atol", "max_step"), "fast": ("step", "skin")}
FRAMES = 100  # of a run that does not say how many


def options_for(
    assembly: Assembly, duration: float, mode: str, output_interval: float | None, given: dict[str, Any]
) -> tuple[dict[str, Any], int]:
    """All options of a mode, checked and with their defaults, and the number of frames; `given` holds None for default.

    Options of the other mode are refused, and steps that do not fit: nothing is changed silently.
    """
    if mode not in MODES:
        raise ValueError(f"mode must be 'accurate' or 'fast', got {mode!r}")
    for other, names in MODES.items():
        for name in names:
            if other != mode and given.get(name) is not None:
                raise ValueError(
                    f"{name} must not be given in mode {mode!r}, it belongs to {other!r}, got {given[name]!r}"
                )
    end = positive(duration, "duration")
    interval = None if output_interval is None else positive(output_interval, "output_interval")
    step = None if given["step"] is None else positive(given["step"], "step")
    if interval is None:
        frames = FRAMES if step is None else _frames_of(whole(end, step, "duration", "step"))
        interval = end / frames
    else:
        frames = whole(end, interval, "duration", "output_interval")
    options: dict[str, Any] = {"mode": mode, "output_interval": interval}
    if mode == "accurate":
        method = "DOP853" if given["method"] is None else given["method"]
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
        longest = given["max_step"]
        longest = None if longest is None or longest == math.inf else positive(longest, "max_step")
        rtol = 1e-9 if given["rtol"] is None else positive(given["rtol"], "rtol")
        atol = 1e-12 if given["atol"] is None else positive(given["atol"], "atol")
        return options | {"method": method, "rtol": rtol, "atol": atol, "max_step": longest}, frames
    if step is None:
        count = max(1, math.ceil(interval / suggested_step(assembly, end) - 1e-9))
    else:
        count = whole(interval, step, "output_interval", "step")
    near = _default_skin(assembly) if given["skin"] is None else positive(given["skin"], "skin")
    return options | {"step": interval / count, "steps_per_frame": count, "skin": near}, frames


def whole(long: float, short: float, name: str, of: str) -> int:
    """How often `short` goes into `long`, which must be a whole number."""
    count = round(long / short)
    if count < 1 or abs(count * short - long) > 1e-6 * short:
        fits = long / max(1, math.ceil(long / short - 1e-9))
        raise ValueError(f"{name} must be a multiple of {of}, got {long:g} and {short:g}; {of}={fits:.6g} would fit")
    return count


def _frames_of(steps: int) -> int:
    """Number of frames that divides the number of steps, as near to the usual one as there is."""
    divisors = {d for k in range(1, math.isqrt(steps) + 1) if steps % k == 0 for d in (k, steps // k)}
    return min(divisors, key=lambda frames: abs(math.log(frames / FRAMES)))


def positive(value: Any, name: str) -> float:
    """A single number > 0."""
    number = validate.positive(validate.array(value, name), name)
    if number.shape:
        raise ValueError(f"{name} must be a single number, got shape {number.shape}")
    return float(number)


def _default_skin(assembly: Assembly) -> float:
    sizes: np.ndarray = assembly.reach[assembly.free & (assembly.reach > 0.0)]
    return 0.1 * float(sizes.min()) if len(sizes) else 1.0
