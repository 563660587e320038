"""Single numbers at the border: every message names the argument, the expectation and the value."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..io import validate


def number(value: Any, name: str) -> float:
    """`value` as a finite float; arrays are refused."""
    array = validate.array(value, name)
    if array.ndim:
        raise ValueError(f"{name} must be a single number, got an array of shape {array.shape}")
    return float(array)


def positive(value: Any, name: str) -> float:
    """`value` as a finite float > 0."""
    result = number(value, name)
    if not result > 0:
        raise ValueError(f"{name} must be > 0, got {result:.6g}")
    return result


def not_negative(value: Any, name: str) -> float:
    """`value` as a finite float >= 0."""
    result = number(value, name)
    if result < 0:
        raise ValueError(f"{name} must be >= 0, got {result:.6g}")
    return result


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


def turn_angles(values: Any, name: str) -> np.ndarray:
    """`values` as a one-dimensional array of finite angles."""
    array = np.atleast_1d(validate.array(values, name))
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of angles, got an array of shape {array.shape}")
    return array
