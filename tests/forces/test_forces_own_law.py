"""Laws of one's own: the same mechanism as the built-in ones, everywhere, or refused with a sentence."""

import inspect
import math
import pickle
import re
import typing
from functools import cache

import numba
import numpy as np
import pytest

import tangency as tg
from tangency import forces, planar
from tangency.dynamics import Body, Interaction, World, simulate, world_of
from tangency.forces.registry import FRICTION, NORMAL
from tangency.scene import SceneError, load_scene

STEEL = forces.Material(young=210e9, poisson=0.3)


class OwnGonthier(forces.NormalLaw):
    """Gonthier's law, written as a user would."""

    class Kernel(typing.NamedTuple):
        stiffness: float
        factor: float

        def force(self, depth, rate, impact_speed):
            return self.stiffness * depth * depth**0.5 * (1.0 + self.factor / max(impact_speed, 1e-3) * rate)

        def energy(self, depth):
            return self.stiffness * depth * depth**0.5 * depth / 2.5


class OnHertz(forces.NormalLaw):
    """A damper on a law that is given, with an array."""

    class Kernel(typing.NamedTuple):
        base: typing.Any
        factors: np.ndarray

        def force(self, depth, rate, k1, k2):
            elastic = forces.respond(self.base, depth, 0.0, 1.0, k1, k2)[1]
            return elastic * (1.0 + self.factors[0] * rate + self.factors[1] * rate**3)

        def energy(self, depth, k1, k2):
            return forces.respond(self.base, depth, 0.0, 1.0, k1, k2)[2]


class OwnTanh(forces.FrictionLaw):
    class Kernel(typing.NamedTuple):
        coefficient: float
        speed: float

        def force(self, load, slip):
            v = (slip[0] ** 2 + slip[1] ** 2 + slip[2] ** 2) ** 0.5
            k = -self.coefficient * load / self.speed
            if v > 1e-9 * self.speed:
                k = -self.coefficient * load * np.tanh(v / self.speed) / v
            return (k * slip[0], k * slip[1], k * slip[2])


class OwnBristle(forces.FrictionLaw):
    """A spring that is cut at the limit, with the gradient of its energy by differences."""

    class Kernel(typing.NamedTuple):
        coefficient: float
        stiffness: float

        def force(self, load, slip, stretch):
            z = (stretch[0] ** 2 + stretch[1] ** 2 + stretch[2] ** 2) ** 0.5
            k = -min(self.stiffness, self.coefficient * load / max(z, 1e-300))
            rate = slip
            if self.stiffness * z >= self.coefficient * load and z > 0.0:
                along = (slip[0] * stretch[0] + slip[1] * stretch[1] + slip[2] * stretch[2]) / z**2
                along = max(along, 0.0)
                rate = (slip[0] - along * stretch[0], slip[1] - along * stretch[1], slip[2] - along * stretch[2])
            return (k * stretch[0], k * stretch[1], k * stretch[2]), rate

        def stretch_after(self, load, slip, stretch, dt):
            x, y, z = stretch[0] + dt * slip[0], stretch[1] + dt * slip[1], stretch[2] + dt * slip[2]
            s = min(1.0, self.coefficient * load / max(self.stiffness * (x * x + y * y + z * z) ** 0.5, 1e-300))
            return (s * x, s * y, s * z)

        def energy(self, stretch):
            return 0.5 * self.stiffness * (stretch[0] ** 2 + stretch[1] ** 2 + stretch[2] ** 2)


GIVEN = forces.Gonthier(stiffness=1e6, restitution=0.6)
OWN = OwnGonthier(stiffness=1e6, factor=GIVEN.factor)


def built_in(kind):
    """A law of every class that a scene file can name."""
    needed = {"restitution": 0.6, "coefficient": 0.3, "speed": 0.02, "static": 0.4, "dynamic": 0.3, "peak_speed": 0.01}
    names = inspect.signature(kind).parameters
    values = {name: value for name, value in needed.items() if name in names}
    if issubclass(kind, forces.NormalLaw):
        values["stiffness"] = 1e6
    elif "stiffness" in names:
        values["stiffness"] = 2e4
    return kind(**values)


def ball_on_plane(normal, friction=None):
    ground, ball = tg.HalfSpace([0, 0, 1]), tg.Ellipsoid([0.12, 0.1, 0.08])
    bodies = [Body("ground", ground), Body("ball", ball, (None, [0, 0, 0.1]), density=800.0, velocity=[0.3, 0, -1.0])]
    return World(bodies, interaction=Interaction(normal, friction or forces.Frictionless()))


@pytest.mark.parametrize("law", [*NORMAL.values(), *FRICTION.values()], ids=lambda law: law.__name__)
def test_all_laws_of_the_registry_pass_the_check(law):
    report = forces.check(built_in(law))
    assert report.ok, str(report)


def test_own_laws_pass_the_check_and_agree_with_their_twins():
    laws = [
        OWN,
        OnHertz(base=forces.Hertz(materials=STEEL), factors=[0.3, 0.1]),
        OwnTanh(coefficient=0.3, speed=0.1),
        OwnBristle(coefficient=0.3, stiffness=1e4),
    ]
    for law in laws:
        report = forces.check(law, strict=True)
        assert report.ok
    rng = np.random.default_rng(0)
    depth, rate, impact = rng.normal(size=(3, 200)) * [[1e-4], [1.0], [0.1]]
    assert OWN.force(depth, rate, abs(impact)) == pytest.approx(GIVEN.force(depth, rate, abs(impact)), rel=1e-14)
    assert OWN.elastic_energy(depth) == pytest.approx(GIVEN.elastic_energy(depth), rel=1e-14)
    assert OWN.restitution_at(1.0, mass=0.3) == pytest.approx(GIVEN.restitution_at(1.0), rel=1e-6)
    nested = OnHertz(base=forces.Hertz(materials=STEEL), factors=[0.0, 0.0])
    k = 10.0 ** rng.uniform(-1, 2, (200, 2))
    assert (nested.force(depth, 0.0, None, k) == forces.Hertz(materials=STEEL).force(depth, 0.0, None, k)).all()


@pytest.mark.parametrize("mode", ["fast", "accurate"])
def test_the_twin_of_a_built_in_law_moves_a_body_the_same_way(mode):
    options = {"step": 1e-4} if mode == "fast" else {}
    tanh = {"coefficient": 0.3, "speed": 0.02}
    runs = [
        simulate(ball_on_plane(*laws), 0.2, mode, output_interval=0.02, **options)
        for laws in ((GIVEN, forces.Tanh(**tanh)), (OWN, OwnTanh(**tanh)))
    ]
    assert len(runs[0].impacts.time)
    assert runs[1].position == pytest.approx(runs[0].position, abs=1e-9)
    assert runs[1].quaternion == pytest.approx(runs[0].quaternion, abs=1e-7)


@pytest.mark.parametrize("mode", ["fast", "accurate"])
def test_a_friction_with_a_state_sticks(mode):
    """A block on a slope below the angle of friction stays; its energy balances in the accurate mode."""
    slope = np.tan(0.2)
    down = 9.81 * np.array([np.sin(0.2), 0.0, -np.cos(0.2)])
    ball = Body("ball", tg.Ellipsoid([0.1, 0.1, 0.02]), (None, [0, 0, 0.0199]), density=500.0)
    law = Interaction(
        forces.HuntCrossley(stiffness=1e6, damping=2.0), OwnBristle(coefficient=3.0 * slope, stiffness=2e4)
    )
    world = World([Body("ground", tg.HalfSpace([0, 0, 1])), ball], gravity=down, interaction=law)
    options = {"step": 1e-4} if mode == "fast" else {}
    run = simulate(world, 0.05, mode, output_interval=0.01, **options)
    free = 0.5 * 9.81 * np.sin(0.2) * 0.05**2
    assert 0.0 < run.position[-1, 1, 0] < 0.2 * free


def test_own_laws_in_on_in_compiled_loops_in_cams_and_pickles(tmp_path):
    c = tg.contact(tg.Sphere(0.1), tg.HalfSpace([0, 0, 1]), (None, [0, 0, 0.0999]))
    slide = ([0.1, 0.0, -0.2], [0.0, 0.0, 0.0])
    pairs = [(GIVEN, forces.Tanh(coefficient=0.3, speed=0.1)), (OWN, OwnTanh(coefficient=0.3, speed=0.1))]
    found = [forces.on(c, slide, normal=n, friction=f, impact_speed=0.3).force_a for n, f in pairs]
    assert found[1] == pytest.approx(found[0], rel=1e-13)
    call = forces.normal_force

    @numba.njit
    def one(address, row):
        return call(address, row, 1e-4, 0.1, 0.2, 1.0, 1.0)

    assert one(OWN.address, OWN.row) == OWN.force(1e-4, 0.1, 0.2)
    for law in (OWN, OnHertz(base=GIVEN, factors=[1.0, 2.0]), OwnBristle(coefficient=0.3, stiffness=1e4)):
        again = pickle.loads(pickle.dumps(law))
        assert again == law
        assert repr(again) == repr(law)
        assert again.address == law.address
    cams = [planar.CamTappet(normal_law=n, friction_law=f, speed=60.0) for n, f in pairs]
    runs = [planar.run_cam(cam, 0.2) for cam in cams]
    assert runs[1].distance == pytest.approx(runs[0].distance, rel=1e-7)


def test_scene_files_name_own_laws(tmp_path):
    text = """
[[body]]
name = "ground"
shape = "half_space"
normal = [0, 0, 1]

[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [0, 0, 0.3]
density = 500

[simulation]
duration = 0.1

[simulation.normal]
law = "own_gonthier"
stiffness = 1e6
factor = 0.7

[simulation.friction]
law = "own_tanh"
coefficient = 0.3
speed = 0.1
"""
    path = tmp_path / "scene.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        SceneError, match=r"unknown law 'own_gonthier'.*simulate --import my_laws\.py, or forces\.register"
    ):
        world_of(load_scene(path))
    try:
        forces.register("own_gonthier", OwnGonthier)
        forces.register("own_tanh", OwnTanh)
        made = world_of(load_scene(path)).interaction
        assert made.normal == OwnGonthier(stiffness=1e6, factor=0.7)
        assert made.friction == OwnTanh(coefficient=0.3, speed=0.1)
        path.write_text(text.replace("factor =", "faktor ="), encoding="utf-8")
        with pytest.raises(SceneError, match="unknown key 'faktor'"):
            world_of(load_scene(path))
    finally:
        NORMAL.pop("own_gonthier", None)
        FRICTION.pop("own_tanh", None)
    for name, law in (("hertz", OwnGonthier), ("Own law", OwnGonthier)):
        with pytest.raises(ValueError, match="name must"):
            forces.register(name, law)
    with pytest.raises(TypeError, match="law must be a class"):
        forces.register("mine", OWN)


def test_a_checkpoint_of_other_formulas_is_not_resumed(tmp_path):
    class Softer(forces.NormalLaw):
        class Kernel(typing.NamedTuple):
            stiffness: float
            factor: float

            def force(self, depth, rate):
                return self.stiffness * depth * (1.0 + self.factor * rate)

            def energy(self, depth):
                return self.stiffness * depth**2 / 2.0

    options = {"mode": "fast", "step": 1e-4, "output_interval": 0.01}
    path = tmp_path / "run.npz"
    simulate(ball_on_plane(OWN), 0.02, checkpoint=path, **options)
    again = simulate(ball_on_plane(OWN), 0.04, checkpoint=path, resume=True, **options)
    assert again.time[-1] == pytest.approx(0.04)
    other = Softer(stiffness=OWN.stiffness, factor=OWN.factor)
    with pytest.raises(ValueError, match=r"world|another|other"):
        simulate(ball_on_plane(other), 0.06, checkpoint=path, resume=True, **options)


def law_with(force=None, energy=None, base=forces.NormalLaw, **more):
    """A law with these formulas."""

    class Kernel(typing.NamedTuple):
        k: float

    for name, formula in {"force": force, "energy": energy, **more}.items():
        if formula is not None:
            setattr(Kernel, name, formula)
    return type("Made", (base,), {"Kernel": Kernel})


def elastic(self, depth):
    return 0.5 * self.k * depth**2


WRONG = {
    "the derivative of energy": lambda: law_with(
        lambda self, depth: self.k * depth, lambda self, depth: self.k * depth**2
    ),
    "not pull while the bodies approach": lambda: law_with(lambda self, depth, rate: self.k * (depth - rate), elastic),
    "the force at rest must not pull": lambda: law_with(lambda self, depth: self.k * (depth - 1e-5), elastic),
    "damping must act against": lambda: law_with(lambda self, depth, rate: self.k * depth * (1 - 0.1 * rate), elastic),
    "give \\[": lambda: law_with(
        lambda self, depth, rate, impact_speed: self.k * depth * (1 + rate / impact_speed), elastic
    ),
}


@cache
def wrong(message):
    """The class of a wrong law: several tests share it, and its formulas are compiled once."""
    return WRONG[message]()


@cache
def deep():
    """A law that fails at a depth of 2 mm."""
    return law_with(lambda self, depth: self.k * depth if depth < 2e-3 else self.k * (depth - 1.0) ** 0.5, elastic)


@pytest.mark.parametrize("message", WRONG)
def test_the_check_names_what_is_wrong(message):
    law = wrong(message)(k=1e6)
    report = forces.check(law)
    assert not report
    assert any(re.search(message, problem) for problem in report.problems), str(report)
    with pytest.raises(forces.LawError):
        forces.check(law, strict=True)


@pytest.mark.parametrize("mode", ["fast", "accurate"])
def test_formulas_that_fail_end_a_run_with_a_sentence(mode):
    at_rest = wrong("give \\[")
    with pytest.raises(ValueError, match="'ground' and 'ball': the formulas of Made give"):
        simulate(ball_on_plane(at_rest(k=1e6)), 0.1, mode)
    with pytest.raises(RuntimeError):
        simulate(ball_on_plane(deep()(k=1e5)), 0.1, mode)


class Taken(typing.NamedTuple):
    row: float


def with_slip(self, load, slip):
    return (self.k * slip[0], self.k * slip[1], self.k * slip[2])


def test_friction_that_drives_is_named():
    assert "oppose the slip" in str(forces.check(law_with(with_slip, base=forces.FrictionLaw)(k=1.0)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: law_with(lambda self, depth: depth), "needs a method energy.*any of depth, k1 and k2:"),
        (lambda: law_with(None, elastic), "needs a method force"),
        (lambda: law_with(lambda self, deep: deep, elastic), "must take self and any of depth, rate"),
        (lambda: law_with(lambda self, depth: depth, lambda self, rate: rate), "any of depth, k1, k2"),
        (lambda: law_with(lambda self, load, slip, stretch: (slip, slip), base=forces.FrictionLaw), "stretch_after"),
        (lambda: law_with(lambda self, depth: depth, elastic, base=forces.Hertz), "derive it from NormalLaw"),
        (lambda: law_with(lambda self, depth: depth, elastic)(), "takes k; got nothing"),
        (lambda: law_with(lambda self, depth: undefined(depth), elastic)(k=1.0).force(1.0), "could not be compiled"),  # noqa: F821
        (lambda: type("Made", (forces.NormalLaw,), {"Kernel": 3}), "must be a typing.NamedTuple"),
        (lambda: forces.NormalLaw(), "needs a nested class Kernel"),
        (lambda: type("Made", (OwnGonthier,), {"force": lambda self, depth: 0.0}), "overrides 'force'"),
        (lambda: type("Made", (forces.Flores,), {"needs_curvature": True}), "overrides 'needs_curvature'"),
        (lambda: planar.CamTappet(normal_law=1.0), "normal_law must be a NormalLaw"),
        (lambda: planar.CamTappet(normal_law=OWN, restitution=0.5), "restitution must not be given with normal_law"),
        (lambda: planar.CamTappet(friction_law=forces.Bristle(static=1, stiffness=1)), "must have no state"),
        (lambda: type("Made", (OwnGonthier,), {"kernel": None}), "overrides 'kernel'"),
        (lambda: type("Made", (forces.NormalLaw,), {"Kernel": Taken}), "must not have a field 'row'"),
        (
            lambda: Interaction(type("Made", (OwnGonthier,), {"radius_limits": (1, 2)})(stiffness=1, factor=1)),
            "not be used",
        ),
        (lambda: forces.check(3), "law must be a NormalLaw"),
    ],
)
def test_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_laws_do_not_change():
    with pytest.raises(AttributeError, match="cannot be changed"):
        OWN.stiffness = 1.0
    assert hash(OWN) == hash(OwnGonthier(stiffness=1e6, factor=GIVEN.factor))
    assert OwnGonthier(stiffness=2e6, factor=GIVEN.factor) != OWN


@pytest.mark.parametrize("message", ["the derivative of energy", "damping must act against"])
@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_laws_that_create_energy_are_refused_before_a_run(message, mode):
    with pytest.raises(forces.LawError, match=f"bodies 'ground' and 'ball': the law Made is wrong: {message}"):
        simulate(ball_on_plane(wrong(message)(k=1e6)), 0.1, mode)


def test_built_in_laws_with_a_factor_of_ones_own_are_tested_too():
    class Kicking(forces.Flores):
        factor = -0.5

    with pytest.raises(forces.LawError, match="the law Kicking is wrong"):
        Interaction(Kicking(stiffness=1e6, restitution=0.5)).entry(None, None)


def test_laws_that_hold_for_small_depths_are_allowed():
    """A barrier: infinitely stiff at a tenth of a millimetre, meaningless beyond."""

    class Barrier(forces.NormalLaw):
        class Kernel(typing.NamedTuple):
            k: float
            limit: float

            def force(self, depth):
                return self.k * depth / (1.0 - depth / self.limit) ** 2

            def energy(self, depth):
                q = 1.0 - depth / self.limit
                return self.k * self.limit**2 * (math.log(abs(q)) + 1.0 / q - 1.0)

    law = Barrier(k=1e6, limit=1.1e-4)
    assert not forces.check(law)
    Interaction(law).entry(None, None)


def test_random_laws_are_refused_if_and_only_if_their_energy_is_wrong():
    class Law(forces.NormalLaw):
        class Kernel(typing.NamedTuple):
            k: float
            n: float
            c: float
            part: float

            def force(self, depth, rate):
                return self.k * depth**self.n * (1.0 + self.c * rate)

            def energy(self, depth):
                return self.part * self.k * depth ** (self.n + 1.0) / (self.n + 1.0)

    rng = np.random.default_rng(11)
    for _ in range(12):
        n, c, error = rng.uniform(1.0, 3.0), rng.uniform(0.0, 2.0), rng.choice([0.0, 0.0, 1e-3, 0.3, -0.5])
        interaction = Interaction(Law(k=10.0 ** rng.uniform(2, 9), n=n, c=c, part=1.0 + error))
        if error:
            with pytest.raises(forces.LawError, match="derivative of energy"):
                interaction.entry(None, None)
        else:
            interaction.entry(None, None)
