"""A mechanism as text that is the same for equal mechanisms, so that a run is only resumed with its own."""

from __future__ import annotations

import numpy as np

from ...compiled.function_text import function_text
from .mechanism import Mechanism


def mechanism_text(mechanism: Mechanism) -> str:
    """Everything that the motion of a mechanism depends on, functions included."""
    model = mechanism.model
    numbers = [mechanism.position, mechanism.velocity, np.array([mechanism.loop_rate])]
    parts = [mechanism.name, model.saveToString(), *(array.tobytes().hex() for array in numbers)]
    for item in (*mechanism.elements, *mechanism.loops):
        parts.append(f"{type(item).__qualname__} {sorted((k, str(v)) for k, v in vars(item).items())}")
    functions = [*mechanism.prescribed.items(), *([] if mechanism.torque is None else [("torque", mechanism.torque)])]
    parts += [f"{name} {function_text(function)}" for name, function in functions]
    return "\0".join(map(str, parts))
