"""The command ``tangency lab``: a contact lab in the browser."""

from __future__ import annotations

import argparse
import signal
import socket
import threading
from pathlib import Path
from typing import Any

from .mistakes import Mistake, of_the_user
from .targets import require_folder

LAB = """\
examples:
  tangency lab                             two bodies above the ground
  tangency lab scene.toml                  the bodies of a scene file
  tangency lab scene.toml --out here       saved files go to the folder here/

It listens on this machine only.  Stop it with Ctrl-C.
"""


def add_verb(verbs: Any) -> None:
    """Options of the command."""
    lab = verbs.add_parser(
        "lab",
        help="bodies to drag and reshape in the browser",
        description="Open a page with bodies to drag and reshape, their contact, and the steps of all solvers.",
        epilog=LAB,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    lab.add_argument("scene", nargs="?", help="scene file (TOML); without it, two bodies above the ground")
    lab.add_argument("--port", type=int, help="port (default: 8080, or the next free one); 0 for any that is free")
    lab.add_argument("--out", metavar="DIR", default="out", help="folder for everything that is saved (default: out)")
    lab.add_argument("--no-browser", action="store_true", help="only print the address")


def run(options: argparse.Namespace) -> None:
    """Serve the lab until Ctrl-C or a request to end."""
    from ..scene import load_scene

    if options.port is not None:
        _require_free(options.port)
    try:
        from ..lab.arrangement import Arrangement
        from ..lab.desk import Desk
        from ..lab.samples import start_scene
    except ImportError as error:
        raise Mistake(str(error)) from error
    with of_the_user():
        scene = start_scene() if options.scene is None else load_scene(options.scene)
        Arrangement.of(scene)  # a scene with groups is refused here
    folder = require_folder(options.out, "--out")
    stem = "lab" if options.scene is None else Path(options.scene).stem
    try:
        desk = Desk(scene, folder, port=8080 if options.port is None else options.port, stem=stem)
    except ImportError as error:
        raise Mistake(str(error)) from error
    ended = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda number, frame: ended.set())
    try:
        print(f"tangency lab at {desk.address}, files go to {folder}; Ctrl-C stops it", flush=True)
        if not options.no_browser:
            import webbrowser

            webbrowser.open(desk.address)
        while not ended.wait(0.2):
            pass
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
        desk.stop()
    print("stopped", flush=True)


def _require_free(port: int) -> None:
    """Refuse a port that cannot be listened on."""
    from ..lab.desk import HOST

    if not 0 <= port <= 65535:
        raise Mistake(f"--port must be between 0 and 65535, got {port}")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port that was just left is free
        try:
            probe.bind((HOST, port))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise Mistake(
                f"--port {port} cannot be used ({reason}); choose another one, or 0 for any that is free"
            ) from None
