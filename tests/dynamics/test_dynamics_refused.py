"""What a simulation is told is done or refused, and a run says where it left the range of its laws."""

import inspect
import types
import typing
import warnings
from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from run_warnings import said_by
from scene_files import scene_file
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import (
    Body,
    Cavity,
    Interaction,
    Load,
    Motion,
    Spring,
    World,
    simulate,
)
from tangency.scene import SceneError

ROOT = Path(__file__).parents[2]
SPHERE = tg.Sphere(0.1)
HERTZ = forces.Hertz(stiffness=1e6)
LAWS = {
    "normal": [HERTZ, forces.KelvinVoigt(stiffness=1e5), forces.Flores(stiffness=1e6, restitution=0.5)],
    "friction": [forces.Tanh(coefficient=0.3, speed=0.1), forces.Bristle(static=0.3, stiffness=1e4)],
    "rolling": [forces.Rolling(rolling=0.1)],
}


def derived(law, **changed):
    """The same law of a class that overrides something."""
    kind = type("Own", (type(law),), changed)
    made = object.__new__(kind)
    made.__dict__.update(law.__dict__)
    return made


@pytest.mark.parametrize("part", LAWS)
def test_laws_that_override_a_method_are_refused(part):
    for law in LAWS[part]:
        members = inspect.getmembers(type(law), lambda value: isinstance(value, types.FunctionType | property))
        public = {name for name, _ in members if not name.startswith("_")}
        for name in public - {"restitution_at", "from_restitution", "factor"}:
            with pytest.raises(TypeError, match=f"Own overrides '{name}'"):
                Interaction(**({"normal": HERTZ} | {part: derived(law, **{name: lambda self, *args: 0.0})}))
        Interaction(**({"normal": HERTZ} | {part: derived(law, note="mine")}))  # nothing overridden


def test_laws_made_of_materials_and_parameters_of_derived_laws():
    changed = forces.Hertz(stiffness=1e6)
    changed.__dict__["force"] = lambda *args: 0.0
    with pytest.raises(TypeError, match="its attribute 'force' was replaced"):
        Interaction(lambda a, b: changed).entry(None, None)
    base = forces.Flores(stiffness=1e6, restitution=0.5)
    stronger = derived(base, factor=property(lambda self: 9.0))
    assert 9.0 in Interaction(stronger).entry(None, None).numbers  # used, therefore allowed


class Box2(Body):
    def motion(self, t):
        return Motion((None, [0, 0, t]))


class Steel(Body):
    density = 7800.0


def formula(name):
    def make():
        class Kernel(typing.NamedTuple):
            r: float

            def point(self, n):
                return (self.r * n[0], self.r * n[1], self.r * n[2])

        return type("Own", (tg.Shape,), {"Kernel": Kernel, name: lambda self, n: 0.0})

    return make


BALLS = [Body("a", SPHERE, fixed=True), Body("b", SPHERE), Body("c", SPHERE)]
PLANES = [Body("p", tg.HalfSpace([0, 0, 1])), Body("q", tg.HalfSpace([1, 0, 0]))]
LAW = Interaction(HERTZ)
DRIVEN = Body("d", SPHERE, motion=lambda t: Motion((None, [0, 0, t])))
STEEL = forces.Material(210e9, 0.3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: World([Box2("b", SPHERE)]), "body 'b': Box2 overrides 'motion'"),
        (lambda: World([Steel("b", SPHERE)]), "body 'b': Steel overrides 'density'"),
        (lambda: type("Deeper", (Cavity,), {"is_round": False}), r"Deeper overrides is_round\(\)"),
        *((formula(name), rf"Own overrides {name}\(\)") for name in ("support", "point", "jet")),
        (lambda: World(BALLS, pairs=[("a", "b"), ("b", "a")]), r"pairs must contain each pair once, got \('b', 'a'\)"),
        (lambda: World(BALLS, pairs=[("a", "x")]), "pairs must name bodies of the world, got 'x'"),
        (lambda: World(BALLS, pairs=[("a", "b")], interactions={("b", "c"): LAW}), "only pairs listed in pairs"),
        (lambda: World(BALLS, interactions={("a", "b"): LAW, ("b", "a"): None}), "in both orders"),
        (lambda: World([*BALLS, Body("n", [], mass=1, inertia=[1, 1, 1])], pairs=[("a", "n")]), "'n', which has none"),
        (
            lambda: World([Body("b", SPHERE, material=STEEL)], interaction=LAW),
            "material must not be given for body 'b'",
        ),
        (lambda: forces.Hertz(stiffness=1.0, form="mean"), "form must not be given with stiffness"),
        (lambda: forces.Hertz(stiffness=1.0, radius_limits=(1, 2)), "radius_limits must not be given with stiffness"),
        (lambda: forces.HuntCrossley(stiffness=1.0, damping=1.0, slowest_impact=1.0), "slowest_impact must not be"),
        (lambda: World(PLANES, pairs=[("p", "q")]), "two half-spaces or cavities"),
        (lambda: Body("b", SPHERE, (None, [0, 0, 1]), motion=lambda t: Motion(None)), "pose must not be given"),
        (lambda: Body("b", SPHERE, velocity=[0, 0, 1], motion=lambda t: Motion(None)), "velocity must not be given"),
        (lambda: Body("b", SPHERE, velocity=[0, 0, 1e300]), "velocity must keep all points .* the speed of light"),
        (lambda: Body("b", SPHERE, angular_velocity=[0, 1e10, 0]), "angular_velocity must keep all points"),
        (lambda: Body("b", SPHERE, fixed=True, inertia=[1, 1, 9]), "inertia must be physical"),
        (lambda: World(BALLS, loads=[Load("a", lambda t, s: [0, 0, 0])]), "got 'a', which is fixed"),
        (lambda: World([DRIVEN], loads=[Load("d", lambda t, s: [0, 0, 0])]), "'d', which has a prescribed motion"),
        (lambda: World(BALLS, springs=[Spring("a", stiffness=1.0)]), "springs must have an end on a body"),
        (lambda: World([*BALLS, *PLANES], springs=[Spring("p", "a", stiffness=1.0)]), "got p and a"),
        (lambda: Spring("a"), "stiffness or damping must be > 0"),
        (lambda: Spring("a", damping=1.0, length=2.0), "length must not be given without a stiffness"),
        (lambda: simulate(World([BALLS[1]]), 1.0, rtol=10), "rtol must lie between"),
        (lambda: simulate(World([BALLS[1]]), 1.0, atol=10), "atol must lie between"),
        (lambda: simulate(World([Body("b", SPHERE, angular_velocity=[2e9, 0, 0])]), 1.0, "fast"), "step must be given"),
    ],
)
def test_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


GIVEN = {"method": "RK45", "rtol": 1e-6, "atol": 1e-6, "max_step": 0.1, "step": 0.1, "skin": 0.1}


@pytest.mark.parametrize("name", GIVEN)
def test_options_of_the_other_mode(name, tmp_path, capsys):
    mode, other = ("fast", "accurate") if name in ("method", "rtol", "atol", "max_step") else ("accurate", "fast")
    with pytest.raises(ValueError, match=f"{name} must not be given in mode '{mode}', only in '{other}'"):
        simulate(World([Body("a", SPHERE)]), 1.0, mode, **{name: GIVEN[name]})
    value = f'"{GIVEN[name]}"' if name == "method" else GIVEN[name]
    scene = scene_file(tmp_path / "scene.toml", f"{name} = {value}")
    assert main(["simulate", scene, "--out", str(tmp_path), "--mode", mode]) == 2
    assert f"{name} must not be given in mode" in capsys.readouterr().err


def test_steps_are_as_asked():
    rng = np.random.default_rng(2)
    ball = World([Body("a", SPHERE)])
    for _ in range(30):
        step, count = 10.0 ** rng.uniform(-2, 0), int(rng.integers(1, 400))
        run = simulate(ball, count * step, "fast", step=step)
        assert run.info["step"] == pytest.approx(step, rel=1e-12)
        assert run.info["steps"] == count == run.info["steps_per_frame"] * (len(run) - 1)
    assert len(simulate(ball, 1.0, "fast", step=0.2)) == 6
    with pytest.raises(ValueError, match=r"output_interval must be a multiple of step, got 0.1 and 0.2"):
        simulate(ball, 1.0, "fast", step=0.2, output_interval=0.1)
    with pytest.raises(ValueError, match=r"duration must be a multiple of step, got 1 and 0.3; step=0.25 would fit"):
        simulate(ball, 1.0, "fast", step=0.3)


def test_friction_without_a_normal_law(tmp_path):
    from tangency.dynamics import world_of
    from tangency.scene import load_scene

    path = tmp_path / "scene.toml"
    scene = scene_file(path, '[simulation.friction]\nlaw = "none"')
    path.write_text(path.read_text().partition("[simulation.normal]")[0])
    with pytest.raises(SceneError, match=r"\[simulation.friction\]: needs a table \[simulation.normal\]"):
        world_of(load_scene(scene))


def drop(shape, law, size=0.1, **options):
    ball = Body("ball", shape, (None, [0, 0, 1.05 * size]), velocity=[0, 0, -1.0])
    world = World([Body("ground", tg.HalfSpace([0, 0, 1])), ball], interaction=Interaction(law), gravity=[0, 0, 0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = simulate(world, 0.2, "fast", **options)
    assert [str(w.message) for w in caught] == run.info["warnings"]
    assert all(w.category is RuntimeWarning for w in caught)
    return run.info["warnings"]


def test_a_run_says_where_it_leaves_the_range_of_its_laws():
    assert drop(SPHERE, forces.Hertz(stiffness=1e7), step=1e-4) == []
    (deep,) = drop(SPHERE, forces.Hertz(stiffness=1e3), step=1e-4)
    assert "'ground' and 'ball' overlapped" in deep
    assert "half widths of the smaller one" in deep
    rubber, steel = (forces.Hertz(materials=forces.Material(young, 0.3)) for young in (3e4, 2e11))
    assert any("contact ellipse of 'ground' and 'ball'" in text for text in drop(SPHERE, rubber, step=1e-4))
    assert drop(SPHERE, steel, step=1e-6, output_interval=0.1) == []


def test_a_scene_in_millimetres(tmp_path, capsys):
    scene = scene_file(tmp_path / "scene.toml", 'mode = "fast"\nstep = 0.1', radius=100)
    assert main(["simulate", scene, "--out", str(tmp_path)]) == 3
    assert "warning: the smallest free body has a radius of 100 m" in capsys.readouterr().out
    with pytest.warns(RuntimeWarning, match="gravity is 9810"):
        simulate(World([Body("a", SPHERE)], gravity=[0, 0, -9810]), 1.0, "fast", step=0.1)


def test_flags_are_flags_and_masses_are_checked():
    with pytest.raises(TypeError, match="fixed must be True, False or None, got 'no'"):
        Body("b", tg.Sphere(1.0), fixed="no")
    with pytest.raises(ValueError, match="mass must be > 0"):
        Body("b", tg.Sphere(1.0), fixed=True, mass=-1)


def test_a_body_buried_in_another_at_the_start_is_refused():
    law = Interaction(forces.Flores(stiffness=1e6, restitution=0.8))
    bodies = [Body("ground", tg.HalfSpace([0, 0, 1])), Body("ball", tg.Sphere(0.1), (None, [0, 0, -1]))]
    with pytest.raises(ValueError, match=r"'ground' and 'ball' overlap by 1\.1 m at the start"):
        simulate(World(bodies, interaction=law), 0.2)


def test_a_spin_that_steps_do_not_follow_is_named():
    rng = np.random.default_rng(7)
    for turn in (0.1, 0.45, 0.55, 3.0):
        spin = rng.normal(size=3)
        spin *= turn / 0.01 / np.linalg.norm(spin)
        said = said_by(World([Body("b", SPHERE, angular_velocity=spin)], gravity=[0, 0, 0]), 0.1, step=0.01)
        assert [text.partition(" up to ")[0] for text in said] == (["a body turned by"] if turn > 0.5 else [])


@pytest.mark.parametrize("kind", ["contact", "spring"])
def test_the_suggested_step_knows_the_energy_of_the_start(kind):
    """Two balls at rest that fly apart or together: no energy is gained, and the contact is resolved."""
    rng = np.random.default_rng(8)
    for _ in range(4):
        apart = 0.2 - 10.0 ** rng.uniform(-3, -2) if kind == "contact" else 0.3
        springs = [Spring("a", "b", stiffness=10.0 ** rng.uniform(3, 5), length=0.05)] if kind == "spring" else []
        bodies = [Body("a", SPHERE), Body("b", SPHERE, (None, [apart, 0, 0]))]
        law = Interaction(forces.Hertz(stiffness=1e8))
        world = World(bodies, gravity=[0, 0, 0], interaction=law, springs=springs)
        run = simulate(world, 0.02, "fast")
        top = run.energy["elastic"][0] + run.energy["springs"][0]
        assert np.abs(run.energy["dissipated"]).max() < 2e-3 * top
        assert run.info["warnings"] == []


def floor_and_ball(law=HERTZ, **options):
    named = {name: options.pop(name) for name in ("gravity", "springs", "loads") if name in options}
    bodies = [Body("ground", tg.HalfSpace([0, 0, 1])), Body("ball", SPHERE, (None, [0, 0, 0.15]), **options)]
    return World(bodies, interaction=Interaction(law), **named)


HUGE = {
    "mass must be between": lambda x: floor_and_ball(mass=x),
    "density must be between": lambda x: floor_and_ball(density=x),
    "principal moments of inertia must be between": lambda x: floor_and_ball(mass=1.0, inertia=[x] * 3),
    "velocity must keep all points": lambda x: floor_and_ball(velocity=[x, 0, 0]),
    "gravity must be at most": lambda x: floor_and_ball(gravity=[0, 0, -x]),
    "stiffness of Hertz must be at most": lambda x: floor_and_ball(forces.Hertz(stiffness=x)),
    "damping of KelvinVoigt must be at most": lambda x: floor_and_ball(forces.KelvinVoigt(stiffness=1.0, damping=x)),
    "stiffness must be at most": lambda x: floor_and_ball(springs=[Spring("ball", stiffness=x)]),
    "damping must be at most": lambda x: floor_and_ball(springs=[Spring("ball", damping=x)]),
    "the load on body 'ball' must be at most": lambda x: floor_and_ball(loads=[Load("ball", lambda t, s: [x, 0, 0])]),
}


@pytest.mark.parametrize("mode", ["accurate", "fast"])
@pytest.mark.parametrize("said", HUGE)
def test_numbers_beyond_any_physics_are_refused(said, mode):
    with pytest.raises(ValueError, match=said):
        simulate(HUGE[said](1e300), 0.01, mode)


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_tiny_numbers_are_refused_or_used(mode):
    for said in ("mass must be between", "density must be between", "principal moments of inertia must be between"):
        with pytest.raises(ValueError, match=said):
            HUGE[said](1e-300)
    for world in (floor_and_ball(velocity=[0, 0, -1e-300]), floor_and_ball(gravity=[0, 0, -1e-300])):
        assert np.isfinite(simulate(world, 0.01, mode).position).all()
    with pytest.raises(ValueError, match="duration must be at most 1e"):
        simulate(floor_and_ball(), 1e300, mode)
    assert np.isfinite(simulate(floor_and_ball(), 1e-300, mode).position).all()


def test_densities_in_another_unit_are_questioned():
    with pytest.warns(RuntimeWarning, match="'ball' has a density of 7.8 kg/m.3, .* is it in g/cm.3"):
        simulate(floor_and_ball(density=7.8), 0.01)


def test_a_damper_too_stiff_for_the_method_ends_the_run():
    world = floor_and_ball(springs=[Spring("ball", damping=1e12)])
    with pytest.raises(RuntimeError, match=r"steps advance by only .* s at t = .* use the method 'Radau'"):
        simulate(world, 10.0)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("sphere", "shape must be a Shape, got 'sphere'"),
        (tg.Sphere, "shape must be a Shape, got the class Sphere: call it with its parameters"),
        ([SPHERE, tg.Box], r"shape\[1\] must be a Shape.*got the class Box: call it"),
    ],
)
def test_shapes_of_a_body(shape, message):
    with pytest.raises(TypeError, match=f"body 'b': {message}"):
        Body("b", shape)


@pytest.mark.parametrize(
    ("mode", "given", "said"),
    [
        ("accurate", {"output_interval": 1e-12}, "output_interval .* at most 1e.08 frames, got 1e-12: 1e.12 frames"),
        ("fast", {"output_interval": 1e-12}, "output_interval .* at most 1e.08 frames, got 1e-12: 1e.12 frames"),
        ("fast", {"step": 1e-15}, "step .* at most 1e.10 steps, got 1e-15: 1e.15 steps"),
        ("fast", {"step": 1e-15, "output_interval": 0.1}, "step .* at most 1e.10 steps, got 1e-15: 1e.15 steps"),
        ("accurate", {"max_step": 1e-11}, "max_step .* at most 1e.10 steps, got 1e-11: 1e.11 steps"),
        ("accurate", {"max_step": 5e-324}, "max_step .* more than 1e.300 steps"),
    ],
)
def test_counts_that_no_run_could_finish_are_refused(mode, given, said):
    world = World([Body("ball", SPHERE)])
    with pytest.raises(ValueError, match=f"^{said}$".replace("more", ".*more")):
        simulate(world, 1.0, mode, **given)


def test_formulas_outside_the_kernel_of_a_law_are_refused():
    for name in ("energy", "power", "response"):
        with pytest.raises(TypeError, match=f"Own defines '{name}', which contacts would not use"):
            type("Own", (forces.Hertz,), {name: lambda self, depth: 0.0})


@pytest.mark.parametrize("answer", [[1j, 0, 0], ([0, 0, 0], [0, 1j, 0]), "up", [1, [2], 3], None, [0, 0, np.nan]])
def test_a_load_that_returns_no_real_vector_is_refused_with_its_body(answer):
    with pytest.raises(ValueError, match="the load on body 'ball' must return three finite numbers"):
        Load("ball", lambda t, state: answer)(0.0, None)


def test_a_density_of_walls_only_is_refused():
    for wall in (tg.HalfSpace([0, 0, 1]), Cavity(tg.Sphere(2.0)), [Cavity(tg.Sphere(2.0)), tg.HalfSpace([0, 0, 1])]):
        with pytest.raises(ValueError, match="body 'wall': density must not be given for a body of half-spaces"):
            Body("wall", wall, density=7800)
    assert Body("tub", [tg.HalfSpace([0, 0, 1]), SPHERE], density=7800, fixed=True).fixed
