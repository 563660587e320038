"""Text and bars of the lab, as HTML."""

from __future__ import annotations

import html
import math

import numpy as np

from ..contacts.result import Contact
from ..contacts.status import Status
from .measures import Hertz
from .steps import Steps

_ROW = (
    '<tr><td style="padding-right:.8em;opacity:.7;white-space:nowrap;vertical-align:top">{}</td>'
    '<td style="font-variant-numeric:tabular-nums">{}</td></tr>'
)


def contact_html(contact: Contact, hertz: Hertz, left_out: int = 0) -> str:
    """The numbers of a contact, and how many pairs of the scene are not computed."""
    rows = [
        ("distance", _length(float(contact.distance))),
        ("proved between", f"{float(contact.lower):.14g} and {float(contact.upper):.14g} m"),
        ("status", Status(int(contact.status)).name.lower().replace("_", " ")),
        ("normal", _vector(contact.normal)),
        ("point on A", _vector(contact.point_a)),
        ("point on B", _vector(contact.point_b)),
        ("radii of A", _radii(contact.curvature_a.radii)),
        ("radii of B", _radii(contact.curvature_b.radii)),
    ]
    if hertz.ellipse is None:
        rows.append(("Hertz", hertz.reason))
    else:
        found = hertz.ellipse
        axes = " and ".join(_length(float(axis)) for axis in found.semi_axes)
        rows += [
            ("contact ellipse", f"semi-axes {axes}"),
            ("approach", _length(float(found.approach))),
            ("peak pressure", f"{float(found.peak_pressure):.4g} Pa"),
        ]
    if left_out:
        rows.append(("other pairs", f"only those with A or B; {left_out} more are not computed"))
    return table_html(rows)


def steps_html(steps: Steps, number: int) -> str:
    """The bounds after a step as a bar that closes, from the first step to this one."""
    if not len(steps):
        return f'<p style="margin:.5em 1em">{html.escape(steps.message)}</p>'
    k = max(number, 1) - 1
    low, high = float(steps.lower[0]), float(steps.upper[0])
    width = max(high - low, 1e-300)
    left = 100.0 * (float(steps.lower[k]) - low) / width
    right = 100.0 * (high - float(steps.upper[k])) / width
    gap = float(steps.upper[k] - steps.lower[k])
    bar = (
        '<div style="position:relative;height:14px;margin:.5em 1em;background:#8882;border-radius:7px">'
        f'<div class="bounds" style="position:absolute;top:0;bottom:0;left:{left:.3f}%;right:{right:.3f}%;'
        'min-width:3px;background:#e0902f;border-radius:7px"></div></div>'
    )
    rows = [
        ("step", f"{k + 1} of {len(steps)}"),
        ("lower bound", f"{float(steps.lower[k]):.15g} m"),
        ("upper bound", f"{float(steps.upper[k]):.15g} m"),
        ("gap", f"{gap:.3g} m"),
        ("end", steps.message),
    ]
    return bar + table_html(rows)


def gaps(steps: Steps) -> tuple[np.ndarray, np.ndarray]:
    """Number of each step, and log10 of the gap between its bounds, for a plot; rounding error counts as 1e-17."""
    if not len(steps):
        return np.array([0.0, 1.0]), np.array([0.0, 0.0])
    values = np.log10(np.maximum(steps.upper - steps.lower, 1e-17))
    count = np.arange(1.0, len(values) + 1.0)
    return (count, values) if len(values) > 1 else (np.array([1.0, 2.0]), np.repeat(values, 2))


def table_html(rows: list[tuple[str, str]]) -> str:
    """Rows of a name and a value."""
    inner = "".join(_ROW.format(html.escape(name), html.escape(value)) for name, value in rows)
    return f'<table style="margin:.4em .8em;font-size:.8em;line-height:1.35">{inner}</table>'


def _length(value: float) -> str:
    return f"{value:.6g} m"


def _vector(values: np.ndarray) -> str:
    return ", ".join(f"{value + 0.0:.4f}" for value in values.round(4))


def _radii(values: np.ndarray) -> str:
    return " and ".join("flat" if math.isinf(value) else f"{value:.4g}" for value in values.tolist()) + " m"
