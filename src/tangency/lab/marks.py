"""Points, arrows, planes and ellipses of contacts in the browser: made once, then moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrangement import Arrangement
from .measures import Hertz, Measured, dupin_ring, slopes, tangent_square
from .steps import Steps

A, B, NORMAL, PLANE, LOAD = (31, 119, 180), (255, 127, 14), (20, 20, 20), (120, 120, 120), (200, 30, 60)
SLOPE, TURN, STEP = (40, 140, 60), (150, 80, 170), (160, 100, 0)

#: What can be shown, and whether it is at first.
SHOWN = {
    "contact points": True,
    "normal": True,
    "tangent plane": True,
    "Dupin ellipses": True,
    "Hertz ellipse": True,
    "gradient": False,
    "all pairs": False,
}
DEPTH = 0.01  # of the section that Dupin's ellipse is, in units of the size of the scene


class Marks:
    """Marks drawn by a viser server.

    Parameters
    ----------
    server : viser.ViserServer
    size : float
        Size of the scene, for the thickness of lines [m].
    """

    def __init__(self, server: Any, size: float) -> None:
        self._scene, self._size = server.scene, size
        self.on = dict(SHOWN)
        self._handles: dict[str, Any] = {}

    def show(self, arrangement: Arrangement, measured: Measured, hertz: Hertz) -> None:
        """Draw the contacts."""
        contact, size = measured.studied, self._size
        a, b, n = contact.point_a, contact.point_b, contact.normal
        self._points("points", np.stack([a, b]), [A, B], self.on["contact points"])
        self._arrows("normal", [(a, a + 0.35 * size * n)], NORMAL, self.on["normal"])
        self._square("plane", tangent_square(0.5 * (a + b), n, 0.3 * size), self.on["tangent plane"])
        for key, point, curvature, color in (
            ("dupin-a", a, contact.curvature_a, A),
            ("dupin-b", b, contact.curvature_b, B),
        ):
            self._ring(key, dupin_ring(point, curvature, DEPTH * size, size), color, self.on["Dupin ellipses"])
        self._ring("hertz", hertz.polygon, LOAD, self.on["Hertz ellipse"])
        move, turn = slopes(contact)
        home = arrangement.scene[arrangement.pair[1]].position
        self._arrows("slope", [(home, home + 0.5 * size * move)], SLOPE, self.on["gradient"])
        long = turn / max(float(np.linalg.norm(turn)), 0.2 * size)  # at most one unit, in proportion below that
        self._arrows("turn", [(home, home + 0.5 * size * long)], TURN, self.on["gradient"])
        others = measured.contacts
        lines = np.stack([others.point_a, others.point_b], axis=1)
        self._segments("pairs", lines, PLANE, self.on["all pairs"] and len(lines) > 1)

    def show_step(self, steps: Steps, number: int) -> None:
        """Draw one step of a solver; number 0 for none."""
        shown = 0 < number <= len(steps)
        if not shown and "step-points" not in self._handles:
            return
        k = number - 1 if shown else -1
        none = np.zeros(3)
        a, b, n = (steps.point_a[k], steps.point_b[k], steps.normal[k]) if shown else (none, none, none)
        self._points("step-points", np.stack([a, b]), [STEP, STEP], shown)
        self._arrows("step-normal", [(a, a + 0.35 * self._size * n)], STEP, shown)
        self._segments("step-gap", np.array([[a, b]]), STEP, shown)

    # ---- one handle each -------------------------------------------------------------------------
    def _points(self, key: str, points: np.ndarray, colors: Any, on: bool) -> None:
        handle = self._handles.get(key)
        if handle is None:
            options = {"point_size": 0.03 * self._size, "point_shape": "circle", "precision": "float32"}
            handle = self._scene.add_point_cloud(f"/marks/{key}", points, np.array(colors, np.uint8), **options)
            self._handles[key] = handle
        self._set(handle, on, points=points)

    def _arrows(self, key: str, arrows: list, color: tuple[int, int, int], on: bool) -> None:
        points = np.array(arrows)
        handle, s = self._handles.get(key), self._size
        if handle is None:
            sizes = {"shaft_radius": 0.006 * s, "head_radius": 0.018 * s, "head_length": 0.05 * s}
            handle = self._handles[key] = self._scene.add_arrows(f"/marks/{key}", points, color, **sizes)
        self._set(handle, on, points=points)

    def _segments(self, key: str, lines: np.ndarray, color: tuple[int, int, int], on: bool) -> None:
        handle = self._handles.get(key)
        if handle is None:
            handle = self._scene.add_line_segments(f"/marks/{key}", lines, color, thickness=0.006 * self._size)
            self._handles[key] = handle
        if len(lines) != len(handle.points):  # colours are kept per line
            handle.remove()
            del self._handles[key]
            self._segments(key, lines, color, on)
            return
        self._set(handle, on, points=lines)

    def _ring(self, key: str, polygon: np.ndarray, color: tuple[int, int, int], on: bool) -> None:
        if len(polygon):
            self._segments(key, np.stack([polygon, np.roll(polygon, -1, axis=0)], axis=1), color, on)
        elif key in self._handles:
            self._handles[key].visible = False

    def _square(self, key: str, corners: np.ndarray, on: bool) -> None:
        handle = self._handles.get(key)
        if handle is None:
            faces = np.array([[0, 1, 2], [0, 2, 3]])
            handle = self._handles[key] = self._scene.add_mesh_simple(
                f"/marks/{key}", corners, faces, color=PLANE, opacity=0.35, side="double", cast_shadow=False
            )
        self._set(handle, on, vertices=corners)

    @staticmethod
    def _set(handle: Any, on: bool, **values: np.ndarray) -> None:
        handle.visible = on
        if on:
            for name, value in values.items():
                setattr(handle, name, np.asarray(value, np.float32))
