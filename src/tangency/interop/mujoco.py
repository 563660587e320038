"""Contacts of tangency inside a MuJoCo simulation: its geoms, or any shapes on its bodies, with any force laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..dynamics.driven_contacts import DrivenContacts
from ..dynamics.interaction import Interaction
from ..dynamics.trajectory import Contacts as ContactTable
from ..io.spelling import suggestion
from ..shapes.shape import Shape
from .mjcf import Geom, geoms_of, name_of

try:
    import mujoco
except ImportError:
    raise ImportError("tangency.interop.mujoco needs MuJoCo: pip install 'tangency[mujoco]'") from None


class Contacts:
    """The contacts of a MuJoCo model, computed by tangency.

    Call it with model and data before each step, install it as MuJoCo's control callback, or use it in a ``with``
    statement, which does that and removes it at the end.  The forces are added to ``data.qfrc_applied``.

    Parameters
    ----------
    model : mujoco.MjModel
        The model.  Its own contacts between the geoms that tangency takes over are switched off: their ``contype`` and
        ``conaffinity`` are set to 0.
    interaction, interactions
        Laws of contact, as in :class:`tangency.dynamics.World`, by the names of the bodies of the model.
    shapes : mapping of str to shapes
        Shapes by body of the model, in its frame, besides its geoms; each as in :class:`tangency.dynamics.Body`.
    replaced : mapping of str to Shape
        Shapes by geom, in its frame, which replace the geom in contacts: superellipsoids, for instance, that MuJoCo
        does not have.
    geoms : bool
        Whether the geoms of the model make contact.  If not, MuJoCo's own contacts remain.
    materials : mapping of str to material
        Materials by body, for laws that use them.

    Notes
    -----
    As in MuJoCo, a body does not touch its parent unless the parent is the world, nor bodies that it excludes, and the
    bits of contype and conaffinity decide otherwise.

    Examples
    --------
    >>> import mujoco
    >>> import tangency as tg
    >>> from tangency.interop.mujoco import Contacts
    >>> model = mujoco.MjModel.from_xml_string('''<mujoco><worldbody><geom type="plane" size="1 1 1"/>
    ... <body name="egg" pos="0 0 0.2"><freejoint/><geom name="hull" type="ellipsoid" size="0.1 0.1 0.15"/></body>
    ... </worldbody></mujoco>''')
    >>> data = mujoco.MjData(model)
    >>> law = tg.dynamics.Interaction(tg.forces.HuntCrossley(stiffness=1e5, restitution=0.3))
    >>> egg = tg.Superellipsoid([0.1, 0.1, 0.15], (0.8, 0.8))
    >>> with Contacts(model, interaction=law, replaced={"hull": egg}) as contacts:
    ...     while data.time < 1.0:
    ...         mujoco.mj_step(model, data)
    >>> contacts.names
    ('world', 'egg')
    >>> bool(0.13 < data.qpos[2] < 0.15)
    True
    """

    def __init__(
        self,
        model: Any,
        *,
        interaction: Interaction | None = None,
        interactions: Any = (),
        shapes: Mapping[str, Shape | Sequence[Any]] | None = None,
        replaced: Mapping[str, Shape] | None = None,
        geoms: bool = True,
        materials: Mapping[str, object] | None = None,
    ) -> None:
        if not isinstance(model, mujoco.MjModel):
            raise TypeError(f"model must be a mujoco.MjModel, got {model!r}")
        self._model = model
        known = {name_of(model, "body", k): k for k in range(model.nbody)}
        own = _replaced(geoms_of(model) if geoms else [], dict(replaced or {}))
        parts: dict[int, list[Any]] = {}
        for geom in own:
            parts.setdefault(geom.body, []).append((geom.shape, (geom.rotation, geom.position)))
        for name, shape in dict(shapes or {}).items():
            if name not in known:
                raise ValueError(f"shapes must name bodies of the model, got {name!r}{suggestion(name, known)}")
            added = [shape] if isinstance(shape, Shape) else list(shape)
            parts.setdefault(known[name], []).extend(added)
        if not parts:
            raise ValueError("shapes must be given for a model without geoms that collide")
        self._numbers = np.array(sorted(parts))
        names = {int(k): name_of(model, "body", int(k)) for k in self._numbers}
        self._driven = DrivenContacts(
            {names[k]: parts[k] for k in names},
            interaction=interaction,
            interactions=interactions,
            fixed=[names[k] for k in names if model.body_weldid[k] == 0],
            apart=_apart(model, names, own, shapes or {}),
            materials=materials,
        )
        if geoms:
            collide = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
            model.geom_contype[collide] = model.geom_conaffinity[collide] = 0
        self._applied = np.zeros(model.nv)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies that may touch."""
        return self._driven.names

    @property
    def contacts(self) -> ContactTable:
        """The contacts at the last step; numbers of bodies are places in :attr:`names`."""
        return self._driven.contacts

    @property
    def elastic_energy(self) -> float:
        """Elastic energy of the contacts at the last step [J]."""
        return self._driven.elastic_energy

    @property
    def absorbed_energy(self) -> float:
        """Energy that the contacts have taken from the bodies so far, stored or lost [J]."""
        return self._driven.absorbed_energy

    def __call__(self, model: Any, data: Any) -> None:
        """Add the contact forces for the present state to ``data.qfrc_applied``, instead of those of the last call."""
        numbers, moving = self._numbers, np.empty((len(self._numbers), 6))
        for row, k in zip(moving, numbers):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, int(k), row, 0)
        turns = np.roll(data.xquat[numbers], -1, axis=1)
        forces = self._driven.forces(data.time, data.xpos[numbers], turns, moving[:, 3:], moving[:, :3])
        new = np.zeros(model.nv)
        for force, k in zip(forces, numbers):
            if force.any() and model.body_weldid[k] != 0:
                mujoco.mj_applyFT(model, data, force[:3], force[3:], data.xpos[k].copy(), int(k), new)
        data.qfrc_applied += new - self._applied
        self._applied = new

    def __enter__(self) -> Contacts:
        if mujoco.get_mjcb_control() is not None:
            raise RuntimeError("MuJoCo already has a control callback: call this object from it instead")
        mujoco.set_mjcb_control(self._callback)
        return self

    def __exit__(self, *error: object) -> None:
        mujoco.set_mjcb_control(None)

    def _callback(self, model: Any, data: Any) -> None:
        if model.nv == self._model.nv and model.nbody == self._model.nbody:  # other models may run meanwhile
            self(model, data)


def _replaced(geoms: list[Geom], given: dict[str, Shape]) -> list[Geom]:
    """The geoms with some shapes replaced."""
    names = [geom.name for geom in geoms]
    for name, shape in given.items():
        if name not in names:
            raise ValueError(f"replaced must name geoms that collide, got {name!r}{suggestion(name, names)}")
        if not isinstance(shape, Shape):
            raise TypeError(f"replaced[{name!r}] must be a Shape, got {shape!r}")
    return [geom._replace(shape=given.get(geom.name, geom.shape)) for geom in geoms]


def _apart(model: Any, names: dict[int, str], geoms: list[Geom], extra: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Pairs of bodies that MuJoCo does not let touch."""
    excluded = {int(signature) for signature in model.exclude_signature}
    found = []
    for i in names:
        for j in names:
            if i >= j:
                continue
            a, b = int(model.body_weldid[i]), int(model.body_weldid[j])
            above, beside = (int(model.body_weldid[model.body_parentid[k]]) for k in (a, b))
            near = a == b or (a != 0 and b != 0 and (above == b or beside == a))
            if near or (i << 16) + j in excluded or (j << 16) + i in excluded:
                found.append((names[i], names[j]))
            elif names[i] not in extra and names[j] not in extra:
                meet = {_meet(a, b) for a in geoms if a.body == i for b in geoms if b.body == j}
                if len(meet) > 1:
                    raise ValueError(
                        f"bodies {names[i]!r} and {names[j]!r} must either touch with all their geoms or with none, as "
                        "contype and conaffinity say"
                    )
                if meet == {False}:
                    found.append((names[i], names[j]))
    return found


def _meet(a: Geom, b: Geom) -> bool:
    return bool(a.contype & b.conaffinity or b.contype & a.conaffinity)
