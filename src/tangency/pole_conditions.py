"""Conditions on a body at the poles of spherical coordinates: Eqs. (15), (17) and (18) of Römer 3-D."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .directions import ring
from .pole import FLOOR
from .seams import bend_tensor
from .symbolic import with_values

if TYPE_CHECKING:
    from .shape import Shape

AZIMUTHS = 96
ALLOWED = 1e-9  # relative size of what should vanish, for formulas
FAR, NEAR = 1e-6, 1e-9  # [rad] rings on which a jump is told from a steep slope
JUMP = 1e-6  # smallest jump that is noticed, relative to the size


class PoleFailure(NamedTuple):
    """An equation that fails at a pole."""

    equation: int
    pole: str  #: "phi = 0" or "phi = pi"
    amount: float  #: [m]; of Eq. (18) relative

    def __str__(self) -> str:
        where = f"Eq. ({self.equation}) of Römer 3-D fails at {self.pole}: "
        if self.equation == 15:
            return f"{where}the potential takes different values there, apart by {self.amount:.3g}"
        if self.equation == 17:
            return f"{where}the boundary point depends on theta there, by {self.amount:.3g}"
        return f"{where}the curvature depends on the direction from which the pole is reached"


def pole_failures(shape: Shape, size: float) -> list[PoleFailure]:
    """The equations that fail at the poles of a single body, from its jets on small circles around them."""
    found = []
    for up, name in ((1.0, "phi = 0"), (-1.0, "phi = pi")):
        pole = np.array([[0.0, 0.0, up]])
        h, x, w = shape.jet(pole)
        bend = bend_tensor(pole, w, size)
        gaps = []
        for angle in (FAR, NEAR):
            n = ring(angle, AZIMUTHS, 0.1) * [1.0, 1.0, up]
            hr, xr, wr = shape.jet(n)
            shift = (np.abs(hr - h).max(), np.linalg.norm(xr - x, axis=-1).max())
            gaps.append((shift[0] / size, shift[1] / size, np.abs(bend_tensor(n, wr, size) - bend).max()))
        for equation, far, near in zip((15, 17, 18), *gaps):
            if near > JUMP and near > 0.9 * far:
                found.append(PoleFailure(equation, name, near if equation == 18 else near * size))
                break  # the later ones fail with it
    return found


class RawValues:
    """g and its five derivatives of shapes from a potential, at any angles (``pole.py``)."""

    def __init__(self, cls: type[Shape], values: dict[str, np.ndarray]) -> None:
        self.shape = with_values(cls, {**values, "cap_around_poles": np.full((), -1.0)})

    def __call__(self, p: np.ndarray, theta: np.ndarray, up: float) -> np.ndarray:
        """At the angle p from the north pole (up = 1) or the south pole (-1), with derivatives by p."""
        p, theta = np.broadcast_arrays(p, theta)
        return self.shape._evaluate(self.shape.address, np.stack([p, theta, np.full(p.shape, up)], axis=-1), "phi")


def pole_problem(raw: RawValues) -> str:
    """Which equation a potential violates at a pole, or that it is not periodic in theta; else ''."""
    theta = np.arange(AZIMUTHS) * (2.0 * np.pi / AZIMUTHS) + 0.01
    phi = np.linspace(0.01, np.pi - 0.01, 19)
    tail = (1,) * len(raw.shape.batch_shape)
    seam = [raw(phi.reshape(-1, *tail), np.full((1, *tail), side), 1.0) for side in (-np.pi, np.pi)]
    size = _largest(np.abs(seam[0][..., 0]))
    turn = _largest(np.abs(seam[1][..., [0, 2]] - seam[0][..., [0, 2]]).max(axis=-1))
    if (turn > ALLOWED * size).any():
        return f"g must be 2 pi-periodic in theta: g or g_theta jumps by {turn.max():.3g} at theta = pi"
    waves = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    for up, name in ((1.0, "phi = 0"), (-1.0, "phi = pi")):
        values = raw(np.zeros((1, *tail)), theta.reshape(-1, *tail), up)
        # Powers such as sin(phi)^0.5 have a limit but no derivative formula at the pole itself.
        close = raw(np.full((1, *tail), FLOOR), theta.reshape(-1, *tail), up)
        values = np.where(np.isfinite(values), values, close)
        g, slope = (values[..., k].reshape(AZIMUTHS, -1) for k in (0, 1))
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


def _largest(values: np.ndarray) -> np.ndarray:
    """Largest values of every body, flat."""
    return np.nanmax(values.reshape(len(values), -1), axis=0)
