"""The pictures of the documentation, drawn with the library itself into docs/_static.

python docs/figures.py                   all of them
python docs/figures.py support cores     some of them
"""

import sys
from collections.abc import Callable

from pictures import bodies, fitting, motion, solver

FIGURES: dict[str, Callable[[], None]] = {
    "demo": bodies.demo,
    "support": solver.support,
    "cores": solver.cores,
    "bounds": solver.bounds,
    "fitting": fitting.fitting,
    "fitting_motion": fitting.fitting_motion,
    "planar_foot": bodies.planar_foot,
    "planar_cam": bodies.planar_cam,
    "ovoids": bodies.ovoids,
    "resolution": bodies.resolution,
    "implicit": bodies.implicit,
    "force_loops": motion.force_loops,
    "motion": motion.motion,
    "rolling": motion.rolling,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
        print(f"wrote docs/_static/{name}.png")
