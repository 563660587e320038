"""The model that a user asks for: one of the named models, a family of bodies, or the user's own shape."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import shapes
from ..io.spelling import suggestion
from ..shapes.shape import Shape
from .families import Family
from .known_families import FAMILIES
from .limits import Limits, limits_of
from .models import MODELS
from .open_model import OpenModel, open_models
from .own_family import family_of
from .restricted import restricted

if TYPE_CHECKING:
    from .cloud_frame import Frame
    from .hierarchy import Search

#: Classes that are fitted as named models or built-in families.
CLASSES = {
    shapes.Sphere: "sphere",
    shapes.Ellipsoid: "ellipsoid",
    shapes.Superellipsoid: "superellipsoid",
    shapes.PowerEllipsoid: "power_ellipsoid",
    shapes.Ovoid: "ovoid",
    shapes.Superovoid: "superovoid",
    shapes.TaperedSuperellipsoid: "tapered_superellipsoid",
    shapes.Box: "box",
    shapes.Cylinder: "cylinder",
    shapes.Cone: "cone",
}
NAMES = (*MODELS, *FAMILIES)
POSE = 6


def chosen_model(model: object, argument: str = "model") -> str | Shape | type[Shape]:
    """`model`, if it can be fitted: a name, a shape or a class of shapes; built-in classes by their names."""
    if isinstance(model, str):
        if model not in NAMES:
            some = "one of" if argument == "model" else "some of"
            raise ValueError(f"{argument} must be {some} {', '.join(NAMES)}, got {model!r}{suggestion(model, NAMES)}")
        return model
    if model in (shapes.capsule, shapes.rounded_box):
        return model.__name__  # type: ignore[attr-defined]
    if inspect.isclass(model) and issubclass(model, Shape):
        if model in CLASSES:
            return CLASSES[model]
        if not hasattr(model, "Kernel") or model._builtin:
            raise TypeError(
                f"{argument} must hold a shape instead of the class {model.__name__}, whose first values are unknown"
            )
        return model
    if isinstance(model, Shape):
        return model
    kinds = "a name, a Shape or a class of shapes" if argument == "model" else "names, shapes or classes of shapes"
    raise TypeError(f"{argument} must be {kinds}, got {model!r}")


def unknowns(model: Any) -> int:
    """Number of unknowns of a model, including the pose."""
    if isinstance(model, str) and model in MODELS:
        richest = max(MODELS[model], key=lambda entry: len(entry.names))
        return len(richest.names) + (POSE if richest.turns else 3)
    if isinstance(model, str):
        return len(FAMILIES[model].shown) + POSE
    if isinstance(model, Shape):
        return len(_family(model, 1.0).shown) + POSE
    return len(model.Kernel._fields) + POSE


def parameter_names(model: Any) -> tuple[str, ...]:
    """Names of the parameters of a chosen model."""
    if isinstance(model, str):
        return MODELS[model][0].shown if model in MODELS else FAMILIES[model].shown
    return _family(model, 1.0).shown if isinstance(model, Shape) else tuple(model.Kernel._fields)


def _family(model: Any, size: float) -> Family:
    return FAMILIES[model] if isinstance(model, str) else family_of(model, size)


def add_model(
    search: Search,
    frame: Frame,
    model: Any,
    bounds: Any = None,
    fixed: Any = None,
    ties: Any = None,
    priors: Any = None,
) -> str:
    """Add the chosen model with its limits to a search; returns the name under which it is fitted."""
    if isinstance(model, str) and model in MODELS:
        limits = limits_of(MODELS[model][0].shown, bounds, fixed, ties, priors)
        if limits == Limits():
            return model
        kinds = [restricted(one, limits, frame.scale) for one in MODELS[model]]
        simpler: tuple[str, ...] = (*_simpler(model), model)
        found: tuple[Any, ...] = tuple(one for one in kinds if one is not None)
    else:
        family = _family(model, frame.scale)
        limits = limits_of(family.shown, bounds, fixed, ties, priors)
        found, simpler = open_models(family, limits, frame.scale), ("sphere", "ellipsoid")
        if limits == Limits():
            if isinstance(model, str) and model in search.models:
                return model
            simpler = (*_contained(search, frame, family), *simpler)
    if not found:
        raise ValueError(f"bounds, fixed and ties must leave bodies of the model, got none: {_text(limits)}")
    key = (
        found[0].name if isinstance(found[0], OpenModel) and not limits.restricts else f"{found[0].name} within limits"
    )
    while key in search.models:
        key += " "
    search.add(key, found, simpler, limits)
    return key


def _contained(search: Search, frame: Frame, family: Family) -> list[str]:
    """The models that are special cases of a family, added to the search."""
    return [add_model(search, frame, name) for name in family.contains if name not in ("sphere", "ellipsoid")]


def _simpler(model: str) -> tuple[str, ...]:
    from .starts import parents

    return parents(model)


def _text(limits: Limits) -> str:
    parts = [f"{low:g} <= {name} <= {high:g}" for name, (low, high) in limits.bounds.items()]
    parts += [f"{name} = {value:g}" for name, value in limits.fixed.items()]
    return ", ".join([*parts, *(f"{tie.name} = {tie.factor:g} * {tie.of}" for tie in limits.ties)])


def is_symmetric(shape: Shape, normals: np.ndarray, axis: int) -> bool:
    """Whether a body is one of revolution about one of its own axes."""
    x = shape.point(normals)
    arm = np.cross(x, normals)[:, axis]
    return bool(np.abs(arm).max() <= 1e-9 * np.abs(x).max())
