"""The lab's server and controls, without a browser."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from tangency.cli.main import main
from tangency.lab.file_panel import free_name
from tangency.lab.samples import start_scene

pytest.importorskip("viser", reason="the lab needs viser: pip install 'tangency[lab]'")


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    from tangency.lab.desk import Desk

    made = Desk(start_scene(), tmp_path_factory.mktemp("out"))
    yield made
    made.stop()


def settled(desk, condition):
    """Wait until a condition holds; the loop of updates runs in a thread of its own.

    Rounds are counted, not seconds: a machine that is busy, or stops the test for a while, is no failure.
    """
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail(f"waited in vain; the lab says: {desk.message.content!r}")


def test_it_listens_on_this_machine_only(desk):
    port = desk.server.get_port()
    socket.create_connection(("127.0.0.1", port), timeout=10).close()
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("the list of listening sockets is read from /proc, as on Linux")
    listening = [line.split()[1] for line in table.read_text().splitlines() if line.split()[3] == "0A"]
    assert [place for place in listening if int(place.split(":")[1], 16) == port] == [f"0100007F:{port:04X}"]


def test_no_link_through_the_internet(desk):
    assert desk.server.request_share_url() is None
    assert desk.server._share_tunnel is None


def connected(desk, host, origin):
    """Whether a connection that states where it comes from is opened; the lab's answer if not."""
    import viser
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    plain = socket.create_connection(("127.0.0.1", desk.server.get_port()), timeout=10)
    try:
        with connect(f"ws://{host}", sock=plain, origin=origin, subprotocols=[f"viser-v{viser.__version__}"]):
            return True
    except InvalidStatus as error:
        return f"{error.response.status_code}: {error.response.body.decode().strip()}"


def test_only_pages_of_the_lab_connect(desk):
    own = f"127.0.0.1:{desk.server.get_port()}"
    assert connected(desk, own, f"http://{own}") is True
    assert connected(desk, own, None) is True  # a program
    assert connected(desk, "localhost:9000", "http://localhost:9000") is True  # a forwarded port
    for foreign in (
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        f"http://localhost:{own[10:]}",
        f"https://{own}",
    ):
        assert connected(desk, own, foreign) == f"403: a page from '{foreign}' may not use the lab"
    # A site that gives its own name the address 127.0.0.1
    assert "not at 'evil.example:81'" in connected(desk, "evil.example:81", "http://evil.example:81")


def test_pages_are_served_to_this_machine_and_not_framed(desk):
    with urllib.request.urlopen(desk.address, timeout=30) as answer:
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(urllib.request.Request(desk.address, headers={"Host": "evil.example"}), timeout=30)
    for path in ("/../desk.py", "/%2e%2e/%2e%2e/_viser.py", "//etc/passwd", "/..\\..\\_viser.py"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(desk.address + path, timeout=30)


def test_a_viser_that_serves_otherwise_is_refused():
    from tangency.lab.same_origin import for_own_pages

    class Other:
        stopped = False

        def stop(self):
            self.stopped = True

    made = Other()
    with pytest.raises(ImportError, match="cannot be kept from pages of other sites"):
        for_own_pages(lambda: made)
    assert made.stopped


def test_a_dragged_gizmo_moves_its_body(desk):
    gizmo, mesh = desk.view.drawn["egg"].gizmo, desk.view.drawn["egg"].mesh
    gizmo._impl.position = np.array([-0.7, 0.1, 0.6])  # as viser does when a client drags it
    for callback in gizmo._impl_aux.update_cb:
        callback(None)
    assert desk.arrangement.scene["egg"].position.tolist() == [-0.7, 0.1, 0.6]
    settled(desk, lambda: mesh.position.tolist() == [-0.7, 0.1, 0.6])
    a, b = (desk.arrangement.scene[name] for name in desk.arrangement.pair)
    exact = float(tg.contact(a.shape, b.shape, a.pose, b.pose).lower)
    settled(desk, lambda: f"{exact:.14g}" in desk.contact.numbers.content)


def test_sliders_reshape_and_refuse(desk):
    desk.bodies.body.value = "pillow"
    settled(desk, lambda: len(desk.bodies.sliders) == 5)
    desk.bodies.sliders[0].value = 0.35
    assert desk.arrangement.scene["pillow"].shape.radii[0] == 0.35
    vertices = desk.view.drawn["pillow"].mesh.vertices
    settled(desk, lambda: abs(vertices[:, 0].max() - 0.35) < 1e-6)
    before = desk.arrangement
    desk.bodies.sliders[0].value = -1.0
    assert desk.arrangement is before
    assert "radii must be" in desk.message.content
    desk.bodies.sliders[0].value = 0.35
    assert desk.message.content == ""


def test_bodies_are_added_and_removed(desk):
    desk.bodies.word.value = "capsule"
    desk.bodies.add.value = True
    assert desk.arrangement.names[-1] == "capsule"
    settled(desk, lambda: "capsule" in desk.view.drawn and desk.bodies.body.value == "capsule")
    desk.contact.b.value = "capsule"
    assert desk.arrangement.pair == ("egg", "capsule")
    desk.bodies.remove.value = True
    settled(desk, lambda: "capsule" not in desk.view.drawn)
    assert desk.arrangement.pair == ("egg", "pillow")
    settled(desk, lambda: desk.contact.b.value == "pillow")


def test_the_pair_can_be_exchanged_but_not_be_two_planes(desk):
    desk.contact.a.value = "pillow"
    assert desk.arrangement.pair == ("pillow", "egg")
    assert (desk.contact.a.value, desk.contact.b.value) == ("pillow", "egg")
    desk.contact.b.value = "pillow"
    assert desk.arrangement.pair == ("egg", "pillow")
    desk.bodies.word.value = "half_space"
    desk.bodies.add.value = True
    settled(desk, lambda: "half_space" in desk.view.drawn)
    desk.contact.a.value = "ground"
    desk.contact.b.value = "half_space"
    assert desk.arrangement.pair == ("ground", "pillow")
    assert desk.contact.b.value == "pillow"
    assert "must not be two half-spaces" in desk.message.content
    desk.contact.a.value = "egg"
    desk.bodies.remove.value = True
    assert desk.arrangement.names == ("egg", "pillow", "ground")
    settled(desk, lambda: "half_space" not in desk.view.drawn)


def test_steps_and_impact(desk):
    desk.solver.solver.value = "romer-1"
    settled(desk, lambda: len(desk.solver.steps) > 1)
    for number in (2, 3):
        desk.solver.next.value = True
        assert desk.solver.step.value == min(number, len(desk.solver.steps))
    settled(desk, lambda: f"of {len(desk.solver.steps)}" in desk.solver.bounds.content)
    desk.solver.solver.value = "none"
    desk.impact.on.value = True
    settled(desk, lambda: desk.impact.found is not None)
    a, b = (desk.arrangement.scene[name] for name in desk.arrangement.pair)
    motion = tg.Drift(b.pose, (-0.5, 0.0, 0.0), (0.0, 0.5, 0.5))
    exact = tg.impact(a.shape, b.shape, a.pose, motion, 0.0, 2.0)
    assert bool(exact.hit)
    assert desk.impact.found.time == exact.time
    desk.impact.jump.value = True
    assert abs(desk.impact.time.value * 0.02 - exact.time) < 1e-12
    settled(desk, lambda: desk.impact._ghost is not None)
    desk.impact.on.value = False
    settled(desk, lambda: desk.impact._ghost is None)


def test_files_go_to_the_folder_and_overwrite_nothing(desk):
    for _ in range(2):
        desk.files.toml.value = True
    folder = desk.files.written[0].parent
    assert [path.name for path in desk.files.written] == ["lab.toml", "lab-2.toml"]
    desk.files.record.value = True
    settled(desk, lambda: desk.files.recording is not None)
    desk.bodies.body.value = "egg"
    settled(desk, lambda: len(desk.bodies.sliders) == 3)
    for k in range(3):
        desk.bodies.sliders[2].value = 0.3 + 0.02 * k
        settled(desk, lambda: not desk._changed.is_set())
    desk.files.record.value = True
    page = (folder / "lab.html").read_text(encoding="utf-8")
    assert "__VISER_EMBED_DATA__" in page
    assert set(re.findall(r"https?://[\w./]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert sorted(path.name for path in folder.iterdir()) == ["lab-2.toml", "lab.html", "lab.toml"]


def test_names_of_files(tmp_path):
    (tmp_path / "a.toml").touch()
    (tmp_path / "a-2.toml").touch()
    assert free_name(tmp_path, "a", "toml") == tmp_path / "a-3.toml"


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX systems")
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full)])
def test_the_command_stops_cleanly(number, tmp_path):
    command = [sys.executable, "-m", "tangency", "lab", "--no-browser", "--port", "0", "--out", str(tmp_path / "new")]
    # Jobs that a shell starts in the background ignore SIGINT, and so do their children.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        said = process.stdout.readline()
        assert said.startswith("tangency lab at http://127.0.0.1:"), process.stderr.read()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (out, err, process.returncode) == ("stopped\n", "", 0)
    assert list((tmp_path / "new").iterdir()) == []


def test_mistakes_of_the_command(tmp_path, capsys):
    assert main(["lab", "--port", "70000"]) == 2
    assert "--port must be between 0 and 65535" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["lab", "--port", str(taken.getsockname()[1])]) == 2
    assert "cannot be used (address already in use); choose another one" in capsys.readouterr().err
    assert main(["lab", str(tmp_path / "none.toml")]) == 2
    assert "no such file" in capsys.readouterr().err
