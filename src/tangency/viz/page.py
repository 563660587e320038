"""The scene as a self-contained HTML page: a viewer without libraries, and a table."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ..scene import PairContact, Scene
from ..scene.report import curvature_text, interval, status_of
from .inline import as_json, filled, packed, parts
from .mesh import geodesic
from .stage import Stage, counted, prepare


def webpage(scene: Scene, pairs: list[PairContact]) -> str:
    """HTML of a scene with its contacts; opens from a file, without network access."""
    # Sixteen-bit indices allow 65,535 vertices, a frequency up to 80; coarser for crowded scenes.
    frequency = 24 if len(scene.placed) <= 40 else 12
    stage = prepare(scene, pairs, frequency)
    summary = f"{len(stage.bodies) + len(stage.planes)} bodies, {counted(pairs)}; arrows are normals, from A to B"
    return filled(
        "page.html",
        style=parts("look.css"),
        title=html.escape(scene.title),
        summary=html.escape(summary),
        rows="\n".join(_row(stage, k) for k in _by_distance(pairs)),
        data=as_json(_data(stage, frequency)),
        script=parts("vectors.js", "orbit.js", "light.js", "viewer.js"),
    )


def _by_distance(pairs: list[PairContact]) -> list[int]:
    return sorted(range(len(pairs)), key=lambda k: float(pairs[k].contact.distance))


def _row(stage: Stage, k: int) -> str:
    pair = stage.pairs[k]
    c = pair.contact
    names = "".join(
        f'<span><i style="background:{_color(stage, body.name)}"></i>{html.escape(body.name)}</span> '
        for body in (pair.a, pair.b)
    )
    distance = float(c.distance)
    kind = ' class="over"' if distance < 0 else ""
    width = max(float(c.upper) - float(c.lower), 0.0)
    return (
        f'<tr data-pair="{k}" tabindex="0"><td class="pair">{names}</td>'
        f'<td{kind} data-value="{distance!r}">{distance:.8g}</td>'
        f'<td data-value="{min(width, 1e300)!r}">{interval(pair)}</td>'
        f'<td data-value="{int(c.evaluations)}">{int(c.evaluations)}</td></tr>'
    )


def _color(stage: Stage, name: str) -> str:
    bodies = [*stage.bodies, *stage.planes]
    colors = [*stage.colors, *stage.plane_colors]
    return next(color for body, color in zip(bodies, colors) if body.name == name)


def _data(stage: Stage, frequency: int) -> dict[str, Any]:
    sphere = geodesic(frequency)
    return {
        "sphere": {"normals": packed(sphere.normals, "<f4"), "triangles": packed(sphere.triangles, "<u2")},
        "bodies": [
            {
                "name": body.name,
                "color": color,
                "vertices": packed(mesh.vertices, "<f4"),
                # columns of the rotation that maps the shared normals to the world
                "turn": body.rotation.T.ravel().tolist(),
            }
            for body, mesh, color in zip(stage.bodies, stage.meshes, stage.colors)
        ],
        "planes": [
            {"name": body.name, "color": color, "corners": mesh.vertices.tolist(), "normal": mesh.normals[0].tolist()}
            for body, mesh, color in zip(stage.planes, stage.patches, stage.plane_colors)
        ],
        "centre": stage.centre.tolist(),
        "radius": stage.radius,
        "grid": stage.grid,
        "nearest": stage.nearest,
        "pairs": [_pair(pair, stage.arrow(pair)) for pair in stage.pairs],
    }


def _pair(pair: PairContact, arrow: float) -> dict[str, Any]:
    c = pair.contact

    def curvature(which: Any) -> str:
        return ", ".join(curvature_text(float(k)) for k in which.values) + " 1/m"

    def vector(value: Any) -> str:
        return ", ".join(f"{float(x) + 0.0:.9g}" for x in value)

    return {
        "a": pair.a.name,
        "b": pair.b.name,
        "point_a": np.asarray(c.point_a).tolist(),
        "point_b": np.asarray(c.point_b).tolist(),
        "normal": np.asarray(c.normal).tolist(),
        "arrow": arrow,
        "detail": [
            ["distance", f"{float(c.distance)!r} m"],
            ["between", f"{float(c.lower)!r} and {float(c.upper)!r}"],
            ["normal", vector(c.normal)],
            [f"point on {pair.a.name}", vector(c.point_a)],
            [f"point on {pair.b.name}", vector(c.point_b)],
            [f"curvatures of {pair.a.name}", curvature(c.curvature_a)],
            [f"curvatures of {pair.b.name}", curvature(c.curvature_b)],
            ["curvatures of the gap", curvature(c.relative_curvature)],
            ["effort", f"{int(c.iterations)} iterations, {int(c.evaluations)} evaluations"],
            ["status", status_of(pair).message],
        ],
    }
