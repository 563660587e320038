"""Whatever the library hands out survives pickle, copy and deepcopy, and answers the same, also in a fresh process."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES
from tangency import planar
from tangency.scene import Body, Scene, SceneError, demo_scene

BALL, EGG, AWAY = tg.Sphere(1.0), tg.Ellipsoid([3, 2, 1]), (None, [5.0, 1, 0])
MATERIAL = tg.forces.Material(2e9, 0.3)


def world():
    D = tg.dynamics
    floor = D.Body("floor", tg.HalfSpace([0, 0, 1]), fixed=True)
    ball = D.Body("ball", BALL, (None, [0, 0, 0.999]), density=1e3)
    return D.World((floor, ball), interaction=D.Interaction(HERTZ, tg.forces.Frictionless(), None))


def numbers(value):
    """Everything about an object that can be compared: the arrays of its public attributes."""
    found = {}
    for name in dir(value):
        if name.startswith("_"):
            continue
        try:
            item = getattr(value, name)
        except (AttributeError, TypeError, ValueError, NotImplementedError, ImportError):
            continue
        items = item if isinstance(item, tuple) else (item,)
        if all(isinstance(part, np.ndarray | float | int | str | np.generic) for part in items):
            found[name] = repr(item)
    return found


def same(value, again):
    assert type(again) is type(value)
    assert numbers(again) == numbers(value)


HERTZ = tg.forces.Hertz(stiffness=1e6)
BODIES = tg.Bodies([tg.HalfSpace([0, 0, 1]), EGG, tg.Sphere([1.0, 2.0])])
THINGS = {
    "pair": lambda: tg.Pair(EGG, BALL, tol=1e-9, max_distance=3.0),
    "pair with a plane": lambda: tg.Pair(tg.HalfSpace([0, 0, 1]), EGG),
    "contact of a pair": lambda: tg.Pair(EGG, BALL)(None, AWAY),
    "contact": lambda: tg.contact(EGG, BALL, None, AWAY),
    "contacts": lambda: tg.contact(EGG, tg.Sphere([1.0, 2.0]), None, (None, [[5, 0, 0], [6, 1, 0]])),
    "contact with a trace": lambda: tg.contact(EGG, BALL, None, AWAY, solver="romer-2", trace=True),
    "bodies": lambda: BODIES,
    "contacts of bodies": lambda: BODIES.contact([[0, 1], [2, 3]], (None, np.arange(12.0).reshape(4, 3))),
    "planar contact": lambda: planar.contact(planar.Circle(1.0), planar.Ellipse([2, 1]), None, (0.0, [5, 0])),
    "moments": lambda: EGG.moments,
    "curvature": lambda: EGG.curvature([0, 0, 1.0]),
    "check": lambda: tg.check(EGG),
    "continuity": lambda: tg.continuity(EGG),
    "scene": demo_scene,
    "body of a scene": lambda: Body("egg", EGG, AWAY),
    "small scene": lambda: Scene((Body("egg", EGG, AWAY), Body("ball", BALL))),
    "material": lambda: MATERIAL,
    "normal law": lambda: tg.forces.Flores(materials=MATERIAL, restitution=0.6),
    "friction": lambda: tg.forces.Tanh(coefficient=0.2, speed=1e-3),
    "forces": lambda: tg.forces.on(tg.contact(BALL, EGG, None, (None, [3.9, 0, 0])), normal=HERTZ),
    "status": lambda: tg.Status.APART,
    "error": lambda: tg.ShapeError("radii must be > 0"),
    "mistake": lambda: SceneError("body 'a': radius must be > 0", ("body", 0, "radius")),
    "surface": lambda: tg.implicit.Superquadric([2, 1, 1], [4, 3]),
    **{f"solver {name}": lambda solver=solver: solver for name, solver in tg.solvers.SOLVERS.items()},
}


@pytest.mark.parametrize("name", THINGS)
def test_copies(name):
    value = THINGS[name]()
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        same(value, again)


@pytest.mark.parametrize("name", FAMILIES)
def test_copies_of_shapes(name):
    shape, n = FAMILIES[name].make(np.random.default_rng(0), ()), Rotation.random(5, rng=0).apply([0, 0, 1])
    if name == "potential functions":
        pytest.skip("lambdas cannot be pickled: a class at the top of a module can, see docs/own-shape.md")
    shape.support(n)  # compiled code must not travel
    for again in (pickle.loads(pickle.dumps(shape)), copy.copy(shape), copy.deepcopy(shape)):
        np.testing.assert_array_equal(again.point(n), shape.point(n))


def test_scenes():
    scene = demo_scene()
    for again in (pickle.loads(pickle.dumps(scene)), copy.copy(scene), copy.deepcopy(scene)):
        for one, other in zip(scene.bodies, again.bodies, strict=True):
            assert (one.name, repr(one.shape)) == (other.name, repr(other.shape))
            np.testing.assert_allclose(other.pose.as_matrix(), one.pose.as_matrix(), atol=1e-14)


def test_worlds_and_trajectories():
    start = world()
    run = tg.dynamics.simulate(start, 0.01, mode="fast", step=1e-3)
    for value in (start, run):
        for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
            same(value, again)
    again = tg.dynamics.simulate(pickle.loads(pickle.dumps(start)), 0.01, mode="fast", step=1e-3)
    np.testing.assert_array_equal(again.position, run.position)


def test_another_process(tmp_path):
    """Addresses of compiled code, in a process where they mean nothing."""
    pair = tg.Pair(EGG, BALL, max_distance=9.0)
    bodies = tg.Bodies([EGG, tg.Sphere([1.0, 2.0])])
    bodies.contact([[0, 1]], (None, [[0, 0, 0], [5, 1, 0], [9, 0, 0]]))
    answer = pair(None, AWAY)
    file = tmp_path / "things"
    file.write_bytes(pickle.dumps((pair, bodies, answer)))
    code = (
        "import pickle, sys; pair, bodies, answer = pickle.load(open(sys.argv[1], 'rb'));"
        "again = pair(None, (None, [5.0, 1, 0]));"
        "third = bodies.contact([[0, 1]], (None, [[0, 0, 0], [5, 1, 0], [9, 0, 0]]))[0];"
        "assert again.distance == answer.distance == third.distance;"
        "assert (answer.curvature_a.values == again.curvature_a.values).all()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_fits():
    cloud = tg.Ellipsoid([1, 2, 3]).point(np.random.default_rng(0).normal(size=(80, 3)))
    fit = tg.fit(cloud, "ellipsoid")
    again = pickle.loads(pickle.dumps(fit))
    assert again.rms == fit.rms
    assert again.parameters == fit.parameters
