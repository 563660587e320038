"""A person who walks, for chapter 6 of Lopes' thesis; the study is ``studies/lopes_walking.py``.

| file | contents |
|---|---|
| foot.py | a foot: contact elements of any layout, and their law |
| person.py | the mechanism: published anthropometry, passive torques |
| cycle.py | one cycle to be followed, measured or made up |
| ground.py | forces of the ground on a foot, for many states at a time |
| spline_fit.py | least squares for splines of time, by collocation |
| tracking.py | the motion that follows a cycle and obeys the laws of motion |
| feedback.py | the linear-quadratic regulator about that motion |
| simulation.py | the simulated walk: with feedback, and in pieces without |
| muscles.py | nine Hill-type muscles of a leg |
| excitations.py | their excitations along a motion |
| muscle_walk.py | the walk driven by muscles |
| foot_calibration.py | stiffness and damping of a foot from measured ground reactions |
| pictures.py | the figure and the page |
"""

from .cycle import Cycle, artificial_cycle, measured_cycle
from .foot import Element, Foot, foot_of_ellipsoids, foot_of_points
from .foot_calibration import Calibration, calibrate_foot

__all__ = [
    "Calibration",
    "Cycle",
    "Element",
    "Foot",
    "artificial_cycle",
    "calibrate_foot",
    "foot_of_ellipsoids",
    "foot_of_points",
    "measured_cycle",
]
