"""Links described in Python, and the Pinocchio model made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...geometry.pose import PoseLike, as_pose
from ...io import validate
from ...io.spelling import Spelled, nearest
from ...shapes.shape import Shape
from ...shapes.walls import WALLS
from ..body import Body, Piece
from ..mass import Mass
from .pinocchio import pin, transform

#: Kinds of joints: the class of Pinocchio, and whether it takes the axis.
KINDS = {
    "revolute": ("JointModelRevoluteUnaligned", True),
    "continuous": ("JointModelRevoluteUnboundedUnaligned", True),  # see _continuous
    "prismatic": ("JointModelPrismaticUnaligned", True),
    "spherical": ("JointModelSpherical", False),
    "planar": ("JointModelPlanar", False),
    "translation": ("JointModelTranslation", False),
    "free": ("JointModelFreeFlyer", False),
    "fixed": ("", False),
}


@dataclass(frozen=True, eq=False)
class Link(Spelled):
    """One rigid link of a mechanism, and the joint that connects it with its parent.

    Parameters
    ----------
    name : str
        Name of the link and of its joint.
    parent : str, optional
        Name of the link that carries it, an earlier one; None for the world.
    joint : str
        ``"revolute"`` or ``"prismatic"`` about or along `axis`; ``"continuous"``, a revolute joint that stores cosine
        and sine; ``"spherical"``, ``"planar"`` (in the plane z = 0), ``"translation"``, ``"free"``, or ``"fixed"``.
    axis : (3,) array_like
        Axis of a revolute, continuous or prismatic joint, in the frame of the link; default z.
    pose : optional
        Pose of the link in its parent where its joint is at zero, as in :func:`tangency.contact`.
    shape : Shape, or a sequence of shapes or of pairs (shape, pose in the link)
        The shapes that make contact.  Empty for a link without contact.
    density, mass, inertia, centre_of_mass : optional
        As for :class:`Body`.  A link without shapes and without a mass has none, which is allowed if the links that it
        carries have one.
    armature : float
        Inertia of the joint itself, of a rotor for instance [kg m^2 or kg].

    Examples
    --------
    >>> import tangency as tg
    >>> rod = tg.dynamics.Link("rod", axis=[0, 1, 0], mass=1, centre_of_mass=[0, 0, -1], inertia=[1e-3] * 3)
    >>> rod.mass_properties.mass
    1.0
    """

    name: str
    parent: str | None = None
    joint: str = "revolute"
    axis: ArrayLike | None = None
    pose: PoseLike = None
    shape: Shape | Sequence[Shape | tuple[Shape, PoseLike]] = ()
    density: float | None = None
    mass: float | None = None
    inertia: ArrayLike | None = None
    centre_of_mass: ArrayLike | None = None
    armature: float = 0.0

    pieces: tuple[Piece, ...] = field(init=False, repr=False)  #: shapes with their poses in the link
    mass_properties: Mass | None = field(init=False, repr=False)  #: None for a link without mass

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"name must be text, got {self.name!r}")
        try:
            if self.joint not in KINDS:
                raise ValueError(f"joint must be a kind of joint, got {self.joint!r}{nearest(str(self.joint), KINDS)}")
            if self.axis is not None and not KINDS[self.joint][1]:
                raise ValueError(f"axis must be omitted for a joint of the kind {self.joint!r}, got {self.axis!r}")
            axis = validate.vectors((0.0, 0.0, 1.0) if self.axis is None else self.axis, "axis")
            validate.single({"axis": axis.shape[:-1]})
            put(self, "axis", validate.directions(axis, "axis")[0])
            armature = validate.array(self.armature, "armature")
            if armature.shape or not armature >= 0.0:
                raise ValueError(f"armature must be a single number >= 0, got {self.armature!r}")
            put(self, "armature", float(armature))
            body = self._as_body()
            put(self, "pieces", body.pieces)
            bounded = any(not isinstance(piece.shape, WALLS) for piece in body.pieces)
            if self.mass is None and not bounded:
                if self.density is not None or self.inertia is not None:
                    raise ValueError("mass must be given with density or inertia for a link without bounded shapes")
                put(self, "mass_properties", None)
            else:
                put(self, "mass_properties", body._mass())
        except (TypeError, ValueError) as error:
            raise type(error)(f"link {self.name!r}: {error}") from None

    def _as_body(self) -> Body:
        """A fixed body with the same shapes, whose arguments are checked in the same way."""
        names = ("density", "mass", "inertia", "centre_of_mass")
        given = {name: getattr(self, name) for name in names}
        return Body(self.name, self.shape, fixed=True, **given)  # type: ignore[arg-type]


def _continuous(axis: Any) -> Any:
    """A continuous joint about any axis, for which Pinocchio has no constructor in Python; its reader of URDF has."""
    links = '<link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
    numbers = " ".join(repr(float(number)) for number in axis)
    return pin().buildModelFromXML(f'<robot name="r">{links}<axis xyz="{numbers}"/></joint></robot>').joints[1]


def model_of(links: Sequence[Link]) -> tuple[Any, dict[str, tuple[Piece, ...]]]:
    """The Pinocchio model of some links, each after its parent; and the shapes by frame."""
    p, model = pin(), pin().Model()
    joints: dict[str, int] = {}
    home: dict[str, tuple[int, Any]] = {}  # joint that carries a link, and the pose of the link in it
    shapes, armatures = {}, []
    for link in links:
        if link.name in home:
            raise ValueError(f"names of links must differ, got {link.name!r} twice")
        if link.parent is not None and link.parent not in home:
            known = f"there are {', '.join(home)}" if home else "there is none before it"
            raise ValueError(f"link {link.name!r}: parent must be an earlier link, got {link.parent!r}; {known}")
        rotation, position = as_pose(link.pose)
        validate.single({f"pose of link {link.name!r}": position.shape[:-1]})
        parent, carried = home.get(link.parent or "", (0, p.SE3.Identity()))
        placement = carried * transform(rotation, position)
        kind, needs_axis = KINDS[link.joint]
        axes = (np.asarray(link.axis),) if needs_axis else ()
        if not kind:
            joint, own = parent, placement
        else:
            made = _continuous(link.axis) if link.joint == "continuous" else getattr(p, kind)(*axes)
            joint, own = model.addJoint(parent, made, placement, link.name), p.SE3.Identity()
            model.addJointFrame(joint, 0)
            joints[link.name] = joint
            armatures.append(np.full(made.nv, link.armature))
        home[link.name] = joint, own
        mass = link.mass_properties
        if mass is not None:
            model.appendBodyToJoint(joint, p.Inertia(mass.mass, mass.centre, mass.inertia), own)
        # The frames of a joint and its link would share a name, so that of the link is a frame of another type.
        model.addFrame(p.Frame(link.name, joint, 0, own, p.FrameType.BODY))
        if link.pieces:
            shapes[link.name] = link.pieces
    model.armature = np.concatenate([*armatures, np.zeros(0)])
    return model, shapes
