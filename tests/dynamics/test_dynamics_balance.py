"""Energy through impacts: stiff ones, many at once, grazing ones; runs that gain energy; the impact log."""

import sys
import warnings
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import Body, Cavity, Group, Interaction, Load, World, load_trajectory, simulate
from tangency.dynamics.accurate import runner
from tangency.dynamics.accurate.stalling import Stalling
from tangency.dynamics.assembly import Assembly
from tangency.dynamics.initial_scene import scene_warnings

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.impacts import outcome, random_case, verdict

DEEP = 0.3  # expected depth, in sizes, from which bodies may pass through each other


def row_of_balls(places, speeds, radius=0.05, stiffness=1e9):
    bodies = [
        Body(f"ball {k}", tg.Sphere(radius), (None, [x, 0, 0]), density=1000, velocity=[v, 0, 0])
        for k, (x, v) in enumerate(zip(places, speeds))
    ]
    return World(bodies, gravity=[0, 0, 0], interaction=Interaction(forces.Hertz(stiffness=stiffness)))


@pytest.mark.parametrize("approach", [0.98, 1e-3])
def test_a_stiff_impact_keeps_the_energy(approach):
    """The contact takes 60 us, the flight a second."""
    half = 0.01 + 0.5 * approach
    run = simulate(row_of_balls([-half, half], [1, -1], 0.01), 2 * approach, output_interval=2 * approach)
    np.testing.assert_allclose(run.velocity[-1, :, 0], [-1, 1], rtol=1e-7)
    assert abs(run.energy["dissipated"][-1]) < 1e-7 * run.energy["kinetic"][0]
    assert run.info["warnings"] == []


def judged(method, cases, seed):
    """Verdicts of random impacts; those in which bodies pass through each other are left out."""
    kept = []
    k = 0
    while len(kept) < cases:
        case = random_case(np.random.default_rng([seed, k]))
        k += 1
        if case.deepest < DEEP:
            out = outcome(case, method)
            kept.append((verdict(case, out, 0.02 if method == "fast" else 1e-6), case.text, out))
    return [entry for entry in kept if entry[0] != "accurate"]


@pytest.mark.parametrize(("method", "cases"), [("DOP853", 6), ("RK45", 2), ("Radau", 1), ("BDF", 1), ("fast", 3)])
def test_random_impacts(method, cases):
    """Stiffness 1e4 to 1e12, speeds 1e-3 to 1e3 m/s, sizes 1e-4 to 10 m: energy, momentum and restitution."""
    assert judged(method, cases, 1) == []


@pytest.mark.full
@pytest.mark.parametrize("method", ["DOP853", "RK45", "Radau", "BDF", "fast"])
def test_many_random_impacts(method):
    assert judged(method, 60, 2) == []


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-6])
def test_balls_in_a_row(gap):
    """Newton's cradle: three balls that touch, or nearly, and a fourth that hits them."""
    places = np.array([-0.12, 0.0, 0.1 + gap, 0.2 + 2 * gap])
    run = simulate(row_of_balls(places, [1, 0, 0, 0]), 0.05, output_interval=0.05)
    v = run.velocity[-1, :, 0]
    assert v.sum() == pytest.approx(1.0, rel=1e-9)
    assert (v**2).sum() == pytest.approx(1.0, rel=1e-7)
    assert (np.diff(v) > 0).all()
    assert len(run.impacts) >= 3


def test_two_impacts_at_the_same_instant():
    run = simulate(row_of_balls([-0.3, 0.0, 0.3], [1, 0, -1]), 0.5, output_interval=0.5)
    np.testing.assert_allclose(run.velocity[-1, :, 0], [-1, 0, 1], atol=1e-7)
    np.testing.assert_allclose(run.impacts.time, [0.2, 0.2], rtol=1e-9)


@pytest.mark.parametrize("overlap", [1e-9, 1e-13, 0.0, -1e-9])
def test_grazing(overlap):
    """Past each other at 1 m/s; the closing speed is sqrt(4 r overlap) / (2 r)."""
    r = 0.1
    still = Body("still", tg.Sphere(r), (None, [0, 2 * r - overlap, 0]), density=1000)
    fast = Body("fast", tg.Sphere(r), (None, [-1, 0, 0]), density=1000, velocity=[1, 0, 0])
    law = Interaction(forces.Hertz(stiffness=1e9))
    run = simulate(World([fast, still], gravity=[0, 0, 0], interaction=law), 2.0, output_interval=2.0)
    assert run.energy["kinetic"][-1] == pytest.approx(run.energy["kinetic"][0], rel=1e-12)
    if overlap > 1e-12:
        assert run.impacts.speed == pytest.approx([sqrt(4 * r * overlap) / (2 * r)], rel=1e-4)
    if overlap < 0.0:
        assert len(run.impacts) == 0


def test_bodies_that_pass_through_each_other_are_not_passed_over():
    case = random_case(np.random.default_rng([0, 32]))
    assert case.deepest > 10.0
    out = outcome(case, "DOP853")
    assert "does not balance at t = " in out.said
    assert "'b0' and 'b1'" in out.said


def test_bodies_that_passed_through_each_other_are_apart():
    """Blunt along the axis, so that the normal of the impact stays a common normal however far they go."""
    case = random_case(np.random.default_rng([0, 32]))
    with pytest.warns(RuntimeWarning, match="'b0' and 'b1' overlapped by .* half widths"):
        run = simulate(case.world, 0.1, "fast")
    assert run.impacts.over.tolist() == [True]
    assert run.impacts.duration[0] < 0.04


@pytest.mark.parametrize(
    ("hollow", "head", "fits"),
    [
        (tg.Sphere(0.02), tg.Sphere(0.0205), False),
        (tg.Ellipsoid([0.03, 0.02, 0.025]), tg.Sphere(0.021), False),
        (tg.Sphere(0.02), tg.Ellipsoid([0.021, 0.01, 0.01]), False),
        (tg.Sphere(0.02), tg.Sphere(0.02), True),
        (tg.Ellipsoid([0.03, 0.02, 0.025]), tg.Ellipsoid([0.018, 0.028, 0.02]), True),
    ],
)
def test_a_head_wider_than_its_socket_is_named(hollow, head, fits):
    bodies = [Body("socket", Cavity(hollow)), Body("head", head, mass=0.1)]
    found = scene_warnings(Assembly(World(bodies, interaction=Interaction(forces.Hertz(stiffness=1e7)))))
    assert [sentence.partition(" and ")[0] for sentence in found] == (
        [] if fits else ["'head' is wider than the cavity of 'socket'"]
    )


@pytest.mark.parametrize(
    ("hollow", "head"),
    [
        (Cavity(tg.Sphere(0.1)), tg.Ellipsoid([0.11, 0.09, 0.09])),
        (Cavity(tg.Sphere(0.1)), tg.Sphere(0.12)),
        (Cavity(tg.Cylinder(0.1, 1.0), ends=False), tg.Sphere(0.12)),
    ],
)
def test_a_body_wider_than_its_cavity_is_refused_at_the_start(hollow, head):
    world = World([Body("socket", hollow), Body("head", head)], interaction=Interaction(forces.Hertz(stiffness=1e7)))
    with pytest.raises(ValueError, match="'head' is wider than the cavity of 'socket'"):
        simulate(world, 0.1)


@pytest.mark.parametrize("radius", [0.12, 0.101])
def test_a_jammed_body_is_given_up_with_a_sentence(monkeypatch, radius):
    """The deepest place jumps from one side to the other, and the steps shrink to nothing."""
    monkeypatch.setattr(runner, "misfits", lambda assembly: [])
    bodies = [Body("socket", Cavity(tg.Sphere(0.1))), Body("head", tg.Sphere(radius))]
    law = forces.HuntCrossley(stiffness=1e7, restitution=0.6)
    with pytest.raises(RuntimeError, match=r"t = .* s, contact of 'socket' and 'head'"):
        simulate(World(bodies, interaction=Interaction(law)), 1.0)


def test_a_box_whose_corners_do_not_fit_is_given_up_with_a_sentence():
    bodies = [Body("socket", Cavity(tg.Sphere(0.15))), Body("head", tg.Box([0.1, 0.1, 0.1]))]
    with pytest.raises(RuntimeError, match=r"t = .* s, contact of 'socket' and 'head'"):
        simulate(World(bodies, interaction=Interaction(forces.Hertz(stiffness=1e7))), 1.0)


def test_runs_that_would_never_end_say_so():
    watch, lasts = Stalling(), 1e-3
    assert not any(watch.step(1e-5 * k, 1e-5, lasts, 1.0) for k in range(5000))  # a smooth contact
    assert not any(watch.step(1.0 + 1e-6 * k, 1e-6, np.inf, 1.0) for k in range(5000))  # an oscillator
    said = [watch.step(2.0 + 1e-10 * k, 1e-10, lasts, 1.0) for k in range(1100)]
    assert "250 steps" in next(filter(None, said)) or "steps advance by only" in next(filter(None, said))
    watch = Stalling()
    said = [watch.step(1e-12 * k, 1e-12, np.inf, 1.0) for k in range(1000)]
    assert "would take more than 1e+10 of them" in said[-1]


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_impact_log(mode, tmp_path):
    """A ball that falls, bounces twice, and is in the air at the end."""
    e, height, mass = 0.7, 0.2, 2.0
    law = forces.CarvalhoMartins(stiffness=1e8, restitution=e)
    ball = Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.1 + height]), mass=mass)
    world = World([Body("ground", tg.HalfSpace([0, 0, 1])), ball], interaction=Interaction(law))
    options = {"step": 2e-6} if mode == "fast" else {}
    run = simulate(world, 0.6, mode, output_interval=0.1, **options)
    fall, speed = sqrt(2 * height / 9.81), sqrt(2 * 9.81 * height)
    log = run.impacts
    tol = 1e-7 if mode == "accurate" else 1e-4
    assert len(log) == 2
    assert log.over.all()
    assert (log.time[0], log.speed[0]) == pytest.approx((fall, speed), rel=tol)
    # The weight acts in the contact, too: e is right to half a per cent.
    assert (log.time[1], log.speed[1]) == pytest.approx(((1 + 2 * e) * fall + log.duration[0], e * speed), rel=5e-3)
    assert log.impulse[0] == pytest.approx(mass * (speed + log.speed[1] + 9.81 * log.duration[0]), rel=max(tol, 1e-3))
    # From one impact to the next nothing else is lost.
    assert log.dissipated[0] == pytest.approx(0.5 * mass * (log.speed[0] ** 2 - log.speed[1] ** 2), rel=max(tol, 2e-6))
    assert log.dissipated.sum() == pytest.approx(run.energy["dissipated"][-1], rel=tol)
    assert len(log.between(run.number("ball"), run.number("ground"))) == 2
    run.save(tmp_path / "run.npz")
    back = load_trajectory(tmp_path / "run.npz").impacts
    assert back.time.tobytes() == log.time.tobytes()
    assert back.impulse.tobytes() == log.impulse.tobytes()


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_what_the_start_stores_is_no_gain(mode):
    """Two balls that overlap at the start fly apart with the elastic energy they had."""
    options = {"step": 2e-6} if mode == "fast" else {}
    run = simulate(row_of_balls([0.0, 0.0999], [0, 0]), 0.01, mode, **options)
    assert run.impacts.over.tolist() == [True]
    assert abs(run.impacts.dissipated[0]) < 1e-3 * run.energy["elastic"][0]
    assert run.info["warnings"] == []


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_the_log_of_a_resumed_run_is_whole(mode, tmp_path):
    law = Interaction(forces.Flores(stiffness=1e6, restitution=0.7))
    ball = Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.2]), mass=1.0)
    world = World([Body("ground", tg.HalfSpace([0, 0, 1])), ball], interaction=law)
    options = {"output_interval": 0.02, "checkpoint_every": 3, **({"step": 1e-4} if mode == "fast" else {})}
    whole = simulate(world, 0.6, mode, **options)
    simulate(world, 0.3, mode, checkpoint=tmp_path / "run.npz", **options)
    rest = simulate(world, 0.6, mode, checkpoint=tmp_path / "run.npz", resume=True, **options)
    assert len(rest.impacts) == len(whole.impacts) > 1
    for name in ("time", "speed", "impulse", "duration", "dissipated", "over"):
        assert getattr(rest.impacts, name).tobytes() == getattr(whole.impacts, name).tobytes(), name


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_an_interrupted_run_keeps_what_it_said(mode, tmp_path):
    """Time and pair of a gain of energy, in the checkpoint and in the run that goes on from it."""
    if mode == "fast":  # the step is as long as the contact
        world = row_of_balls([0.0, 0.21], [1, 0], 0.1)
        options = {"step": 5e-4, "output_interval": 1e-3}
    else:  # a soft material whose stiffness changes while the body rolls through the contact
        turn = Rotation.from_euler("y", 0.5)
        egg = Body("ball 1", tg.Ellipsoid([0.2, 0.1, 0.1]), (turn, [0, 0, 0.131]), density=1000, velocity=[0, 0, -2])
        rubber = forces.Material(1e7, 0.4)
        ground = Body("ball 0", tg.HalfSpace([0, 0, 1]))
        world = World([ground, egg], interaction=Interaction(forces.Hertz(materials=rubber)))
        options = {"output_interval": 1e-3}
    path, alive = tmp_path / "run.npz", [True]

    def stop(time, state):
        if time > 0.016 and alive.pop():
            raise KeyboardInterrupt
        return np.zeros(3)

    stopped = World(world.bodies, gravity=world.gravity, interaction=world.interaction, loads=[Load("ball 1", stop)])
    options |= {"mode": mode, "checkpoint": path, "checkpoint_every": 1}
    with pytest.raises(KeyboardInterrupt):
        quietly(stopped, 0.02, **options)
    alive[:] = [False] * 10**6
    said = [s for s in load_trajectory(path).info["warnings"] if "more than they took" in s]
    run = quietly(stopped, 0.02, resume=True, **options)
    assert len(said) == 1
    assert "most between 'ball 0' and 'ball 1' at t = 0.0" in said[0]
    assert said[0] in run.info["warnings"]


SCENE = """
[simulation]
duration = 0.02
mode = "fast"
step = 5e-4
gravity = [0, 0, 0]
[simulation.normal]
law = "hertz"
stiffness = 1e9
[[body]]
name = "one"
shape = "sphere"
radius = 0.1
density = 1000
velocity = [1, 0, 0]
[[body]]
name = "two"
shape = "sphere"
radius = 0.1
position = [0.21, 0, 0]
density = 1000
"""


def test_a_run_that_gains_energy_says_so(tmp_path, capsys):
    """The step is as long as the contact: in its result, as a warning, and on the command line with exit code 3."""
    world = row_of_balls([0.0, 0.21], [1, 0], 0.1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = simulate(world, 0.02, "fast", step=5e-4, output_interval=0.02)
    gained = next(str(w.message) for w in caught if w.category is RuntimeWarning)
    assert "more than they took" in gained
    assert "'ball 0' and 'ball 1' at t = 0.01 s" in gained
    assert run.energy["dissipated"][-1] < -0.1 * run.energy["kinetic"][0]
    assert run.impacts.dissipated.sum() == pytest.approx(run.energy["dissipated"][-1], rel=1e-9)
    assert any("more than they took" in sentence for sentence in run.info["warnings"])
    (tmp_path / "scene.toml").write_text(SCENE, encoding="utf-8")
    assert main(["simulate", str(tmp_path / "scene.toml"), "--out", str(tmp_path)]) == 3
    said = capsys.readouterr().out
    assert "warning: " in said
    assert "more than they took" in said
    assert "1 contacts began" in said
    lines = (tmp_path / "scene-impacts.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("body_a,body_b,time,speed,impulse")
    assert lines[1].startswith("one,two,0.01")


def energy_of(run, world, frame):
    """Kinetic and gravitational energy, from the motion alone."""
    total = 0.0
    for k, body in enumerate(world.bodies):
        if body.free:
            mass, inertia = body.mass_properties.mass, body.mass_properties.inertia
            turn = Rotation.from_quat(run.quaternion[frame, k]).as_matrix()
            spin = turn.T @ run.angular_velocity[frame, k]
            total += 0.5 * mass * (run.velocity[frame, k] ** 2).sum() + 0.5 * spin @ inertia @ spin
            total -= mass * world.gravity @ run.centre_of_mass[frame, k]
    return total


def quietly(world, duration, mode, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return simulate(world, duration, mode, **options)


def judge_gain(run, world, allowed, scale):
    """A gain is named with its pair and its time, and nothing else is called one; all contacts are over."""
    assert run.impacts.over.all()
    gain = energy_of(run, world, -1) - energy_of(run, world, 0)
    said = [text for text in run.info["warnings"] if "more than they took" in text or "the energy rises" in text]
    if gain > 2.0 * allowed * scale:
        assert said, (gain, scale)
        k = int(run.impacts.dissipated.argmin())
        a, b = (run.names[i[k]] for i in (run.impacts.body_a, run.impacts.body_b))
        assert f"{a!r} and {b!r} at t = {run.impacts.time[k]:.6g} s" in said[0]
    elif said:  # one contact may have gained what another one lost
        assert -run.impacts.dissipated.min() > 0.5 * allowed * run.impacts.energy.max()
    return gain > 2.0 * allowed * scale


def test_random_runs_that_gain_name_the_pair_and_the_time():
    """Rows of balls in fast mode, with steps from too long to short enough."""
    rng = np.random.default_rng(11)
    gained = 0
    for _ in range(40):
        count, stiffness = int(rng.integers(2, 5)), 10.0 ** rng.uniform(7, 10)
        gaps = rng.uniform(0.001, 0.02, count - 1)
        places = np.concatenate([[0.0], np.cumsum(0.1 + gaps)])
        world = row_of_balls(places, [rng.uniform(0.5, 3.0), *np.zeros(count - 1)], stiffness=stiffness)
        mass = world.bodies[0].mass_properties.mass
        lasts = 2.94 * (1.25 * mass / 2 / stiffness) ** 0.4
        count = int(np.ceil(0.3 / (lasts * 10.0 ** rng.uniform(-1.5, 0.0))))
        run = quietly(world, 0.3, "fast", step=0.3 / count, output_interval=0.3)
        gained += judge_gain(run, world, 0.01, energy_of(run, world, 0))
    assert 5 < gained < 35


@pytest.mark.parametrize("alone", [True, False])
def test_a_gain_is_said_while_the_run_goes_on(alone):
    """Only the last frame is later: the warning, here an error, comes within some hundred steps of the impact."""
    world, times = row_of_balls([0.0, 0.21], [1, 0], 0.1), []
    loads = [Load("ball 0", lambda t, state: times.append(t) or np.zeros(3))]
    if not alone:
        world = World(world.bodies, gravity=world.gravity, interaction=world.interaction, loads=loads)
    with pytest.raises(RuntimeWarning, match=r"first at t = 0\.01 s, most between 'ball 0' and 'ball 1'"):
        simulate(world, 10.0, "fast", step=5e-4, output_interval=10.0)
    assert alone or 0.2 < times[-1] < 0.3


def test_random_accurate_runs_that_gain_name_the_pair_and_the_time():
    """Eggs of a soft material: the stiffness follows the curvature, and the contact gives more than it took."""
    rng = np.random.default_rng(12)
    gained = 0
    for _ in range(3):
        turn, material = (
            Rotation.from_euler("y", rng.uniform(0.3, 0.8)),
            forces.Material(10.0 ** rng.uniform(6.5, 8), 0.4),
        )
        egg = Body("egg", tg.Ellipsoid([0.2, 0.1, 0.1]), (turn, [0, 0, 0.22]), density=1000, velocity=[0, 0, -3])
        ground = Body("ground", tg.HalfSpace([0, 0, 1]))
        world = World([ground, egg], interaction=Interaction(forces.Hertz(materials=material)), gravity=[0, 0, 0])
        run = quietly(world, 0.15, "accurate", output_interval=0.15)
        gained += judge_gain(run, world, 1e-6, energy_of(run, world, 0))
    assert gained > 0


def test_bodies_that_touch_by_rounding_only_gain_nothing():
    grid = 0.05 * np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3) + 0.025
    balls = Group("balls", tg.Sphere(0.025), (None, grid))  # some overlap by 1e-17 m
    law = Interaction(forces.KelvinVoigt(stiffness=2e4, damping=0.0))
    run = simulate(World([balls], gravity=[0, 0, 0], interaction=law), 0.02, "fast", step=2e-4, output_interval=0.01)
    assert run.info["warnings"] == []
