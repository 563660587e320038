"""The lab without a browser: its bodies, contacts, ellipses, steps and texts."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.lab.arrangement import Arrangement
from tangency.lab.measures import Contacts, dupin_ring, hertz_ring, slopes, tangent_square
from tangency.lab.readout import contact_html, gaps, steps_html
from tangency.lab.samples import SAMPLES, start_scene
from tangency.lab.sliders import MOST, sliders_of
from tangency.lab.steps import Steps, steps_of
from tangency.scene import Body, Roller, Scene, SceneError, load_scene, shape_table
from tangency.scene.catalogue import CATALOGUE
from tangency.scene.toml import shape_of
from tangency.solvers import SOLVERS

FORMULAS = ("support", "potential")  # compiled anew in every process


@pytest.fixture(scope="module")
def everything():
    """One body of every word, except formulas, which take seconds to compile."""
    found = Arrangement.of(start_scene())
    for word in SAMPLES:
        if word not in FORMULAS:
            found = found.added(word)
    return found


def contacts(arrangement):
    return Contacts().of(arrangement)


def test_there_is_a_sample_of_every_word():
    assert set(SAMPLES) == set(CATALOGUE) - {"plane"}
    for word, table in SAMPLES.items():
        assert table["shape"] == word


def test_bodies_are_placed_apart(everything):
    found = contacts(everything)
    bounded = [k for k, pair in enumerate(found.pairs) if not {"ground", "half_space"} & set(pair)]
    assert (found.contacts.distance[bounded] > 0).all()


def test_a_saved_scene_is_the_same(everything, tmp_path):
    path = tmp_path / "all.toml"
    turned = everything.moved("cone", (Rotation.from_rotvec([0.3, -1.0, 2.0]), [3.0, 4.0, 5.0]))
    path.write_text(turned.as_toml(), encoding="utf-8")
    again = Arrangement.of(load_scene(path))
    assert again.names == turned.names
    assert again.pair == turned.pair
    first, second = contacts(turned), contacts(again)
    assert first.pairs == second.pairs
    assert np.abs(first.contacts.distance - second.contacts.distance).max() < 1e-13


def test_the_program_computes_the_same(everything):
    for pair in (("egg", "pillow"), ("cone", "spline_shape"), ("ground", "hull")):
        chosen = everything.studied(*pair)
        names = {}
        exec(chosen.as_python().replace("print(contact)", ""), names)
        assert abs(names["contact"].distance - contacts(chosen).studied.distance) < 1e-13


@pytest.mark.full
@pytest.mark.parametrize("word", FORMULAS)
def test_formulas_are_saved_with_their_present_values(word, tmp_path):
    made = Arrangement.of(start_scene()).added(word)
    values = made.scene[word].shape.parameters * [1.1, 0.9]
    made = made.reshaped(word, values).studied("egg", word)
    path = tmp_path / "formula.toml"
    path.write_text(made.as_toml(), encoding="utf-8")
    again = Arrangement.of(load_scene(path))
    assert np.allclose(again.scene[word].shape.parameters, values, rtol=1e-15)
    names = {}
    exec(made.as_python().replace("print(contact)", ""), names)
    assert abs(names["contact"].distance - contacts(made).studied.distance) < 1e-13


def test_a_file_keeps_what_the_lab_does_not_show(root, tmp_path):
    made = Arrangement.of(load_scene(root / "examples" / "bowl.toml"))
    name = made.pair[1]
    moved = made.moved(name, (None, made.scene[name].position + np.array([0.0, 0.0, 0.01])))
    path = tmp_path / "bowl.toml"
    path.write_text(moved.as_toml(), encoding="utf-8")
    again = load_scene(path)
    assert again.simulation.keys() == made.scene.simulation.keys()
    for body in moved.scene.bodies:
        assert again[body.name].physics.keys() == body.physics.keys()
        assert np.allclose(again[body.name].position, body.position, rtol=0, atol=1e-15)


def test_shapes_of_ones_own_are_refused_by_name():
    with pytest.raises(SceneError, match="a scene file cannot hold a Roller; it has the shapes affine, box"):
        shape_table(Roller(radius=0.45, skew=0.85))


def test_bodies_come_and_go():
    made = Arrangement.of(start_scene()).added("sphere").added("sphere")
    assert made.names[-2:] == ("sphere", "sphere 2")
    assert made.removed("sphere").names[-1] == "sphere 2"
    assert made.removed("egg").pair == ("pillow", "ground")
    with pytest.raises(SceneError, match="at least two bodies"):
        made.removed("sphere").removed("sphere 2").removed("egg").removed("pillow")
    with pytest.raises(SceneError, match="two different bodies"):
        made.studied("egg", "egg")
    with pytest.raises(SceneError, match="half-spaces or cavities"):
        made.added("half_space").studied("ground", "half_space")


def test_contacts_are_those_of_single_queries():
    made = Arrangement.of(start_scene()).added("capsule").added("box")
    prepared = Contacts()
    for step in range(3):
        made = made.moved("egg", (None, [0.1 * step, -0.6, 0.5])).reshaped(
            "pillow", [0.4, 0.4, 0.3, 0.5 + 0.1 * step, 1.0]
        )
        found = prepared.of(made)
        assert found.pairs[-1] == made.pair
        assert len(found.pairs) == 10
        for k, (a, b) in enumerate(found.pairs):
            one, two = made.scene[a], made.scene[b]
            exact = tg.contact(one.shape, two.shape, one.pose, two.pose)
            assert abs(found.contacts.distance[k] - exact.distance) < 1e-12


def random_bodies(rng):
    shapes = [tg.Ellipsoid(rng.uniform(0.2, 1.0, 3)) for _ in range(2)]
    poses = [(Rotation.random(rng=rng), place) for place in (np.zeros(3), rng.normal(size=3) * 1.2)]
    return [Body(name, shape, pose) for name, shape, pose in zip("ab", shapes, poses)]


@pytest.mark.parametrize("solver", ["romer-1", "romer-2", "romer-3", "romer-4", "lopes-implicit", "lopes-parametric"])
def test_every_step_proves_its_bounds(solver):
    rng = np.random.default_rng(3)
    closed = 0
    for _ in range(12):
        a, b = random_bodies(rng)
        found, exact = steps_of(solver, a, b), tg.contact(a.shape, b.shape, a.pose, b.pose)
        assert len(found) > 0
        assert (found.lower <= exact.upper + 1e-14).all()
        assert (found.upper >= exact.lower - 1e-14).all()
        assert (np.diff(found.lower) >= 0).all()
        assert (np.diff(found.upper) <= 0).all()
        closed += bool(exact.distance > 0 and found.upper[-1] - found.lower[-1] < 1e-9)
    assert closed >= 3


def test_a_solver_without_steps_says_why():
    ball, ground = Body("ball", tg.Sphere(1.0)), Body("ground", tg.HalfSpace([0, 0, 1]))
    assert "'ground' is a HalfSpace" in steps_of("romer-1", ground, ball).message
    for solver in SOLVERS:
        found = steps_of(solver, ball, Body("box", tg.Box([1, 1, 1]), (None, [3, 0, 0])))
        assert len(found) or found.message
    with pytest.raises(ValueError, match="solver must be one of"):
        steps_of("newton", ball, ball)


@pytest.mark.parametrize("side", [0, 1])
def test_dupin_ring_is_a_section_of_the_surface(side):
    rng = np.random.default_rng(8)
    for _ in range(10):
        a, b = random_bodies(rng)
        c = tg.contact(a.shape, b.shape, a.pose, b.pose)
        body, inward = (a, -c.normal) if side == 0 else (b, c.normal)
        point, curvature = (c.point_a, c.curvature_a) if side == 0 else (c.point_b, c.curvature_b)
        depth = 1e-7
        ring = dupin_ring(point, curvature, depth, 1.0) + depth * inward
        inside = (ring - body.position) @ body.rotation
        level = ((inside / body.shape.radii) ** 2).sum(axis=1) - 1.0
        # One half of the points would be 50 % off if the axes were exchanged; third order terms are far smaller.
        slope = 2.0 * np.linalg.norm(((point - body.position) @ body.rotation) / body.shape.radii**2)
        assert np.abs(level / slope).max() < 0.02 * depth


def test_flat_places_have_rings_of_limited_size():
    c = tg.contact(tg.Box([1, 1, 1]), tg.Sphere(1.0), pose_b=(None, [0, 0, 3]))
    ring = dupin_ring(c.point_a, c.curvature_a, 0.01, 2.0)
    assert np.isfinite(ring).all()
    assert abs(np.linalg.norm(ring - c.point_a, axis=1).max() - 2.0) < 1e-12


def test_hertz_ring_lies_along_the_smaller_curvature():
    long = tg.Ellipsoid([3.0, 0.5, 0.5])
    c = tg.contact(tg.HalfSpace([0, 0, 1]), long, pose_b=(None, [0, 0, 0.5]))
    found = hertz_ring(c, 1e4, 1e7)
    spread = np.ptp(found.polygon, axis=0)
    assert np.allclose(spread[:2], 2.0 * found.ellipse.semi_axes, rtol=2e-3)
    assert abs(spread[2]) < 1e-12
    flat = hertz_ring(tg.contact(tg.Box([1, 1, 1]), tg.HalfSpace([0, 0, -1]), pose_b=(None, [0, 0, 2])), 1.0, 1e6)
    assert flat.ellipse is None
    assert "both finite and positive" in flat.reason


def test_slopes_are_differences():
    a, b = random_bodies(np.random.default_rng(2))
    move, turn = slopes(tg.contact(a.shape, b.shape, a.pose, b.pose))
    for k, step in enumerate(np.eye(3) * 1e-6):
        moved = [
            tg.contact(a.shape, b.shape, a.pose, (b.pose.rotation, b.position + s * step)).distance for s in (1, -1)
        ]
        turned = [
            tg.contact(
                a.shape, b.shape, a.pose, (Rotation.from_rotvec(s * step) * b.pose.rotation, b.position)
            ).distance
            for s in (1, -1)
        ]
        assert abs((moved[0] - moved[1]) / 2e-6 - move[k]) < 1e-7
        assert abs((turned[0] - turned[1]) / 2e-6 - turn[k]) < 1e-7


def test_tangent_square():
    normal = np.array([0.6, 0.0, 0.8])
    corners = tangent_square(np.array([1.0, 2.0, 3.0]), normal, 0.5)
    assert np.abs((corners - [1, 2, 3]) @ normal).max() < 1e-15
    assert np.allclose(np.linalg.norm(np.diff(corners, axis=0), axis=1), 1.0)


@pytest.mark.parametrize("word", [word for word in SAMPLES if word not in FORMULAS])
def test_sliders_hold_the_values(word, everything):
    shape = everything.scene[word].shape
    found, reason = sliders_of(shape)
    if not found:
        assert reason
        return
    assert len(found) <= MOST
    assert [slider.value for slider in found] == shape.parameters.tolist()
    for slider in found:
        assert slider.low <= slider.value <= slider.high
        assert 0 < slider.step < 0.02 * (slider.high - slider.low)


def test_texts_are_escaped_and_complete():
    assert "&lt;b&gt;" in steps_html(Steps.none("<b>"), 0)
    a, b = random_bodies(np.random.default_rng(4))
    c = tg.contact(a.shape, b.shape, a.pose, b.pose)
    text = contact_html(c, hertz_ring(c, 1.0, 1e6))
    assert f"{float(c.lower):.14g}" in text
    assert "semi-axes" in text
    found = steps_of("romer-1", a, b)
    assert f"2 of {len(found)}" in steps_html(found, 2)
    count, values = gaps(found)
    assert len(count) == len(values) == max(len(found), 2)
    assert np.isfinite(values).all()


def test_scenes_with_groups_are_refused(root):
    ball = shape_of({"shape": "sphere", "radius": 1.0}, "ball")
    made = Arrangement.of(Scene((Body("a", ball), Body("b", ball, (None, [3, 0, 0])))))
    assert made.pair == ("a", "b")
    path = root / "src" / "tangency" / "scene" / "templates" / "packing.toml"
    with pytest.raises(SceneError, match="groups are for tangency simulate"):
        Arrangement.of(load_scene(path))


def test_of_many_bodies_only_pairs_with_a_or_b_are_computed(monkeypatch):
    """300 bodies; no work may grow with the cube of their number."""
    shape = tg.Ellipsoid([0.3, 0.2, 0.25])
    bodies = tuple(Body(f"b{k}", shape, (None, [k % 7, k // 7 % 7, k // 49])) for k in range(300))
    known = Arrangement.of(Scene(bodies)).studied("b3", "b200")
    measured = Contacts().of(known)
    assert len(measured.pairs) == 2 * 298 + 1
    assert measured.left_out == 300 * 299 // 2 - len(measured.pairs)
    a, b = known.scene["b3"], known.scene["b200"]
    assert measured.studied.distance == tg.contact(a.shape, b.shape, a.pose, b.pose).distance
    assert f"{measured.left_out} more are not computed" in contact_html(
        measured.studied, hertz_ring(measured.studied, 1.0, 1e6), measured.left_out
    )
    few = Contacts().of(Arrangement.of(Scene(bodies[:20])))
    assert (len(few.pairs), few.left_out) == (190, 0)
    boxes = []
    whole = tg.Ellipsoid.aabb
    monkeypatch.setattr(tg.Ellipsoid, "aabb", lambda self, *pose: boxes.append(self) or whole(self, *pose))
    assert known.size == known.size > 0.0
    assert len(boxes) == 300
