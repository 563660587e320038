"""The controls of bodies and of the contact under study."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrangement import Arrangement
from .marks import SHOWN
from .measures import Hertz, Measured
from .readout import contact_html
from .samples import SAMPLES
from .sliders import sliders_of

if TYPE_CHECKING:
    from .desk import Desk


class ContactPanel:
    """The pair under study, its numbers, what is shown, and the load."""

    def __init__(self, gui: Any, desk: Desk) -> None:
        self._desk = desk
        names, (a, b) = desk.arrangement.names, desk.arrangement.pair
        self._pair = desk.arrangement.pair  # as shown
        self.a = gui.add_dropdown("A", names, initial_value=a)
        self.b = gui.add_dropdown("B", names, initial_value=b)
        self.numbers = gui.add_html("")
        self.load = gui.add_slider("log10 load [N]", 0.0, 6.0, 0.01, 3.0, hint="of Hertz's contact ellipse")
        self.modulus = gui.add_slider("log10 E* [Pa]", 4.0, 12.0, 0.01, 6.0, hint="effective modulus; steel is 11.06")
        with gui.add_folder("Show"):
            self.shown = {name: gui.add_checkbox(name, on) for name, on in SHOWN.items()}
            self.gizmos = gui.add_checkbox("gizmos", True)
            self.clear = gui.add_checkbox("see through bodies", False)
        for handle in (self.a, self.b):
            handle.on_update(desk.guarded(self._studied))
        for handle in (self.load, self.modulus, self.gizmos, self.clear, *self.shown.values()):
            handle.on_update(desk.guarded(lambda: None))

    @property
    def force(self) -> tuple[float, float]:
        """Load [N] and effective modulus [Pa]."""
        return math.pow(10.0, self.load.value), math.pow(10.0, self.modulus.value)

    def show(self, arrangement: Arrangement, measured: Measured, hertz: Hertz) -> None:
        # Only after a change from elsewhere: a choice that has just arrived, and waits for its turn, must stay.
        changed, self._pair = arrangement.pair != self._pair, arrangement.pair
        for handle, name in zip((self.a, self.b), arrangement.pair):
            if handle.options != arrangement.names:
                handle.options = arrangement.names
            if changed:
                handle.value = name
        self.numbers.content = contact_html(measured.studied, hertz, measured.left_out)

    def _studied(self) -> None:
        known, pair = self._desk.arrangement, (self.a.value, self.b.value)
        # While the list of bodies changes, the browser may name one that is gone.
        if pair == known.pair or not set(pair) <= set(known.names):
            return
        if pair[0] == pair[1]:  # the other body of the pair was chosen: exchange them
            pair = known.pair[1], known.pair[0]
        try:
            self._desk.arrangement = known.studied(*pair)
        finally:
            self._pair = self._desk.arrangement.pair
            self.a.value, self.b.value = self._pair


class BodyPanel:
    """Sliders of the shape parameters of one body; adding and removing bodies."""

    def __init__(self, gui: Any, desk: Desk) -> None:
        self._gui, self._desk = gui, desk
        self.body = gui.add_dropdown("Body", desk.arrangement.names, hint="or click on a body")
        self._folder = gui.add_folder("Shape")
        self.sliders: list[Any] = []
        self._note: Any = None
        self._shown: tuple[str, Any] | None = None
        self.word = gui.add_dropdown("Add a", tuple(SAMPLES), initial_value="ellipsoid")
        self.add = gui.add_button("Add")
        self.remove = gui.add_button("Remove this body")
        self.body.on_update(desk.guarded(lambda: None))
        self.add.on_click(desk.guarded(self._add))
        self.remove.on_click(desk.guarded(self._remove))

    def show(self, arrangement: Arrangement) -> None:
        if self.body.options != arrangement.names:
            self.body.options = arrangement.names
        body = arrangement.scene[self.body.value]
        if self._shown is None or self._shown[0] != body.name:
            self._rebuild(body)
        elif self._shown[1] is not body.shape:
            for slider, value in zip(self.sliders, body.shape.parameters.tolist() if self.sliders else []):
                slider.value = min(max(value, slider.min), slider.max)
        self._shown = (body.name, body.shape)

    def _rebuild(self, body: Any) -> None:
        for handle in (*self.sliders, *(() if self._note is None else (self._note,))):
            handle.remove()
        self.sliders, self._note = [], None
        self._shown = (body.name, body.shape)
        found, reason = sliders_of(body.shape)
        with self._folder:
            if not found:
                self._note = self._gui.add_markdown(reason)
            for slider in found:
                handle = self._gui.add_slider(slider.name, slider.low, slider.high, slider.step, slider.value)
                handle.on_update(self._desk.guarded(self._reshaped))
                self.sliders.append(handle)

    def _reshaped(self) -> None:
        known, name = self._desk.arrangement, self.body.value
        if self._shown is None or self._shown[0] != name or name not in known.names:
            return
        values = np.array([slider.value for slider in self.sliders])
        if len(values) and not np.array_equal(values, known.scene[name].shape.parameters):
            changed = known.reshaped(name, values)
            self._shown = (name, changed.scene[name].shape)  # the sliders show it already
            self._desk.arrangement = changed

    def _add(self) -> None:
        known = self._desk.arrangement = self._desk.arrangement.added(self.word.value)
        self.body.options = known.names
        self.body.value = known.names[-1]

    def _remove(self) -> None:
        self._desk.arrangement = self._desk.arrangement.removed(self.body.value)
