"""Ranges of the sliders of shape parameters."""

from __future__ import annotations

from typing import NamedTuple

from ..shapes.shape import Shape

MOST = 24  # a shape with more parameters gets no sliders


class Slider(NamedTuple):
    """The slider of one parameter."""

    name: str
    low: float
    high: float
    step: float
    value: float


#: Ranges by the name of the parameter, where the range does not follow from the value.
_RANGES = {
    "epsilon": (0.1, 1.9),
    "exponents": (1.2, 10.0),
    "taper": (-0.8, 0.8),
    "taper_x": (-1.0, 1.5),
    "taper_y": (-1.0, 1.5),
    "normal": (-1.0, 1.0),
}
_SIGNED = ("coefficients", "matrix", "translation", "offset", "points")


def sliders_of(shape: Shape) -> tuple[list[Slider], str]:
    """Sliders of all parameters, in the order of ``shape.parameter_names``; or none, and the reason.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.lab.sliders import sliders_of
    >>> [tuple(slider) for slider in sliders_of(tg.Sphere(0.5))[0]]
    [('radius', 0.05, 1.5, 0.001, 0.5)]
    """
    try:
        names = shape.parameter_names
    except TypeError:
        return [], f"{type(shape).__name__} has no parameters to change"
    if len(names) > MOST:
        return [], f"{type(shape).__name__} has {len(names)} parameters, too many for sliders"
    return [_slider(name, value) for name, value in zip(names, shape.parameters.tolist())], ""


def _slider(name: str, value: float) -> Slider:
    word = name.rpartition(".")[2].partition("[")[0]
    size = abs(value) or 1.0
    if word in _RANGES:
        low, high = _RANGES[word]
    elif word in _SIGNED or value <= 0:
        low, high = -2.0 * size, 2.0 * size
    else:
        low, high = 0.1 * value, 3.0 * value
    low, high = min(float(f"{low:.6g}"), value), max(float(f"{high:.6g}"), value)
    step = 10.0 ** _magnitude((high - low) / 500.0)
    return Slider(name, low, high, step, value)


def _magnitude(value: float) -> int:
    return int(f"{value:e}".partition("e")[2])
