"""Compile the equations of motion ahead of use."""

from __future__ import annotations

from ..shapes import Sphere
from .body import RollingBody


def warm() -> None:
    """Roll a ball for a short time."""
    RollingBody(Sphere(1.0)).simulate(duration=1e-3, samples=2)
