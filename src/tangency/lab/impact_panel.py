"""The time of impact: body B of the pair moves steadily, and a scrubber goes through time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..contacts.impact_status import ImpactStatus
from ..contacts.time_of_impact import impact
from ..motions import Drift
from ..scene import Body
from .arrangement import Arrangement
from .readout import table_html
from .view import View

if TYPE_CHECKING:
    from .desk import Desk


class ImpactPanel:
    """Velocities of B, the first contact with A, and a ghost of B at a chosen time."""

    def __init__(self, gui: Any, desk: Desk) -> None:
        self.on = gui.add_checkbox("B moves", False, hint="A stays at rest")
        self.velocity = gui.add_vector3("velocity [m/s]", (-0.5, 0.0, 0.0), step=0.05)
        self.spin = gui.add_vector3("angular velocity [rad/s]", (0.0, 0.5, 0.5), step=0.05)
        self.end = gui.add_number("until [s]", 2.0, min=0.01, max=1000.0, step=0.1)
        self.time = gui.add_slider("time, % of the span", 0.0, 100.0, 0.1, 0.0)
        self.jump = gui.add_button("Go to the first contact")
        self.text = gui.add_html("")
        self._server = desk.server
        self._ghost: Any = None
        self._asked: tuple | None = None
        self.found: Any = None
        for handle in (self.on, self.velocity, self.spin, self.end, self.time):
            handle.on_update(desk.guarded(lambda: None))
        self.jump.on_click(desk.guarded(self._jump))

    def motion(self, body: Body) -> Drift:
        """The motion of B."""
        return Drift(body.pose, self.velocity.value, self.spin.value)

    def show(self, arrangement: Arrangement, view: View) -> None:
        """Find the first contact if the motion has changed, and draw B at the chosen time."""
        a, b = (arrangement.scene[name] for name in arrangement.pair)
        if not self.on.value:
            self._remove()
            self.text.content, self._asked, self.found = "", None, None
            return
        numbers = (self.velocity.value, self.spin.value, self.end.value)
        if self._asked is None or a is not self._asked[0] or b is not self._asked[1] or numbers != self._asked[2]:
            self._asked = (a, b, numbers)
            self.found = impact(a.shape, b.shape, a.pose, self.motion(b), 0.0, self.end.value)
        time = 0.01 * self.time.value * self.end.value
        pose = self.motion(b).moment(time)
        self._draw(view.drawn[b.name].mesh, pose.rotation, pose.translation)
        status = ImpactStatus(int(self.found.status))
        rows = [("time", f"{time:.6g} s"), ("first contact", status.message)]
        if self.found.hit:
            rows.insert(1, ("time of impact", f"{float(self.found.time):.9g} s"))
        self.text.content = table_html(rows)

    def _draw(self, mesh: Any, rotation: np.ndarray, position: np.ndarray) -> None:
        turn = Rotation.from_matrix(rotation).as_quat(scalar_first=True)
        if self._ghost is None:
            self._ghost = self._server.scene.add_mesh_simple(
                "/ghost", mesh.vertices, mesh.faces, color=(130, 130, 130), opacity=0.45, cast_shadow=False
            )
        self._ghost.vertices = mesh.vertices
        self._ghost.position, self._ghost.wxyz = position, turn

    def _remove(self) -> None:
        if self._ghost is not None:
            self._ghost.remove()
            self._ghost = None

    def _jump(self) -> None:
        if self.found is not None and self.found.hit:
            self.time.value = 100.0 * float(self.found.time) / self.end.value
