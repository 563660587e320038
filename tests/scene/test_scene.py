"""Scenes: bodies, pairs and the contacts between them."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.scene import Body, Roller, Scene, SceneError, all_contacts, demo_scene, load_scene
from tangency.scene.catalogue import CATALOGUE


def test_two_spheres(write, two):
    scene = load_scene(write(two))
    assert scene.title == "scene"
    (pair,) = all_contacts(scene)
    assert (pair.a.name, pair.b.name) == ("left", "right")
    assert float(pair.contact.distance) == pytest.approx(1.5, abs=1e-14)


@pytest.mark.parametrize(
    ("text", "rotation"),
    [
        ("{ axis = [0, 0, 2], angle_deg = 90 }", Rotation.from_euler("z", 90, degrees=True)),
        ("{ quaternion = [0, 0, 1, 1] }", Rotation.from_euler("z", 90, degrees=True)),
        ('{ euler = "xyz", angles_deg = [10, 20, 30] }', Rotation.from_euler("xyz", [10, 20, 30], degrees=True)),
        ('{ euler = "ZX", angles_deg = [10, 20] }', Rotation.from_euler("ZX", [10, 20], degrees=True)),
        ('{ euler = "y", angles_deg = 15 }', Rotation.from_euler("y", 15, degrees=True)),
        ("{ matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] }", Rotation.from_euler("z", 90, degrees=True)),
    ],
)
def test_orientations(write, two, text, rotation):
    scene = load_scene(write(two + f"orientation = {text}\n"))
    np.testing.assert_allclose(scene["right"].rotation, rotation.as_matrix(), atol=1e-15)


def test_composites_and_pairs(write):
    scene = load_scene(
        write("""
        [[body]]
        name = "rod"
        shape = "offset"
        body = { shape = "segment", half_length = 1 }
        distance = 0.25
        [[body]]
        name = "sum"
        shape = "Minkowski sum"
        a = { shape = "sphere", radius = 0.5 }
        b = { shape = "affine", body = { shape = "sphere", radius = 1 }, matrix = [[1, 0, 0], [0, 2, 0], [0, 0, 1]] }
        position = [4, 0, 0]
        [[body]]
        name = "wall"
        shape = "plane"
        normal = [1, 0, 0]
        offset = -3
        [contact]
        tol = 1e-9
        pairs = [["wall", "rod"], ["rod", "sum"]]
        """)
    )
    assert scene.options == {"tol": 1e-9}
    first, second = all_contacts(scene)
    assert float(first.contact.distance) == pytest.approx(2.75)
    assert float(second.contact.distance) == pytest.approx(4 - 0.25 - 1.5)


def test_half_spaces_are_not_paired():
    floor, wall = tg.HalfSpace([0, 0, 1], 0.0), tg.HalfSpace([1, 0, 0], -2.0)
    scene = Scene((Body("floor", floor), Body("wall", wall), Body("ball", tg.Sphere(1.0), (None, [0, 0, 2]))))
    assert [(p.a.name, p.b.name) for p in all_contacts(scene)] == [("floor", "ball"), ("wall", "ball")]
    with pytest.raises(SceneError, match="not a half-space or cavity"):
        Scene((Body("floor", floor), Body("wall", wall)))
    with pytest.raises(SceneError, match="two half-spaces"):
        Scene(scene.bodies, pairs=(("floor", "wall"),))


def test_body_checks():
    with pytest.raises(SceneError, match="shape must be a Shape"):
        Body("a", 3)
    with pytest.raises(SceneError, match="pose must be one pose"):
        Body("a", tg.Sphere(1.0), (None, np.zeros((2, 3))))
    with pytest.raises(SceneError, match="reflection"):
        Body("a", tg.Sphere(1.0), (np.diag([1.0, 1.0, -1.0]), np.zeros(3)))


def test_demo_scene():
    scene = demo_scene()
    assert len(scene.bodies) >= 7
    assert {type(body.shape).__name__ for body in scene.bodies} >= {
        "HalfSpace",
        "Sphere",
        "Ellipsoid",
        "Superellipsoid",
        "MinkowskiSum",
        "Roller",
    }
    pairs = all_contacts(scene)
    assert len(pairs) == len(scene.bodies) * (len(scene.bodies) - 1) // 2
    assert all(bool(pair.contact.converged) for pair in pairs)
    distances = np.array([float(pair.contact.distance) for pair in pairs])
    assert (distances < -0.01).any()
    assert (abs(distances) < 1e-12).any()
    assert ((distances > 0) & (distances < 0.1)).any()
    for pair in pairs:
        c = pair.contact
        np.testing.assert_allclose(c.point_b, c.point_a + c.distance * c.normal, atol=1e-12)
        assert c.lower - 1e-12 <= c.distance <= c.upper + 1e-12


def test_roller():
    roller = Roller(radius=0.45, skew=0.85)
    assert tg.check(roller).ok
    n = np.random.default_rng(0).normal(size=(50, 3))
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    np.testing.assert_allclose(roller.support(n) + roller.support(-n), 0.9, rtol=1e-14)
    assert (roller.curvature(n).radii > 0).all()


def test_catalogue_names_every_shape():
    words = {name.replace("_", "") for name in CATALOGUE}
    classes = [cls for cls in vars(tg.shapes).values() if isinstance(cls, type) and issubclass(cls, tg.Shape)]
    words |= {"cavity", "meshwall"}  # written as cavity = true, and for bodies only
    missing = [cls.__name__ for cls in classes if cls.__name__.lower() not in words]
    assert not missing, f"shapes without a word for scene files: {missing}"


@pytest.mark.parametrize("again", [["a", "b"], ["b", "a"]])
def test_pairs_are_asked_for_once(again):
    bodies = [Body(name, tg.Sphere(0.1), (None, [k, 0, 0])) for k, name in enumerate("abc")]
    with pytest.raises(SceneError, match="pairs must hold each pair once"):
        Scene(bodies, pairs=(("a", "b"), ("b", "c"), tuple(again)))
