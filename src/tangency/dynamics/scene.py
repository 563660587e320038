"""Worlds and simulation options from scene files."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .. import forces
from ..forces.registry import FRICTION, NORMAL
from ..scene import Body as SceneBody
from ..scene import Compound, Scene, SceneError
from ..scene.bodies import nearest
from ..scene.lines import mistakes_in, within
from ..scene.toml import body_numbers
from .accurate.kernel import TOL as ACCURATE_TOL
from .body import Body
from .fast.contact_steps import TOL as FAST_TOL
from .formula_motion import FormulaLoad, FormulaMotion
from .group import Group
from .interaction import Interaction
from .joints.from_scene import mechanism_from
from .pouring import Outlet, Pour
from .servo import Servo
from .spring import Load, Spring
from .steady_motion import steady_motion
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
    bodies: list[Body | Group] = []
    pours: list[Pour] = []
    numbers = {} if scene.source is None else body_numbers(scene.source.tables())
    for item in scene.wholes:
        with _of_body("body", numbers.get(item.name, 0)):
            bodies.append(_body(item))
    for number, many in enumerate(scene.groups):
        with _of_body("group", number):
            bodies.append(Group(many.name, many.shape, many.poses, **_physics(many.physics, many.name)))
            if many.pour is not None:
                with _key_of(f"group {many.name!r}", "pour"):
                    pours.append(Pour(many.name, **many.pour))
    mechanisms = []
    for number, linked in enumerate(scene.mechanisms):
        with _of_body("mechanism", number):
            mechanisms.append(mechanism_from(linked))
    given = scene.simulation
    try:
        with within("simulation"):
            interaction, special = _interaction(given), _special(given.get("interaction", []))
            springs = _listed(given, "spring", lambda table: Spring(**table))
            loads = _listed(given, "load", lambda table: Load(table["body"], FormulaLoad(*_vectors(table))))
            outlets = _listed(given, "outlet", lambda table: Outlet(**table))
        return World(
            tuple(bodies),
            gravity=given.get("gravity", (0.0, 0.0, -9.81)),
            interaction=interaction,
            interactions=special,
            pairs=scene.pairs,
            springs=springs,
            loads=loads,
            force_point=given.get("force_point", "middle"),
            periodic=given.get("periodic"),
            local_damping=given.get("local_damping", 0.0),
            pours=tuple(pours),
            outlets=outlets,
            mechanisms=tuple(mechanisms),
        )
    except SceneError:
        raise
    except (TypeError, ValueError) as error:
        raise SceneError(f"[simulation]: {error}", ("simulation", *_place(given, str(error)))) from None


def _place(given: dict[str, Any], message: str) -> tuple[str | int, ...]:
    """Where the name of a body in a message stands among springs, loads and laws of pairs, or the outlet it names."""
    for key in ("spring", "load", "interaction"):
        for number, table in enumerate(given.get(key, [])) if message.startswith(key) else ():
            for word in ("a", "b", "body", "between"):
                names = table.get(word, ()) if word == "between" else (table.get(word),)
                if word in table and any(f"got {name!r}" in message for name in names):
                    return (key, number, word)
    for number in range(len(given.get("outlet", []))):
        if f"outlets[{number}]" in message:
            return ("outlet", number)
    return ()


def _body(item: SceneBody | Compound) -> Body:
    """A body of a scene as one of a world."""
    physics = _physics(item.physics, item.name)
    motion, servo = physics.pop("motion", None), physics.pop("servo", None)
    where: Any = {"pose": item.pose}
    if motion is not None:
        if servo is not None:
            raise SceneError(f"body {item.name!r}: motion and servo must not both be given", ("servo",))
        make = FormulaMotion if {"displacement", "angle"} & set(motion) else steady_motion
        where = {"motion": make(item.pose, **motion)}
    if servo is not None:
        with _key_of(f"body {item.name!r}", "servo"):
            where["motion"] = Servo(**servo)
    parts = [(part.shape, part.pose) for part in item.parts] if isinstance(item, Compound) else item.shape
    return Body(item.name, parts, **where, **physics)


@contextmanager
def _of_body(kind: str, number: int) -> Iterator[None]:
    """Errors in this block refer to a body or group of the file."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise SceneError(str(error), (kind, number, *getattr(error, "path", ()))) from None


@contextmanager
def _key_of(owner: str, key: str) -> Iterator[None]:
    """Errors in this block refer to a key of a body or group."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise SceneError(f"{owner}, {key}: {error}", (key,)) from None


def _physics(given: dict[str, Any], name: str) -> dict[str, Any]:
    """Mass, velocities and material of a body or group."""
    physics = dict(given)
    material = physics.pop("material", None)
    if material is None:
        return physics
    with _key_of(f"body {name!r}", "material"):
        return {**physics, "material": forces.Material(**material)}


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
        "threads",
        "rest",
    )
    options = {key: scene.simulation[key] for key in known if key in scene.simulation}
    if "duration" not in options:
        error = SceneError("[simulation]: the key 'duration' is missing, in seconds", ("simulation",))
        raise error if scene.source is None else scene.source.placed(error)
    return options


def _listed(given: dict[str, Any], key: str, make: Callable[[dict[str, Any]], Any]) -> tuple[Any, ...]:
    """Springs, loads or outlets from their tables."""
    found = []
    for number, table in enumerate(given.get(key, [])):
        try:
            found.append(make(table))
        except (TypeError, ValueError) as error:
            raise SceneError(f"[[simulation.{key}]]: {error}", (key, number)) from None
    return tuple(found)


def _vectors(table: dict[str, Any]) -> tuple[Any, Any]:
    return table.get("force"), table.get("torque")


def _special(tables: list[dict[str, Any]]) -> dict[tuple[str, str], Interaction | None]:
    """Laws between two bodies or groups each."""
    found: dict[tuple[str, str], Interaction | None] = {}
    for number, table in enumerate(tables):
        with within("interaction", number):
            if table["between"] in found:
                a, b = table["between"]
                raise SceneError(f"[[simulation.interaction]]: each pair must be given once, got {a!r} and {b!r} twice")
            laws = {key: table[key] for key in table if key != "between"}
            found[table["between"]] = _interaction(laws, "[[simulation.interaction]], ")
    return found


def _interaction(given: dict[str, Any], where: str = "simulation.") -> Interaction | None:
    """Laws from their tables, None if there are none; `where` is part of messages."""
    if "normal" not in given:
        for key in ("friction", "rolling"):
            if key in given:
                raise SceneError(f"{_table(where, key)}: needs a table {_table(where, 'normal')} as well")
        return None
    kind, values = _choose(given["normal"], NORMAL, "normal", where)
    friction, parameters = _choose(given.get("friction", {"law": "none"}), FRICTION, "friction", where)
    normal: Any
    _known(kind, values, "normal", where)
    if "stiffness" in values or "materials" not in inspect.signature(kind).parameters:
        normal = _made(kind, values, "normal", where)
    else:
        normal = _OfMaterials(kind, values, where)
    _known(friction, parameters, "friction", where)
    rolling = given.get("rolling")
    if rolling is not None:
        _known(forces.Rolling, rolling, "rolling", where)
        rolling = _made(forces.Rolling, rolling, "rolling", where)
    return Interaction(normal, _made(friction, parameters, "friction", where), rolling)


class _OfMaterials(NamedTuple):
    """A normal law as a function of two materials; a class, so that worlds can be pickled."""

    kind: Any
    values: dict[str, Any]
    where: str

    def __call__(self, a: Any, b: Any) -> Any:
        with within("simulation"):
            if a is None or b is None:
                needed = f"give both bodies a material, or {_table(self.where, 'normal')} a stiffness"
                raise SceneError(needed, ("normal",))
            return _made(self.kind, {**self.values, "materials": (a, b)}, "normal", self.where)


def _table(where: str, key: str) -> str:
    """Name of the table of a law, for messages."""
    return f"[{where}{key}]" if where.endswith(".") else f"{where}{key}"


def _choose(table: dict[str, Any], laws: dict[str, Any], key: str, where: str) -> tuple[Any, dict[str, Any]]:
    values = dict(table)
    word = values.pop("law", None)
    if word not in laws:
        own = "register a law of your own first: simulate --import my_laws.py, or forces.register in Python"
        raise SceneError(f"{_table(where, key)}: unknown law {word!r}{nearest(str(word), laws)} ({own})", (key,))
    return laws[word], values


def _known(kind: Any, values: dict[str, Any], key: str, where: str) -> None:
    names = [name for name in inspect.signature(kind).parameters if name != "materials"]
    for name in values:
        if name not in names:
            raise SceneError(f"{_table(where, key)}: unknown key {name!r}{nearest(name, names)}", (key,))


def _made(kind: Any, values: dict[str, Any], key: str, where: str) -> Any:
    try:
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise SceneError(f"{_table(where, key)}: {error}", (key,)) from None
