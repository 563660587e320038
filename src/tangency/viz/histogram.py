"""Histograms of signed distances with Gaussians, as in Fig. 3.5 of Lopes' thesis: plain SVG."""

from __future__ import annotations

import html

import numpy as np

WIDTH, HEIGHT, MARGIN = 340, 200, 30
# Colours of the thesis: red, green, blue, yellow and black; and another for the sixth model.
COLORS = {
    "sphere": "#d62728",
    "ellipsoid": "#2ca02c",
    "superellipsoid": "#1f77b4",
    "power_ellipsoid": "#9467bd",
    "ovoid": "#d4b106",
    "superovoid": "#1b2430",
}


def histogram(residuals: dict[str, np.ndarray], bins: int = 41) -> str:
    """SVG with one panel per model, all on the same axes."""
    reach = float(max(np.percentile(np.abs(values), 99.5) for values in residuals.values())) or 1.0
    edges = np.linspace(-reach, reach, bins + 1)
    width = edges[1] - edges[0]
    panels = []
    top = max(float(np.histogram(v, edges)[0].max()) / (len(v) * width) for v in residuals.values()) or 1.0
    for name, values in residuals.items():
        density = np.histogram(values, edges)[0] / (len(values) * width)
        mu, sigma = float(values.mean()), float(values.std())
        panels.append(_panel(name, edges, density, mu, sigma, top, reach))
    return "\n".join(panels)


def _panel(name: str, edges: np.ndarray, density: np.ndarray, mu: float, sigma: float, top: float, reach: float) -> str:
    def x(value: float) -> float:
        return MARGIN + (value + reach) / (2.0 * reach) * (WIDTH - 2 * MARGIN)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - value / (1.15 * top) * (HEIGHT - 2 * MARGIN)

    color = COLORS.get(name, "#555")
    bars = "".join(
        f'<rect x="{x(a):.1f}" y="{y(d):.1f}" width="{x(b) - x(a):.2f}" height="{y(0) - y(d):.1f}"/>'
        for a, b, d in zip(edges[:-1], edges[1:], density)
    )
    curve = ""
    if sigma > 0:
        grid = np.linspace(-reach, reach, 201)
        bell = np.exp(-0.5 * ((grid - mu) / sigma) ** 2) / (sigma * np.sqrt(2.0 * np.pi))
        steps = " ".join(f"{x(a):.1f},{y(min(b, 1.15 * top)):.1f}" for a, b in zip(grid, bell))
        curve = f'<polyline points="{steps}" fill="none" stroke="{color}" stroke-width="2"/>'
    ticks = "".join(
        f'<text x="{x(v):.1f}" y="{HEIGHT - 12}" text-anchor="middle">{v:.3g}</text>' for v in (-reach, 0.0, reach)
    )
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" font-size="11" role="img">'
        f'<g fill="{color}" fill-opacity="0.3">{bars}</g>{curve}'
        f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y(0):.1f}" y2="{y(0):.1f}" stroke="#8a94a0"/>{ticks}'
        f'<text x="{MARGIN}" y="16">{html.escape(name)}: mu {mu:.3g}, sigma {sigma:.3g}</text></svg>'
    )
