"""Planar worlds on the engine of space, against planar contact and an independent planar integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tangency as tg
from tangency import forces, planar
from tangency.dynamics import Interaction, planar_body, planar_track, planar_world, simulate
from tangency.shapes.lens import Lens

ELLIPSE = planar.Ellipse([0.12, 0.07])
SHAPES = {
    "ellipse": ELLIPSE,
    "circle": planar.Circle(0.1),
    "superellipse": planar.Superellipse([0.12, 0.08], 3.0),
    "polygon": planar.Polygon([[-0.1, -0.05], [0.12, -0.06], [0.03, 0.1]], radius=0.02),
}


def inside(shape):
    return shape.seen_from(shape.centroid)


@pytest.mark.parametrize("name", SHAPES)
def test_lens_has_the_planar_contact(name):
    """Apart, touching and overlapping: the same distance, normal and points, exactly in the plane."""
    rng = np.random.default_rng(5)
    a, b = inside(SHAPES[name]), inside(ELLIPSE)
    count = 30
    angle, other = rng.uniform(0, 2 * np.pi, (2, count))
    away = rng.uniform(0, 2 * np.pi, count)
    place = np.stack([np.cos(away), np.sin(away)], -1) * rng.uniform(0.12, 0.35, (count, 1))
    flat = planar.contact(a, b, (angle, np.zeros((count, 2))), (other, place))

    def pose(turn, x):
        matrix = np.zeros((count, 4, 4))
        matrix[:, 0, 0] = matrix[:, 1, 1] = np.cos(turn)
        matrix[:, 1, 0] = np.sin(turn)
        matrix[:, 0, 1] = -np.sin(turn)
        matrix[:, 2, 2] = matrix[:, 3, 3] = 1.0
        matrix[:, :2, 3] = x
        return matrix

    space = tg.contact(Lens(a), Lens(b), pose(angle, 0.0), pose(other, place))
    assert flat.converged.all()
    assert space.converged.all()
    assert (flat.distance < 0).any()
    assert (flat.distance > 0).any()
    assert space.distance == pytest.approx(flat.distance, abs=1e-14)
    assert space.normal[:, :2] == pytest.approx(flat.normal, abs=1e-6)
    near = flat.distance > -0.05
    assert np.abs(space.normal[near, 2]).max() < 1e-15
    assert np.abs(space.point_b[near, 2]).max() < 1e-15


def test_lens_of_an_ellipse_is_an_ellipsoid():
    n = np.random.default_rng(2).normal(size=(50, 3))
    lens, ellipsoid = Lens(planar.Ellipse([3, 2]), 4.0), tg.Ellipsoid([3, 2, 4])
    for one, two in zip(lens.jet(n), ellipsoid.jet(n)):
        assert one == pytest.approx(two, rel=1e-12, abs=1e-13)
    m, e = lens.moments(), ellipsoid.moments()
    assert float(m.volume) == pytest.approx(float(e.volume))
    assert m.second == pytest.approx(e.second, abs=1e-12)
    # off-centre sections: the same body by quadrature over its surface
    off = Lens(planar.Circle(0.3).seen_from([0.1, 0.05]), 0.4)
    whole = tg.Shape.moments(off)
    assert float(off.moments().volume) == pytest.approx(float(whole.volume), rel=1e-4)
    assert off.moments().centroid == pytest.approx(whole.centroid, abs=1e-4)


def brute_force(bodies, law, friction, times):
    """Newton's equations of planar bodies in NumPy: contacts by ``planar.contact``, forces by ``forces.on``."""
    count = len(bodies)
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    line = planar.Line([0, 1])

    def rates(_, y):
        x, v = y[: 3 * count].reshape(count, 3), y[3 * count :].reshape(count, 3)
        push = np.zeros((count, 3))
        push[:, 1] -= 9.81 * np.array([b["mass"] for b in bodies])

        def add(one, two, i, j):
            twist = [None if k is None else (v[k, :2], v[k, 2]) for k in (i, j)]
            c = planar.contact(*one, *two)
            if c.distance >= 0:
                return
            f = forces.on(c, *twist, normal=law, friction=friction, impact_speed=1.0)
            for k, force, torque in ((i, f.force_a, f.torque_a), (j, f.force_b, f.torque_b)):
                if k is not None:
                    push[k, :2] += force
                    push[k, 2] += torque

        for k, body in enumerate(bodies):
            add((line, body["shape"]), (None, (x[k, 2], x[k, :2])), None, k)
        for i, j in pairs:
            poses = [(x[k, 2], x[k, :2]) for k in (i, j)]
            add((bodies[i]["shape"], bodies[j]["shape"]), poses, i, j)
        mass = np.array([[b["mass"], b["mass"], b["inertia"]] for b in bodies])
        return np.concatenate([v.ravel(), (push / mass).ravel()])

    start = np.concatenate([np.ravel([b["at"] for b in bodies]), np.ravel([b["speed"] for b in bodies])])
    return solve_ivp(rates, (0, times[-1]), start, t_eval=times, method="DOP853", rtol=1e-7, atol=1e-8, max_step=4e-3).y


def test_against_an_independent_planar_integration():
    """Three bodies that fall onto the ground and onto each other, with friction: both modes."""
    law = forces.KelvinVoigt(stiffness=2e4, damping=20.0)
    friction = forces.Tanh(coefficient=0.3, speed=0.05)
    bodies = [
        {"shape": ELLIPSE, "mass": 1.0, "at": [0.0, 0.085, 0.2], "speed": [0.2, 0.0, 1.0]},
        {"shape": planar.Circle(0.06), "mass": 0.5, "at": [0.05, 0.22, 0.0], "speed": [0.0, -1.0, 3.0]},
        {"shape": planar.Ellipse([0.05, 0.09]), "mass": 0.7, "at": [0.2, 0.15, -0.3], "speed": [-0.5, 0.0, 0.0]},
    ]
    for body in bodies:
        body["inertia"] = body["mass"] * float(body["shape"].inertia() / body["shape"].area)
    world = planar_world(
        [
            planar_body("ground", planar.Line([0, 1])),
            *(
                planar_body(
                    f"b{k}",
                    b["shape"],
                    (b["at"][2], b["at"][:2]),
                    mass=b["mass"],
                    velocity=b["speed"][:2],
                    rate=b["speed"][2],
                )
                for k, b in enumerate(bodies)
            ),
        ],
        interaction=Interaction(law, friction),
    )
    run = simulate(world, 0.09, output_interval=0.03, rtol=1e-9, atol=1e-11)
    assert len(run.contacts) > 0
    exact = brute_force(bodies, law, friction, run.time).T
    quick = simulate(world, 0.09, "fast", output_interval=0.03, step=2e-5)
    for k in range(3):
        track, rough = planar_track(run, f"b{k}"), planar_track(quick, f"b{k}")
        assert track.position == pytest.approx(exact[:, 3 * k : 3 * k + 2], abs=1e-6)
        assert track.angle == pytest.approx(exact[:, 3 * k + 2], abs=1e-5)
        assert track.velocity == pytest.approx(exact[:, 9 + 3 * k : 11 + 3 * k], abs=1e-4)
        assert rough.position == pytest.approx(track.position, abs=1e-3)
    assert np.abs(run.position[..., 2]).max() == 0.0
    assert np.abs(quick.position[..., 2]).max() == 0.0


def test_masses_and_motions():
    pair = [(planar.Circle(0.1), (0.0, [0.2, 0.0])), (planar.Circle(0.1), (0.0, [-0.2, 0.0]))]
    dumbbell = planar_body("dumbbell", pair, density=100.0)
    area = np.pi * 0.01
    assert dumbbell.mass_properties.mass == pytest.approx(200 * area)
    assert dumbbell.mass_properties.inertia[2, 2] == pytest.approx(200 * area * (0.005 + 0.04))
    crank = planar_body("crank", planar.Circle(0.1), motion=lambda t: (2.0 * t, [0.0, 0.0], 2.0, [0.0, 0.0]))
    world = planar_world([crank], gravity=(0.0, 0.0))
    track = planar_track(simulate(world, 4.0, output_interval=0.5), "crank")
    assert track.angle == pytest.approx(2.0 * track.time)  # beyond a full turn


@pytest.mark.parametrize("name", ["density", "mass", "inertia", "centre_of_mass", "pose", "velocity", "rate"])
@pytest.mark.parametrize("how", [{"fixed": True}, {"motion": lambda t: (0.0, [0.0, 0.0])}])
def test_what_a_driven_body_cannot_have(name, how):
    value = {"pose": (0.1, [1.0, 0.0]), "velocity": [1.0, 0.0], "centre_of_mass": [0.0, 0.0]}.get(name, 2.0)
    if (name, *how) == ("pose", "fixed"):
        assert planar_body("a", planar.Circle(1.0), pose=value, **how).fixed
        return
    sentence = "velocity must be zero" if name in ("velocity", "rate") and "fixed" in how else f"{name} must not be"
    with pytest.raises(ValueError, match=sentence):
        planar_body("a", planar.Circle(1.0), **{name: value}, **how)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: planar_body("a", tg.Sphere(1.0)), TypeError, "must be a planar Shape"),
        (lambda: planar_body("a", planar.Circle([1, 2])), ValueError, "must be one body"),
        (lambda: planar_body("a", planar.Circle(1.0), density=1.0, mass=1.0), ValueError, "not both"),
        (lambda: planar_body("a", planar.Circle(1.0), velocity=[1, 2, 3]), ValueError, "velocity"),
        (lambda: planar_world([tg.dynamics.Body("a", tg.Sphere(1.0))]), ValueError, "made by planar_body, got 'a'"),
        (lambda: Lens(planar.Circle(1.0).translate([2, 0])), ValueError, "must contain its origin"),
        (lambda: Lens(planar.Circle(1.0), -1.0), ValueError, "half_thickness must be > 0"),
    ],
)
def test_bad_input(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


def test_rates_of_planar_contacts():
    """Against differences of the contact of moved bodies, for every pair of shapes and for lines."""
    rng = np.random.default_rng(8)
    names = list(SHAPES)
    for one in [*names, "line"]:
        for two in names:
            a = planar.Line([0.3, 1.0]) if one == "line" else SHAPES[one]
            b = SHAPES[two]
            pose_a, pose_b = (0.4, np.zeros(2)), (rng.uniform(0, 6), np.array([0.05, 0.3]) + 0.02 * rng.normal(size=2))
            twists = [(rng.normal(size=2), rng.normal()) for _ in range(2)]

            def at(time, a=a, b=b, poses=(pose_a, pose_b), twists=twists):
                moved = [(p[0] + time * w, p[1] + time * np.asarray(v)) for p, (v, w) in zip(poses, twists)]
                return planar.contact(a, b, *moved)

            h = 1e-6
            rates, before, after = at(0.0).rates(*twists), at(-h), at(h)
            for name, value in (
                ("distance", "gap"),
                ("normal", "normal"),
                ("point_a", "point_a"),
                ("point_b", "point_b"),
            ):
                slope = (getattr(after, name) - getattr(before, name)) / (2 * h)
                assert getattr(rates, value) == pytest.approx(slope, rel=1e-5, abs=2e-6), (one, two, name)
            forced = forces.on(at(0.0), *twists, normal=forces.Hertz(stiffness=1.0))
            assert float(rates.sliding) == pytest.approx(float(forced.slip), abs=1e-12)
            assert float(rates.gap) == pytest.approx(-float(forced.rate), abs=1e-12)
