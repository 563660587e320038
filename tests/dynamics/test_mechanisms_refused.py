"""Mechanisms that cannot be, motions that contradict themselves, and what files contain but models do not."""

import numpy as np
import pytest
from scipy.optimize import brentq

import tangency as tg
from tangency.dynamics import JointLimit, JointSpring, Link, Loop, Mechanism, World, closed_position, simulate

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install 'tangency[multibody]'")

SOLID = {"mass": 1.0, "centre_of_mass": [0, 0, -0.2], "inertia": [0.02, 0.02, 0.01]}
MODES = [("accurate", {}), ("fast", {"step": 1e-3})]


def hinged(name="rod", parent=None, **rest):
    return Link(name, parent, **({"axis": [0, 1, 0]} | SOLID | rest))


def run_of(mechanism, duration=0.2, **options):
    return simulate(World([], mechanisms=[mechanism]), duration, output_interval=0.02, **options)


# ---- masses ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("links", "joints"),
    [
        ([Link("a", axis=[0, 1, 0])], "a"),
        ([hinged("a"), Link("b", "a", axis=[0, 1, 0])], "b"),
        ([Link("a", joint="free"), hinged("b", "a")], "a, b"),  # the two turn about one axis, against each other
    ],
    ids=["alone", "at the end", "under another"],
)
def test_motions_without_mass_are_refused(links, joints):
    with pytest.raises(ValueError, match=f"^mechanism 'm': model must have a mass .* got none for {joints}: give"):
        Mechanism("m", links)


def test_a_link_without_mass_may_carry_others():
    Mechanism("m", [Link("a", axis=[1, 0, 0]), hinged("b", "a")])
    Mechanism("m", [Link("a", axis=[1, 0, 0], armature=0.1)])


# ---- prescribed joints and loops ---------------------------------------------------------------
@pytest.mark.parametrize(("mode", "options"), MODES)
@pytest.mark.parametrize(
    ("motion", "what"),
    [
        (lambda t: (0.0 if t < 0.1 else 1.0, 0.0, 0.0), "at t = 0\\.1.* s the position is off by 1 from"),
        (lambda t: (2.0 * t, 0.0, 0.0), "the position is off by .* from the integral of the velocity"),
        (lambda t: (t * t, 2.0 * t, 0.0), "the velocity is off by .* from the integral of the acceleration"),
    ],
    ids=["a jump", "a velocity", "an acceleration"],
)
@pytest.mark.parametrize("joint", ["revolute", "continuous"])
def test_prescribed_motions_must_be_derivatives(mode, options, motion, what, joint):
    with pytest.raises(ValueError, match=f"^prescribed\\['rod'\\] must return a position and its deriv.*{what}"):
        run_of(Mechanism("m", [hinged(joint=joint)], prescribed={"rod": motion}), mode=mode, **options)


def four_bar(prescribed=None, **given):
    """A crank that cannot turn round: coupler and rocker are too short."""
    links = [
        hinged("crank"),
        hinged("coupler", "crank", pose=(None, [0, 0, -0.4])),
        hinged("rocker", pose=(None, [0.6, 0, 0])),
    ]
    loop = Loop("coupler", "rocker", [0.35, 0, 0], [0, 0, -0.3])
    start = Mechanism("bars", links, position={"crank": -0.8, "coupler": 0.1, "rocker": 0.1})
    q = closed_position(start, [loop], hold=["crank"])
    return Mechanism("bars", links, position=q, loops=[loop], prescribed=prescribed or {}, **given)


@pytest.mark.parametrize(("mode", "options"), MODES)
def test_a_crank_driven_beyond_its_reach_is_an_error(mode, options):
    """The loop can close up to the angle at which coupler and rocker are stretched, by the law of cosines."""
    drive = {"crank": lambda t: (2.0 * t - 0.8, 2.0, 0.0)}
    run_of(four_bar(drive), 0.2, mode=mode, **options)
    with pytest.raises(
        ValueError, match=r"^mechanism 'bars': prescribed joints and loops contradict each other"
    ) as told:
        run_of(four_bar(drive), 1.0, mode=mode, **options)
    reach = np.arcsin((0.65**2 - 0.4**2 - 0.6**2) / (2 * 0.4 * 0.6))
    time = float(str(told.value).split("t = ")[1].split(" s")[0])
    assert abs(2.0 * time - 0.8 - reach) < (1e-3 if mode == "accurate" else 0.02)


def test_motions_that_contradict_a_loop_at_the_start():
    rigid = [Loop("rod", None, [0, 0, -1], [0, 0, -1])]
    with pytest.raises(ValueError, match="contradict each other at t = 0 s: the motion of rod would open a loop"):
        run_of(Mechanism("m", [hinged()], loops=rigid, prescribed={"rod": lambda t: (t * t, 2 * t, 2.0)}))


def test_a_start_that_contradicts_a_prescribed_motion():
    turning = {"crank": lambda t: (3.0 * t - 0.8, 3.0, 0.0)}
    four_bar(turning)  # the position that closes the loops has that of the crank, too
    with pytest.raises(ValueError, match=r"velocity of 'crank' must be omitted or equal to that of prescr.*3, got 1"):
        four_bar(turning, velocity={"crank": 1.0})
    with pytest.raises(ValueError, match=r"position of 'rod' must be omitted or equal .* at the start, 0, got 0\.5"):
        Mechanism("m", [hinged()], position={"rod": 0.5}, prescribed={"rod": lambda t: (t, 1.0, 0.0)})


# ---- arguments ---------------------------------------------------------------------------------
def test_arguments_are_named():
    with pytest.raises(ValueError, match=r"position\['rod'\] must be a single number, got shape \(2,\)"):
        Mechanism("m", [hinged()], position={"rod": [1, 2]})
    for name, item in (("elements", JointSpring("rod", 1.0)), ("loops", Loop("rod", None, [0] * 3, [0] * 3))):
        with pytest.raises(
            TypeError, match=f"mechanism 'm': {name} must be a sequence, such as a list, got {type(item).__name__}"
        ):
            Mechanism("m", [hinged()], **{name: item})
    with pytest.raises(ValueError, match="low or high must be given"):
        JointLimit("rod")
    with pytest.raises(ValueError, match="low must be a single number, got"):
        JointLimit("rod", low=[0.0, 1.0])
    with pytest.raises(TypeError, match="high must be a number"):
        JointLimit("rod", high="1 rad")
    for kind in ("spherical", "planar", "translation", "free", "fixed"):
        with pytest.raises(ValueError, match=f"axis must be omitted for a joint of the kind '{kind}'"):
            hinged(joint=kind)
    assert repr(Mechanism("m", [hinged("a"), hinged("b", "a")])) == "Mechanism('m', joints: a, b)"


def test_another_axis_is_another_mechanism(tmp_path):
    def run(axis, **more):
        mechanism = Mechanism("m", [hinged(axis=axis)], position={"rod": 0.3})
        return run_of(mechanism, checkpoint=tmp_path / "run.npz", **more)

    run([0, 1, 0])
    with pytest.raises(tg.dynamics.FileError, match="another world"):
        run([1, 0, 0], resume=True)


# ---- files -------------------------------------------------------------------------------------
URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/><origin xyz="0 0 -0.5"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute">
<parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-0.1" upper="0.4" effort="1" velocity="1"/>
</joint></robot>"""
MJCF = """<mujoco><worldbody><body name="s" pos="0 0 1"><joint name="j" type="hinge" axis="0 1 0"/>
<geom name="g" type="capsule" fromto="0 0 0 0 0 -0.5" size="0.05"/><body name="t" pos="0 0 -0.5">
<joint name="k" type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.05"/></body></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "</worldbody>",
            '</worldbody><equality><connect body1="t" anchor="0 0 0"/></equality>',
            "equality constraints",
        ),
        ("</worldbody>", '</worldbody><tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>', "tendons are not"),
        ("</worldbody>", '<include file="more.xml"/></worldbody>', "included files are not read"),
        ("<worldbody>", '<default><joint stiffness="3"/></default><worldbody>', "stiffness='3' of <joint> is not read"),
        ('name="t"', 'name="t" gravcomp="1"', "gravcomp='1' of <body> is not read"),
        ("<worldbody>", '<option density="1.2"/><worldbody>', r"density='1\.2' of <option> is not read"),
        ("</worldbody>", '</worldbody><contact><exclude body1="s" body2="t"/></contact>', "exclusions of contacts are"),
        ('name="j"', 'name="j" frictionloss="1"', "must not contain dry friction"),
    ],
)
def test_what_pinocchio_drops_of_an_mjcf_file_is_refused(tmp_path, old, new, told):
    path = tmp_path / "arm.xml"
    path.write_text(MJCF.replace(old, new, 1))
    with pytest.raises(ValueError, match=told):
        Mechanism("m", path, collisions=True)


def test_actuators_of_a_file_are_said_to_have_no_effect(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(MJCF.replace("</worldbody>", '</worldbody><actuator><position joint="j" kp="9"/></actuator>'))
    with pytest.warns(UserWarning, match="actuators are not read: give the torques of joints as torque="):
        Mechanism("m", path)


def test_mimic_joints_of_a_urdf_file_are_refused(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.replace("</joint>", '<mimic joint="j"/></joint>'))
    with pytest.raises(ValueError, match="joint 'j': mimic is not read"):
        Mechanism("m", path)


def test_limits_of_a_file_act_on_request(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    free, held = (
        run_of(Mechanism("m", path, position={"j": 0.3}, limits=limits), 0.6).joint("j") for limits in (None, 1e4)
    )
    assert free.position.min() < -0.18
    deepest = brentq(lambda x: 0.4e4 * x**2.5 - 9.81 * 0.5 * (np.cos(0.1 + x) - np.cos(0.3)), 0.0, 0.1)
    assert -0.1 - deepest - 1e-6 < held.position.min() < -0.1 - 0.8 * deepest
    with pytest.raises(ValueError, match="limits must be omitted for a model without limits of joints"):
        Mechanism("m", [hinged()], limits=1e4)
