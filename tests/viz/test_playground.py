"""The playground of the documentation: its solver against the library, in a real browser."""

import html
import json
import re
import runpy
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

DOCS = Path(__file__).parents[2] / "docs"
COUNT = 120


def page():
    return runpy.run_path(str(DOCS / "playground.py"))["page"]()


def test_the_page_is_up_to_date():
    assert (DOCS / "_static" / "playground.html").read_text(encoding="utf-8") == page(), "run python docs/playground.py"


def test_the_page_loads_nothing():
    assert not re.search(r"(src|href)=\"(?!data:,\")", page())
    assert "http" not in page().replace("http-equiv", "")


def pairs():
    """Random pairs: a third ellipsoids, the rest superellipsoids; apart and overlapping."""
    rng = np.random.default_rng(5)
    radii, epsilon = rng.uniform(0.2, 1.0, (2, COUNT, 3)), rng.uniform(0.3, 1.7, (2, COUNT, 2))
    epsilon[:, : COUNT // 3] = 1.0
    turns = Rotation.random(2 * COUNT, rng=rng).as_matrix().reshape(2, COUNT, 3, 3)
    places = rng.normal(size=(2, COUNT, 3)) * rng.uniform(0.2, 1.3, (2, COUNT, 1))
    return radii, epsilon, turns, places


def test_its_numbers_are_those_of_the_library(visit):
    radii, epsilon, turns, places = pairs()
    cases = [
        [
            {
                "radii": radii[k, i].tolist(),
                "epsilon": epsilon[k, i].tolist(),
                "rotation": turns[k, i].tolist(),
                "position": places[k, i].tolist(),
            }
            for k in range(2)
        ]
        for i in range(COUNT)
    ]
    run = f"""<script id="cases" type="application/json">{json.dumps(cases)}</script><script>
      const cases = JSON.parse(document.getElementById("cases").textContent);
      document.body.dataset.found = JSON.stringify(cases.map(([a, b]) => {{ const c = contact(a, b);
        return [c.distance, c.upper, ...c.normal, ...c.pointA, ...c.pointB, ...c.curvatureA]; }}));
    </script></body>"""
    document = visit(page().replace("</body>", run))
    assert 'data-drawn="yes"' in document
    found = np.array(json.loads(html.unescape(re.search(r'data-found="([^"]*)"', document)[1])), dtype=float)
    a, b = (tg.Superellipsoid(radii[k], epsilon[k]) for k in range(2))
    c = tg.contact(a, b, (turns[0], places[0]), (turns[1], places[1]))
    apart = c.distance > 0
    assert 20 < apart.sum() < COUNT - 20
    distance, upper = found[:, 0], found[:, 1]
    assert np.abs(distance - c.distance)[apart].max() < 1e-10
    assert np.all(upper[apart] >= c.lower[apart] - 1e-12)
    assert (upper - distance)[apart].max() < 1e-9
    assert np.all(np.isnan(upper[~apart]))
    # In overlap the page takes the best of several searches: never deeper than proved, and nearly always as short.
    assert np.all(distance[~apart] <= c.upper[~apart] + 1e-12)
    assert np.mean(np.abs(distance - c.distance)[~apart] < 1e-9) > 0.9
    round_ = np.arange(COUNT) < COUNT // 3
    both = round_ & (np.abs(distance - c.distance) < 1e-9)
    for column, exact in ((2, c.normal), (5, c.point_a), (8, c.point_b)):
        assert np.abs(found[both, column : column + 3] - exact[both]).max() < 1e-6
    assert np.abs(found[both, 11:13] - c.curvature_a.values[both]).max() < 1e-5


def test_bodies_can_be_dragged_turned_and_reshaped(visit):
    act = """<script>addEventListener("load", () => setTimeout(() => {
      const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect(), seen = [];
      const keep = () => seen.push(JSON.parse(document.body.dataset.answer));
      const at = (kind, x, y, more) => canvas.dispatchEvent(new PointerEvent(kind, { pointerId: 1, bubbles: true,
        button: 0, clientX: box.left + x * box.width, clientY: box.top + y * box.height, ...more }));
      keep();
      const drag = (more) => { // the first body on a line across the middle
        const before = document.body.dataset.answer;
        for (let x = .25; x < 1 && document.body.dataset.answer === before; x += .05) {
          at("pointerdown", x, .5, more); at("pointermove", x + .03, .52, more); at("pointerup", x, .5);
        }
        keep();
      };
      drag(); drag({ shiftKey: true });
      const slider = document.getElementById("A-a"); slider.value = 0.5; slider.dispatchEvent(new Event("input"));
      keep();
      const step = document.getElementById("step"); step.value = 0; step.dispatchEvent(new Event("input"));
      for (const b of document.querySelectorAll("button")) if (b.id !== "copy") b.click();
      keep();
      document.body.dataset.seen = JSON.stringify(seen);
    }, 300)); addEventListener("error", (e) => { document.body.dataset.error = e.message; });</script></body>"""
    document = visit(page().replace("</body>", act))
    assert "data-error" not in document
    seen = json.loads(html.unescape(re.search(r'data-seen="([^"]*)"', document)[1]))
    first, moved, turned, shaped, again = seen

    def changed(before, after, field):
        return [k for k in range(2) if before["bodies"][k][field] != after["bodies"][k][field]]

    assert len(changed(first, moved, "position")) == 1
    assert not changed(first, moved, "rotation")
    (which,) = changed(moved, turned, "rotation")
    assert not changed(moved, turned, "position")
    rotation = np.array(turned["bodies"][which]["rotation"])
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert shaped["bodies"][0]["radii"][0] == 0.5
    assert len({s["distance"] for s in seen[:4]}) == 4
    assert again["bodies"] == first["bodies"]
