"""Motion of rigid bodies with compliant contact.

| file | contents |
|---|---|
| body.py, mass.py, prescribed.py | a body, its mass, prescribed motions |
| interaction.py, laws.py, force_kernel.py | how two bodies interact where they touch |
| patch.py | contact points of touching faces and edges |
| limits.py | warnings where a run leaves the valid range of its laws |
| spring.py, world.py | springs, loads, the world |
| scene.py, cli/simulate.py | worlds from scene files; the command ``tangency simulate`` |
| simulate.py, options.py, runner.py | the function ``simulate`` and its options |
| trajectory.py, record.py, impacts.py, energy_balance.py, files.py | results, energy check, files |
| accurate.py, equations.py, smooth_part.py, events.py, integrators.py | SciPy's integrators with located impacts |
| step_control.py, contact_scale.py | steps and tolerances derived from the contacts |
| fast.py, fast_kernel.py, fast_tables.py, candidates.py | fixed steps in a compiled loop, for many bodies |
| assembly.py, tables.py, state.py, touch.py, loads_kernel.py | tables and kernels shared by both modes |
"""

from ..shapes import Cavity
from .body import Body, Motion
from .files import FileError, load_trajectory
from .impacts import Impacts
from .interaction import Interaction
from .scene import options_of, world_of
from .simulate import simulate
from .spring import BodyState, Load, Spring
from .trajectory import Contacts, Trajectory
from .warmup import warm
from .world import World

__all__ = [
    "Body",
    "BodyState",
    "Cavity",
    "Contacts",
    "FileError",
    "Impacts",
    "Interaction",
    "Load",
    "Motion",
    "Spring",
    "Trajectory",
    "World",
    "load_trajectory",
    "options_of",
    "simulate",
    "warm",
    "world_of",
]
