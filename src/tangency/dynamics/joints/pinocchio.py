"""The only place that imports Pinocchio, on first use."""

from __future__ import annotations

from typing import Any


def pin() -> Any:
    """The module ``pinocchio``, or an error that says how to install it."""
    try:
        import pinocchio
    except ImportError:
        raise ImportError("mechanisms need Pinocchio: pip install 'tangency[multibody]'") from None
    if not hasattr(pinocchio, "Model"):  # another package of that name
        raise ImportError("mechanisms need the robotics library Pinocchio: pip install 'tangency[multibody]'")
    return pinocchio


def transform(rotation: Any, position: Any) -> Any:
    """A pose as Pinocchio takes it."""
    return pin().SE3(rotation, position)
