"""Contacts of a scene as text: a table for people, JSON and CSV for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import numpy as np

from ..contacts.status import Status
from . import Body, PairContact, Scene

AXES = "xyz"


def table(pairs: list[PairContact]) -> str:
    """Table for a terminal with 120 columns: two lines per pair (A, then B indented), the nearest pair first.

    `bounds` is the width of the certified interval that contains the distance; the normal points from A to B; the two
    principal curvatures are those of each body at its own contact point.
    """
    if not pairs:
        return "no pairs"
    ordered = sorted(pairs, key=lambda pair: float(pair.contact.distance))
    length = Length(max(float(np.abs([p.contact.point_a, p.contact.point_b]).max()) for p in pairs))
    width = min(max(len(body.name) + 3 for pair in pairs for body in (pair.a, pair.b)), 18)
    head = f"{'A':<{width}}{'distance':>12}{'bounds':>9}  {'point x':>9}{'y':>9}{'z':>9}"
    head += f" {'normal x':>9}{'y':>8}{'z':>8}  {'curvatures':>18}{'evals':>6}"
    rule = "-" * len(head)
    lines = [head, f"  {'B':<{width - 2}}{length.unit:>12}", rule]
    notes: dict[str, None] = {}
    for pair in ordered:
        c = pair.contact
        mark = " "
        if not bool(c.converged):
            mark = "*"
            notes[f"* {pair.a.name}, {pair.b.name}: {status_of(pair).message}"] = None
        normal = "".join(f"{value:>{9 if i == 0 else 8}.4f}" for i, value in enumerate(c.normal))
        lines.append(
            f"{_cut(pair.a.name, width)}{length(c.distance, 4):>12}{interval(pair, length.factor):>9}{mark} "
            f"{_triple(c.point_a, length)} {normal}  {_curvatures(c.curvature_a, length)}{int(c.evaluations):>6}"
        )
        second = _cut("  " + pair.b.name, width)
        lines.append(f"{second}{'':>21}  {_triple(c.point_b, length)} {'':>25}  {_curvatures(c.curvature_b, length)}")
    return "\n".join([*lines, rule, *notes])


class Length:
    """Format for the lengths of one table: fixed decimals, in metres times a power of a thousand."""

    def __init__(self, scale: float) -> None:
        power = math.floor(math.log10(scale)) if scale > 0 else 0
        shift = 0 if -2 <= power <= 4 else 3 * (power // 3)
        self.factor = 10.0**shift
        self.unit = f"[1e{shift} m]" if shift else "[m]"
        self.decimals = 4 - (power - shift)

    def __call__(self, value: float, more: int = 0) -> str:
        # "+ 0.0" after rounding: no -0.0000
        return f"{round(float(value) / self.factor, self.decimals + more) + 0.0:.{self.decimals + more}f}"


def interval(pair: PairContact, factor: float = 1.0) -> str:
    """Width of the certified interval in units of `factor` metres, two digits."""
    width = max(float(pair.contact.upper) - float(pair.contact.lower), 0.0) / factor
    return "open" if math.isinf(width) else f"{width:.1e}" if width else "0"


def status_of(pair: PairContact) -> Status:
    return Status(int(pair.contact.status))


def _cut(name: str, width: int) -> str:
    return f"{name if len(name) < width else name[: width - 2] + '~':<{width}}"


def _triple(vector: Any, length: Length) -> str:
    return "".join(f"{length(value):>9}" for value in vector)


def curvature_text(value: float) -> str:
    """A curvature with four digits, or two if it needs an exponent; 0 for a flat place, inf for a corner."""
    if abs(value) < 1e-12:
        return "0"
    text = f"{value:.4g}"
    return f"{value:.1e}" if "e" in text else text


def _curvatures(curvature: Any, length: Length) -> str:
    return "".join(f"{curvature_text(float(value) * length.factor):>9}" for value in curvature.values)


def to_json(scene: Scene, pairs: list[PairContact]) -> str:
    """All results in full precision as valid JSON; infinite numbers become null."""
    data = {
        "title": scene.title,
        "units": "SI; world frame; normal from A to B; distance < 0 means overlap; null stands for infinite",
        "bodies": [_body(body) for body in scene.placed],
        "contacts": [_pair(pair) for pair in pairs],
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _body(body: Body) -> dict[str, Any]:
    return {
        "name": body.name,
        "shape": repr(body.shape),
        "position": _plain(body.position),
        "quaternion_xyzw": _plain(body.pose.rotation.as_quat()),
    }


def _pair(pair: PairContact) -> dict[str, Any]:
    c = pair.contact
    status = status_of(pair)
    result: dict[str, Any] = {"a": pair.a.name, "b": pair.b.name}
    for name in ("distance", "lower", "upper", "normal", "point_a", "point_b"):
        result[name] = _plain(getattr(c, name))
    for name in ("curvature_a", "curvature_b", "relative_curvature"):
        curvature = getattr(c, name)
        result[name] = {key: _plain(getattr(curvature, key)) for key in ("values", "radii", "directions")}
    result["status"] = {"code": int(status), "name": status.name, "message": status.message}
    result["converged"] = bool(c.converged)
    result["iterations"], result["evaluations"] = int(c.iterations), int(c.evaluations)
    return result


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    return value if math.isfinite(value) else None


def to_csv(pairs: list[PairContact]) -> str:
    """One line per pair, in full precision; infinite numbers are written as ``inf``."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    header = ["a", "b", "distance", "lower", "upper"]
    header += [f"{name}_{axis}" for name in ("normal", "point_a", "point_b") for axis in AXES]
    header += [f"{name}_{k}" for name in ("curvature_a", "curvature_b", "relative_curvature") for k in (1, 2)]
    writer.writerow([*header, "status", "converged", "iterations", "evaluations"])
    for pair in pairs:
        c = pair.contact
        numbers = [c.distance, c.lower, c.upper, *c.normal, *c.point_a, *c.point_b]
        numbers += [*c.curvature_a.values, *c.curvature_b.values, *c.relative_curvature.values]
        texts = [repr(float(value)) for value in numbers]
        ends = [status_of(pair).name, str(bool(c.converged)).lower(), int(c.iterations), int(c.evaluations)]
        writer.writerow([pair.a.name, pair.b.name, *texts, *ends])
    return target.getvalue()
