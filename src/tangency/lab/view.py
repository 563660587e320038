"""The bodies of the lab in the browser, each with a gizmo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

from ..scene import Body
from ..shapes import HalfSpace
from ..shapes.shape import Shape
from ..viz.mesh import Mesh, patch, surface
from ..viz.stage import GROUND, PALETTE
from .arrangement import Arrangement, is_wall

DIVISIONS = 14  # of an edge of the icosahedron: 1962 corners per body
SOLID, CLEAR = 0.92, 0.6  # opacity


@dataclass(frozen=True)
class _AtHome:
    """A body in its own frame."""

    shape: Shape
    rotation: np.ndarray
    position: np.ndarray


@dataclass
class Drawn:
    """A body in the browser, and what it shows."""

    mesh: Any
    gizmo: Any
    body: Body
    pose: RigidTransform  #: of the gizmo


class View:
    """Bodies drawn by a viser server.

    Parameters
    ----------
    server : viser.ViserServer
    moved : function of a name and a pose
        Called when somebody drags a gizmo.
    picked : function of a name
        Called when somebody clicks on a body.
    """

    def __init__(self, server: Any, moved: Callable[[str, Any], None], picked: Callable[[str], None]) -> None:
        self._server, self._moved, self._picked = server, moved, picked
        self.drawn: dict[str, Drawn] = {}
        self._made = 0
        self.gizmos = True
        self.chosen = ""  #: has a gizmo, as the pair under study does
        self.clear = False

    def show(self, arrangement: Arrangement) -> None:
        """Draw an arrangement; only what has changed is sent."""
        for name in [name for name in self.drawn if name not in arrangement.names]:
            gone = self.drawn.pop(name)
            gone.mesh.remove()
            gone.gizmo.remove()
        for number, body in enumerate(arrangement.scene.bodies):
            if body.name not in self.drawn:
                self.drawn[body.name] = self._add(body, number, arrangement.size)
            drawn = self.drawn[body.name]
            if body is not drawn.body:
                self._change(drawn, body, arrangement)
            drawn.gizmo.visible = self.gizmos and body.name in (*arrangement.pair, self.chosen)
            if not is_wall(body):
                drawn.mesh.opacity = CLEAR if self.clear else SOLID

    def _change(self, drawn: Drawn, body: Body, arrangement: Arrangement) -> None:
        if body.shape is not drawn.body.shape:
            drawn.mesh.vertices = _mesh(body, arrangement.size).vertices.astype(np.float32)
        place, turn = body.position, _wxyz(body.pose.rotation)
        drawn.mesh.position, drawn.mesh.wxyz = place, turn
        if body.pose is not drawn.pose:
            drawn.gizmo.position, drawn.gizmo.wxyz = place, turn
        drawn.body, drawn.pose = body, body.pose

    def followed(self, body: Body) -> None:
        """Note that the gizmo of a body is where the body is: moving it again would fight the hand that drags it."""
        self.drawn[body.name].pose = body.pose

    def _add(self, body: Body, number: int, size: float) -> Drawn:
        self._made += 1
        mesh, wall = _mesh(body, size), is_wall(body)
        place, turn = body.position, _wxyz(body.pose.rotation)
        color = body.color or (GROUND if isinstance(body.shape, HalfSpace) else PALETTE[number % len(PALETTE)])
        handle = self._server.scene.add_mesh_simple(
            f"/bodies/{self._made}",
            mesh.vertices,
            mesh.triangles,
            color=tuple(int(color[k : k + 2], 16) for k in (1, 3, 5)),
            opacity=0.5 if wall else SOLID,
            side="double" if wall else "front",
            cast_shadow=not wall,
            position=place,
            wxyz=turn,
        )
        reach = 0.5 * size if wall else 1.35 * float(body.shape.bounding_radius)
        gizmo = self._server.scene.add_transform_controls(
            f"/gizmos/{self._made}", scale=reach, depth_test=False, opacity=0.8, position=place, wxyz=turn
        )
        name = body.name
        # The pose is read from the handle, not from the event: calls may come out of order.
        gizmo.on_update(lambda event: self._moved(name, _pose(gizmo)))
        handle.on_click(lambda event: self._picked(name))
        return Drawn(handle, gizmo, body, body.pose)


def _mesh(body: Body, size: float) -> Mesh:
    """The surface of a body in its own frame."""
    if isinstance(body.shape, HalfSpace):
        return patch(_AtHome(body.shape, np.eye(3), np.zeros(3)), np.zeros(3), 2.0 * size)
    return surface(body.shape, DIVISIONS)


def _wxyz(rotation: Rotation) -> np.ndarray:
    return rotation.as_quat(scalar_first=True)


def _pose(handle: Any) -> tuple[Rotation, np.ndarray]:
    return Rotation.from_quat(np.array(handle.wxyz), scalar_first=True), np.array(handle.position)
