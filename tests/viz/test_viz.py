"""Pictures and pages: valid, not blank, self-contained, and the page runs in a browser."""

import io
import re

import numpy as np
import pytest

import tangency as tg
from tangency.scene import Body, Scene, all_contacts, demo_scene
from tangency.viz import webpage
from tangency.viz.mesh import geodesic, surface


@pytest.fixture(scope="module")
def demo():
    scene = demo_scene()
    return scene, all_contacts(scene)


def test_sphere_grid():
    sphere = geodesic(8)
    assert len(sphere.vertices) == 10 * 8**2 + 2
    assert len(sphere.triangles) == 20 * 8**2
    a, b, c = np.moveaxis(sphere.vertices[sphere.triangles], 1, 0)
    assert (np.einsum("ki,ki->k", np.cross(b - a, c - a), a) > 0).all()
    edges = np.sort(sphere.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()


@pytest.mark.parametrize(
    "shape",
    [
        tg.Ellipsoid([3.0, 2.0, 1.0]),
        tg.Box([3.0, 2.0, 1.0]),
        tg.rounded_box([3.0, 2.0, 1.0], 0.3),
        tg.Superellipsoid([3.0, 2.0, 1.0], epsilon=(0.3, 1.7)),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_surface_is_closed_and_holds_the_volume(shape):
    mesh = surface(shape, 24)
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    volume = np.einsum("ki,ki->", np.cross(a, b), c) / 6
    assert volume == pytest.approx(float(shape.volume), rel=0.01)


def test_picture_is_valid_and_not_blank(demo):
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    from tangency.viz import picture

    data = picture(*demo, width=600, height=400)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    image = imread(io.BytesIO(data))[..., :3]
    assert image.shape == (400, 600, 3)
    assert len(np.unique((image * 255).astype(int).reshape(-1, 3), axis=0)) > 2000
    hues = image.max(axis=-1) - image.min(axis=-1)
    assert (hues > 0.3).mean() > 0.1  # bodies in strong colours cover part of the picture


def test_picture_depends_on_nothing_but_the_scene(demo):
    pytest.importorskip("matplotlib")
    from tangency.viz import picture

    assert picture(*demo, width=150, height=100) == picture(*demo, width=150, height=100)


def test_page_is_self_contained(demo):
    text = webpage(*demo)
    assert re.search(r"https?://", text) is None
    assert re.search(r"""(src|href)\s*=\s*["'](?!data:)""", text) is None
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|import\(", text)
    assert text.count("<tr data-pair") == len(demo[1])
    assert len(text) < 3_000_000


def test_page_escapes_names():
    bad = "</script><script>alert(1)</script>"
    scene = Scene((Body(bad, tg.Sphere(1.0)), Body("b & c", tg.Sphere(1.0), (None, [3, 0, 0]))), title=bad)
    text = webpage(scene, all_contacts(scene))
    assert bad not in text
    assert "b &amp; c" in text
    assert text.count("<script") == 2


def test_page_draws_in_a_browser_without_errors(demo, visit):
    # Every row is pointed at and clicked, every control used: an error in any of them shows.
    act = """<script>addEventListener("load", () => setTimeout(() => {
      for (const row of document.querySelectorAll("tbody tr")) {
        row.dispatchEvent(new PointerEvent("pointerenter"));
        row.click();
        row.dispatchEvent(new PointerEvent("pointerleave"));
      }
      for (const b of document.querySelectorAll("button")) b.click();
      const c = document.getElementById("canvas");
      c.dispatchEvent(new WheelEvent("wheel", {deltaY: 50, cancelable: true}));
      for (const key of ["ArrowLeft", "ArrowUp", "+", "-"]) c.dispatchEvent(new KeyboardEvent("keydown", {key}));
    }, 300)); addEventListener("error", (e) => { document.body.dataset.error = e.message; });</script></head>"""
    assert 'data-drawn="yes"' in visit(webpage(*demo).replace("</head>", act))
