"""Convex bodies that roll on a plane without slipping (Römer 3-D, section 4.2).

| file | contents |
|---|---|
| body.py | `RollingBody`: shape, mass, plane and gravity; states and motions |
| state.py, run.py | `RollingState`: kinematics, force and energy at one or many instants; `RollingRun`: a motion |
| equations_kernel.py | the equations of motion and the contact force, compiled |
| integration.py, events.py | SciPy's DOP853 until slip or lift-off; these events located within a step |
| angles.py | the paper's coordinates alpha, beta, gamma (Eqs. 63-67) |

>>> import tangency as tg
>>> ball = tg.rolling.RollingBody(tg.Sphere(0.1), gravity=[3.5, 0, -9.0])
>>> ball.simulate(duration=2.0).velocity[-1].round(9).tolist()  # 5/7 of 3.5 m/s^2, for 2 s
[5.0, 0.0, 0.0]
"""

from .angles import angles_of, angular_velocity_from, orientation_from
from .body import RollingBody
from .run import RollingRun
from .state import RollingState
from .warmup import warm

__all__ = [
    "RollingBody",
    "RollingRun",
    "RollingState",
    "angles_of",
    "angular_velocity_from",
    "orientation_from",
    "warm",
]
