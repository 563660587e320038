"""Accelerations with prescribed joints and loops: Gauss's principle of least constraint.

Of all accelerations a that satisfy A a = b, the mechanism takes those with the least (a - a0) M (a - a0), where a0 are
the accelerations without the constraints.  Rows of A that depend on others (a planar loop in space) do no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .linkage import Linkage

DEPENDENT = 1e-11  # relative singular value below which equations count as dependent
VANISHING = 1e-16  # relative mobility below which an equation is empty, such as that across a planar loop


def corrected(
    linkage: Linkage, free: np.ndarray, state: tuple[np.ndarray, np.ndarray], held: list[int], given: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Accelerations (nv,) with constraints, from those without; torques on prescribed joints; power of loops.

    `held` are the places of the prescribed velocities, `given` their accelerations.
    """
    q, v = state
    rows, right = [np.eye(linkage.nv)[held]], [given]
    loops = linkage.mechanism.loop_frames
    if loops is not None:
        matrix, side = loops.equations(linkage.data, q, v)
        rows.append(matrix)
        right.append(side)
    matrix, side = np.concatenate(rows), np.concatenate(right)
    inverse = linkage.inverse_inertia(q)
    felt = matrix @ inverse @ matrix.T
    size = np.diag(felt)
    size = np.sqrt(np.maximum(size, VANISHING * size.max(initial=1e-300)))  # rows of equal size, whatever their units
    scaled = felt / size[:, None] / size[None, :]
    forces = np.linalg.lstsq(scaled, (side - matrix @ free) / size, rcond=DEPENDENT)[0] / size
    # Forces that hold a joint are torques on it; those of loops do work only where errors of the integration decay.
    count = len(held)
    return free + inverse @ (matrix.T @ forces), forces[:count], float(forces[count:] @ (matrix[count:] @ v))
