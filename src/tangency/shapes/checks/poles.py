"""Conditions on a body at the poles of spherical coordinates: Eqs. (15), (17) and (18) of Römer 3-D."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...geometry.directions import ring
from ...geometry.seams import bend_tensor
from ..formulas.pole import FLOOR

if TYPE_CHECKING:
    from ..shape import Shape

AZIMUTHS = 96
FEW_AZIMUTHS = 31  # in the first test of every body of a stack
BODIES_AT_ONCE = 1000  # bodies of a stack treated at once
ALLOWED = 1e-9  # largest relative size of terms that should vanish, for formulas
OUTER_RING, INNER_RING = 1e-6, 1e-9  # [rad] radii of two rings that distinguish a jump from a steep slope
JUMP = 1e-6  # smallest jump that is detected, relative to the size


class PoleFailure(NamedTuple):
    """An equation that fails at a pole."""

    equation: int
    pole: str  #: "phi = 0" or "phi = pi"
    amount: float  #: [m]; relative for Eq. (18)

    def __str__(self) -> str:
        where = f"Eq. ({self.equation}) of Römer 3-D fails at {self.pole}: "
        if self.equation == 15:
            return f"{where}the potential takes different values there, which differ by {self.amount:.3g}"
        if self.equation == 17:
            return f"{where}the boundary point depends on theta there, by {self.amount:.3g}"
        return f"{where}the curvature depends on the direction from which the pole is reached"


def pole_failures(shape: Shape, size: float) -> list[PoleFailure]:
    """The equations that fail at the poles of a single body, evaluated on small circles around them."""
    found = []
    for up, name in ((1.0, "phi = 0"), (-1.0, "phi = pi")):
        pole = np.array([[0.0, 0.0, up]])
        h, x, w = shape.jet(pole)
        bend = bend_tensor(pole, w, size)
        gaps = []
        for angle in (OUTER_RING, INNER_RING):
            n = ring(angle, AZIMUTHS, 0.1) * [1.0, 1.0, up]
            hr, xr, wr = shape.jet(n)
            shift = (np.abs(hr - h).max(), np.linalg.norm(xr - x, axis=-1).max())
            gaps.append((shift[0] / size, shift[1] / size, np.abs(bend_tensor(n, wr, size) - bend).max()))
        for equation, far, near in zip((15, 17, 18), *gaps):
            if near > JUMP and near > 0.9 * far:
                found.append(PoleFailure(equation, name, near if equation == 18 else near * size))
                break  # the later equations then fail too
    return found


def first_failure(shape: Shape) -> tuple[PoleFailure, int] | None:
    """The first body of a stack, by its number, for which Eq. (15) or (17) fails; all are tested.

    A body is examined further only if its value or its point changes over a tiny circle around a pole.
    """
    count = len(shape.rows)
    for numbers in np.array_split(np.arange(count), 1 + count // BODIES_AT_ONCE) if count else []:
        block = shape.take(numbers)
        size, moved = np.broadcast_to(block.bounding_radius, len(numbers)), np.zeros(len(numbers))
        for up in (1.0, -1.0):
            n = np.concatenate([[[0.0, 0.0, 1.0]], ring(INNER_RING, FEW_AZIMUTHS, 0.1)]) * [1.0, 1.0, up]
            h, x = block.support(n[:, None]), block.point(n[:, None])
            moved = np.maximum(moved, np.maximum(np.abs(h - h[0]), np.abs(x - x[0]).max(axis=-1)).max(axis=0))
        for k in np.flatnonzero(~(moved <= 0.1 * JUMP * size)):
            one = block.take(np.array(k))
            for failure in pole_failures(one, float(one.bounding_radius)):
                if failure.equation != 18:
                    return failure, int(numbers[k])
    return None


def pole_problem(values: Shape) -> str:
    """Message that names the equation violated at a pole, or states that g is not periodic in theta; '' if none.

    `values` is the shape with a negative ``cap_around_poles``, whose jets are g and its derivatives
    (``shapes/formulas/pole.py``).
    """
    count = len(values.rows)
    for numbers in np.array_split(np.arange(count), 1 + count // BODIES_AT_ONCE) if count else []:
        if problem := _problem(values.take(numbers)):
            return problem
    return ""


def _problem(values: Shape) -> str:
    def raw(p: np.ndarray, theta: np.ndarray, up: float) -> np.ndarray:
        """Values at the angle p from the north pole (up = 1) or the south pole (-1), with derivatives in p."""
        p, theta = np.broadcast_arrays(p[:, None], theta[:, None])
        return values._evaluate(values.address, np.stack([p, theta, np.full(p.shape, up)], axis=-1), "phi")

    theta = np.arange(AZIMUTHS) * (2.0 * np.pi / AZIMUTHS) + 0.01
    phi = np.linspace(0.01, np.pi - 0.01, 19)
    seam = [raw(phi, np.full(1, side), 1.0) for side in (-np.pi, np.pi)]
    size = np.where(np.isfinite(seam[0][..., 0]), np.abs(seam[0][..., 0]), 0.0).max(axis=0)
    jump = np.abs(seam[1][..., [0, 2]] - seam[0][..., [0, 2]])
    turn = np.where(np.isfinite(jump), jump, 0.0).max(axis=(0, -1))
    if (turn > ALLOWED * size).any():
        return f"g must be 2 pi-periodic in theta: g or g_theta jumps by {turn.max():.3g} at theta = pi"
    waves = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    for up, name in ((1.0, "phi = 0"), (-1.0, "phi = pi")):
        at_pole = raw(np.zeros(1), theta, up)
        # Powers such as sin(phi)^0.5 have a limit but no derivative formula at the pole itself.
        at_pole = np.where(np.isfinite(at_pole), at_pole, raw(np.full(1, FLOOR), theta, up))
        g, slope = at_pole[..., 0], at_pole[..., 1]
        if not (np.isfinite(g).all() and np.isfinite(slope).all()):
            return f"g or g_phi is not finite at {name}"
        spread = np.ptp(g, axis=0)
        if (spread > ALLOWED * size).any():
            return f"{PoleFailure(15, name, float(spread.max()))}"
        left = slope - waves @ np.linalg.lstsq(waves, slope, rcond=None)[0]
        if (np.abs(left) > ALLOWED * size).any():
            wave = np.abs(np.fft.rfft(left, axis=0)) / AZIMUTHS * 2.0
            order = int(np.unravel_index(wave.argmax(), wave.shape)[0])
            part = f"a constant {wave.max() / 2:.3g}" if order == 0 else f"a wave of {wave.max():.3g} in {order} theta"
            text = PoleFailure(17, name, float(2.0 * np.abs(left).max()))
            return f"{text} (g_phi contains {part} besides cos(theta) and sin(theta))"
    return ""
