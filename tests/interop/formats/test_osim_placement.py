"""Bodies of OpenSim models stand where the default coordinates put them."""

from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tangency.interop.formats import read_scene
from tangency.interop.formats.imported import xml_root
from tangency.interop.formats.osim_functions import function_value
from tangency.interop.formats.osim_placement import placement


def offset_frame(name, parent, translation="0 0 0", orientation="0 0 0"):
    return f"""<PhysicalOffsetFrame name="{name}"><socket_parent>{parent}</socket_parent>
    <translation>{translation}</translation><orientation>{orientation}</orientation></PhysicalOffsetFrame>"""


def coordinate(name, value, more=""):
    return f'<Coordinate name="{name}"><default_value>{value}</default_value>{more}</Coordinate>'


def joint(tag, name, parent, child, coordinates="", frames="", more=""):
    return f"""<{tag} name="{name}"><socket_parent_frame>{parent}</socket_parent_frame>
    <socket_child_frame>{child}</socket_child_frame><coordinates>{coordinates}</coordinates>
    <frames>{frames}</frames>{more}</{tag}>"""


def spatial(*axes):
    """Six axes: coordinates, direction, function."""
    names = [f"{kind}{number}" for kind in ("rotation", "translation") for number in (1, 2, 3)]
    return "<SpatialTransform>{}</SpatialTransform>".format(
        "".join(
            f'<TransformAxis name="{name}"><coordinates>{used}</coordinates><axis>{axis}</axis>'
            f"{function}</TransformAxis>"
            for name, (used, axis, function) in zip(names, axes, strict=True)
        )
    )


ZERO = '<Constant name="function"><value>0</value></Constant>'
LINE = '<LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction>'


def model(joints, bodies=("a", "b", "c"), constraints="", extra=""):
    """A file of version 4 with a ball on each body."""
    mass = "<mass>1</mass><inertia>1 1 1 0 0 0</inertia>"
    balls = "".join(
        f'<ContactSphere name="{name}_ball"><socket_frame>/bodyset/{name}</socket_frame><location>0 0 0</location>'
        "<orientation>0 0 0</orientation><radius>0.1</radius></ContactSphere>"
        for name in bodies
    )
    return f"""<OpenSimDocument Version="40500"><Model name="m"><Ground name="ground"/><BodySet><objects>
    {"".join(f'<Body name="{name}">{mass}</Body>' for name in bodies)}</objects></BodySet>
    <JointSet><objects>{joints}</objects></JointSet><ConstraintSet><objects>{constraints}</objects></ConstraintSet>
    <ContactGeometrySet><objects><ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame>
    <location>0 0 0</location><orientation>0 0 0</orientation></ContactHalfSpace>{balls}{extra}</objects>
    </ContactGeometrySet></Model></OpenSimDocument>"""


def written(tmp_path, text):
    path = tmp_path / "model.osim"
    path.write_text(text, encoding="utf-8")
    return path


def pose(scene, name):
    return scene[name].position, Rotation.from_matrix(scene[name].rotation)


def test_pin_custom_joint_and_offset_frames_by_hand(tmp_path):
    """A pin turned by 90 degrees at (1, 0, 0), whose frames are turned by 90 degrees, too; a custom joint behind it."""
    quarter = "1.5707963267948966"
    pin = joint(
        "PinJoint",
        "pin",
        "in_ground",
        "in_a",
        coordinate("angle", quarter),
        offset_frame("in_ground", "/jointset/pin/step")
        + offset_frame("step", "/ground", "1 0 0", f"{quarter} 0 0")
        # the child's frame is 2 along the x-axis of the body
        + offset_frame("in_a", "/bodyset/a", "2 0 0"),
    )
    custom = joint(
        "CustomJoint",
        "knee",
        "/bodyset/a",
        "/bodyset/b",
        coordinate("flexion", 0.5),
        more=spatial(
            ("flexion", "0 0 1", LINE.replace("1 0", f"{np.pi} 0")),  # 90 degrees about z
            ("flexion", "1 0 0", LINE.replace("1 0", f"0 {quarter}")),  # then 90 degrees about the new x
            ("", "0 1 0", ZERO),
            (
                "flexion",
                "1 0 0",
                '<PolynomialFunction name="function"><coefficients>4 0 2</coefficients></PolynomialFunction>',
            ),
            (
                "flexion",
                "0 1 0",
                '<MultiplierFunction name="function"><function><PiecewiseLinearFunction><x>0 1 2</x><y>0 4 0</y>'
                "</PiecewiseLinearFunction></function><scale>0.5</scale></MultiplierFunction>",
            ),
            ("", "0 0 1", ZERO.replace("0", "7")),
        ),
    )
    weld = joint("WeldJoint", "weld", "/bodyset/b", "in_c", "", offset_frame("in_c", "/bodyset/c", "0 0 -1"))
    scene, remarks = read_scene(written(tmp_path, model(pin + custom + weld)))
    # Frame of the pin in the world: x, z, -y.  Turned by 90 degrees about its z-axis, -y of the world: z, -x, -y.
    # The body's origin is 2 behind it along its x-axis.
    position, turn = pose(scene, "a_ball")
    assert np.allclose(turn.as_matrix(), [[0, -1, 0], [0, 0, -1], [1, 0, 0]], atol=1e-15)
    assert np.allclose(position, [1, 0, -2], atol=1e-15)
    # The knee in the frame of a: translation (4 * 0.25 + 2, 0.5 * 2, 7), axes y, z, x of a: -x, -y, z of the world
    position, turn = pose(scene, "b_ball")
    assert np.allclose(position, [1 - 1, -7, -2 + 3], atol=1e-15)
    assert np.allclose(turn.as_matrix(), [[-1, 0, 0], [0, -1, 0], [0, 0, 1]], atol=1e-15)
    position, turn = pose(scene, "c_ball")
    assert np.allclose(position, [0, -7, 2], atol=1e-15)
    assert "joints are not taken over: bodies stand at the default coordinates" in remarks
    assert not any("origin" in remark for remark in remarks)


def test_version_3(tmp_path):
    """Joints inside of their bodies, with locations; the ground is a body among others."""
    ends = """<parent_body>{}</parent_body><location_in_parent>0 1 0</location_in_parent>
    <orientation_in_parent>0 0 1.5707963267948966</orientation_in_parent><location>0 0 3</location>
    <orientation>0 0 0</orientation><CoordinateSet><objects>{}</objects></CoordinateSet>"""
    text = f"""<OpenSimDocument Version="30000"><Model name="m"><BodySet><objects><Body name="ground"><Joint/></Body>
    <Body name="a"><Joint><SliderJoint name="s">{ends.format("ground", coordinate("q", 2))}</SliderJoint></Joint></Body>
    <Body name="b"><Joint><WeldJoint name="w">{ends.format("a", "")}</WeldJoint></Joint></Body></objects></BodySet>
    <ContactGeometrySet><objects><ContactSphere name="one"><body_name>a</body_name><location>0 0 0</location>
    <radius>0.1</radius></ContactSphere><ContactSphere name="two"><body_name>b</body_name><location>1 0 0</location>
    <radius>0.1</radius></ContactSphere></objects></ContactGeometrySet></Model></OpenSimDocument>"""
    scene, _ = read_scene(written(tmp_path, text))
    assert np.allclose(scene["one"].position, [0, 3, -3], atol=1e-15)  # 2 along y from (0, 1, 0), then 3 down
    # In a: (0, 1, -3) and turned by 90 degrees about z, where (1, 0, 0) is (0, 1, 0); a itself is turned as well
    assert np.allclose(scene["two"].position, [-2, 3, -6], atol=1e-15)


def test_joints_backwards(tmp_path):
    """A joint from the body to the ground, and one that is reversed: the ground moves as seen from the body."""
    joints = joint("SliderJoint", "i", "/bodyset/a", "/ground", coordinate("q", 2))
    joints += joint("SliderJoint", "j", "/ground", "/bodyset/b", coordinate("s", 3), more="<reverse>true</reverse>")
    scene, _ = read_scene(written(tmp_path, model(joints, ("a", "b"))))
    assert scene["a_ball"].position.tolist() == [-2.0, 0.0, 0.0]
    assert scene["b_ball"].position.tolist() == [-3.0, 0.0, 0.0]


COUPLER = """<CoordinateCouplerConstraint name="k"><isEnforced>{}</isEnforced><coupled_coordinates_function>
<LinearFunction><coefficients>1 0.25</coefficients></LinearFunction></coupled_coordinates_function>
<independent_coordinate_names>{}</independent_coordinate_names>
<dependent_coordinate_name>s</dependent_coordinate_name><scale_factor>2</scale_factor></CoordinateCouplerConstraint>"""


def coupled(enforced):
    joints = joint("SliderJoint", "i", "/ground", "/bodyset/a", coordinate("q", 0.5))
    joints += joint("SliderJoint", "j", "/ground", "/bodyset/b", coordinate("s", 9))
    return model(joints, ("a", "b"), COUPLER.format(enforced, "q"))


@pytest.mark.parametrize(("enforced", "place"), [("true", 1.5), ("false", 9.0)])
def test_coupled_coordinates(enforced, place, tmp_path):
    scene, remarks = read_scene(written(tmp_path, coupled(enforced)))
    assert scene["a_ball"].position.tolist() == [0.5, 0.0, 0.0]
    assert scene["b_ball"].position.tolist() == [place, 0.0, 0.0]
    assert not any("evaluated" in remark for remark in remarks)


@pytest.mark.parametrize(("enforced", "place"), [("true", 1.5), ("false", 9.0)])
def test_coupled_coordinates_beside_opensim(enforced, place, tmp_path):
    path = written(tmp_path, coupled(enforced))
    assert np.abs(by_opensim(path, ["b"])["b"][1] - [place, 0.0, 0.0]).max() < 1e-9


@pytest.mark.parametrize(
    ("joints", "constraints", "reason"),
    [
        (
            joint("ScrewJoint", "j", "/ground", "/bodyset/a", coordinate("q", 1)),
            "",
            "the frame of a is at the origin of the scene: ScrewJoint 'j': a ScrewJoint is not evaluated",
        ),
        (
            joint(
                "PinJoint",
                "j",
                "/ground",
                "/bodyset/a",
                coordinate("q", 1, "<prescribed>true</prescribed><prescribed_function><Sine/></prescribed_function>"),
            ),
            "",
            "the frame of a is at the origin of the scene: PinJoint 'j': the coordinate 'q' is prescribed",
        ),
        (
            joint(
                "CustomJoint",
                "j",
                "/ground",
                "/bodyset/a",
                coordinate("q", 1),
                more=spatial(("q", "1 0 0", '<Sine name="function"/>'), *[("", "0 1 0", ZERO)] * 5),
            ),
            "",
            "the frame of a is at the origin of the scene: CustomJoint 'j': the function Sine is not evaluated",
        ),
        (
            joint("PinJoint", "j", "/bodyset/b", "/bodyset/a", coordinate("q", 1)),
            "",
            "the frame of a is at the origin of the scene: no joint leads there from the ground",
        ),
        (
            joint("WeldJoint", "j", "/ground", "/bodyset/x"),
            "",
            "WeldJoint 'j' is not read: no frame '/bodyset/x' is in the file",
        ),
        (
            joint("PinJoint", "j", "/ground", "/bodyset/a", coordinate("q", 1)),
            '<PointConstraint name="p"/>',
            "PointConstraint 'p' is not evaluated: bodies stand as if it were absent",
        ),
        (
            joint("PinJoint", "j", "/ground", "/bodyset/a", coordinate("q", 1))
            + joint("WeldJoint", "w", "/ground", "/bodyset/a"),
            "",
            "the joint 'w' closes a loop that is open at the default coordinates; it is left out",
        ),
        (
            joint("SliderJoint", "j", "/ground", "/bodyset/a", coordinate("s", 1)),
            COUPLER.format("true", "s"),
            "the frame of a is at the origin of the scene: "
            "SliderJoint 'j': the coordinate 's' depends on others in a circle",
        ),
        (
            joint("PinJoint", "i", "/ground", "/ground", coordinate("q", 1))
            + joint("SliderJoint", "j", "/ground", "/bodyset/a", coordinate("s", 1, "<locked>true</locked>")),
            COUPLER.format("true", "q"),
            "the frame of a is at the origin of the scene: "
            "SliderJoint 'j': the coordinate 's' is locked at 1, and coupled to be 2.5",
        ),
        (
            joint("PinJoint", "i", "/ground", "/ground", coordinate("q", 1))
            + joint("SliderJoint", "j", "/ground", "/bodyset/a", coordinate("s", 1)),
            COUPLER.format("true", "q") * 2,
            "the frame of a is at the origin of the scene: SliderJoint 'j': two constraints give the coordinate 's'",
        ),
        (
            joint("WeldJoint", "w", "f", "/bodyset/a", "", offset_frame("f", "f")),
            "",
            "WeldJoint 'w' is not read: the offset frames /jointset/w/f refer to each other in a circle",
        ),
    ],
)
def test_what_cannot_be_evaluated_is_said(joints, constraints, reason, tmp_path):
    scene, remarks = read_scene(written(tmp_path, model(joints, ("a",), constraints)))
    assert reason in remarks
    if "at the origin" in reason:
        assert scene["a_ball"].position.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("tag", ["SimmSpline", "NaturalCubicSpline", "natCubicSpline"])
def test_spline(tag):
    """Values of SimmSpline in OpenSim 4.6; cubics come out as they are."""
    spline = ElementTree.fromstring(f"<{tag}><x>-1 0 0.5 1 2</x><y>0 1 3 2 5</y></{tag}>")
    values = {-2.0: 223 / 30, -0.4: -0.848, 0.3: 2.4908, 0.5: 3.0, 1.7: 2.133, 3.0: 563 / 30}
    for t, value in values.items():
        assert function_value(spline, [t], "") == pytest.approx(value, abs=1e-13)
    x = np.array([-1.0, 0.2, 0.5, 1.0, 2.0])
    for count, coefficients in ((2, [3, 1]), (3, [2, 3, 1]), (5, [1, -2, 3, 1])):
        y = np.polyval(coefficients, x)
        spline[0].text, spline[1].text = (" ".join(map(str, values[:count])) for values in (x, y))
        for t in np.linspace(-1.0, x[count - 1], 7):
            assert function_value(spline, [t], "") == pytest.approx(np.polyval(coefficients, t), abs=1e-13)
        beyond = np.polyval(coefficients, -1.0) - 2.0 * np.polyval(np.polyder(coefficients), -1.0)  # the tangent at -1
        assert function_value(spline, [-3.0], "") == pytest.approx(beyond, abs=1e-13)


def by_opensim(path, bodies):
    """Poses of bodies in the ground, by OpenSim."""
    opensim = pytest.importorskip("opensim", reason="the check of OSIM files needs OpenSim: pip install opensim")
    opensim.Logger.setLevelString("Error")
    theirs = opensim.Model(str(path))
    state = theirs.initSystem()
    found = {}
    for name in bodies:
        transform = theirs.getBodySet().get(name).getTransformInGround(state)
        rotation, position = transform.R(), transform.p()
        rows = [[rotation.get(i, j) for j in range(3)] for i in range(3)]
        found[name] = np.array(rows), np.array([position.get(i) for i in range(3)])
    return found


def constant(rng):
    return f'<Constant name="function"><value>{rng.normal()}</value></Constant>'


FUNCTIONS = (
    lambda rng: (
        f'<LinearFunction name="function"><coefficients>{rng.normal()} {rng.normal()}</coefficients></LinearFunction>'
    ),
    lambda rng: '<PolynomialFunction name="function"><coefficients>{} {} {}</coefficients></PolynomialFunction>'.format(
        *rng.normal(size=3)
    ),
    lambda rng: table("SimmSpline", rng),
    lambda rng: table("PiecewiseLinearFunction", rng),
    lambda rng: (
        f'<MultiplierFunction name="function"><function>{table("SimmSpline", rng)}</function>'
        f"<scale>{rng.normal()}</scale></MultiplierFunction>"
    ),
)


def table(tag, rng):
    count = rng.integers(2, 8)
    x, y = np.cumsum(rng.uniform(0.1, 1.0, count)) - 1.5, rng.normal(size=count)
    return f'<{tag} name="function"><x>{" ".join(map(str, x))}</x><y>{" ".join(map(str, y))}</y></{tag}>'


COUNTS = {
    "WeldJoint": 0,
    "PinJoint": 1,
    "SliderJoint": 1,
    "UniversalJoint": 2,
    "GimbalJoint": 3,
    "BallJoint": 3,
    "EllipsoidJoint": 3,
    "PlanarJoint": 3,
    "FreeJoint": 6,
    "CustomJoint": 3,
}


def random_chain(rng, tags):
    """Joints of given kinds from the ground to body after body, with frames at random."""
    joints, before = "", "/ground"
    for number, tag in enumerate(tags):
        body = f"/bodyset/body{number}"
        values = [coordinate(f"q{number}_{k}", rng.uniform(-1.2, 1.2)) for k in range(COUNTS[tag])]
        vectors = [" ".join(map(str, rng.normal(size=3))) for _ in range(6)]
        frames = offset_frame("p", before, *vectors[:2]) + offset_frame("c", body, *vectors[2:4])
        more = (
            f"<radii_x_y_z>{' '.join(map(str, rng.uniform(0.1, 1, 3)))}</radii_x_y_z>"
            if tag == "EllipsoidJoint"
            else ""
        )
        if tag == "CustomJoint":
            axes = [" ".join(map(str, rng.normal(size=3))) for _ in range(6)]
            used = [f"q{number}_{k}" for k in (0, 1, 2, 0, 1, 2)]
            used[5], functions = "", [*(rng.choice(FUNCTIONS)(rng) for _ in range(5)), constant(rng)]
            more = spatial(*zip(used, axes, functions))
        joints += joint(tag, f"joint{number}", "p", "c", "".join(values), frames, more)
        before = body
    return model(joints, tuple(f"body{number}" for number in range(len(tags))))


@pytest.mark.parametrize("seed", range(6))
def test_chains_at_random_beside_opensim(seed, tmp_path):
    rng = np.random.default_rng(seed)
    tags = rng.permutation([*COUNTS, "CustomJoint", "CustomJoint"])
    path = written(tmp_path, random_chain(rng, tags))
    theirs = by_opensim(path, [f"body{number}" for number in range(len(tags))])
    placed = placement(xml_root(path).find("Model"), str(path))
    for name, (rotation, position) in theirs.items():
        place = placed.places[f"/bodyset/{name}"]
        assert np.abs(place.position - position).max() < 1e-12
        assert np.abs(place.rotation.as_matrix() - rotation).max() < 1e-12
