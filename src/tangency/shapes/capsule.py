"""Capsule: a segment with a ball at every point."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..io import validate
from .offset import Offset
from .segment import Segment


def capsule(radius: ArrayLike, half_length: ArrayLike) -> Offset:
    """Capsule along z about the origin: a cylinder with hemispherical caps.

    Parameters
    ----------
    radius : (...) array_like
        Radius of the cylinder and of the caps [m], > 0.
    half_length : (...) array_like
        Half the length of the cylindrical part [m], > 0; the total length is 2 (half_length + radius).

    Returns
    -------
    Offset
        ``Segment(half_length).offset(radius)``.

    Examples
    --------
    >>> import tangency as tg
    >>> float(tg.capsule(0.5, 2.0).support([0, 0, 1]))
    2.5
    """
    return Offset(Segment(half_length), validate.positive(validate.array(radius, "radius"), "radius"))
