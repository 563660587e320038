"""Rounded box: the offset of a smaller box, given by its outer size."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..io import validate
from .box import Box
from .offset import Offset


def rounded_box(half_lengths: ArrayLike, radius: ArrayLike) -> Offset:
    """Box about the origin with all edges and corners rounded.

    Parameters
    ----------
    half_lengths : (..., 3) array_like
        Half the outer lengths [m]: rounding removes material and keeps the outer size.
    radius : (...) array_like
        Radius of edges and corners [m], > 0 and smaller than every half length.

    Returns
    -------
    Offset
        ``Box(half_lengths - radius).offset(radius)``.

    Examples
    --------
    >>> import tangency as tg
    >>> float(tg.rounded_box([3, 2, 1], 0.25).support([0, 0, 1]))
    1.0
    """
    half = validate.positive(validate.vectors(half_lengths, "half_lengths"), "half_lengths")
    radius = validate.positive(validate.array(radius, "radius"), "radius")
    validate.broadcast({"half_lengths": half.shape[:-1], "radius": radius.shape})
    if not (half > radius[..., None]).all():
        raise ValueError(
            f"radius must be smaller than every half length {half.tolist()}, got {radius.tolist()} "
            "(if it equals all of them, use a Sphere; if two of them, a capsule)"
        )
    return Offset(Box(half - radius[..., None]), radius)
