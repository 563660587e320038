"""Box plots of several models over many scans, as a page with plain SVG."""

from __future__ import annotations

import html

import numpy as np

from .histogram import COLORS

WIDTH, HEIGHT, MARGIN = 640, 320, 46


def box_plot(values: dict[str, np.ndarray], label: str) -> str:
    """SVG with one box per model: quartiles, median, whiskers to the farthest values, and all values as dots."""
    top = 1.08 * max(float(np.max(one)) for one in values.values()) or 1.0
    step = (WIDTH - 2 * MARGIN) / len(values)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - value / top * (HEIGHT - 2 * MARGIN)

    parts = []
    for k, (name, one) in enumerate(values.items()):
        x, half = MARGIN + (k + 0.5) * step, 0.22 * step
        low, first, middle, third, high = np.percentile(one, [0, 25, 50, 75, 100])
        color = COLORS.get(name, "#555")
        shifts = x + 0.7 * half * np.sin(37.0 * np.arange(len(one)))
        dots = "".join(f'<circle cx="{at:.1f}" cy="{y(v):.1f}" r="2"/>' for at, v in zip(shifts, one))
        parts.append(
            f'<g stroke="{color}" fill="{color}"><line x1="{x:.1f}" x2="{x:.1f}" y1="{y(low):.1f}" y2="{y(high):.1f}"/>'
            f'<rect x="{x - half:.1f}" y="{y(third):.1f}" width="{2 * half:.1f}" height="{y(first) - y(third):.1f}" '
            f'fill="#fff"/><line x1="{x - half:.1f}" x2="{x + half:.1f}" y1="{y(middle):.1f}" y2="{y(middle):.1f}" '
            f'stroke-width="2"/><g stroke="none" fill-opacity="0.5">{dots}</g></g>'
            f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle">{html.escape(name)}</text>'
        )
    ticks = "".join(
        f'<text x="{MARGIN - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{v:.3g}</text>'
        f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y(v):.1f}" y2="{y(v):.1f}" stroke="#d0d6dc"/>'
        for v in np.linspace(0.0, top / 1.08, 5)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="11" role="img">{ticks}{"".join(parts)}'
        f'<text x="{MARGIN}" y="18">{html.escape(label)}</text></svg>\n'
    )
