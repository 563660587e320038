"""Copying and saving: Python code, scene files, recordings."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..io.whole_files import write_whole
from .recording import Recording

if TYPE_CHECKING:
    from .desk import Desk

_COPY = """\
<div style="margin:.6em">
<button onclick="navigator.clipboard.writeText(this.nextElementSibling.textContent); this.textContent='Copied'"
 style="padding:.3em .8em">Copy</button>
<pre style="white-space:pre-wrap;font-size:.75em;max-height:24em;overflow:auto">{}</pre></div>"""


class FilePanel:
    """Buttons; files go into one folder under names that are not taken, and nowhere else."""

    def __init__(self, gui: Any, desk: Desk, folder: Path, stem: str) -> None:
        self._desk, self._folder, self._stem = desk, folder, stem
        self.python = gui.add_button("Copy as Python")
        self.code = gui.add_html("", visible=False)
        self.toml = gui.add_button("Save as TOML")
        self.record = gui.add_button("Record")
        self.text = gui.add_markdown(f"Files go to `{folder}`.")
        self.recording: Recording | None = None
        self.written: list[Path] = []
        self.python.on_click(desk.guarded(self._python))
        self.toml.on_click(desk.guarded(self._toml))
        self.record.on_click(desk.guarded(self._record))

    def tick(self) -> None:
        """Called at every update."""
        if self.recording is not None:
            self.recording.tick()
            if self.recording.full:
                self._record()

    def _python(self) -> None:
        self.code.content = _COPY.format(html.escape(self._desk.arrangement.as_python()))
        self.code.visible = True

    def _toml(self) -> None:
        self._write("toml", self._desk.arrangement.as_toml())

    def _record(self) -> None:
        if self.recording is None:
            self.recording = Recording(self._desk.server)
            self.record.label = "Stop recording"
            self.text.content = "Recording: every change is kept until you stop."
            return
        recording, self.recording = self.recording, None
        self.record.label = "Record"
        self._write("html", recording.page())

    def _write(self, ending: str, text: str) -> None:
        path = free_name(self._folder, self._stem, ending)
        write_whole(path, text)
        self.written.append(path)
        self.text.content = f"Wrote `{path}`."


def free_name(folder: Path, stem: str, ending: str) -> Path:
    """The first of stem.ending, stem-2.ending, ... that does not exist."""
    path, number = folder / f"{stem}.{ending}", 2
    while path.exists():
        path, number = folder / f"{stem}-{number}.{ending}", number + 1
    return path
