"""Strategies for hypothesis: normals, rotations and positions, in general and in special places."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

# On coordinate planes, next to them, and anywhere.
_component = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 1e-9, -1e-9, 1e-3]), st.floats(-1.0, 1.0))


def few(examples: int) -> settings:
    """Settings for a given number of examples, always the same ones, without a deadline: the first may compile."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


@st.composite
def unit_vectors(draw: st.DrawFn) -> np.ndarray:
    """Unit vectors, along axes and next to coordinate planes more often than at random."""
    v = np.array([draw(_component) for _ in range(3)])
    length = float(np.linalg.norm(v))
    return v / length if length > 1e-6 else np.array([0.0, 0.0, 1.0])


@st.composite
def rotations(draw: st.DrawFn) -> Rotation:
    """Rotations, by right angles and about axes more often than at random."""
    angle = draw(st.one_of(st.sampled_from([0.0, np.pi / 2, np.pi, 1e-7]), st.floats(-np.pi, np.pi)))
    return Rotation.from_rotvec(angle * draw(unit_vectors()))
