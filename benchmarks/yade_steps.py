"""Script for Yade, run by ``benchmarks/heaps.py``: some steps of a heap at rest, their processor time and contacts.

    yade -n -x -j1 yade_steps.py HEAP.npz RESULT.json

Contacts are springs and dampers with friction that has a memory, those of LAMMPS' ``gran/hooke/history``: the material
of each body has twice the stiffness and damping, as those of two bodies act in series.  Bodies that are no spheres are
level sets, with the grid and the number of surface nodes in the file.
"""

# ruff: noqa: F405
import json
import sys
import time

import numpy as np
from yade import *  # noqa: F403

source, result = sys.argv[1:3]
with np.load(source) as file:
    heap = dict(file)


def number(name):
    return float(heap[name])


O.materials.append(
    ViscElMat(
        kn=2 * number("stiffness"), cn=2 * number("damping"), ks=2 * number("shear"), cs=2 * number("shear_damping"),
        frictionAngle=np.arctan(number("friction")), density=number("density"),
    )
)  # fmt: skip
turns = heap["quaternion"] if "epsilon" in heap else np.tile([0.0, 0.0, 0.0, 1.0], (len(heap["position"]), 1))
for k, (place, turn) in enumerate(zip(heap["position"], turns)):
    if "epsilon" in heap:
        radii, (along, across) = heap["radii"][k], heap["epsilon"][k]
        body = levelSetBody(
            "superellipsoid", extents=Vector3(*radii), epsilons=Vector2(across, along),
            spacing=float(radii.min()) / int(heap["grid"]), nSurfNodes=int(heap["nodes"]), dynamic=True,
        )  # fmt: skip
        body.state.pos, body.state.ori = Vector3(*place), Quaternion(*turn[[3, 0, 1, 2]])
        O.bodies.append(body)
    else:
        O.bodies.append(sphere(Vector3(*place), float(heap["radii"][k, 0])))
side = number("side")
O.bodies.append([wall(0.0, axis=2, sense=1)])
for axis in range(2):
    O.bodies.append([wall(-side, axis=axis, sense=1), wall(side, axis=axis, sense=-1)])

if "epsilon" in heap:
    boxes = [Bo1_LevelSet_Aabb(), Bo1_Wall_Aabb()]
    touch = [Ig2_LevelSet_LevelSet_ScGeom(), Ig2_Wall_LevelSet_ScGeom()]
else:
    boxes = [Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()]
    touch = [Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()]
collider = InsertionSortCollider(boxes)
if "epsilon" not in heap:
    collider.verletDist = 0.1 * float(heap["radii"].min())
O.engines = [
    ForceResetter(),
    collider,
    InteractionLoop(touch, [Ip2_ViscElMat_ViscElMat_ViscElPhys()], [Law2_ScGeom_ViscElPhys_Basic()]),
    NewtonIntegrator(damping=0.0, gravity=Vector3(0, 0, -number("gravity"))),
]
O.dt = number("step")
O.run(20, True)
steps = int(heap["steps"])
start = time.process_time()
O.run(steps, True)
spent = time.process_time() - start
depth = [i.geom.penetrationDepth for i in O.interactions if i.isReal]
depth = [one for one in depth if one > 0.0]
stiffness = sorted({round(i.phys.kn, 6) for i in O.interactions if i.isReal})
found = {"seconds": spent / steps, "contacts": len(depth), "overlap": float(np.mean(depth)), "kn": stiffness}
with open(result, "w") as out:
    json.dump(found, out)
