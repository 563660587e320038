"""Worlds and simulation options from scene files."""

from __future__ import annotations

import inspect
from typing import Any

from .. import forces
from ..forces.registry import FRICTION, NORMAL
from ..scene import Scene, SceneError
from ..scene.bodies import nearest
from ..scene.lines import mistakes_in, within
from .accurate.kernel import TOL as ACCURATE_TOL
from .body import Body
from .fast.contact_steps import TOL as FAST_TOL
from .interaction import Interaction
from .world import World

TOLERANCES = {"accurate": ACCURATE_TOL, "fast": FAST_TOL}


def world_of(scene: Scene) -> World:
    """World of a scene: its bodies with masses, velocities and materials, gravity and the laws of contact.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.scene import load_scene
    >>> world = tg.dynamics.world_of(load_scene("examples/bowl.toml"))
    >>> [body.name for body in world.bodies if body.free]
    ['ball', 'egg']
    """
    with mistakes_in(scene.source):
        return _world(scene)


def _world(scene: Scene) -> World:
    mode = scene.simulation.get("mode", "accurate")
    if scene.options.get("tol", 1.0) < TOLERANCES.get(mode, 0.0):
        raise SceneError(
            f"[contact]: tol must not be less than {TOLERANCES[mode]:g} for a simulation in mode {mode!r}, whose "
            f"contacts are solved to that, got {scene.options['tol']:g}",
            ("contact",),
        )
    bodies = []
    for number, item in enumerate(scene.bodies):
        physics = dict(item.physics)
        material = physics.pop("material", None)
        shape = item.shape
        try:
            made = None if material is None else _material(material, item.name)
            bodies.append(Body(item.name, shape, item.pose, material=made, **physics))
        except (TypeError, ValueError) as error:
            path = getattr(error, "path", ())
            raise SceneError(str(error), ("body", number, *path)) from None
    given = scene.simulation
    try:
        with within("simulation"):
            interaction = _interaction(given)
        return World(
            tuple(bodies),
            gravity=given.get("gravity", (0.0, 0.0, -9.81)),
            interaction=interaction,
            pairs=scene.pairs,
            force_point=given.get("force_point", "middle"),
        )
    except SceneError:
        raise
    except (TypeError, ValueError) as error:
        raise SceneError(f"[simulation]: {error}", ("simulation",)) from None


def _material(values: dict[str, float], name: str) -> forces.Material:
    try:
        return forces.Material(**values)
    except (TypeError, ValueError) as error:
        raise SceneError(f"body {name!r}, material: {error}", ("material",)) from None


def options_of(scene: Scene) -> dict[str, Any]:
    """Keyword arguments for :func:`simulate` from the table ``[simulation]``."""
    known = (
        "duration",
        "mode",
        "output_interval",
        "method",
        "rtol",
        "atol",
        "max_step",
        "step",
        "skin",
        "checkpoint_every",
    )
    options = {key: scene.simulation[key] for key in known if key in scene.simulation}
    if "duration" not in options:
        error = SceneError("[simulation]: the key 'duration' is missing, in seconds", ("simulation",))
        raise error if scene.source is None else scene.source.placed(error)
    return options


def _interaction(given: dict[str, Any]) -> Interaction | None:
    if "normal" not in given:
        for key in ("friction", "rolling"):
            if key in given:
                raise SceneError(f"[simulation.{key}]: needs a table [simulation.normal] as well")
        return None
    kind, values = _choose(given["normal"], NORMAL, "normal")
    friction, parameters = _choose(given.get("friction", {"law": "none"}), FRICTION, "friction")
    normal: Any
    _known(kind, values, "normal")
    if "stiffness" in values or "materials" not in inspect.signature(kind).parameters:
        normal = _made(kind, values, "normal")
    else:

        def normal(a: Any, b: Any) -> Any:
            with within("simulation"):
                if a is None or b is None:
                    raise SceneError("give both bodies a material, or [simulation.normal] a stiffness", ("normal",))
                return _made(kind, {**values, "materials": (a, b)}, "normal")

    _known(friction, parameters, "friction")
    rolling = given.get("rolling")
    if rolling is not None:
        _known(forces.Rolling, rolling, "rolling")
        rolling = _made(forces.Rolling, rolling, "rolling")
    return Interaction(normal, _made(friction, parameters, "friction"), rolling)


def _choose(table: dict[str, Any], laws: dict[str, Any], key: str) -> tuple[Any, dict[str, Any]]:
    values = dict(table)
    word = values.pop("law", None)
    if word not in laws:
        own = "register a law of your own first: simulate --import my_laws.py, or forces.register in Python"
        raise SceneError(f"[simulation.{key}]: unknown law {word!r}{nearest(str(word), laws)} ({own})", (key,))
    return laws[word], values


def _known(kind: Any, values: dict[str, Any], key: str) -> None:
    names = [name for name in inspect.signature(kind).parameters if name != "materials"]
    for name in values:
        if name not in names:
            raise SceneError(f"[simulation.{key}]: unknown key {name!r}{nearest(name, names)}", (key,))


def _made(kind: Any, values: dict[str, Any], key: str) -> Any:
    try:
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise SceneError(f"[simulation.{key}]: {error}", (key,)) from None
