"""Derivatives by shape parameters."""

from __future__ import annotations

from typing import Any

import numpy as np


def shape_jacobian(contact: Any, of: str, side: int) -> np.ndarray:
    raise NotImplementedError("derivatives by shape parameters")


def mixed_hessian(contact: Any, first: str, second: str, frame: str) -> np.ndarray:
    raise NotImplementedError("derivatives by shape parameters")
