"""Mechanisms against closed forms, free bodies and Pinocchio alone, without contact; loops and prescribed joints."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import tangency as tg
from tangency.dynamics import (
    Body,
    JointLimit,
    JointSpring,
    Link,
    Loop,
    Mechanism,
    PassiveTorque,
    World,
    closed_position,
    simulate,
)

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install 'tangency[multibody]'")

G = 9.81


def rod(name="rod", parent=None, length=0.5, mass=1.0, **rest):
    """A slender rod that hangs from its joint."""
    moment = mass * length**2 / 12
    place = (None, [0, 0, -length]) if parent else None
    given = {"axis": [0, 1, 0], "pose": place, "mass": mass, "centre_of_mass": [0, 0, -length / 2]}
    return Link(name, parent, **(given | {"inertia": [moment, moment, 1e-3 * moment]} | rest))


def run_of(mechanism, duration, bodies=(), **options):
    return simulate(World(bodies, mechanisms=[mechanism]), duration, **options)


#: Tolerances of the integrator and what is reached with them: the defaults, and what a user may ask for.
TOLERANCES = [({}, 2e-8), ({"rtol": 1e-12, "atol": 1e-14}, 1e-10)]


@pytest.mark.parametrize(("options", "close"), TOLERANCES)
def test_the_period_of_a_pendulum_of_large_amplitude(options, close):
    """T = 4 sqrt(J / m g c) K(sin^2(a / 2)): after a period the pendulum is back, after half of it opposite."""
    length, amplitude = 0.7, 2.0
    rate = np.sqrt(1.5 * G / length)  # of a rod
    period = 4.0 / rate * ellipk(np.sin(amplitude / 2) ** 2)
    pendulum = Mechanism("p", [rod(length=length)], position={"rod": amplitude})
    run = run_of(pendulum, period, output_interval=period / 4, **options)
    np.testing.assert_allclose(run.joint("rod").position, amplitude * np.array([1, 0, -1, 0, 1]), atol=close)
    speed = np.sqrt(2.0 * rate**2 * (1.0 - np.cos(amplitude)))
    np.testing.assert_allclose(run.joint("rod").velocity, speed * np.array([0, -1, 0, 1, 0]), atol=close)
    np.testing.assert_allclose(run.mechanical_energy, run.mechanical_energy[0], atol=close)


def double_pendulum(t, y, masses, lengths):
    """Two slender rods, from Lagrange's equations with absolute angles."""
    a, b, da, db = y
    (m, n), (l, k) = masses, lengths
    d = a - b
    matrix = np.array([[m * l**2 / 3 + n * l**2, n * l * k * np.cos(d) / 2], [n * l * k * np.cos(d) / 2, n * k**2 / 3]])
    right = -np.array(
        [
            n * l * k * np.sin(d) * db**2 / 2 + (m / 2 + n) * G * l * np.sin(a),
            -n * l * k * np.sin(d) * da**2 / 2 + n * G * k * np.sin(b) / 2,
        ]
    )
    return [da, db, *np.linalg.solve(matrix, right)]


@pytest.mark.parametrize(
    ("options", "close"),
    [({}, 3e-9), ({"rtol": 1e-12, "atol": 1e-14}, 1e-11), ({"method": "Radau", "rtol": 1e-9}, 1e-7)],
    ids=["default", "tight", "Radau"],
)
def test_a_double_pendulum_follows_lagrange(options, close):
    masses, lengths = (1.0, 0.6), (0.5, 0.4)
    links = [rod("upper", length=0.5, mass=1.0), rod("lower", "upper", 0.4, 0.6, pose=(None, [0, 0, -0.5]))]
    mechanism = Mechanism("double", links, position={"upper": 1.0, "lower": -0.4}, velocity={"lower": 2.0})
    run = run_of(mechanism, 1.0, output_interval=0.25, **options)
    expected = solve_ivp(
        double_pendulum,
        (0, 1),
        [1.0, 0.6, 0.0, 2.0],
        "DOP853",
        run.time,
        args=(masses, lengths),
        rtol=1e-13,
        atol=1e-13,
    ).y
    found = np.array([run.joint("upper").position, run.joint("upper").position + run.joint("lower").position])
    np.testing.assert_allclose(found, expected[:2], atol=close)


def test_a_free_link_is_a_free_body():
    """The same body once as a Body and once on a free joint, spinning: both modes."""
    shape = tg.Ellipsoid([0.3, 0.2, 0.1])
    spin, velocity = np.array([3.0, 4.0, -2.0]), np.array([0.3, -0.2, 4.0])
    link = Link("link", joint="free", shape=shape)
    free = Mechanism("m", [link], velocity=np.concatenate([velocity, spin]))
    for mode, options, close in (("accurate", {}, 1e-8), ("fast", {"step": 1e-4}, 1e-4)):
        a = run_of(free, 1.0, mode=mode, output_interval=0.5, **options)
        b = simulate(World([Body("b", shape, velocity=velocity, angular_velocity=spin)]), 1.0, output_interval=0.5)
        for name in ("position", "velocity", "angular_velocity"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=close, err_msg=f"{mode} {name}")
        np.testing.assert_allclose(np.abs((a.quaternion * b.quaternion).sum(axis=2)), 1.0, atol=close)
        for name in ("kinetic", "gravitational"):
            np.testing.assert_allclose(a.energy[name], b.energy[name], rtol=10 * close)


def four_bar(**given):
    """Crank, coupler and rocker of a parallelogram, whose crank angle and rocker angle stay equal."""
    links = [
        rod("crank", length=0.3, mass=0.5),
        rod("coupler", "crank", 0.8, 1.0, pose=(None, [0, 0, -0.3])),
        rod("rocker", length=0.3, mass=0.5, pose=(None, [0.8, 0, 0])),
    ]
    loops = [Loop("coupler", "rocker", [0, 0, -0.8], [0, 0, -0.3])]
    near = Mechanism("bar", links, position={"crank": 0.4, "coupler": -np.pi / 2 - 0.3, "rocker": 0.3})
    q = closed_position(near, loops, hold=["crank"])
    return Mechanism("bar", links, position=q, loops=loops, **given)


@pytest.mark.parametrize(("options", "close"), [({}, 2e-9), ({"rtol": 1e-12, "atol": 1e-14}, 1e-11)])
def test_a_parallelogram_swings_as_one_pendulum(options, close):
    """All links swing with the angle of the crank: J a'' = -W sin a, a single equation."""
    mechanism = four_bar()
    np.testing.assert_allclose(mechanism.position, [0.4, -np.pi / 2 - 0.4, 0.4], atol=1e-12)
    run = run_of(mechanism, 1.0, output_interval=0.25, **options)
    inertia = 2 * 0.5 * 0.3**2 / 3 + 1.0 * 0.3**2
    moment = (2 * 0.5 * 0.15 + 1.0 * 0.3) * G
    expected = solve_ivp(
        lambda t, y: [y[1], -moment / inertia * np.sin(y[0])],
        (0, 1),
        [0.4, 0],
        "DOP853",
        run.time,
        rtol=1e-13,
        atol=1e-13,
    ).y
    np.testing.assert_allclose(run.joint("crank").position, expected[0], atol=close)
    np.testing.assert_allclose(run.joint("rocker").position, expected[0], atol=close)
    np.testing.assert_allclose(run.mechanical_energy, run.mechanical_energy[0], atol=1e-8)


def test_loops_agree_with_the_constraint_dynamics_of_pinocchio():
    mechanism = four_bar(velocity=None)
    model, data = mechanism.model, mechanism.model.createData()
    model.gravity = pin.Motion(np.array([0, 0, -G, 0, 0, 0]))
    q = mechanism.position
    v = 1.3 * np.array([1.0, -1.0, 1.0])  # closed: the crank turns, the coupler translates
    from tangency.dynamics.joints.linkage import Linkage

    own = Linkage(mechanism, np.array([0, 0, -G]), 0)
    y = np.zeros((3, 13))
    own.place(q, v, y)
    found, _ = own.accelerations(0.0, (q, v), y, np.zeros((3, 6)), lambda name: None)
    a, b = (model.frames[model.getFrameId(f"loop 0 {side}")] for side in "ab")
    contact = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, a.parentJoint, a.placement, b.parentJoint, b.placement, pin.LOCAL
    )
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(contact)
    datas.append(contact.createData())
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(1e-14, 1e-12, 100)
    expected = pin.constraintDynamics(model, data, q, v, np.zeros(3), models, datas, settings)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


def test_a_prescribed_joint_moves_as_told_and_its_torque_does_the_work():
    links = [rod("upper"), rod("lower", "upper", pose=(None, [0, 0, -0.5]))]

    def swing(t):
        return 0.5 * np.sin(3 * t), 1.5 * np.cos(3 * t), -4.5 * np.sin(3 * t)

    run = run_of(Mechanism("m", links, prescribed={"upper": swing}), 2.0, output_interval=0.1)
    np.testing.assert_allclose(run.joint("upper").position, 0.5 * np.sin(3 * run.time), atol=1e-12)
    np.testing.assert_allclose(run.mechanical_energy - run.energy["work"], run.mechanical_energy[0], atol=1e-8)
    model, data = Mechanism("m", links).model, None
    data = model.createData()
    for k in (5, 13):  # the torque is that of inverse dynamics
        q, v = run.joints.position[k], run.joints.velocity[k]
        nonlinear, inertia = pin.nonLinearEffects(model, data, q, v), pin.crba(model, data, q)
        inertia = np.triu(inertia) + np.triu(inertia, 1).T
        a = swing(run.time[k])[2]
        other = -(nonlinear[1] + inertia[1, 0] * a) / inertia[1, 1]
        expected = inertia[0, 0] * a + inertia[0, 1] * other + nonlinear[0]
        np.testing.assert_allclose(run.joint("upper").torque[k], expected, rtol=1e-6)


def test_elements_of_joints_balance_their_energy():
    elements = [
        JointSpring("upper", stiffness=5.0, damping=0.05, rest=0.2),
        JointLimit("lower", -0.3, 0.4, stiffness=200.0, damping=0.2),
        PassiveTorque("lower", -0.2, 0.3, (1.0, 8.0, 1.0, 8.0), damping=0.02),
    ]
    links = [rod("upper"), rod("lower", "upper", pose=(None, [0, 0, -0.5]))]
    mechanism = Mechanism("m", links, position={"upper": 1.5}, elements=elements)
    run = run_of(mechanism, 1.0, output_interval=0.05, max_step=0.01)
    total = run.mechanical_energy + run.energy["dissipated"]
    assert run.energy["dissipated"][-1] > 0.1
    assert (np.diff(run.energy["dissipated"]) > -1e-9).all()
    np.testing.assert_allclose(total, total[0], atol=1e-7)
    fast = run_of(mechanism, 1.0, mode="fast", step=2e-4, output_interval=0.05)
    np.testing.assert_allclose(fast.joints.position[-1], run.joints.position[-1], atol=1e-4)
    total = fast.mechanical_energy + fast.energy["dissipated"]
    np.testing.assert_allclose(total, total[0], atol=1e-4)


def test_torques_see_the_whole_state():
    """A torque that cancels gravity and pulls towards a body elsewhere in the world."""
    mover = Body("mover", tg.Sphere(0.1), (None, [5, 0, 0]), velocity=[0, 0, 1])
    seen = []

    def torque(t, state):
        seen.append(state.body("mover").velocity[2])
        angle, _ = state.of("rod")
        return {"rod": 0.25 * G * np.sin(angle) + 0.1}

    world = World([mover], mechanisms=[Mechanism("m", [rod()], torque=torque)])
    run = simulate(world, 0.5, output_interval=0.25)
    inertia = 1.0 * 0.5**2 / 3
    np.testing.assert_allclose(run.joint("rod").position, 0.5 * 0.1 / inertia * run.time**2, atol=1e-9)
    np.testing.assert_allclose(min(seen), 1.0 - G * 0.5, atol=1e-6)


def test_files_and_checkpoints(tmp_path):
    mechanism = Mechanism("m", [rod()], position={"rod": 1.0})
    for mode, options in (("accurate", {}), ("fast", {"step": 1e-3})):
        path, given = tmp_path / f"{mode}.npz", {"mode": mode, "output_interval": 0.1, "checkpoint_every": 2, **options}
        whole = run_of(mechanism, 1.0, **given)
        run_of(mechanism, 0.4, checkpoint=path, **given)
        resumed = run_of(mechanism, 1.0, checkpoint=path, resume=True, **given)
        for name in ("position", "velocity", "torque"):
            np.testing.assert_array_equal(getattr(resumed.joints, name), getattr(whole.joints, name))
        read = tg.dynamics.load_trajectory(path, World([], mechanisms=[mechanism]))
        np.testing.assert_array_equal(read.joint("rod").position, whole.joint("rod").position)
        other = Mechanism("m", [rod(mass=2.0)], position={"rod": 1.0})
        with pytest.raises(tg.dynamics.FileError, match="another world"):
            run_of(other, 1.0, checkpoint=path, resume=True, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"position": {"knee": 1.0}}, "there is no joint 'knee'; there are rod"),
        ({"position": [1.0, 2.0]}, r"position must have shape \(1,\), got shape \(2,\)"),
        ({"shapes": {"foot": tg.Sphere(0.1)}}, "shapes must name a link, got 'foot'; there are rod"),
        ({"elements": [3]}, "elements must have joint, torque and energy, got 3"),
        ({"torque": 3}, "torque must be a function of time and state, got 3"),
        (
            {"loops": [Loop("rod", None, [0, 0, -0.5], [0, 0, -0.6])]},
            "position must close all loops, got a gap of 0.1",
        ),
        ({"floating": True}, "floating must be False unless the model is a file"),
    ],
)
def test_refused(given, message):
    with pytest.raises((TypeError, ValueError), match=f"^mechanism 'm': {message}"):
        Mechanism("m", [rod()], **given)


def test_refused_links():
    with pytest.raises(ValueError, match="link 'a': parent must be an earlier link, got 'b'"):
        Mechanism("m", [rod("a", "b")])
    with pytest.raises(ValueError, match="link 'a': joint must be a kind of joint, got 'hinge'"):
        rod("a", joint="hinge")
    with pytest.raises(ValueError, match="step must be given in mode 'fast' for a world with mechanisms"):
        run_of(Mechanism("m", [rod()]), 1.0, mode="fast")
    with pytest.raises(ValueError, match=r"checkpoint must be a file \(.npz\) for a world with mechanisms"):
        run_of(Mechanism("m", [rod()]), 1.0, checkpoint="run.zarr")
    wrong = Mechanism("m", [rod()], torque=lambda t, state: [1.0, np.nan])
    with pytest.raises(ValueError, match="the torque of mechanism 'm' at t = 0 s must be 1 finite numbers"):
        run_of(wrong, 1.0)


def test_mechanisms_are_not_streamed(tmp_path):
    with pytest.raises(ValueError, match=r"checkpoint must be a file \(\.npz\) for a world with mechanisms"):
        run_of(Mechanism("arm", [rod()]), 0.1, checkpoint=tmp_path / "run.zarr")
    assert list(tmp_path.iterdir()) == []
