"""Figures of the report, each with a table."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from .table import Table


@dataclass(frozen=True)
class Figure:
    table: Table
    png: bytes

    def markdown(self) -> str:
        return f"{self.table.markdown()}\n![{self.table.title}]({self.table.name}.png)\n"

    def files(self) -> dict[str, bytes]:
        return {**self.table.files(), f"{self.table.name}.png": self.png}


def _axes(title: str, x: str, y: str) -> tuple[Any, Any]:
    # Without pyplot: no window system, no global state.
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(7.0, 4.3), layout="constrained")
    axes = canvas.subplots()
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(True, which="major", alpha=0.4)
    axes.spines[["top", "right"]].set_visible(False)
    return canvas, axes


def _png(canvas: Any) -> bytes:
    data = io.BytesIO()
    canvas.savefig(data, dpi=150)
    return data.getvalue()


def batch_sizes(curves: dict[str, dict[int, float]]) -> bytes:
    """Nanoseconds per pair against the number of pairs in a call; engines without stacks are dashed."""
    canvas, axes = _axes("Ellipsoid pairs, tolerance 1e-12", "pairs in a call, or in a loop of calls", "ns per pair")
    for name, curve in curves.items():
        ours = name.startswith("tangency")
        axes.loglog(list(curve), list(curve.values()), "o-" if ours else "s--", ms=4, lw=2 if ours else 1.2, label=name)
    axes.legend(frameon=False, fontsize=9)
    return _png(canvas)


def thread_numbers(nanoseconds: dict[int, float], cores: int) -> bytes:
    """Million pairs per second against the number of threads."""
    canvas, axes = _axes(f"Ellipsoid pairs, tolerance 1e-12, {cores} cores", "threads", "million pairs per second")
    numbers = list(nanoseconds)
    axes.plot(numbers, [1e3 / t for t in nanoseconds.values()], "o-", lw=2, label="tangency")
    axes.plot(numbers, [n * 1e3 / nanoseconds[1] for n in numbers], "--", color="0.5", label="in proportion")
    axes.set_ylim(bottom=0.0)
    axes.set_xticks(numbers)
    axes.legend(frameon=False, fontsize=9)
    return _png(canvas)
