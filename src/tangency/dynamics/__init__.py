"""Motion of rigid bodies with compliant contact.

| file | what is in it |
|---|---|
| body.py, mass.py | a body, its mass |
| interaction.py, press.py | how two bodies interact where they touch |
| patch.py | the points of a face or a line that touches |
| limits.py | where a run leaves the range of its laws |
| spring.py, world.py | springs, loads, the world |
| scene.py, cli/main.py | worlds from scene files; the verb ``tangency simulate`` |
| simulate.py, contacts/options.py | the one call |
| trajectory.py, impacts.py, energy_balance.py, files.py | what comes out, and whether it gained energy |
| accurate.py, smooth.py, events.py | SciPy's integrators with located impacts |
| step_control.py, contact_scale.py | steps and tolerances that follow from the contacts |
| steps.py, fast.py, candidates.py | fixed steps in a compiled loop, for many bodies |
| assembly.py, state.py, touch.py, narrow.py, loads.py | tables and kernels that both share |
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
