"""The first calls of a user, as a program: python first_calls.py NAME...

It prints one line of JSON: for each name the seconds it took, beginning with the import; the functions compiled
meanwhile; and the file that tangency was imported from.
"""

import json
import sys
import time

START = time.perf_counter()

import numpy as np  # noqa: E402

import tangency as tg  # noqa: E402

IMPORTED = time.perf_counter()


def contact():
    tg.contact(tg.Ellipsoid([3, 2, 1]), tg.Sphere(1.0), pose_b=(None, [5, 0, 0]))


def matrices():
    from scipy.spatial.transform import RigidTransform

    egg, box = tg.Ellipsoid([3, 2, 1]), tg.rounded_box([1, 1, 1], 0.1)
    tg.contact(egg, box, pose_b=RigidTransform.from_translation([2, 1, 0]))
    tg.contact(egg, box, np.eye(4), np.eye(4))
    tg.Pair(egg, box)(None, np.eye(4))


def planar_contact():
    tg.planar.contact(tg.planar.Ellipse([3, 2]), tg.planar.Superellipse([1, 1], 3.0), pose_b=(0.3, [4, 1]))


def superellipsoids():
    body = tg.Superellipsoid([3, 2, 1], (0.5, 0.5))
    tg.contact(body, body, pose_b=(None, np.full((10_000, 3), 5.0)))


def fit():
    cloud = tg.Superellipsoid([1.0, 0.8, 0.6], (0.7, 0.9)).point(np.random.default_rng(0).normal(size=(200, 3)))
    for model in ("ellipsoid", "superellipsoid"):
        tg.fit(cloud, model)


def simulate():
    from tangency.dynamics import Body, Interaction, World, simulate
    from tangency.forces import HuntCrossley, Tanh

    egg = Body("egg", tg.Superellipsoid([0.1, 0.1, 0.2], (0.8, 1.0)), (None, [0, 0, 0.21]))
    touch = Interaction(HuntCrossley(stiffness=1e6, restitution=0.5), Tanh(coefficient=0.3, speed=0.01))
    world = World((Body("ground", tg.HalfSpace([0, 0, 1])), egg), interaction=touch)
    for mode in ("accurate", "fast"):
        simulate(world, 0.05, mode)


def impact():
    egg, falling = tg.Ellipsoid([3, 2, 1]), tg.Drift((None, [0, 0, 9]), [0, 0, -1], [1, 0, 0])
    for body in (tg.HalfSpace([0, 0, 1]), tg.Superellipsoid([3, 2, 1], (0.5, 0.5)), tg.Sphere([1.0, 2.0])):
        _ = tg.impact(egg, body, falling, None, 0.0, 9.0).contact


CALLS = {f.__name__: f for f in (contact, matrices, planar_contact, superellipsoids, fit, simulate, impact)}


def main(names):
    from numba.core import event

    compiled, seconds = [], {"import": round(IMPORTED - START, 2)}

    class Listener(event.Listener):
        def on_start(self, event):
            compiled.append(event.data["dispatcher"].py_func.__qualname__)

        def on_end(self, event):
            pass

    with event.install_listener("numba:compile", Listener()):
        for name in names:
            start = time.perf_counter()
            CALLS[name]()
            seconds[name] = round(time.perf_counter() - start, 2)
    print(json.dumps({"seconds": seconds, "compiled": compiled, "file": tg.__file__}))


if __name__ == "__main__":
    main(sys.argv[1:])
