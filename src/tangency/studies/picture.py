"""Common style of the figures of the studies; needs matplotlib, tangency[viz]."""

from __future__ import annotations

import io
from typing import Any

INK, SOFT, MARK, BODY, SECOND, THIRD = "#1b2430", "#8a95a3", "#c2185b", "#2f6f9f", "#e08a1e", "#3c8f5a"


def figure(width: float, height: float) -> Any:
    """An empty figure, sizes in inches."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), dpi=110, layout="constrained")
    made.set_facecolor("white")
    return made


def plain(axes: Any, x: str, y: str, title: str = "") -> None:
    """Set labels and a light grid, and remove the frame at the top and right."""
    axes.set(xlabel=x, ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e6e9ed", linewidth=0.8)
    axes.set_axisbelow(True)
    if title:
        axes.set_title(title, loc="left", weight="bold", color=INK)


def png(made: Any) -> bytes:
    """The figure as a PNG file, the same bytes for the same figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    target = io.BytesIO()
    FigureCanvasAgg(made).print_png(target, metadata={"Software": "tangency"})
    return target.getvalue()
