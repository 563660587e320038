"""Shapes from reported parameters (Lopes thesis, Table 3.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..io.spelling import suggestion
from ..shapes import Ellipsoid, Ovoid, PowerEllipsoid, Sphere, Superellipsoid, Superovoid
from ..shapes.shape import Shape
from .families import Family
from .known_families import FAMILIES

POSE = ("x", "y", "z", "rx", "ry", "rz")

TAPERS = ("c1x", "c2x", "c3x", "c1y", "c2y", "c3y")
FORM = ("a", "b", "c", "g1", "g2", "g3", *TAPERS)
BARR = ("a", "b", "c", "e1", "e2")
SHOWN: dict[str, tuple[str, ...]] = {
    "sphere": ("r",),
    "ellipsoid": FORM[:3],
    "superellipsoid": BARR,
    "power_ellipsoid": FORM[:6],
    "ovoid": (*FORM[:3], *TAPERS),
    "superovoid": FORM,
}


def shape_from_parameters(model: str, parameters: Mapping[str, float]) -> Shape:
    """Shape from parameters, identical to that of the fit that reported them.

    Parameters
    ----------
    model : str
        As in :func:`tangency.fit`, a name.
    parameters : mapping of str to float
        ``FitResult.parameters``, or those written by the command ``tangency fit --json``; parameters of the pose are
        ignored.

    Returns
    -------
    Shape

    Raises
    ------
    ValueError
        If a parameter is missing or unknown, or the body is not convex.

    Examples
    --------
    >>> from tangency.fitting import shape_from_parameters
    >>> shape_from_parameters("ellipsoid", {"a": 3.0, "b": 2.0, "c": 1.0}).radii.tolist()
    [3.0, 2.0, 1.0]
    """
    if model in FAMILIES:
        return _of_family(FAMILIES[model], parameters)
    if model not in SHOWN:
        known = (*SHOWN, *FAMILIES)
        raise ValueError(f"model must be one of {', '.join(known)}, got {model!r}{suggestion(model, known)}")
    _check_names(SHOWN[model], parameters)
    values = {name: float(parameters[name]) for name in SHOWN[model]}
    if model == "sphere":
        return Sphere(values["r"])
    radii, exponents = [values[name] for name in "abc"], [values[name] for name in SHOWN[model] if name[0] in "eg"]
    if model == "ellipsoid":
        return Ellipsoid(radii)
    if model == "superellipsoid":
        return Superellipsoid(radii, exponents)
    if model == "power_ellipsoid":
        return PowerEllipsoid(radii, exponents)
    tapers = [[1.0, *(values[f"c{k}{axis}"] for k in (1, 2, 3))] for axis in "xy"]
    return Ovoid(radii, *tapers) if model == "ovoid" else Superovoid(radii, exponents, *tapers)


def _check_names(names: tuple[str, ...], parameters: Mapping[str, float]) -> None:
    missing = [name for name in names if name not in parameters]
    if missing:
        raise ValueError(f"parameters must contain {', '.join(names)}, missing {', '.join(missing)}")
    unknown = [str(name) for name in parameters if name not in names and name not in POSE]
    if unknown:
        raise ValueError(f"parameters must be {', '.join(names)} and those of the pose, got {', '.join(unknown)}")


def _of_family(family: Family, parameters: Mapping[str, float]) -> Shape:
    _check_names(family.shown, parameters)
    return family.build(np.array([float(parameters[name]) for name in family.shown]))


def length_names(model: str) -> tuple[str, ...] | None:
    """Names of the parameters that are lengths; None for shapes of a user."""
    if model in FAMILIES:
        return tuple(name for name, length in zip(FAMILIES[model].shown, FAMILIES[model].lengths) if length)
    return tuple(name for name in SHOWN[model] if name in ("r", "a", "b", "c")) if model in SHOWN else None
