"""Ranges of the numbers that a simulation takes: products of several of them must not leave the range of float64."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..io import validate


class Range(NamedTuple):
    """Smallest and largest magnitude, and the unit; 0 is always inside."""

    low: float
    high: float
    unit: str


RANGES = {
    "mass": Range(1e-40, 1e40, "kg"),
    "density": Range(1e-40, 1e40, "kg/m^3"),
    "inertia": Range(1e-60, 1e60, "kg m^2"),
    "gravity": Range(0.0, 1e30, "m/s^2"),
    "stiffness": Range(0.0, 1e40, "N/m"),
    "damping": Range(0.0, 1e40, "N s/m"),
    "young": Range(0.0, 1e40, "Pa"),
    "force": Range(0.0, 1e60, "N"),
    "duration": Range(0.0, 1e15, "s"),
}


def in_range(value: Any, name: str, shown: str = "") -> None:
    """Raise an error if a number is far outside of what can be simulated; `shown` is its name in the message."""
    low, high, unit = RANGES[name]
    size = np.abs(np.asarray(value, dtype=float))
    if not ((size <= high) & ((size >= low) | (size == 0.0))).all():
        limits = f"between {low:g} and {high:g} {unit}" if low else f"at most {high:g} {unit}"
        raise ValueError(f"{shown or name} must be {limits} in a simulation, got {validate.short(value)}")
