"""Contacts of tangency inside a MuJoCo simulation: its geoms, or any shapes on its bodies, with any force laws."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ..dynamics.driven_contacts import DrivenContacts
from ..dynamics.interaction import Interaction
from ..dynamics.trajectory import Contacts as ContactTable
from ..io.spelling import suggestion
from ..shapes.shape import Shape
from .mjcf import Geom, are_connected, are_kept_apart, geoms_of, name_of

try:
    import mujoco
except ImportError:
    raise ImportError("tangency.interop.mujoco needs MuJoCo: pip install 'tangency[mujoco]'") from None


class Contacts:
    """The contacts of a MuJoCo model, computed by tangency.

    Use it in a ``with`` statement, which installs it as MuJoCo's passive callback and removes it at the end, or call it
    with model and data from a passive callback of your own.  The forces are part of ``data.qfrc_passive``, which MuJoCo
    computes anew whenever it needs forces: ``qfrc_applied`` and ``xfrc_applied`` remain yours.

    Parameters
    ----------
    model : mujoco.MjModel
        The model.  Its own contacts between the geoms that tangency takes over are switched off, by a ``contype`` and a
        ``conaffinity`` of 0; the end of a ``with`` statement switches them on again.
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
    bits of contype and conaffinity decide otherwise.  The laws are those of `interaction`: friction, condim, solref,
    solimp, margin and gap of geoms have no effect.  Contacts listed as ``<pair>`` and flexes, which would go on with
    MuJoCo's own contacts or without any, are refused.

    Impacts and friction remember what was before.  When the time goes back, as with ``mj_resetData``, or another
    ``MjData`` comes, they begin anew; simulations that take turns need an object each.  MuJoCo cannot compile another
    model while a Python callback is installed.

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
        if geoms:
            _refuse(model)
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
            raise ValueError(
                "shapes must be given for a model without geoms that collide; those that other Contacts have taken "
                "over collide again at the end of their with statement, or in a model that is loaded anew"
            )
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
        self._masks = model.geom_contype.copy(), model.geom_conaffinity.copy()
        self._taken = (self._masks[0] != 0) | (self._masks[1] != 0) if geoms else np.zeros(model.ngeom, bool)
        self._switch_off()
        self._data: Any = None  # that of the last call

    def _switch_off(self) -> None:
        self._model.geom_contype[self._taken] = self._model.geom_conaffinity[self._taken] = 0

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
        """Add the contact forces for the present state to ``data.qfrc_passive``; for a passive callback."""
        if data is not self._data:
            self._driven.forget()
            self._data = data
        numbers, moving = self._numbers, np.empty((len(self._numbers), 6))
        for row, k in zip(moving, numbers):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, int(k), row, 0)
        turns = np.roll(data.xquat[numbers], -1, axis=1)
        forces = self._driven.forces(data.time, data.xpos[numbers], turns, moving[:, 3:], moving[:, :3])
        for force, k in zip(forces, numbers):
            if force.any() and model.body_weldid[k] != 0:
                mujoco.mj_applyFT(model, data, force[:3], force[3:], data.xpos[k].copy(), int(k), data.qfrc_passive)

    def __enter__(self) -> Contacts:
        if mujoco.get_mjcb_passive() is not None:
            raise RuntimeError("MuJoCo already has a passive callback: call this object from it instead")
        flags = mujoco.mjtDisableBit
        if not ~self._model.opt.disableflags & (flags.mjDSBL_SPRING | flags.mjDSBL_DAMPER):
            raise ValueError(
                "the model must not disable both springs and dampers: MuJoCo then calls no passive callback"
            )
        self._switch_off()
        mujoco.set_mjcb_passive(self._callback)
        return self

    def __exit__(self, *error: object) -> None:
        mujoco.set_mjcb_passive(None)
        self._model.geom_contype[:], self._model.geom_conaffinity[:] = self._masks

    def _callback(self, model: Any, data: Any) -> None:
        if model is self._model:  # other models may run meanwhile
            self(model, data)


def _refuse(model: Any) -> None:
    """Refuse contacts that MuJoCo would compute besides, or no longer; say which sensors see nothing."""
    for count, what in ((model.npair, "contacts listed as <pair>"), (model.nflex, "flexes")):
        if count:
            raise ValueError(
                f"the model has {count} {what}, whose contacts tangency does not take over: remove them, or give "
                "geoms=False and shapes of your own"
            )
    kinds = mujoco.mjtSensor
    blind = np.isin(model.sensor_type, [kinds.mjSENS_TOUCH, kinds.mjSENS_CONTACT, kinds.mjSENS_TACTILE])
    if blind.any():
        names = ", ".join(repr(name_of(model, "sensor", int(k))) for k in np.flatnonzero(blind))
        warnings.warn(f"sensors of MuJoCo's own contacts remain zero: {names}; see Contacts.contacts", stacklevel=3)


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
    found = []
    for i, j in combinations(names, 2):
        own = [] if names[i] in extra or names[j] in extra else geoms
        if are_connected(model, i, j) or are_kept_apart(model, i, j, own):
            found.append((names[i], names[j]))
    return found
