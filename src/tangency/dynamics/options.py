"""Options of a simulation: those of each mode, and how steps, frames and duration fit together."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..io import validate
from ..io.spelling import suggestion
from .accurate.integrators import METHODS
from .assembly import Assembly
from .fast.suggested_step import suggested_step
from .ranges import in_range


class Mode(NamedTuple):
    """Options of one integration mode."""

    given: tuple[str, ...]  #: names that the user may give
    options: tuple[str, ...]  #: names that its runner takes


_ACCURATE = ("method", "rtol", "atol", "max_step")
MODES = {
    "accurate": Mode(_ACCURATE, _ACCURATE),
    "fast": Mode(("step", "skin", "threads", "rest"), ("step", "skin", "fixed_skin", "steps_per_frame")),
}
MAX_SHORTENING = 0.1  # largest fraction by which a step is shortened so that a whole number of them fits
DEFAULTS = {"rtol": 1e-9, "atol": 1e-12}
RTOL, ATOL = (1e-14, 0.1), (0.0, 1.0)
MAX_STEPS_UNASKED = 1e8  # most steps that a default step may lead to
MAX_STEPS, MAX_FRAMES = 1e10, 1e8  # more are refused: they would take weeks, or more memory than there is
FRAMES = 100  # default number of frames


def options_for(
    assembly: Assembly, duration: float, mode: str, output_interval: float | None, given: dict[str, Any]
) -> tuple[dict[str, Any], int]:
    """All options of a mode, checked and with their defaults, and the number of frames.

    `given` holds None for defaults.  Options of the other mode are refused, as are steps that do not fit: nothing is
    changed silently.
    """
    if mode not in MODES:
        raise ValueError(f"mode must be 'accurate' or 'fast', got {mode!r}{suggestion(mode, MODES)}")
    for other, known in MODES.items():
        for name in known.given:
            if other != mode and given.get(name) is not None:
                raise ValueError(f"{name} must not be given in mode {mode!r}, only in {other!r}, got {given[name]!r}")
    end = positive(duration, "duration")
    in_range(end, "duration")
    interval = None if output_interval is None else positive(output_interval, "output_interval")
    step = None if given["step"] is None else positive(given["step"], "step")
    if interval is None:
        _countable(end, step, "step", MAX_STEPS, "steps")
        frames = FRAMES if step is None else _frames_of(_steps_in(end, step, "duration"))
        interval = end / frames
    else:
        _countable(end, interval, "output_interval", MAX_FRAMES, "frames")
        frames = round(end / interval)
        if frames < 1 or abs(frames * interval - end) > 1e-6 * interval:
            raise ValueError(f"duration must be a multiple of output_interval, got {end:g} and {interval:g}")
    options: dict[str, Any] = {"mode": mode, "output_interval": interval}
    if mode == "accurate":
        method = "DOP853" if given["method"] is None else given["method"]
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}{suggestion(method, METHODS)}")
        longest = given["max_step"]
        longest = None if longest is None or longest == math.inf else positive(longest, "max_step")
        _countable(end, longest, "max_step", MAX_STEPS, "steps")
        rtol, atol = (DEFAULTS[name] if given[name] is None else positive(given[name], name) for name in DEFAULTS)
        validate.within(np.array(rtol), "rtol", *RTOL)
        validate.within(np.array(atol), "atol", *ATOL)
        return options | {"method": method, "rtol": rtol, "atol": atol, "max_step": longest}, frames
    if step is None and assembly.joints.size:
        raise ValueError(
            "step must be given in mode 'fast' for a world with mechanisms: none can be derived from joints"
        )
    if step is None:
        suggested = suggested_step(assembly, end)
        if not end / MAX_STEPS_UNASKED < suggested:
            raise ValueError(
                f"step must be given: the initial stiffness, speeds and energies suggest {suggested:.3g} s, that is "
                f"{end / max(suggested, 1e-300):.2g} steps; check these values and the units"
            )
        count = max(1, math.ceil(interval / suggested - 1e-9))
    else:
        _countable(end, step, "step", MAX_STEPS, "steps")
        count = _steps_in(interval, step, "output_interval")
    near = _default_skin(assembly) if given["skin"] is None else positive(given["skin"], "skin")
    steps = {"step": interval / count, "steps_per_frame": count}
    return options | steps | {"skin": near, "fixed_skin": given["skin"] is not None}, frames


def _countable(time: float, part: float | None, name: str, most: float, parts: str) -> None:
    """Refuse an option that divides the duration into more parts than can be computed."""
    if part is not None and time > most * part:
        count = f"{time / part:.2g}" if part > time * 1e-300 else "more than 1e+300"
        raise ValueError(
            f"{name} must divide the duration into at most {most:.0e} {parts}, got {part:g}: {count} {parts}"
        )


def _steps_in(time: float, step: float, name: str) -> int:
    """Number of steps in a time; they may be slightly shorter than requested, but not longer."""
    count = max(1, math.ceil(time / step - 1e-9))
    if time / count < (1.0 - MAX_SHORTENING) * step or step > time * (1.0 + 1e-9):
        fits = f"step={time / count:.6g} would fit"
        raise ValueError(f"{name} must be a multiple of step, got {time:g} and {step:g}; {fits}")
    return count


def _frames_of(steps: int) -> int:
    """Number of frames that divides the number of steps, as close as possible to the default."""
    divisors = {d for k in range(1, math.isqrt(steps) + 1) if steps % k == 0 for d in (k, steps // k)}
    return min(divisors, key=lambda frames: abs(math.log(frames / FRAMES)))


def positive(value: object, name: str) -> float:
    """A single number > 0."""
    number = validate.positive(validate.array(value, name), name)
    if number.shape:
        raise ValueError(f"{name} must be a single number, got shape {number.shape}")
    return float(number)


def check_threads(value: object) -> int | None:
    """A number of threads >= 1, or None."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ValueError(f"threads must be a whole number >= 1, got {value!r}")
    return value


def _default_skin(assembly: Assembly) -> float:
    sizes: np.ndarray = assembly.reach[assembly.free & (assembly.reach > 0.0)]
    return 0.1 * float(sizes.min()) if len(sizes) else 1.0
