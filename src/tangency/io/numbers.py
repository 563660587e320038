"""Checks of single numbers: every message names the argument, what was expected and the value."""

from __future__ import annotations

import math
import operator
from typing import Any

from . import validate


def number(
    value: Any, name: str, *, above: float = -math.inf, least: float = -math.inf, most: float = math.inf
) -> float:
    """`value` as a finite float with ``above < value``, ``least <= value <= most``; arrays are rejected."""
    try:
        array = validate.array(value, name)
    except TypeError:
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    if array.ndim:
        raise ValueError(f"{name} must be a single number, got an array of shape {array.shape}")
    result = float(array)
    if not (result > above and least <= result <= most):
        limits = [f"> {above:g}" if above >= least else f">= {least:g}"] if max(above, least) > -math.inf else []
        limits += [f"<= {most:g}"] if most < math.inf else []
        raise ValueError(f"{name} must be {' and '.join(limits)}, got {result:.6g}")
    return result


def positive(value: Any, name: str) -> float:
    """`value` as a finite float > 0."""
    return number(value, name, above=0.0)


def not_negative(value: Any, name: str) -> float:
    """`value` as a finite float >= 0."""
    return number(value, name, least=0.0)


def count(value: Any, name: str, least: int = 1) -> int:
    """`value` as an integer >= `least`."""
    try:
        result = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer >= {least}, got {value!r}") from None
    if result < least:
        raise ValueError(f"{name} must be an integer >= {least}, got {result}")
    return result


def tolerance(value: Any, name: str) -> float:
    """`value` as a relative tolerance that float64 can reach: between 1e-14 and 1."""
    result = number(value, name)
    if not 1e-14 <= result < 1.0:
        raise ValueError(f"{name} must lie between 1e-14 and 1, got {result:.6g}")
    return result
