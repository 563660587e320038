"""The steps of the papers' solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..solvers import SOLVERS
from .arrangement import Arrangement
from .marks import Marks
from .readout import gaps, steps_html
from .steps import Steps, steps_of

if TYPE_CHECKING:
    from .desk import Desk

OFF = "none"


class SolverPanel:
    """A solver, and a stepper through what it does."""

    def __init__(self, gui: Any, desk: Desk) -> None:
        self.solver = gui.add_dropdown("Solver", (OFF, *SOLVERS), initial_value=OFF)
        self.step = gui.add_slider("Step", 0, 1, 1, 0, visible=False)
        self.back = gui.add_button("Step back", visible=False)
        self.next = gui.add_button("Next step", visible=False)
        self.bounds = gui.add_html("")
        numbers, values = gaps(Steps.none(""))
        self.plot = gui.add_uplot(
            (numbers, values),
            ({"label": "step"}, {"label": "log10 of the gap between the bounds", "stroke": "#e0902f", "width": 2}),
            scales={"x": {"time": False}},
            aspect=1.6,
            visible=False,
        )
        self._asked: tuple | None = None
        self.steps = Steps.none("")
        for handle in (self.solver, self.step):
            handle.on_update(desk.guarded(lambda: None))
        self.next.on_click(desk.guarded(lambda: self._by(1)))
        self.back.on_click(desk.guarded(lambda: self._by(-1)))

    def show(self, arrangement: Arrangement, marks: Marks) -> None:
        """Compute the steps if the solver or the pair has changed, and draw the chosen one."""
        a, b = (arrangement.scene[name] for name in arrangement.pair)
        asked = (self.solver.value, a, b)
        on = self.solver.value != OFF
        if self._asked is None or any(x is not y for x, y in zip(asked, self._asked)):
            first = self._asked is None or self._asked[0] != asked[0]
            self._asked = asked
            self.steps = steps_of(self.solver.value, a, b) if on else Steps.none("")
            count = len(self.steps)
            self.step.max = max(count, 1)
            if first or self.step.value > count:
                self.step.value = min(1, count) if first else count
            self.plot.data = gaps(self.steps)
        for handle in (self.step, self.back, self.next, self.plot):
            handle.visible = on and len(self.steps) > 0
        self.bounds.content = steps_html(self.steps, self.step.value) if on else ""
        marks.show_step(self.steps, self.step.value if on else 0)

    def _by(self, count: int) -> None:
        self.step.value = min(max(self.step.value + count, 1), max(len(self.steps), 1))
