"""Motion of rigid bodies with compliant contact.

| file | contents |
|---|---|
| body.py, mass.py, prescribed.py, steady_motion.py, servo.py | a body, its mass, prescribed motions, walls that press |
| group.py, pouring.py | many bodies as arrays; pouring and removal |
| planar_world.py | planar bodies as bodies in space |
| spring.py, interaction.py, world.py | springs and loads, contact laws between bodies, the world |
| scene.py, cli/simulate.py | worlds from scene files; the command ``tangency simulate`` |
| driven_contacts.py | contacts of bodies that another program moves |
| joints/ | links on joints: mechanisms, by Pinocchio |
| simulate.py, options.py, runner.py | the function ``simulate``, its options, the interface of both modes |
| accurate/ | few bodies: SciPy's integrators with located impacts |
| fast/ | many bodies: fixed steps in one compiled loop |
| contact/ | one contact: geometry, patches of faces and edges, laws and forces, duration and depth |
| assembly.py, law_table.py, law_between.py, shape_tables.py, tables.py | a world as tables |
| state.py, wrenches.py, loads_kernel.py | the state of all bodies, and the forces on them |
| frames.py, trajectory.py, impacts.py, files.py | results and their files |
| run.py, storage.py, stored/ | one run, where it is kept; streaming to a folder |
| periodic.py, images_kernel.py | periodic boxes |
| measures/ | packing, coordination, order, stress, ... from a trajectory |
| energy_warnings.py, validity.py | warnings about gained energy, and where a run leaves the valid range of its laws |
"""

from ..shapes import Cavity, MeshWall
from . import measures
from .body import Body, Motion
from .driven_contacts import DrivenContacts
from .files import FileError, load_trajectory
from .group import Group
from .impacts import Impacts
from .interaction import Interaction
from .joints.derivatives import AccelerationDerivatives, acceleration_derivatives
from .joints.elements import JointLimit, JointSpring, PassiveTorque
from .joints.history import JointHistory, JointMotion
from .joints.inverse import inverse_dynamics, link_forces
from .joints.link import Link
from .joints.loop import Loop, closed_position
from .joints.mechanism import JointState, Mechanism
from .planar_world import PlanarTrack, planar_body, planar_track, planar_world
from .pouring import Outlet, Pour
from .scene import options_of, world_of
from .servo import Servo
from .simulate import simulate
from .spring import BodyState, Load, Spring
from .steady_motion import steady_motion
from .trajectory import Contacts, Trajectory
from .warmup import warm
from .world import World

__all__ = [
    "AccelerationDerivatives",
    "Body",
    "BodyState",
    "Cavity",
    "Contacts",
    "DrivenContacts",
    "FileError",
    "Group",
    "Impacts",
    "Interaction",
    "JointHistory",
    "JointLimit",
    "JointMotion",
    "JointSpring",
    "JointState",
    "Link",
    "Load",
    "Loop",
    "Mechanism",
    "MeshWall",
    "Motion",
    "Outlet",
    "PassiveTorque",
    "PlanarTrack",
    "Pour",
    "Servo",
    "Spring",
    "Trajectory",
    "World",
    "acceleration_derivatives",
    "closed_position",
    "inverse_dynamics",
    "link_forces",
    "load_trajectory",
    "measures",
    "options_of",
    "planar_body",
    "planar_track",
    "planar_world",
    "simulate",
    "steady_motion",
    "warm",
    "world_of",
]
