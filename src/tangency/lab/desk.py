"""The lab: state, picture and controls put together, and the loop that updates them."""

from __future__ import annotations

import io
import logging
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from ..io.refusals import is_refusal
from ..scene import Scene
from .arrangement import Arrangement
from .file_panel import FilePanel
from .impact_panel import ImpactPanel
from .marks import Marks
from .measures import Contacts, hertz_ring
from .panel import BodyPanel, ContactPanel
from .same_origin import for_own_pages
from .solver_panel import SolverPanel
from .view import View

RATE = 60.0  # updates per second, at most
HOST = "127.0.0.1"


class Desk:
    """A lab that listens on this machine only.

    Parameters
    ----------
    scene : Scene
        What to start with.
    out : path
        Folder for everything that is saved.
    port : int
        0 for any that is free.
    stem : str
        Name of saved files, without ending.
    """

    def __init__(self, scene: Scene, out: Path, *, port: int = 0, stem: str = "lab") -> None:
        try:
            import viser
        except ImportError as error:
            raise ImportError("tangency lab needs viser: pip install 'tangency[lab]'") from error
        self.arrangement = Arrangement.of(scene)
        self._lock, self._changed, self._ended = threading.RLock(), threading.Event(), threading.Event()
        self._contacts = Contacts()
        # viser would listen on all interfaces, and offer a link through a server on the internet.
        # Browsers open connections that they do not use; websockets would report each as an error.
        logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
        with redirect_stdout(io.StringIO()):  # it prints a box in any case
            self.server = for_own_pages(
                lambda: viser.ViserServer(host=HOST, port=port, label="tangency lab", verbose=False)
            )
        self.server.request_share_url = lambda verbose=True: None  # type: ignore[method-assign]
        gui = self.server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        self.view = View(self.server, self._moved, self._picked)
        self.marks = Marks(self.server, self.arrangement.size)
        self.message = gui.add_markdown("", visible=False)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Contact"):
            self.contact = ContactPanel(gui, self)
        with tabs.add_tab("Bodies"):
            self.bodies = BodyPanel(gui, self)
        with tabs.add_tab("Solver"):
            self.solver = SolverPanel(gui, self)
        with tabs.add_tab("Impact"):
            self.impact = ImpactPanel(gui, self)
        with tabs.add_tab("Files"):
            self.files = FilePanel(gui, self, out, stem)
        self._camera()
        self.refresh()
        self._thread = threading.Thread(target=self._loop, daemon=True, name="tangency lab")
        self._thread.start()

    @property
    def address(self) -> str:
        """Where to point the browser."""
        return f"http://{HOST}:{self.server.get_port()}"

    def guarded(self, change: Callable[[], None]) -> Callable[[Any], None]:
        """A callback of a control: one change at a time; a refused value is said in the panel and changes nothing."""

        def call(event: Any = None) -> None:
            with self._lock:
                try:
                    change()
                    self._say("")
                except (ValueError, OSError, ImportError) as error:
                    if isinstance(error, ValueError) and not is_refusal(error):
                        raise
                    self._say(str(error))
                self._changed.set()

        return call

    def refresh(self) -> None:
        """Compute everything that is shown, and send what has changed."""
        with self._lock, self.server.atomic():
            known = self.arrangement
            measured = self._contacts.of(known)
            hertz = hertz_ring(measured.studied, *self.contact.force)
            self.marks.on = {name: box.value for name, box in self.contact.shown.items()}
            self.view.gizmos, self.view.clear = self.contact.gizmos.value, self.contact.clear.value
            self.bodies.show(known)
            self.view.chosen = self.bodies.body.value
            self.view.show(known)
            self.marks.show(known, measured, hertz)
            self.contact.show(known, measured, hertz)
            self.solver.show(known, self.marks)
            self.impact.show(known, self.view)
            self.files.tick()

    def stop(self) -> None:
        """Close all connections and end the loop."""
        self._ended.set()
        self._changed.set()
        self._thread.join(timeout=5.0)
        with redirect_stdout(io.StringIO()):
            self.server.stop()

    def _loop(self) -> None:
        while not self._ended.is_set():
            self._changed.wait()
            self._changed.clear()
            if self._ended.is_set():
                return
            start = time.monotonic()
            self.guarded_refresh()
            self._ended.wait(max(0.0, 1.0 / RATE - (time.monotonic() - start)))

    def guarded_refresh(self) -> None:
        """As `refresh`; a contact that is refused is said in the panel."""
        try:
            self.refresh()
        except ValueError as error:
            if not is_refusal(error):
                raise
            self._say(str(error))

    def _moved(self, name: str, pose: Any) -> None:
        def move() -> None:
            if name in self.arrangement.names:
                self.arrangement = self.arrangement.moved(name, pose)
                self.view.followed(self.arrangement.scene[name])

        self.guarded(move)(None)

    def _picked(self, name: str) -> None:
        with self._lock:
            if name in self.arrangement.names:
                self.bodies.body.value = name

    def _say(self, text: str) -> None:
        self.message.content = text and f"⚠ {text}"
        self.message.visible = bool(text)

    def _camera(self) -> None:
        low, high = self.arrangement.extent
        centre, size = 0.5 * (low + high), self.arrangement.size
        back = np.array([0.7, -1.9, 0.8])
        aside = np.cross([0.0, 0.0, 1.0], back)  # to the right: the panel covers that side of the window
        look = centre + 0.25 * size * aside
        self.server.initial_camera.look_at = tuple(look)
        self.server.initial_camera.position = tuple(look + size * back)
