"""Several bodies for one cloud, regions of scans, clouds from images, populations."""

import json

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from tangency.cli.main import main
from tangency.fitting import (
    Cloud,
    close_holes,
    fit_bodies,
    fit_population,
    mesh_from_volume,
    outward_normals,
    sample_mesh,
    spherical_region,
    surface_mesh,
    write_cloud,
)
from tangency.fitting.lines_of_sight import parts_of
from tangency.scene import load_scene


def at(position, axis="y", angle=0.0):
    return RigidTransform.from_components(position, Rotation.from_euler(axis, angle, degrees=True))


BODIES = {
    "dumbbell": [
        (tg.Sphere(1.0), at([-2, 0, 0])),
        (tg.Sphere(1.0), at([2, 0, 0])),
        (tg.Cylinder(0.35, 2.0), at([0] * 3, angle=90)),
    ],
    "L": [(tg.Box([2, 0.5, 0.5]), at([0, 0, 0])), (tg.Box([0.5, 0.5, 1.5]), at([-1.5, 0, 1.0]))],
    "tooth": [
        (tg.Superellipsoid([1.1, 1.0, 0.8], (0.6, 0.6)), at([0, 0, 1.0])),
        (tg.Ellipsoid([0.38, 0.55, 1.5]), at([-0.6, 0, -0.6], angle=10)),
        (tg.Ellipsoid([0.38, 0.55, 1.5]), at([0.6, 0, -0.6], angle=-10)),
    ],
    "egg": [(tg.Ellipsoid([3, 2, 1]), at([0, 0, 0]))],
    "box": [(tg.Box([3, 2, 1]), at([0, 0, 0]))],
}


def other_bodies(name, rng):
    """Another dumbbell, L, tooth, egg or box, with proportions of its own."""
    grow = rng.uniform(0.85, 1.2, 8)
    if name == "dumbbell":
        left, right = grow[1], grow[2]
        half = 0.5 * (left + right) * rng.uniform(2.0, 2.4)  # the rod is free for at least a mean diameter
        rod = tg.Cylinder(0.35 * grow[3], half)
        return [
            (tg.Sphere(left), at([-half, 0, 0])),
            (tg.Sphere(right), at([half, 0, 0])),
            (rod, at([0] * 3, angle=90)),
        ]
    if name == "L":
        a, thick, tall = 2.0 * grow[0], 0.5 * grow[1], 1.5 * grow[2]
        wide = 0.5 * grow[3]
        return [
            (tg.Box([a, wide, thick]), at([0, 0, 0])),
            (tg.Box([thick, wide, tall]), at([thick - a, 0, tall - thick])),
        ]
    if name == "tooth":
        lean, out = rng.uniform(6.0, 14.0), rng.uniform(0.55, 0.65)
        root = tg.Ellipsoid([0.38 * grow[0], 0.55 * grow[1], 1.5 * grow[2]])
        return [
            (tg.Superellipsoid([1.1, 1.0, 0.8] * grow[3:6], (0.6, 0.6)), at([0, 0, 1.0])),
            (root, at([-out, 0, -0.6], angle=lean)),
            (root, at([out, 0, -0.6], angle=-lean)),
        ]
    return [(type(BODIES[name][0][0])([3, 2, 1] * grow[:3]), at([0, 0, 0]))]


def union(name, seed, density=35, bodies=None, noise=0.01):
    """Points on the surface of a union, and the numbers of the bodies that they lie on."""
    bodies, points, owner = bodies or BODIES[name], [], []
    for k, (shape, pose) in enumerate(bodies):
        mesh = surface_mesh(shape, pose, corners=1200)
        a, b, c = (mesh.points[mesh.faces[:, i]] for i in range(3))
        area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
        own = sample_mesh(mesh, int(density * area), seed=seed).points
        for j, (other, place) in enumerate(bodies):
            if j != k:
                own = own[tg.signed_distance(other, own, place).distance > 0.0]
        points.append(own)
        owner.append(np.full(len(own), k))
    cloud = np.concatenate(points)
    return cloud + np.random.default_rng(seed).normal(0, noise, cloud.shape), np.concatenate(owner)


@pytest.mark.parametrize("name", BODIES)
def test_the_number_of_parts(name):
    points, owner = union(name, 1, density=80 if name == "tooth" else 35)
    turned = Rotation.random(rng=np.random.default_rng(2)).apply(100.0 * points) + 5.0
    labels, _ = parts_of(turned, outward_normals(turned), None, 8)
    assert labels.max() + 1 == len(BODIES[name])
    for k in range(len(BODIES[name])):  # most points of a body are in one part
        assert np.bincount(labels[owner == k]).max() > 0.6 * (owner == k).sum()


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", BODIES)
def test_the_number_of_parts_of_other_bodies(name, seed):
    """Other proportions, places, units and noise: the class, not the case."""
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    bodies = other_bodies(name, rng)
    points, _ = union(name, seed, 80, bodies, rng.uniform(0.0, 0.012))
    points = 10.0 ** rng.uniform(-3, 3) * (Rotation.random(rng=rng).apply(points) + rng.normal(size=3))
    labels, _ = parts_of(points, outward_normals(points), None, 8)
    assert labels.max() + 1 == len(bodies)


@pytest.mark.full
def test_a_dumbbell():
    points, _ = union("dumbbell", 3)
    found = fit_bodies(points, models=["sphere", "cylinder"])
    kinds = sorted(one.model for one in found.fits)
    assert kinds == ["cylinder", "sphere", "sphere"]
    for one in found.fits:
        if one.model == "sphere":
            assert float(one.shape.radius) == pytest.approx(1.0, abs=0.01)
            assert abs(one.pose.translation[0]) == pytest.approx(2.0, abs=0.01)
        else:
            assert float(one.shape.radius) == pytest.approx(0.35, abs=0.02)
    assert found.rms < 0.013
    # The distance of the union and the residuals are those of the returned bodies
    for k, one in enumerate(found.fits):
        again = tg.signed_distance(one.shape, points[found.labels == k], one.pose).distance
        assert np.array_equal(again, found.residuals[found.labels == k])
    assert found.signed_distance([[0, 0, 0], [0, 0, 5]])[0] < 0.0


@pytest.mark.full
@pytest.mark.parametrize("name", ["L", "tooth"])
def test_other_compounds(name):
    points, _ = union(name, 3, density=80)
    found = fit_bodies(points, models=["superellipsoid"])
    assert len(found) == len(BODIES[name])
    assert found.rms < 0.06


def test_a_compound_as_a_scene(tmp_path):
    n = np.random.default_rng(0).normal(size=(400, 3))
    ball = tg.Sphere(1.0).point(n)
    points = np.concatenate([ball[ball[:, 0] < 0.8] - [0.8, 0, 0], ball[ball[:, 0] > -0.8] + [0.8, 0, 0]])
    found = fit_bodies(points, 2, ["sphere"])
    path = tmp_path / "two.toml"
    path.write_text(found.scene_bodies("ball", unit=1e-3))
    assert [round(float(body.shape.radius), 9) for body in load_scene(path).bodies] == [1e-3, 1e-3]


def test_normals_point_outwards():
    rng = np.random.default_rng(0)
    for shape in (tg.Ellipsoid([3, 2, 1]), tg.Box([3, 2, 1])):
        mesh = sample_mesh(surface_mesh(shape), 1500)
        points = mesh.points + rng.normal(0, 0.005, mesh.points.shape)
        assert ((outward_normals(points) * mesh.normals).sum(axis=1) > 0.0).mean() > 0.995


@pytest.mark.parametrize("seed", [6, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1000, 1030))])
def test_normals_across_edges_that_noise_has_rounded(seed):
    """The signs in the gap between the roots of a tooth, where neighbours mislead."""
    rng = np.random.default_rng([seed, sum(map(ord, "tooth"))])
    bodies = other_bodies("tooth", rng)
    points, owner = union("tooth", seed, 80, bodies, rng.uniform(0.0, 0.012))
    normals = outward_normals(points)
    for k, (shape, pose) in enumerate(bodies):
        own = tg.signed_distance(shape, points[owner == k], pose).normal
        assert ((normals[owner == k] * own).sum(axis=1) > 0.0).mean() > 0.99


@pytest.mark.full
def test_normals_of_many_points():
    """More points than patches whose signs are found together."""
    points, owner = union("tooth", 3, 500)
    normals = outward_normals(points)
    for k, (shape, pose) in enumerate(BODIES["tooth"]):
        own = tg.signed_distance(shape, points[owner == k], pose).normal
        assert ((normals[owner == k] * own).sum(axis=1) > 0.0).mean() > 0.99


@pytest.mark.parametrize(("name", "hollow"), [("bp3d_femur_r", False), ("bp3d_hip_r_acetabulum", True)])
def test_heads_and_sockets_are_found(extra, name, hollow):
    data = np.load(extra(f"data/{name}.npz"))
    whole = Cloud(data["whole_points"], None, data["faces"])
    chosen = spherical_region(whole, hollow=hollow)
    found, by_hand = tg.fit(whole.points[chosen], "sphere"), tg.fit(data["points"], "sphere")
    assert np.linalg.norm(found.pose.translation - by_hand.pose.translation) < 0.3  # mm
    assert abs(float(found.shape.radius) - float(by_hand.shape.radius)) < 0.3


@pytest.mark.full
def test_a_region_moves_with_the_scan():
    n = np.random.default_rng(0).normal(size=(1500, 3))
    ball, rod = tg.Sphere(1.0).point(n), tg.capsule(0.3, 3.0).point(n) - [0, 0, 3.5]
    points = np.concatenate([ball[ball[:, 2] > -0.9], rod])
    one = spherical_region(points)
    pose = at([3, 4, 5], "x", 40)
    two = spherical_region(pose.apply(1e-3 * points))
    assert len(np.intersect1d(one, two)) > 0.98 * max(len(one), len(two))


def volume_of(shape, size, step, centre):
    grid = np.stack(np.meshgrid(*[np.arange(size) * step] * 3, indexing="ij"), axis=-1) - centre
    return tg.signed_distance(shape, grid).distance


def test_from_an_image_to_a_body():
    pytest.importorskip("skimage")
    shape, step, centre = tg.Ellipsoid([8.0, 6.0, 5.0]), 0.8, np.array([11.0, 10.5, 10.0])
    inside = volume_of(shape, 27, step, centre) < 0.0
    inside[13, 13, 13] = False  # a void
    inside[0, 0, 0] = True  # a speck
    mesh = mesh_from_volume(inside, spacing=[step] * 3)
    cloud = sample_mesh(mesh, 800)
    found = tg.fit(cloud, "ellipsoid")
    assert np.allclose(sorted(found.values[:3]), [5, 6, 8], atol=0.15)
    assert np.allclose(found.pose.translation, centre, atol=0.05)
    assert found.rms < 0.25 * step
    away = mesh.points - centre
    assert (np.einsum("ij,ij->i", away, mesh.normals) > 0.0).mean() > 0.99
    with pytest.raises(ValueError, match="level must lie between"):
        mesh_from_volume(inside, level=2.0)
    with pytest.raises(ValueError, match="three axes"):
        mesh_from_volume(np.zeros((3, 3)))


def test_grey_values_give_the_surface_exactly():
    pytest.importorskip("skimage")
    shape, centre = tg.Sphere(6.0), np.array([10.0, 10.0, 10.0])
    mesh = mesh_from_volume(-volume_of(shape, 21, 1.0, centre), 0.0, smooth=0)
    assert np.abs(np.linalg.norm(mesh.points - centre, axis=1) - 6.0).max() < 0.05


def test_holes_are_closed():
    mesh = surface_mesh(tg.Sphere(1.0), corners=600)
    open_mesh = Cloud(mesh.points, mesh.normals, mesh.faces[(mesh.points[mesh.faces][:, :, 2] < 0.7).all(axis=1)])
    closed = close_holes(open_mesh)
    edges = np.sort(np.concatenate([closed.faces[:, [0, 1]], closed.faces[:, [1, 2]], closed.faces[:, [2, 0]]]), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    a, b, c = (closed.points[closed.faces[:, k]] for k in range(3))
    hull = ConvexHull(
        closed.points[np.unique(closed.faces)]
    ).volume  # the rim is jagged, so the volume is slightly smaller
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(hull, rel=0.03)


def test_populations(tmp_path, capsys, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.chdir(tmp_path)
    scans = {}
    for k in range(6):
        radii = [30 + k, 25, 20]
        scans[f"s{k}"] = tg.Ellipsoid(radii).point(rng.normal(size=(80, 3))) + rng.normal(0, 0.2, (80, 3))
        write_cloud(f"s{k}.csv", scans[f"s{k}"])
    found = fit_population(scans, ["sphere", "ellipsoid"])
    (pair,) = found.paired()
    assert pair.better == 6
    assert pair.p == pytest.approx(2 / 2**6)  # all six differences have one sign
    assert pair.mean == pytest.approx(float(np.mean(found.values()[:, 0] - found.values()[:, 1])))
    assert (
        main(
            [
                "fit",
                *(f"s{k}.csv" for k in range(6)),
                "--model",
                "sphere",
                "--model",
                "ellipsoid",
                "--table",
                "t.csv",
                "--boxes",
                "b.svg",
            ]
        )
        == 0
    )
    assert "6/6" in capsys.readouterr().out
    rows = (tmp_path / "t.csv").read_text().splitlines()
    assert len(rows) == 13
    assert rows[1].startswith("s0,sphere,80,")
    assert "<svg" in (tmp_path / "b.svg").read_text()


def test_parts_on_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ball = tg.Sphere(10.0).point(np.random.default_rng(0).normal(size=(250, 3)))
    points = np.concatenate([ball[ball[:, 0] < 8] - [8, 0, 0], ball[ball[:, 0] > -8] + [8, 0, 0]])
    write_cloud("two.ply", points)
    asked = ["fit", "two.ply", "--model", "sphere", "--unit", "mm"]
    assert main([*asked, "--parts", "auto", "--scene", "two.toml", "--json", "two.json"]) == 0
    assert "2 bodies fitted to" in capsys.readouterr().out
    assert [round(float(body.shape.radius), 9) for body in load_scene("two.toml").bodies] == [0.01, 0.01]
    data = json.loads((tmp_path / "two.json").read_text())
    assert len(data["labels"]) == len(points)
    assert sorted(round(one["position"][0], 6) for one in data["bodies"]) == [-8.0, 8.0]
    assert main(["contact", "two.toml", "--out", "out"]) == 0
    capsys.readouterr()
    assert main([*asked, "--parts", "1"]) == 0
    assert "1 body fitted" in capsys.readouterr().out
    for wrong, says in (
        (["--parts", "none"], "must be auto or a number of parts >= 1"),
        (["--parts", "0"], "must be auto or a number of parts >= 1"),
        (["--parts", "2", "--limits", "thesis"], "--limits is for a single body"),
        (["--parts", "2", "--surface", "a.stl"], "--surface is for a single body"),
    ):
        try:
            code = main([*asked, *wrong])
        except SystemExit as stop:
            code = stop.code
        assert code == 2
        assert says in capsys.readouterr().err
    assert main(["fit", "two.ply", "two.ply", "--parts", "2"]) == 2
    assert "--parts is for a single scan" in capsys.readouterr().err
