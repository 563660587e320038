"""Geoms of MuJoCo models as shapes, and MJCF and URDF files as worlds; both are read by MuJoCo itself.

MuJoCo's ``MjSpec`` reads MJCF, URDF and whatever its decoders know; what follows from defaults, inertias from geoms,
`fromto`, meshes and includes is taken from the compiled model.
"""

from __future__ import annotations

import os
import re
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..dynamics.body import Body
from ..dynamics.joints.link import Link
from ..dynamics.joints.mechanism import Mechanism
from ..dynamics.world import World
from ..shapes import Box, Cylinder, Ellipsoid, HalfSpace, Hull, Sphere, capsule
from ..shapes.shape import Shape

try:
    import mujoco
except ImportError:
    raise ImportError("tangency.interop.mjcf needs MuJoCo: pip install 'tangency[mujoco]'") from None


class Geom(NamedTuple):
    """A geom as a shape with its pose in its body."""

    name: str
    body: int  #: number of the body, 0 for the world
    shape: Shape
    rotation: Rotation
    position: np.ndarray  #: (3,) [m]
    contype: int
    conaffinity: int

    @property
    def collides(self) -> bool:
        """Whether the geom takes part in collisions."""
        return bool(self.contype or self.conaffinity)


def load_model(source: str | os.PathLike[str]) -> Any:
    """The compiled ``mujoco.MjModel`` of a file, or of a text in MJCF or URDF."""
    text = os.fspath(source)
    if isinstance(text, str) and "<" in text:
        return mujoco.MjSpec.from_string(text).compile()
    if not Path(text).is_file():
        raise FileNotFoundError(f"{text}: no such file")
    try:
        return _spec(Path(text)).compile()
    except ValueError as error:
        raise ValueError(f"{text}: MuJoCo cannot read it: {error}") from None


def _spec(path: Path) -> Any:
    """The ``MjSpec`` of a file; MuJoCo chooses its decoder by the ending, and has none for .mjcf."""
    if path.suffix.lower() != ".mjcf":
        return mujoco.MjSpec.from_file(str(path))
    included: dict[str, bytes] = {}
    waiting = [text := path.read_bytes()]
    while waiting:
        for name in re.findall(rb"""<include\s+file\s*=\s*["']([^"']+)["']""", waiting.pop()):
            file = path.parent / (key := name.decode())
            if key not in included and file.is_file():
                included[key] = file.read_bytes()
                waiting.append(included[key])
    spec = mujoco.MjSpec.from_string(text.decode("utf-8"), include=included)
    spec.modelfiledir = str(path.parent)
    return spec


def turned(quaternion: np.ndarray) -> Rotation:
    """A rotation from MuJoCo's quaternion (w, x, y, z)."""
    return Rotation.from_quat(np.roll(np.asarray(quaternion), -1, axis=-1))


def name_of(model: Any, kind: str, number: int) -> str:
    """Name of a body, geom or joint; ``geom 3`` for one without."""
    return getattr(model, kind)(number).name or f"{kind} {number}"


def geoms_of(model: Any, *, colliding: bool = True) -> list[Geom]:
    """The geoms of a model as shapes.

    Parameters
    ----------
    model : mujoco.MjModel
        A compiled model.
    colliding : bool
        Only those that take part in collisions; a geom of another kind, such as a height field, is then no error
        unless it collides.
    """
    found = []
    for k in range(model.ngeom):
        masks = int(model.geom_contype[k]), int(model.geom_conaffinity[k])
        if colliding and not any(masks):
            continue
        home = turned(model.geom_quat[k]), model.geom_pos[k].copy()
        found.append(Geom(name_of(model, "geom", k), int(model.geom_bodyid[k]), shape_of(model, k), *home, *masks))
    return found


def shape_of(model: Any, number: int) -> Shape:
    """The shape of a geom, in its own frame."""
    kinds, size = mujoco.mjtGeom, model.geom_size[number].copy()
    kind = int(model.geom_type[number])
    if kind == kinds.mjGEOM_PLANE:
        return HalfSpace([0.0, 0.0, 1.0])
    if kind == kinds.mjGEOM_SPHERE:
        return Sphere(size[0])
    if kind == kinds.mjGEOM_ELLIPSOID:
        return Ellipsoid(size)
    if kind == kinds.mjGEOM_CAPSULE:
        return capsule(size[0], size[1])
    if kind == kinds.mjGEOM_CYLINDER:
        return Cylinder(size[0], size[1])
    if kind == kinds.mjGEOM_BOX:
        return Box(size)
    if kind == kinds.mjGEOM_MESH:
        mesh = int(model.geom_dataid[number])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        return Hull(np.array(model.mesh_vert[first : first + count], float))
    raise ValueError(
        f"geom {name_of(model, 'geom', number)!r}: {mujoco.mjtGeom(kind).name} has no shape in tangency; set its "
        "contype and conaffinity to 0"
    )


def are_connected(model: Any, i: int, j: int) -> bool:
    """Whether two bodies never touch in MuJoCo: welded to each other, or parent and child, but not the world."""
    a, b = int(model.body_weldid[i]), int(model.body_weldid[j])
    above, beside = (int(model.body_weldid[model.body_parentid[k]]) for k in (a, b))
    return a == b or (a != 0 and b != 0 and (above == b or beside == a))


def are_kept_apart(model: Any, i: int, j: int, geoms: list[Geom]) -> bool:
    """Whether two bodies are excluded, or contype and conaffinity keep their geoms from touching."""
    if {(i << 16) + j, (j << 16) + i} & {int(signature) for signature in model.exclude_signature}:
        return True
    pairs = [(a, b) for a in geoms if a.body == i for b in geoms if b.body == j]
    meet = {bool(a.contype & b.conaffinity or b.contype & a.conaffinity) for a, b in pairs}
    if len(meet) > 1:
        raise ValueError(
            f"bodies {name_of(model, 'body', i)!r} and {name_of(model, 'body', j)!r} must either touch with all their "
            "geoms or with none, as contype and conaffinity say"
        )
    return meet == {False}


# ---- worlds ------------------------------------------------------------------------------------
def load_world(source: str | os.PathLike[str], **laws: Any) -> World:
    """A world from an MJCF or URDF file: fixed bodies, free bodies, and mechanisms.

    Parameters
    ----------
    source : path or str
        A file, or its text.
    **laws
        Arguments of :class:`World`, such as `interaction`, since the laws of MuJoCo's contacts are its own.

    Returns
    -------
    World
        With the gravity of the file and the names of its bodies.  Bodies on a free joint without others on them are
        free; every other tree of bodies is a :class:`Mechanism` named after its first body, with its joints at zero in
        the pose of the file.  Pairs of bodies that the file keeps apart pass through each other.  What a world does not
        have is refused: actuators, tendons, equality constraints, springs, dry friction and limits of joints, and
        others.  Keyframes, sensors, and friction and solver parameters of geoms are not read.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.interop.mjcf import load_world
    >>> text = '''<mujoco><worldbody><geom type="plane" size="1 1 1"/>
    ... <body name="egg" pos="0 0 1"><freejoint/><geom type="ellipsoid" size="0.1 0.1 0.2"/></body>
    ... </worldbody></mujoco>'''
    >>> law = tg.dynamics.Interaction(tg.forces.HuntCrossley(stiffness=1e5, restitution=0.5))
    >>> world = load_world(text, interaction=law)
    >>> world.names, round(world["egg"].mass_properties.mass, 3)
    (('world', 'egg'), 8.378)
    """
    model = load_model(source)
    _refuse(model)
    by_body: dict[int, list[Geom]] = {}
    geoms = geoms_of(model)
    for geom in geoms:
        by_body.setdefault(geom.body, []).append(geom)
    bodies: list[Body] = []
    mechanisms = []
    named: dict[int, str] = {}  # bodies of the world by their numbers in the model
    for k in range(model.nbody):
        if int(model.body_weldid[k]) == 0:
            if by_body.get(k):
                named[k] = name_of(model, "body", k)
                bodies.append(Body(named[k], _pieces(by_body[k]), _home(model, k), fixed=True))
        elif int(model.body_parentid[k]) == 0 or int(model.body_weldid[int(model.body_parentid[k])]) == 0:
            tree = [i for i in range(k, model.nbody) if _is_under(model, i, k)]
            free = len(tree) == 1 and _is_free(model, k)
            root = "" if free else f"{name_of(model, 'body', k)}/"
            named |= {i: root + name_of(model, "body", i) for i in tree if int(model.body_weldid[i]) == i}
            if free:
                bodies.append(_free_body(model, k, by_body.get(k, [])))
            else:
                mechanisms.append(_mechanism(model, tree, by_body))
    apart: dict[Any, Any] = {}
    for i, j in combinations(by_body, 2):
        if not are_connected(model, i, j) and are_kept_apart(model, i, j, geoms):
            for k in (i, j):
                if k not in named:
                    raise ValueError(
                        f"the model keeps body {name_of(model, 'body', k)!r} apart from others, which is not read for "
                        "a body that is welded to its parent: remove the exclusion, or the geoms"
                    )
            apart[named[i], named[j]] = None
    laws = {"gravity": tuple(model.opt.gravity.tolist()), **laws}
    if apart:
        laws["interactions"] = {**apart, **dict(laws.get("interactions") or {})}
    return World(tuple(bodies), mechanisms=tuple(mechanisms), **laws)


def _refuse(model: Any) -> None:
    counts = {
        "actuators": model.nu,
        "tendons": model.ntendon,
        "equality constraints": model.neq,
        "flexes": model.nflex,
        "mocap bodies": model.nmocap,
        "contacts listed as <pair>": model.npair,
    }
    for what, count in counts.items():
        if count:
            raise ValueError(
                f"the model has {count} {what}, which a world does not: remove them, or use its contacts inside MuJoCo "
                "(tangency.interop.mujoco)"
            )
    used = {
        "stiffness of joints": model.jnt_stiffness,
        "dry friction of joints": model.dof_frictionloss,
        "limits of joints": model.jnt_limited,
        "compensation of gravity": model.body_gravcomp,
        "forces of a fluid": [model.opt.density, model.opt.viscosity],
    }
    for what, values in used.items():
        if np.any(values):
            raise ValueError(
                f"the model has {what}, which is not read: remove it, and give it as elements or torques of the "
                "mechanism"
            )


def _pieces(geoms: list[Geom]) -> list[Any]:
    return [(geom.shape, (geom.rotation, geom.position)) for geom in geoms]


def _home(model: Any, k: int) -> tuple[Rotation, np.ndarray]:
    """Pose of a body that does not move."""
    rotation, position = Rotation.identity(), np.zeros(3)
    while k:
        own = turned(model.body_quat[k])
        rotation, position = own * rotation, model.body_pos[k] + own.apply(position)
        k = int(model.body_parentid[k])
    return rotation, position


def _is_under(model: Any, k: int, root: int) -> bool:
    while k > root:
        k = int(model.body_parentid[k])
    return k == root


def _is_free(model: Any, k: int) -> bool:
    first, count = int(model.body_jntadr[k]), int(model.body_jntnum[k])
    return count == 1 and int(model.jnt_type[first]) == mujoco.mjtJoint.mjJNT_FREE


def _mass(model: Any, k: int, shift: np.ndarray) -> dict[str, Any]:
    """Mass, centre of mass and inertia of a body, in a frame moved by `shift`."""
    if not model.body_mass[k] > 0.0:
        return {}
    turn = turned(model.body_iquat[k]).as_matrix()
    inertia = turn @ np.diag(model.body_inertia[k]) @ turn.T
    centre = model.body_ipos[k] - shift
    return {"mass": float(model.body_mass[k]), "centre_of_mass": centre, "inertia": 0.5 * (inertia + inertia.T)}


def _free_body(model: Any, k: int, geoms: list[Geom]) -> Body:
    q = model.qpos0[int(model.jnt_qposadr[int(model.body_jntadr[k])]) :][:7]
    return Body(
        name_of(model, "body", k), _pieces(geoms), (turned(q[3:]), q[:3].copy()), **_mass(model, k, np.zeros(3))
    )


def _mechanism(model: Any, tree: list[int], by_body: dict[int, list[Geom]]) -> Mechanism:
    """A tree of bodies as a mechanism; a body with several joints is a chain of links, the last of which has mass."""
    kinds = {
        int(mujoco.mjtJoint.mjJNT_HINGE): "revolute",
        int(mujoco.mjtJoint.mjJNT_SLIDE): "prismatic",
        int(mujoco.mjtJoint.mjJNT_BALL): "spherical",
        int(mujoco.mjtJoint.mjJNT_FREE): "free",
    }
    links: list[Link] = []
    places: dict[int, np.ndarray] = {}  # origin of the link of each body, in the frame of the body
    start: dict[str, np.ndarray] = {}
    pose: Any
    for k in tree:
        parent = int(model.body_parentid[k])
        if k == tree[0]:
            on, (turn, base) = None, _home(model, parent)
            pose = turn * turned(model.body_quat[k]), base + turn.apply(model.body_pos[k])
        else:
            on, pose = name_of(model, "body", parent), (turned(model.body_quat[k]), model.body_pos[k] - places[parent])
        first, count = int(model.body_jntadr[k]), int(model.body_jntnum[k])
        shift, name = np.zeros(3), name_of(model, "body", k)
        for j in range(first, first + count):
            kind, last = kinds[int(model.jnt_type[j])], j == first + count - 1
            if kind == "free":
                start[name] = model.qpos0[int(model.jnt_qposadr[j]) :][:7].copy()
                pose = None
            else:  # the joint turns about its own point of the body
                pose = pose[0], pose[1] + pose[0].apply(model.jnt_pos[j] - shift)
                shift = model.jnt_pos[j].copy()
            rest = _final(model, k, by_body, shift) if last else {}
            title = name if last else f"{name} {name_of(model, 'joint', j)}"
            armature = float(model.dof_armature[int(model.jnt_dofadr[j])])
            axis = model.jnt_axis[j].copy() if kind in ("revolute", "prismatic") else None
            links.append(Link(title, on, kind, axis, pose, armature=armature, **rest))
            on, pose = title, (Rotation.identity(), np.zeros(3))
        if count == 0:
            links.append(Link(name, on, "fixed", pose=pose, **_final(model, k, by_body, shift)))
        places[k] = shift
    made = Mechanism(name_of(model, "body", tree[0]), links)
    position = made.position.copy()
    for joint, q in start.items():
        at = made.model.joints[made.model.getJointId(joint)].idx_q
        position[at : at + 7] = [*q[:3], *np.roll(q[3:], -1)]
    made.model.damping = _damping(model, tree)
    return Mechanism(made.name, made.model, _shapes(made), position=position)


def _final(model: Any, k: int, by_body: dict[int, list[Geom]], shift: np.ndarray) -> dict[str, Any]:
    """Shapes and mass of a body, in the frame of its last joint."""
    moved = [geom._replace(position=geom.position - shift) for geom in by_body.get(k, [])]
    return {"shape": _pieces(moved), **_mass(model, k, shift)}


def _damping(model: Any, tree: list[int]) -> np.ndarray:
    """Damping of the joints of a tree, in the order of Pinocchio: depth first, as MuJoCo numbers its bodies."""
    parts = [
        model.dof_damping[int(model.body_dofadr[k]) :][: int(model.body_dofnum[k])]
        for k in tree
        if model.body_dofnum[k]
    ]
    return np.concatenate(parts)


def _shapes(made: Mechanism) -> dict[str, Any]:
    """The shapes of a mechanism by the name of their link."""
    found = {}
    for body in made.bodies:
        if body.pieces:
            name = body.name.partition("/")[2]
            found[name] = [
                (piece.shape, (Rotation.from_matrix(piece.rotation), piece.position)) for piece in body.pieces
            ]
    return found
