"""What travels to other processes: no addresses in it, the same answers there, users' classes of ``__main__`` too."""

import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import families
import tangency as tg
from families import FAMILIES
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, World, simulate

LAW = Interaction(forces.Hertz(stiffness=1e6), forces.Bristle(static=0.5, stiffness=1e4, damping=1.0))


def small_world(rng):
    grains = Group("grains", tg.Ellipsoid(rng.uniform(0.05, 0.1, (4, 3))), (None, np.arange(12.0).reshape(4, 3) * 0.1))
    return World([Body("floor", tg.HalfSpace([0, 0, 1])), grains], interaction=LAW)


def shape_of(name, seed):
    return FAMILIES[name].make(np.random.default_rng(seed), ())


PICKLED = [name for name in FAMILIES if name != "potential functions"]  # made of lambdas


@pytest.mark.parametrize("name", ["superovoid", "ellipsoid", "sum of ellipsoids", "support formula"])
def test_no_addresses(name):
    """Nothing of this process is in a pickle, after the formulas were compiled."""
    shape = shape_of(name, 1)
    shape.support([0.0, 0.6, 0.8])
    assert shape.__dict__["_address"] is not None
    for key, value in pickle.loads(pickle.dumps(shape)).__dict__.items():
        assert key != "_address" or value is None
        assert key != "_watched" or value == ()


@pytest.mark.parametrize("count", [2, pytest.param(len(PICKLED), marks=pytest.mark.full)])
def test_fresh_process(tmp_path, count):
    """Shapes of all families, and everything made of them, answer with the same bits in a process that is new."""
    rng = np.random.default_rng(3)
    n = Rotation.random(4, rng=4).apply([0.0, 0.0, 1.0])
    chosen = [PICKLED[k] for k in rng.permutation(len(PICKLED))[:count]]
    shapes = [shape_of(name, int(rng.integers(1000))) for name in chosen]
    egg, ball, away = tg.Ellipsoid([0.3, 0.2, 0.1]), tg.Sphere([0.1, 0.2]), (None, [[1.0, 0.2, 0], [0.3, 0, 0.1]])
    found = tg.contact(egg, ball, None, away)
    world = small_world(rng)
    run = simulate(world, 0.002, "fast", step=1e-3)
    fit = tg.fit(egg.point(rng.normal(size=(60, 3))), "ellipsoid")
    sent = {
        "shapes": [(shape, n, shape.point(n)) for shape in shapes],
        "pair": (tg.Pair(egg, tg.Sphere(0.1)), tg.Pair(egg, tg.Sphere(0.1))(None, (None, [1.0, 0.2, 0])).distance),
        "contact": (found, found.curvature_a.values, found.jacobian("distance", "pose_a")),
        "bodies": (tg.Bodies([egg, ball]), away, found.distance),
        "run": (world, run),
        "fit": (fit, fit.shape.support(n)),
    }
    (tmp_path / "sent").write_bytes(pickle.dumps(sent))
    code = """
        import pickle, sys
        import numpy as np
        from tangency.dynamics import simulate
        sent = pickle.load(open(sys.argv[1], "rb"))
        same = np.testing.assert_array_equal
        for shape, n, points in sent["shapes"]:
            same(shape.point(n), points)
        pair, distance = sent["pair"]
        assert pair(None, (None, [1.0, 0.2, 0])).distance == distance
        contact, curvatures, slopes = sent["contact"]
        same(contact.curvature_a.values, curvatures)
        same(contact.jacobian("distance", "pose_a"), slopes)
        bodies, away, distances = sent["bodies"]
        same(bodies.contact([[0, 1], [0, 2]], (None, [[0, 0, 0], *away[1]])).distance, distances)
        world, run = sent["run"]
        again = simulate(world, 0.002, "fast", step=1e-3)
        same(again.position, run.position)
        same(again.contacts.force, run.contacts.force)
        fit, h = sent["fit"]
        same(fit.shape.support(sent["shapes"][0][1]), h)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "sent")]
    paths = [str(Path(families.__file__).parent), os.environ.get("PYTHONPATH", "")]  # some families have classes there
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


SCRIPT = '''
import math, multiprocessing, pickle, subprocess, sys, typing
import numba, numpy as np
import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate

SIZE = 2.0

@numba.njit
def larger(r):
    return SIZE * r

class Ball(tg.Shape):
    class Kernel(typing.NamedTuple):
        radius: float
        def point(self, n):
            k = larger(self.radius) / math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
            return (k * n[0], k * n[1], k * n[2])

class Soft(forces.NormalLaw):
    class Kernel(typing.NamedTuple):
        stiffness: float
        def force(self, depth):
            return self.stiffness * depth**2
        def energy(self, depth):
            return self.stiffness * depth**3 / 3.0

class Rub(forces.FrictionLaw):
    class Kernel(typing.NamedTuple):
        coefficient: float
        def force(self, load, slip):
            k = -self.coefficient * load / (0.01 + math.sqrt(slip[0] ** 2 + slip[1] ** 2 + slip[2] ** 2))
            return (k * slip[0], k * slip[1], k * slip[2])

def answers(things):
    ball, pair, world = things
    run = simulate(world, 0.004, "fast", step=1e-3)
    return float(ball.support([0, 0, 1.0])), float(pair(None, (None, [5.0, 0, 0])).distance), run.position.tolist()

def make():
    floor = Body("floor", tg.HalfSpace([0, 0, 1]))
    body = Body("ball", Ball(radius=0.1) + tg.Sphere(0.1), (None, [0, 0, 0.299]), velocity=[1, 0, -1], mass=1.0)
    law = Interaction(Soft(stiffness=1e6), Rub(coefficient=0.3))
    return Ball(radius=1.0), tg.Pair(Ball(radius=1.0), tg.Sphere(1.0)), World([floor, body], interaction=law)

def known(things):
    ball, law = things
    return float(ball.support([0, 0, 1.0])), float(law.force(0.5))

OTHERS = """
import math, pickle, sys, typing
import tangency as tg
class Ball(tg.Shape):                       # the same name and number as the class that arrives
    class Kernel(typing.NamedTuple):
        radius: float
        def point(self, n):
            k = 7.0 * self.radius / math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
            return (k * n[0], k * n[1], k * n[2])
assert Ball(radius=1.0).support([0, 0, 1.0]) == 7.0
asked, things = pickle.loads(sys.stdin.buffer.read())
print(repr(asked(things)))
assert type(things[0])(radius=2.0).support([0, 0, 1.0]) == 4.0
assert Ball(radius=1.0).support([0, 0, 1.0]) == 7.0
"""

def by_value(asked, things):                # as Dask sends classes of __main__
    import cloudpickle
    data = cloudpickle.dumps((asked, things))
    done = subprocess.run([sys.executable, "-c", OTHERS], input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return eval(done.stdout.decode())

if __name__ == "__main__":
    if "full" not in sys.argv:
        assert by_value(known, (Ball(radius=1.0), Soft(stiffness=1e6))) == (2.0, 250000.0)
    else:
        here = answers(make())
        with multiprocessing.get_context("spawn").Pool(1) as pool:  # by name, from the script imported again
            assert pool.apply(answers, (make(),)) == here
        assert by_value(answers, make()) == here
'''


@pytest.mark.parametrize("whole", ["some", pytest.param("full", marks=pytest.mark.full)])
def test_classes_of_main(tmp_path, whole):
    """Shapes and laws defined in a script, sent by name and by value, next to other classes of the same name."""
    pytest.importorskip("cloudpickle", reason="needs cloudpickle, which comes with Dask")
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "script.py"), whole]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
