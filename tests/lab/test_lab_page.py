"""The lab in a real browser: load, drag a gizmo, move a slider, step a solver, save, record, reload."""

import functools
import http.server
import re
import threading

import numpy as np
import pytest

import chromium
import tangency as tg
from tangency.lab.samples import start_scene
from tangency.scene import load_scene

VERSION = pytest.importorskip("viser", reason="the lab needs viser: pip install 'tangency[lab]'").__version__


@pytest.fixture
def desk(tmp_path):
    from tangency.lab.desk import Desk

    made = Desk(start_scene(), tmp_path / "out")
    yield made
    made.stop()


@pytest.fixture
def browser(tmp_path):
    if chromium.program() is None:
        pytest.skip("no Chromium is installed; on Debian and Ubuntu: apt-get install chromium")
    with chromium.Chromium(tmp_path / "profile") as made:
        yield made


def shown(page):
    """The bounds that the page shows."""
    found = re.search(r"proved between\s+(\S+) and (\S+) m", page.text)
    return tuple(map(float, found.groups())) if found else None


def is_right(page, desk):
    """Whether the page shows the contact of the bodies as they are now."""
    a, b = (desk.arrangement.scene[name] for name in desk.arrangement.pair)
    c = tg.contact(a.shape, b.shape, a.pose, b.pose)
    return shown(page) is not None and np.allclose(shown(page), (c.lower, c.upper), rtol=1e-12, atol=1e-13)


def on_screen(page, desk, point):
    """Where a point of the world is in the window of the only client."""
    camera = next(iter(desk.server.get_clients().values())).camera
    width, height = page.evaluate("[innerWidth, innerHeight]")
    forward = camera.look_at - camera.position
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, camera.up_direction)
    right = right / np.linalg.norm(right)
    x, y, z = (np.array([right, np.cross(right, forward), forward]) @ (point - camera.position)).tolist()
    scale = 0.5 * height / np.tan(0.5 * camera.fov)
    return 0.5 * width + scale * x / z, 0.5 * height - scale * y / z


def orange(page, path):
    """Number of orange pixels on a page."""
    image = pytest.importorskip("matplotlib.image", reason="reading a picture needs matplotlib")
    page.picture(path)
    red, green, blue = np.moveaxis(image.imread(path)[100:, :, :3], -1, 0)
    return int(((red > 0.6) & (green > 0.3) & (green < 0.8 * red) & (blue < 0.6 * red)).sum())


@pytest.mark.full
def test_drag_reshape_step_save_record_reload(desk, browser, tmp_path, root):
    page = browser.open(desk.address)
    page.wait(lambda: is_right(page, desk))
    page.wait(lambda: desk.server.get_clients())

    # Drag the red arrow of B's gizmo towards A.
    body = desk.arrangement.scene["pillow"]
    along = body.rotation[:, 0]
    reach = desk.view.drawn["pillow"].gizmo.scale

    def dragged():
        points = [on_screen(page, desk, body.position + s * reach * along) for s in (0.85, 0.8, 0.75, 0.7, 0.65, 0.6)]
        page.drag(*points)
        return np.linalg.norm(desk.arrangement.scene["pillow"].position - body.position) > 0.02

    page.wait(dragged)
    moved = desk.arrangement.scene["pillow"].position - body.position
    assert moved @ along < -0.98 * np.linalg.norm(moved)  # along its axis, and the right way
    page.wait(lambda: is_right(page, desk))
    page.picture(tmp_path / "dragged.png")

    # A slider of the shape, by mouse; then by the server's handle.
    page.click("Bodies")
    page.wait(lambda: "radii[0]" in page.text)
    x, y = page.wait(
        lambda: page.evaluate("""(() => { for (const e of document.querySelectorAll('[role=slider]')) {
          const box = e.getBoundingClientRect(); if (box.width && e.getAttribute('aria-valuemax') == 1.65)
            return [box.x + box.width / 2, box.y + box.height / 2]; } return null; })()""")
    )
    page.drag((x, y), (x + 10, y), (x + 25, y))
    page.wait(lambda: desk.arrangement.scene["egg"].shape.radii[0] > 0.56)
    page.click("Contact")
    page.wait(lambda: is_right(page, desk))
    before = shown(page)
    desk.bodies.sliders[1].value = 0.3
    page.wait(lambda: shown(page) != before and is_right(page, desk))

    # Steps of a solver.
    page.click("Solver")
    desk.solver.solver.value = "romer-3"
    page.wait(lambda: re.search(r"step\s+1 of \d+", page.text))
    for step in (2, 3):
        page.click("Next step")
        page.wait(lambda step=step: re.search(rf"step\s+{step} of \d+", page.text))

    # Python, TOML, and a recording.
    page.click("Files")
    page.click("Copy as Python")
    page.wait(lambda: "contact = tg.contact(egg, pillow" in page.text)
    page.click("Save as TOML")
    page.wait(lambda: (tmp_path / "out" / "lab.toml").exists())
    saved = load_scene(tmp_path / "out" / "lab.toml")
    assert np.allclose(saved["pillow"].position, desk.arrangement.scene["pillow"].position, rtol=0, atol=1e-15)
    page.click("Record")
    page.wait(lambda: desk.files.recording is not None)
    for k in range(5):
        desk.bodies.sliders[0].value = 0.5 + 0.02 * k
        page.wait(lambda: not desk._changed.is_set())
    page.click("Stop recording")
    page.wait(lambda: (tmp_path / "out" / "lab.html").exists())

    # Another client, and the same one again, see the same.
    second = browser.open(desk.address)
    second.wait(lambda: is_right(second, desk))
    second.close()
    page.reload()
    page.wait(lambda: is_right(page, desk))
    assert page.errors == []
    assert second.errors == []

    # The recording loads nothing and plays.
    record = (tmp_path / "out" / "lab.html").read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)=["'](?!data:)[^"']+["']""", record.partition("<body")[0])
    played = browser.open((tmp_path / "out" / "lab.html").as_uri())
    played.wait(lambda: orange(played, tmp_path / "played.png") > 2000)  # the colour of body B
    assert played.errors == []


@pytest.mark.full
def test_a_page_of_another_site_is_refused(desk, browser, tmp_path):
    """The browser would let it connect; the lab does not, nor does it appear inside such a page."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text(f"<iframe src='{desk.address}'></iframe>", encoding="utf-8")
    handler = functools.partial(QuietHandler, directory=str(tmp_path / "other"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        pages = {"refused": browser.open(f"http://127.0.0.1:{other.server_port}/"), "open": browser.open(desk.address)}
        for expected, page in pages.items():
            page.evaluate(f"""(() => {{ const made = new WebSocket('ws://{desk.address[7:]}', 'viser-v{VERSION}');
              made.onopen = () => {{ window.found = 'open'; }}; made.onerror = () => {{ window.found = 'refused'; }};
            }})()""")
            assert page.wait(lambda page=page: page.evaluate("window.found")) == expected
        assert any("frame-ancestors" in error for error in pages["refused"].errors)
        other.shutdown()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass
