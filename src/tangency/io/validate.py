"""Checks of arguments: every message names the argument, what was expected and the value."""

from __future__ import annotations

from typing import Any

import numpy as np


def short(value: Any) -> str:
    """The first entries of an array, for a message."""
    text = np.array2string(np.asarray(value), threshold=8, precision=6, separator=", ")
    return " ".join(text.split())


def bad_entry(value: np.ndarray, fine: np.ndarray, name: str) -> str:
    """A small array, or the index and value of the first entry of a large one that is not `fine`, for a message.

    Of vectors, such as radii, all components are shown.
    """
    if value.size <= 8:
        return short(value)
    index = np.unravel_index(int(np.argmin(fine)), value.shape)
    if value.ndim > 1 and value.shape[-1] <= 4:
        index = index[:-1]
    return f"{name}[{', '.join(map(str, index))}] = {short(value[index])}"


def numbers(value: Any, name: str, copy: bool = False) -> np.ndarray:
    """`value` as a C-contiguous, writeable float64 array, copied only if needed; it may contain infinities."""
    plain = not copy and type(value) is np.ndarray and value.dtype == np.float64
    if plain and value.flags.c_contiguous and value.flags.writeable:
        return value
    try:
        raw = np.asarray(value)
        if raw.dtype.kind not in "biufO" or np.ma.is_masked(value):
            raise TypeError
        return np.array(raw, dtype=np.float64, order="C")
    except OverflowError:  # an integer of Python
        raise ValueError(f"{name} must be finite, got an integer beyond 1.8e308") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number or an array of real numbers, got {value!r}") from None


def array(value: Any, name: str) -> np.ndarray:
    """A copy of `value` as a finite, C-contiguous float64 array."""
    result = numbers(value, name, copy=True)
    fine = np.isfinite(result)
    if not fine.all():
        raise ValueError(f"{name} must be finite, got {bad_entry(result, fine, name)}")
    return result


def vectors(value: Any, name: str, size: int = 3) -> np.ndarray:
    """`value` as a finite float64 array of shape (..., size)."""
    result = array(value, name)
    if result.ndim == 0 or result.shape[-1] != size:
        raise ValueError(f"{name} must have shape (..., {size}), got shape {result.shape}")
    return result


def positive(value: np.ndarray, name: str) -> np.ndarray:
    if not (value > 0).all():
        raise ValueError(f"{name} must be > 0, got {bad_entry(value, value > 0, name)}")
    return value


def within(value: np.ndarray, name: str, low: float, high: float, why: str = "") -> np.ndarray:
    fine = (value > low) & (value < high)
    if not fine.all():
        raise ValueError(f"{name} must lie between {low:g} and {high:g}{why}, got {bad_entry(value, fine, name)}")
    return value


def lengths(value: np.ndarray, name: str) -> np.ndarray:
    """Check that products of a few lengths stay within the range of float64."""
    if not (value <= 1e60).all() or not ((value >= 1e-60) | (value == 0)).all():
        raise ValueError(f"{name} must lie between 1e-60 and 1e60 (choose other units), got {short(value)}")
    return value


def broadcast(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Common leading shape of several named stacks."""
    stacks = {shape for shape in shapes.values() if shape}
    if len(stacks) <= 1:  # by far the most frequent case
        return stacks.pop() if stacks else ()
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"stacks do not broadcast together: {listed}") from None


def single(shapes: dict[str, tuple[int, ...]]) -> None:
    """Reject stacks."""
    for name, shape in shapes.items():
        if shape:
            raise ValueError(f"{name} must be single, got a stack of shape {shape}: use tangency.contact for stacks")


def directions(value: Any, name: str = "n", size: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Unit directions and their lengths."""
    n = vectors(value, name, size)
    # Scaled first: the squares of 1e-200 or 1e200 leave the range of float64.
    top = np.abs(n).max(axis=-1, keepdims=True) if n.size else n[..., :1]
    if not (top > 0).all():
        raise ValueError(f"{name} must not be the zero vector, got {short(n)}")
    u = n / top
    length = np.sqrt((u * u).sum(axis=-1, keepdims=True))
    return u / length, (length * top)[..., 0]
