"""Single numbers that describe a law or a material: checked where they come in."""

from __future__ import annotations

import math
from typing import Any

from ..io import validate


def number(
    value: Any, name: str, *, above: float = -math.inf, least: float = -math.inf, most: float = math.inf
) -> float:
    """`value` as a finite float with ``above < value``, ``least <= value <= most``."""
    array = validate.array(value, name)
    if array.ndim:
        raise ValueError(f"{name} must be a single number, got shape {array.shape}")
    result = float(array)
    if not (result > above and least <= result <= most):
        limits = [
            text
            for text, given in (
                (f"> {above:g}", above > -math.inf),
                (f">= {least:g}", least > -math.inf),
                (f"<= {most:g}", most < math.inf),
            )
            if given
        ]
        raise ValueError(f"{name} must be {' and '.join(limits)}, got {result:g}")
    return result
