"""A world: bodies, gravity, springs, loads, and how bodies interact where they touch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.subclasses import check_class
from ..forces.normal_base import NormalLaw
from ..io import validate
from ..io.spelling import Spelled, suggestion
from .body import Body
from .group import Group
from .interaction import Interaction
from .joints.mechanism import Mechanism
from .joints.rods import Rod, rods_of
from .periodic import as_periodic
from .pouring import Outlet, Pour
from .ranges import in_range
from .spring import Load, Spring

POINTS = {"a": 0.0, "middle": 0.5, "b": 1.0}


@dataclass(frozen=True, eq=False)
class World(Spelled):
    """Bodies, and everything that acts on them.

    Parameters
    ----------
    bodies : sequence of Body or Group
        Bodies, and groups of many bodies, with distinct names.
    gravity : (3,) array_like
        Gravitational acceleration [m/s^2]; default (0, 0, -9.81).
    interaction : Interaction, optional
        Contact laws between any two bodies.  Required if any can touch.
    interactions : mapping of (name, name) to Interaction or None
        Contact laws for single pairs of bodies or groups, in either order; None for pairs that pass through each
        other.  The name of a group twice stands for its bodies with each other.
    pairs : sequence of (name, name), optional
        Pairs of bodies or groups to test for contact; default all pairs with at least one free body, and those in
        `interactions`.
        Two bodies that are prescribed or fixed touch only if listed: the forces are recorded but move nothing.
    springs : sequence of Spring
        Springs between bodies, or between a body and the world.
    loads : sequence of Load
        User-defined forces on bodies.
    force_point : {"middle", "a", "b"}
        Point of application of contact forces: midway between the contact points, as in the papers, or on the surface
        of A or B.
    periodic : (x, y, z), optional
        For each axis the bounds ``(low, high)`` of a periodic box [m], or None.  A body that leaves the box on one side
        also enters it on the other; positions in results go on beyond the box, see :meth:`Trajectory.wrapped`.  Springs
        do not reach across.  Fast mode only.
    local_damping : float
        Fraction, from 0 to below 1, of the resultant force and torque on every free body that resists its motion,
        component by component [Cundall and Strack].  Lets packings come to rest; not for motion that matters, free fall
        included.  Fast mode only.

    mechanisms : sequence of Mechanism
        Links on joints; their links are added to `bodies`.
    pours : sequence of Pour
        Groups whose bodies appear during the run.  Fast mode only.
    outlets : sequence of Outlet
        Regions in which bodies are removed.  Fast mode only.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency import forces
    >>> world = tg.dynamics.World(
    ...     [
    ...         tg.dynamics.Body("ground", tg.HalfSpace([0, 0, 1])),
    ...         tg.dynamics.Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.5]), mass=1.0),
    ...     ],
    ...     interaction=tg.dynamics.Interaction(forces.Hertz(stiffness=1e6)),
    ... )
    >>> world["ball"].free, world["ground"].free
    (True, False)
    """

    bodies: tuple[Body | Group, ...]
    gravity: ArrayLike = (0.0, 0.0, -9.81)
    interaction: Interaction | None = None
    interactions: Any = ()
    pairs: Any = None
    springs: tuple[Spring, ...] = ()
    loads: tuple[Load, ...] = ()
    force_point: str = "middle"
    periodic: Any = None
    local_damping: float = 0.0
    pours: tuple[Pour, ...] = ()
    outlets: tuple[Outlet, ...] = ()
    mechanisms: tuple[Mechanism, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "mechanisms", _all(self.mechanisms, Mechanism, "mechanisms"))
        links = [link for mechanism in self.mechanisms for link in mechanism.bodies]
        own = [body for body in _all(self.bodies, (Body, Group), "bodies") if not any(body is link for link in links)]
        put(self, "bodies", (*own, *links))  # links are given already where dataclasses.replace copies a world
        if not self.bodies:
            raise ValueError("bodies must contain at least one Body, got none")
        for body in self.bodies:
            kind = "Group" if isinstance(body, Group) else "Body"
            honoured = ("_mass", "_masses", "_check")
            check_class(body, f"{kind.lower()} {body.name!r}", honoured, f"give it to {kind}() as an argument")
        check_class(self, "world", ("interaction_of",), "give it to World() as an argument")
        self._check_names()
        gravity = validate.vectors(self.gravity, "gravity")
        validate.single({"gravity": gravity.shape[:-1]})
        in_range(gravity, "gravity")
        put(self, "gravity", gravity)
        put(self, "springs", _all(self.springs, Spring, "springs"))
        put(self, "loads", _all(self.loads, Load, "loads"))
        for spring in self.springs:
            ends = [spring.a] if spring.b is None else [spring.a, spring.b]
            self._known("springs", *ends)
            self._single("springs", *ends)
            if all(self[name].fixed for name in ends):  # a link is not fixed
                raise ValueError(f"springs must have an end on a body that is not fixed, got {' and '.join(ends)}")
        for load in self.loads:
            self._known("loads", load.body)
            self._single("loads", load.body)
            if not self[load.body].free:
                why = "is fixed" if self[load.body].fixed else "has a prescribed motion"
                raise ValueError(f"loads must act on free bodies, got {load.body!r}, which {why}")
        if self.interaction is not None and not isinstance(self.interaction, Interaction):
            raise TypeError(f"interaction must be an Interaction, got {self.interaction!r}")
        put(self, "interactions", self._special())
        self._check_materials()
        if self.pairs is not None:
            put(self, "pairs", self._chosen())
        if self.force_point not in POINTS:
            raise ValueError(f"force_point must be 'middle', 'a' or 'b', got {self.force_point!r}")
        put(self, "periodic", as_periodic(self.periodic))
        if self.mechanisms and self.periodic is not None:
            raise ValueError("periodic must be None for a world with mechanisms")
        put(self, "pours", _all(self.pours, Pour, "pours"))
        put(self, "outlets", _all(self.outlets, Outlet, "outlets"))
        self._check_pours()
        damping = validate.array(self.local_damping, "local_damping")
        if damping.shape or not 0.0 <= damping < 1.0:
            raise ValueError(f"local_damping must be a number from 0 to below 1, got {self.local_damping!r}")
        put(self, "local_damping", float(damping))

    def _check_names(self) -> None:
        groups = [body.name for body in self.bodies if isinstance(body, Group)]
        counts = Counter(chain(groups, *(body.names for body in self.bodies)))
        name, count = counts.most_common(1)[0]
        if count > 1:
            raise ValueError(f"names of bodies must differ, got {name!r} {count} times")

    def _check_pours(self) -> None:
        """Refuse pours of anything but groups without poses, and such groups that are not poured once."""
        names = [pour.group for pour in self.pours]
        self._known("pours", *names)
        for pour in self.pours:
            entry = self[pour.group]
            if not isinstance(entry, Group) or entry.poses is not None or entry.fixed:
                raise ValueError(f"pours must name free groups whose poses are None, got {pour.group!r}")
            corners = np.asarray(pour.low), np.asarray(pour.high)
            for axis, bounds, low, high in zip("xyz", self.periodic or (None,) * 3, *corners):
                if bounds is not None and not (bounds[0] <= low and high <= bounds[1]):
                    raise ValueError(f"pours must lie inside the periodic box, got {low:g} to {high:g} along {axis}")
        for k, outlet in enumerate(self.outlets):
            corners = np.asarray(outlet.low), np.asarray(outlet.high)
            for axis, bounds, low, high in zip("xyz", self.periodic or (None,) * 3, *corners):
                if bounds is None or (low <= bounds[0] and bounds[1] <= high):
                    continue
                inside = [np.isinf(bound) or bounds[0] <= bound <= bounds[1] for bound in (low, high)]
                if not all(inside) or low == bounds[1] or high == bounds[0]:
                    raise ValueError(
                        "outlets must lie inside the periodic box, or be open, got "
                        f"{low:g} to {high:g} along {axis} in outlets[{k}]"
                    )
        for body in self.bodies:
            if isinstance(body, Group) and body.poses is None and names.count(body.name) != 1:
                count = names.count(body.name)
                raise ValueError(f"pours must name each group without poses once, got {body.name!r} {count} times")

    def _check_materials(self) -> None:
        """Refuse materials that no law uses."""
        laws = [law.normal for law in (self.interaction, *self.interactions.values()) if law is not None]
        if not laws or any(not isinstance(law, NormalLaw) for law in laws):
            return
        for body in self.bodies:
            if body.material is not None:
                raise ValueError(
                    f"material must not be given for body {body.name!r}, since no law uses materials: use "
                    "Interaction(lambda a, b: forces.Flores(materials=(a, b), restitution=0.6)), in a scene file a "
                    "normal law without stiffness"
                )

    def __getitem__(self, name: str) -> Body | Group:
        self._known("name", name)
        return self._entries[name]

    @cached_property
    def _entries(self) -> dict[str, Body | Group]:
        return {body.name: body for body in self.bodies}

    @cached_property
    def rods(self) -> tuple[Rod, ...]:
        """Lines between the joints of all mechanisms, for pictures."""
        return tuple(rod for mechanism in self.mechanisms for rod in rods_of(mechanism))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all bodies, including those of groups."""
        return tuple(chain(*(body.names for body in self.bodies)))

    def _known(self, argument: str, *names: str) -> None:
        known = self._entries
        for name in names:
            if name not in known:
                raise ValueError(
                    f"{argument} must name bodies of the world, got {name!r}; there are {', '.join(known)}"
                    f"{suggestion(name, known)}"
                )

    def _single(self, argument: str, *names: str) -> None:
        for name in names:
            if isinstance(self[name], Group):
                raise ValueError(f"{argument} must name single bodies, got the group {name!r}")

    def _pair(self, pair: Any, argument: str) -> frozenset[str]:
        if not (isinstance(pair, tuple | list | frozenset | set) and len(pair) == 2):
            raise ValueError(f"{argument} must contain pairs of names of two different bodies, got {pair!r}")
        self._known(argument, *pair)
        names = frozenset(pair)
        if len(names) != 2 and not isinstance(self[min(names)], Group):
            raise ValueError(f"{argument} must contain pairs of names of two different bodies, got {pair!r}")
        return names

    def _chosen(self) -> frozenset[frozenset[str]]:
        """The pairs to test for contact, each once, all of which can touch."""
        chosen = set()
        for pair in self.pairs:
            names = self._pair(pair, "pairs")
            if names in chosen:
                raise ValueError(f"pairs must contain each pair once, got {tuple(pair)!r} twice")
            for name in pair:
                if not self[name].pieces:
                    raise ValueError(f"pairs must name bodies with a shape, got {name!r}, which has none")
            if not any(self[name].bounded for name in pair):
                raise ValueError(f"pairs must not contain two half-spaces or cavities, got {tuple(pair)!r}")
            chosen.add(names)
        for names in self.interactions:
            if names not in chosen:
                a, b = min(names), max(names)
                raise ValueError(f"interactions must contain only pairs listed in pairs, got ({a!r}, {b!r})")
        return frozenset(chosen)

    def _special(self) -> dict[frozenset[str], Interaction | None]:
        given = dict(self.interactions) if isinstance(self.interactions, Mapping) or not self.interactions else None
        if given is None:
            raise TypeError(f"interactions must map pairs of names to an Interaction, got {self.interactions!r}")
        special: dict[frozenset[str], Interaction | None] = {}
        for pair, interaction in given.items():
            if interaction is not None and not isinstance(interaction, Interaction):
                raise TypeError(f"interactions must contain an Interaction or None, got {interaction!r} for {pair!r}")
            names = self._pair(pair, "interactions")
            if names in special:
                raise ValueError(f"interactions must contain each pair once, got {tuple(pair)!r} in both orders")
            special[names] = interaction
        return special

    def interaction_of(self, a: Body | Group, b: Body | Group) -> Interaction | None:
        """How a body of `a` and a later one of `b` interact; None if they do not touch."""
        if not a.pieces or not b.pieces:
            return None
        names = frozenset((a.name, b.name))
        # Bodies that are not free touch only if listed, so that the force is recorded.
        asked = names in (self.interactions if self.pairs is None else self.pairs)
        if not asked and (self.pairs is not None or not _may_meet(a, b)):
            return None
        if names in self.interactions:
            return self.interactions[names]
        if self.interaction is None:
            raise ValueError(
                f"interaction must be given: bodies {a.name!r} and {b.name!r} may touch, but no law is given "
                "for them; for instance Interaction(forces.HuntCrossley(stiffness=1e6, restitution=0.5))"
            )
        return self.interaction


def _may_meet(a: Body | Group, b: Body | Group) -> bool:
    """Whether forces move one of two bodies, and they are not links that one joint connects."""
    if not any(body.free or body.mechanism is not None for body in (a, b)):
        return False
    own = a.mechanism or b.mechanism
    if own is None or isinstance(a, Group) or isinstance(b, Group) or not {a, b} <= set(own.bodies):
        return True
    return not own.adjacent(a, b)


def _all(values: Any, kinds: type | tuple[type, ...], name: str) -> tuple:
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    expected = " or ".join(kind.__name__ for kind in kinds)
    if not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a sequence of {expected}, got {values!r}")
    values = tuple(values)
    for k, value in enumerate(values):
        if not isinstance(value, kinds):
            raise TypeError(f"{name}[{k}] must be a {expected}, got {value!r}")
    return values
