"""Contacts inside MuJoCo, against tangency's own dynamics and against certified contacts; MJCF files as worlds."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Interaction, simulate

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'tangency[mujoco]'")
pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install 'tangency[multibody]'")

from tangency.interop.mjcf import geoms_of, load_model, load_world  # noqa: E402
from tangency.interop.mujoco import Contacts  # noqa: E402

EGG = """<mujoco><option timestep="{step}" integrator="RK4"><flag energy="enable"/></option><worldbody>
<geom name="floor" type="plane" size="1 1 1"/>
<body name="egg" pos="0 0 0.3" quat="0.8 0.6 0 0"><freejoint/><geom name="hull" type="ellipsoid" size="0.1 0.08 0.15"/>
</body></worldbody></mujoco>"""
LAW = Interaction(forces.Hertz(stiffness=1e5), forces.Tanh(coefficient=0.4, speed=0.1))


def test_an_ellipsoid_bounces_as_in_tangency():
    """Both integrate the same equations: MuJoCo in fixed steps of Runge and Kutta, tangency with located impacts."""
    expected = simulate(load_world(EGG.format(step=1e-3), interaction=LAW), 0.4, output_interval=0.1)
    assert len(expected.impacts) >= 1
    model = load_model(EGG.format(step=1e-4))
    data, found = mujoco.MjData(model), []
    with Contacts(model, interaction=LAW):
        for _ in range(4):
            for _ in range(1000):
                mujoco.mj_step(model, data)
            found.append(data.qpos.copy())
    assert mujoco.get_mjcb_passive() is None
    assert model.geom_contype.all()  # the contacts of MuJoCo are back
    np.testing.assert_allclose(np.array(found)[:, :3], expected.position[1:, 1], atol=2e-5)
    turns = Rotation.from_quat(np.roll(np.array(found)[:, 3:], -1, axis=1))
    np.testing.assert_allclose((turns.inv() * Rotation.from_quat(expected.quaternion[1:, 1])).magnitude(), 0, atol=2e-4)


def test_energy_of_an_elastic_bounce():
    """Without dissipation the energy of MuJoCo and that of the contacts add up, through several impacts."""
    model = load_model(EGG.format(step=2e-4))
    data, totals = mujoco.MjData(model), []
    with Contacts(model, interaction=Interaction(forces.Hertz(stiffness=1e5))) as contacts:
        for _ in range(100):
            mujoco.mj_forward(model, data)  # energies and contacts of this instant
            totals.append(float(data.energy.sum()) + contacts.elastic_energy)
            for _ in range(25):
                mujoco.mj_step(model, data)
    assert max(abs(data.qvel)) > 0.1
    np.testing.assert_allclose(totals, totals[0], rtol=1e-4)


def test_superellipsoid_geoms_are_those_of_tangency():
    """A box-like superellipsoid, which MuJoCo does not have, comes to rest on its side; friction remembers."""
    shape = tg.Superellipsoid([0.1, 0.08, 0.06], (0.3, 0.3))
    law = Interaction(
        forces.HuntCrossley(stiffness=2e5, restitution=0.2), forces.Bristle(static=0.5, stiffness=1e5, damping=200)
    )
    tilted = EGG.replace('name="floor" type="plane"', 'name="floor" type="plane" euler="20 0 0"')
    model = load_model(tilted.format(step=2e-4).replace("RK4", "implicitfast").replace('quat="0.8 0.6 0 0"', ""))
    model.body_pos[1] = model.qpos0[:3] = Rotation.from_euler("x", 20, degrees=True).apply([0, 0, 0.0605])
    model.qpos0[3:] = np.roll(Rotation.from_euler("x", 20, degrees=True).as_quat(), 1)
    data = mujoco.MjData(model)
    with Contacts(model, interaction=law, replaced={"hull": shape}) as contacts:
        while data.time < 0.2:
            mujoco.mj_step(model, data)
        early = data.qpos.copy()
        while data.time < 0.6:
            mujoco.mj_step(model, data)
        late = data.qpos.copy()
        mujoco.mj_forward(model, data)
        table = contacts.contacts
    np.testing.assert_allclose(late[:3], early[:3], atol=2e-4)  # it sticks: tan(20 degrees) < 0.5
    weight = model.body_mass[1] * 9.81
    np.testing.assert_allclose(table.force.sum(axis=0), [0, 0, weight], atol=2e-2 * weight)
    pose = Rotation.from_quat(np.roll(data.qpos[3:7], -1)), data.qpos[:3]
    normal = Rotation.from_euler("x", 20, degrees=True).apply([0, 0, 1])
    certified = tg.contact(tg.HalfSpace(normal), shape, pose_b=pose)
    np.testing.assert_allclose(table.depth.max(), -certified.distance, atol=1e-9)


ARM = """<mujoco><option timestep="2e-4" integrator="RK4"/><worldbody><geom type="plane" size="1 1 1"/>
<body name="upper" pos="0 0 0.95" euler="0 -60 0"><joint name="shoulder" axis="0 1 0" pos="0 0 0" damping="0.1"/>
<geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.35"/>
<body name="lower" pos="0 0 -0.4"><joint name="elbow" axis="0 1 0" pos="0 0 0.02" armature="0.01"/>
<geom type="ellipsoid" size="0.05 0.06 0.2" pos="0 0 -0.25"/></body></body>
<body name="ball" pos="0.05 0.01 0.08"><freejoint/><geom type="sphere" size="0.08"/></body></worldbody></mujoco>"""


def test_an_arm_strikes_a_ball_as_in_tangency():
    """Joints of MuJoCo and of Pinocchio, from the same file: positions, damping and armature of joints."""
    law = Interaction(forces.HuntCrossley(stiffness=2e6, restitution=0.7), forces.Tanh(coefficient=0.3, speed=0.1))
    world = load_world(ARM, interaction=law)
    assert world.names == ("world", "ball", "upper/upper", "upper/lower")
    expected = simulate(world, 0.5, output_interval=0.25)
    struck = {frozenset((expected.impacts.body_a[k], expected.impacts.body_b[k])) for k in range(len(expected.impacts))}
    assert frozenset((1, 3)) in struck
    model = load_model(ARM)
    data, found = mujoco.MjData(model), []
    with Contacts(model, interaction=law):
        for _ in range(2):
            for _ in range(1250):
                mujoco.mj_step(model, data)
            found.append(data.qpos[:5].copy())
    found = np.array(found)
    np.testing.assert_allclose(found[:, :2], expected.joints.position[1:], atol=2e-4)
    np.testing.assert_allclose(found[:, 2:5], expected.position[1:, 1], atol=2e-4)


def test_geoms_have_the_shapes_of_mujoco():
    text = """<mujoco><worldbody><body name="all" pos="1 2 3"><freejoint/>
    <geom type="sphere" size="0.3"/><geom type="box" size="0.1 0.2 0.3" pos="1 0 0"/>
    <geom type="cylinder" size="0.1 0.4"/>
    <geom type="capsule" size="0.1" fromto="0 0 0 1 0 0"/><geom type="ellipsoid" size="0.1 0.2 0.3" quat="0 1 0 0"/>
    <geom type="sphere" size="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
    model = load_model(text)
    found = geoms_of(model)
    assert len(found) == 5
    assert len(geoms_of(model, colliding=False)) == 6
    volumes = [0.036 * np.pi, 0.048, 0.008 * np.pi, np.pi * 0.01 * (1 + 4 / 3 * 0.1), 0.008 * np.pi]
    np.testing.assert_allclose([float(geom.shape.volume) for geom in found], volumes, rtol=1e-9)
    np.testing.assert_allclose(found[3].position, [0.5, 0, 0])
    np.testing.assert_allclose(np.abs(found[3].rotation.apply([0, 0, 1])), [1, 0, 0], atol=1e-12)


def test_refused():
    model = load_model(EGG.format(step=1e-3))
    with pytest.raises(ValueError, match="replaced must name geoms that collide, got 'hul'; did you mean 'hull'"):
        Contacts(model, interaction=LAW, replaced={"hul": tg.Sphere(1.0)})
    with pytest.raises(ValueError, match="shapes must name bodies of the model, got 'eggs'; did you mean 'egg'"):
        Contacts(model, interaction=LAW, shapes={"eggs": tg.Sphere(1.0)})
    with pytest.raises(TypeError, match=r"model must be a mujoco\.MjModel, got 3"):
        Contacts(3, interaction=LAW)
    assert model.geom_contype.all()  # a refusal leaves the model as it was
    driven = EGG.format(step=1e-3).replace("<freejoint/>", '<joint name="j"/>')
    driven = driven.replace("</mujoco>", '<actuator><motor joint="j"/></actuator></mujoco>')
    with pytest.raises(ValueError, match="the model has 1 actuators, which a world does not"):
        load_world(driven, interaction=LAW)
    with pytest.raises(FileNotFoundError, match="no such file"):
        load_world("nowhere.xml", interaction=LAW)


STEP = 5e-4
SLIDE = Interaction(
    forces.HuntCrossley(stiffness=2e5, restitution=0.2), forces.Bristle(static=0.5, stiffness=1e5, damping=200)
)


def stepped(model, data, contacts, before=None):
    """Positions after 0.1 s inside the contacts, with something done before each step."""
    with contacts:
        while data.time < 0.1 - STEP / 2:
            if before is not None:
                before(data)
            mujoco.mj_step(model, data)
    return data.qpos.copy()


def own_force(data):
    data.qfrc_applied[:] = 0.0  # as scripts that control a model do
    data.qfrc_applied[0] = 2.0


def test_forces_of_the_user_and_resets_leave_contacts_alone():
    """Forces assigned before each step, a reset in the middle of a contact, another MjData: as in a fresh start."""
    text = EGG.format(step=STEP).replace("0 0 0.3", "0 0 0.11").replace('name="floor"', 'name="floor" euler="5 0 0"')
    model = load_model(text)
    expected = stepped(model, mujoco.MjData(model), Contacts(model, interaction=SLIDE), own_force)
    model = load_model(text)
    once = mujoco.MjData(model)
    once.qfrc_applied[0] = 2.0
    contacts = Contacts(model, interaction=SLIDE)
    np.testing.assert_array_equal(stepped(model, once, contacts), expected)
    assert len(contacts.contacts.depth) == 1  # the reset comes while it touches
    np.testing.assert_array_equal(once.qfrc_applied, [2.0, 0, 0, 0, 0, 0])
    mujoco.mj_resetData(model, once)
    np.testing.assert_array_equal(stepped(model, once, contacts, own_force), expected)
    np.testing.assert_array_equal(stepped(model, mujoco.MjData(model), contacts, own_force), expected)


def test_what_mujoco_would_compute_besides_is_refused_or_said():
    text = EGG.format(step=1e-3)

    def with_end(end, more=""):
        return load_model(text.replace("</worldbody>", f"{more}</worldbody>{end}"))

    pair = with_end('<contact><pair geom1="floor" geom2="hull"/></contact>')
    with pytest.raises(ValueError, match="the model has 1 contacts listed as <pair>, whose contacts tangency does not"):
        Contacts(pair, interaction=LAW)
    assert pair.geom_contype.all()
    Contacts(pair, interaction=LAW, geoms=False, shapes={"egg": tg.Sphere(0.1), "world": tg.HalfSpace([0, 0, 1])})
    assert pair.geom_contype.all()
    flex = '<flexcomp name="f" type="grid" count="2 2 1" spacing="1 1 1" mass="1" rigid="true"/>'
    with pytest.raises(ValueError, match="the model has 1 flexes"):
        Contacts(with_end("", flex), interaction=LAW)
    touch = text.replace("<freejoint/>", '<freejoint/><site name="s"/>')
    touch = touch.replace("</mujoco>", '<sensor><touch name="t" site="s"/></sensor></mujoco>')
    with pytest.warns(UserWarning, match="sensors of MuJoCo's own contacts remain zero: 't'"):
        Contacts(load_model(touch), interaction=LAW)
    none = load_model(text.replace("<flag ", '<flag spring="disable" damper="disable" '))
    with pytest.raises(ValueError, match="must not disable both springs and dampers"), Contacts(none, interaction=LAW):
        pass
    model = load_model(text)
    first = Contacts(model, interaction=LAW)
    with pytest.raises(ValueError, match="those that other Contacts have taken over collide again"):
        Contacts(model, interaction=LAW)
    with first:
        assert not model.geom_contype.any()
    Contacts(model, interaction=LAW)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('name="egg"', 'name="egg" gravcomp="1"', "compensation of gravity"),
        ('integrator="RK4"', 'density="1.2"', "forces of a fluid"),
        ('integrator="RK4"', 'viscosity="1e-3"', "forces of a fluid"),
        ("</worldbody>", '<body name="m" mocap="true"><geom size="0.1"/></body></worldbody>', "1 mocap bodies"),
        ("</worldbody>", '</worldbody><contact><pair geom1="floor" geom2="hull"/></contact>', "1 contacts listed as"),
        ("<freejoint/>", '<joint stiffness="3"/>', "stiffness of joints"),
        ("<freejoint/>", '<joint range="-1 1"/>', "limits of joints"),
    ],
)
def test_worlds_refuse_what_they_do_not_have(old, new, what):
    with pytest.raises(ValueError, match=f"the model has {what}"):
        load_world(EGG.format(step=1e-3).replace(old, new), interaction=LAW)


def test_worlds_keep_apart_what_the_file_keeps_apart():
    """Excluded bodies, and masks that do not meet: the egg falls through the floor, as in MuJoCo."""
    text = EGG.format(step=1e-3)
    excluded = text.replace("</worldbody>", '</worldbody><contact><exclude body1="world" body2="egg"/></contact>')
    masked = text.replace('name="hull"', 'name="hull" contype="2" conaffinity="2"')
    for given in (excluded, masked):
        run = simulate(load_world(given, interaction=LAW), 0.3, output_interval=0.1)
        np.testing.assert_allclose(run.position[-1, 1, 2], 0.3 - 0.5 * 9.81 * 0.09, rtol=1e-9)
    arm = ARM.replace("</worldbody>", '</worldbody><contact><exclude body1="lower" body2="ball"/></contact>')
    assert [law for law in load_world(arm, interaction=LAW).interactions.items()] == [
        (frozenset(("ball", "upper/lower")), None)
    ]
    hull = '<geom name="hull" type="ellipsoid" size="0.1 0.08 0.15"/>'
    welded = excluded.replace(hull, f'{hull}<body name="cap"><geom size="0.1"/></body>')
    with pytest.raises(ValueError, match="the model keeps body 'cap' apart from others, which is not read"):
        load_world(welded.replace('body2="egg"', 'body2="cap"'), interaction=LAW)
