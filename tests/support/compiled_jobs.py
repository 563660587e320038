"""Small jobs that together use every built-in compiled entry, as a program: python compiled_jobs.py NAME...

It prints one line of JSON: for each name the hash of its answer, bit for bit; how many entries were compiled here and
how many were read from disk; the entries that none of the jobs has used; and other functions that were called from
Python, compiled, and not kept.  With --collide, the symbols of this
process are numbered from 1, as Numba does.
"""

import hashlib
import itertools
import json
import sys

import numpy as np
from numba.core import event
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import broadphase, dynamics, forces, implicit, planar
from tangency.cli.warmup import builtin_shapes
from tangency.compiled import cache, jit
from tangency.geometry import orthogonal

N = 40
PLANE = tg.HalfSpace([0, 0, 1], -2.0)


def _draw(seed):
    rng = np.random.default_rng(seed)
    radii, places = rng.uniform(0.5, 1.0, (N, 3)), rng.normal(size=(N, 3))
    return rng, radii, (None, places * (1.6 / np.linalg.norm(places, axis=1))[:, None])


def _told(c):
    return np.concatenate([np.ravel(x) for x in (c.distance, c.lower, c.upper, c.normal, c.point_a, c.status)])


def single():
    a, b = tg.Ellipsoid([0.3, 0.2, 0.1]), tg.Superellipsoid([0.3, 0.1, 0.1], epsilon=(0.8, 1.0))
    pair = tg.Pair(a, b)
    matrix = np.eye(4)
    matrix[:3, 3] = 0.5, 0.2, 0.1
    return np.concatenate(
        [
            _told(tg.contact(a, b, None, (None, [0.5, 0.2, 0.1]))),
            _told(pair(None, matrix)),
            _told(tg.contact(a, b, np.eye(4), matrix)),
        ]
    )


def ellipsoids():
    _, radii, poses = _draw(1)
    frames = np.tile(np.eye(4), (N, 1, 1))
    frames[:, :3, 3] = poses[1]
    turns = Rotation.from_rotvec(np.linspace([0.0, 0.0, 0.0], [0.0, 1.0, 2.0], N))
    a, b = tg.Ellipsoid(radii), tg.Ellipsoid(radii[::-1])
    return np.concatenate([_told(tg.contact(a, b, None, given)) for given in (poses, frames, (turns, poses[1]))])


def superellipsoids():
    rng, radii, poses = _draw(2)
    shapes = tg.Superellipsoid(radii, epsilon=rng.uniform(0.4, 1.6, (N, 2)))
    return _told(tg.contact(shapes, shapes[::-1], None, poses))


def planes():
    _, radii, poses = _draw(3)
    plane, bodies = tg.HalfSpace([0, 0, 1]), [tg.Ellipsoid(radii), tg.PowerEllipsoid(radii, [2.0, 3.0, 4.0])]
    answers = [_told(tg.contact(plane, body, None, poses)) for body in bodies]
    return np.concatenate([*answers, _told(tg.contact(plane, bodies[0][0], None, np.eye(4)))])


def shapes():
    normals = np.random.default_rng(4).normal(size=(N, 3))
    return np.concatenate([shape.point(normals).ravel() for shape in builtin_shapes()])


def overlaps():
    a = tg.Ellipsoid([3.0, 2.0, 1.0])
    poses = (None, [[0.5, 0.1, 0.2], [0.4, 0.3, 0.2]])
    return np.concatenate([_told(tg.contact(a, b, None, poses)) for b in builtin_shapes()])


def potentials():
    ball = tg.Ellipsoid([1.0, 1.1, 1.2])
    normals = np.random.default_rng(5).normal(size=(N, 3))
    made = tg.HarmonicShape.from_shape(ball, 4), tg.SplineShape.from_shape(ball, 3)
    return np.concatenate([shape.point(normals).ravel() for shape in made])


def papers():
    a, b, pose = tg.Ellipsoid([1, 2, 3]), tg.Sphere(1.0), (None, [3, 3, 3])
    names = (
        "romer-1",
        "romer-2",
        "romer-3",
        "romer-4",
        "romer-direct",
        "romer-mean",
        "lopes-implicit",
        "lopes-parametric",
        "portal-sqp",
    )
    return np.concatenate([_told(tg.contact(a, b, None, pose, solver=name)) for name in names])


def derivatives():
    _, radii, poses = _draw(10)
    told = []
    for body in (tg.Ellipsoid(radii[::-1]), tg.Box([0.5, 0.4, 0.3])):
        c = tg.contact(tg.Ellipsoid(radii), body, None, poses)
        told += [c.hessian(), c.differentiable, c.rates().gap]
        told += [c.curvature_a.radii[..., 0], body.curvature([0, 0, 1]).values]
        told += [c.jacobian(of, by) for of in ("distance", "normal") for by in ("pose_b", "shape_a")]
    return np.concatenate([np.ravel(x) for x in told])


def impacts():
    rng, radii, (_, places) = _draw(9)
    motion = tg.Drift((None, 3.0 * places), -places, rng.normal(size=(N, 3)))
    hits = [tg.impact(body, tg.Ellipsoid(radii), None, motion, 0.0, 3.0) for body in (tg.Box([0.5, 0.4, 0.3]), PLANE)]
    numbers = [np.ravel(x) for hit in hits for x in (hit.lower, hit.upper, hit.normal, hit.status)]
    return np.concatenate([*numbers, _told(hits[0].contact)])


def implicits():
    bowl = implicit.elliptic_paraboloid([1, 1]).patch([-2, -2, -1], [2, 2, 3])
    return np.ravel(implicit.contact(bowl, tg.Sphere(1.0), pose_b=(None, [0, 0, -4])).distance)


def proximity():
    rng, radii, poses = _draw(6)
    a, b = tg.Ellipsoid(radii), tg.Ellipsoid(radii[::-1])
    low = rng.uniform(size=(N, 3))
    from tangency.broadphase.overlapping_boxes import overlapping_boxes

    answers = [
        broadphase.ellipsoids(a, b, None, poses),
        broadphase.characteristic_quartic(a, b, None, poses),
        broadphase.boxes_apart(a, b, None, poses),
        broadphase.spheres_apart(a, b, None, poses),
        overlapping_boxes(low, low + 0.2),
        broadphase.pairs(a, (None, low)),
    ]
    return np.concatenate([np.ravel(x).astype(float) for x in answers])


def tangents():
    normals = np.random.default_rng(7).normal(size=(N, 3))
    makers = (
        orthogonal.householder,
        orthogonal.eberly,
        orthogonal.square_plate,
        orthogonal.projection_matrix,
        orthogonal.branch_free,
    )
    return np.concatenate([np.ravel(part) for make in makers for part in make(normals)])


def plane_world():
    planar.warm()
    a, b = planar.Ellipse([3.0, 2.0]), planar.Superellipse([1.0, 1.0], 3.0)
    c = planar.contact(a, b, pose_b=(0.3, [4.0, 1.0]))
    d = planar.contact(a, b, pose_b=(0.3, [4.0, 1.0]), solver="romer-3")
    cam = planar.CamTappet()
    pressed = cam.forces(0.3, [0.02, 0.1], 0.0)
    return np.concatenate([np.ravel(x) for x in (c.distance, c.normal, d.distance, *pressed)])


def laws():
    forces.warm()
    law, friction = forces.Hertz(stiffness=1e5), forces.Bristle(static=0.4, stiffness=1e4)
    ellipse = forces.contact_ellipse(1.0, [3.0, 1.0], 1e9)
    return np.concatenate(
        [
            np.ravel(law.force(np.linspace(0.0, 0.1, N))),
            np.ravel(ellipse.semi_axes),
            np.ravel(friction.force([3.0], [[0.1, 0.0, 0.0]], [[0.0, 0.0, 0.0]]).force),
        ]
    )


def motion():
    dynamics.warm()
    balls = [dynamics.Body(f"b{k}", tg.Sphere(0.1), (None, [0.0, 0.0, 0.099 + 0.25 * k])) for k in range(3)]
    touch = dynamics.Interaction(forces.HuntCrossley(stiffness=1e6, restitution=0.5))
    world = dynamics.World((dynamics.Body("ground", tg.HalfSpace([0, 0, 1])), *balls), interaction=touch)
    runs = [dynamics.simulate(world, 0.05, mode, output_interval=0.05) for mode in ("accurate", "fast")]
    runs.append(dynamics.simulate(world, 0.05, method="Radau", output_interval=0.05))
    return np.concatenate([np.ravel(run.position) for run in runs])


def rolling():
    run = tg.rolling.RollingBody(tg.Ellipsoid([0.3, 0.2, 0.1])).simulate(None, [0.1, 0.2, 3.0], duration=0.1, samples=3)
    return np.concatenate([np.ravel(run.contact), np.ravel(run.force)])


def cavities():
    egg, place = tg.Ellipsoid([0.3, 0.2, 0.1]), (None, [0.2, 0.1, 0.3])
    hollows = tg.Cylinder(1.0, 2.0), tg.Ellipsoid([1.0, 1.2, 1.4])
    return np.concatenate([_told(tg.contact(tg.Cavity(hollow), egg, None, place)) for hollow in hollows])


def fits():
    rng = np.random.default_rng(8)
    body = tg.Superellipsoid([1.0, 0.8, 0.6], epsilon=(0.7, 0.9))
    cloud = body.point(rng.normal(size=(80, 3)))
    found = [tg.fit(cloud, model) for model in ("ellipsoid", "superellipsoid", "superovoid")]
    return np.array([float(f.rms) for f in found])


def pictures():
    from tangency.scene import demo_scene
    from tangency.viz.shade import warm_renderer

    warm_renderer()
    return np.array([float(len(demo_scene().bodies))])


def ranks():
    from tangency.interop.lammps.warmup import warm

    warm()
    return np.array([1.0])


JOBS = {
    f.__name__: f
    for f in (
        single,
        ellipsoids,
        superellipsoids,
        planes,
        shapes,
        overlaps,
        potentials,
        papers,
        derivatives,
        impacts,
        implicits,
        proximity,
        tangents,
        plane_world,
        laws,
        motion,
        ranks,
        rolling,
        cavities,
        fits,
        pictures,
    )
}


class Unkept(event.Listener):
    """Functions without a place on disk that are compiled, but not for the sake of another one; not users' formulas."""

    def __init__(self):
        self.names, self.depth = [], 0

    def on_start(self, event):
        dispatcher = event.data["dispatcher"]
        name = dispatcher.py_func.__qualname__
        if self.depth == 0 and dispatcher not in jit.ENTRIES and name != "_guarded":
            self.names.append(name)
        self.depth += 1

    def on_end(self, event):
        self.depth -= 1


def main(names):
    if "--collide" in names:
        names.remove("--collide")
        cache.identity._unique_ids = itertools.count(1)
    unkept = Unkept()
    event.register("numba:compile", unkept)
    answers = {name: hashlib.sha256(np.asarray(JOBS[name]()).tobytes()).hexdigest()[:16] for name in names}
    stats = [entry.stats for entry in jit.ENTRIES]
    unused = [entry.py_func.__qualname__ for entry in jit.ENTRIES if not entry.signatures]
    compiled, read = (sum(sum(getattr(s, kind).values()) for s in stats) for kind in ("cache_misses", "cache_hits"))
    print(
        json.dumps({"answers": answers, "compiled": compiled, "read": read, "unused": unused, "unkept": unkept.names})
    )


if __name__ == "__main__":
    main(sys.argv[1:])
