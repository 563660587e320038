"""Fits of one cloud as a self-contained HTML page: tables, histograms, the cloud on each surface."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ..fitting import FitResult, ModelChoice
from .histogram import histogram
from .inline import as_json, filled, packed, parts
from .mesh import geodesic

SHOWN = 6000  # most points drawn
COLUMNS = ("min", "max", "mean", "std", "RMS", "mu", "sigma")


def fit_page(choice: ModelChoice, points: np.ndarray, title: str) -> str:
    """HTML of all fits of a cloud; opens from a file, without network access."""
    fits = choice.fits
    # The same colour scale for all models: up to the 95th percentile of the simplest one.
    limit = float(np.percentile(np.abs(next(iter(fits.values())).residuals), 95)) or 1.0
    some = np.random.default_rng(0).permutation(len(points))[:SHOWN]
    data = {
        "points": packed(points[some]),
        "centre": points.mean(axis=0).tolist(),
        "radius": float(np.linalg.norm(points - points.mean(axis=0), axis=1).max()) or 1.0,
        "limit": limit,
        "models": [
            {"residuals": packed(found.residuals[some]), "wire": packed(_wire(found))} for found in fits.values()
        ],
    }
    names = list(fits)
    options = "".join(f"<option{_selected(name, choice)}>{html.escape(name)}</option>" for name in names)
    return filled(
        "fit_page.html",
        title=html.escape(title),
        summary=f"{len(points)} points, {len(fits)} models, loss {html.escape(next(iter(fits.values())).loss)}.",
        reason=html.escape(choice.reason),
        statistics=_statistics(choice),
        histograms=histogram({name: found.residuals for name, found in fits.items()}),
        options=options,
        limit=f"{limit:.3g}",
        parameters="\n".join(_parameters(found) for found in fits.values()),
        data=as_json(data),
        script=parts("fit_page.js"),
    )


def _selected(name: str, choice: ModelChoice) -> str:
    return " selected" if name == choice.recommended else ""


def _statistics(choice: ModelChoice) -> str:
    head = "".join(f"<th>{word}</th>" for word in ("model", *COLUMNS, "CV RMS", "AIC", "BIC", "status"))
    rows = [f"<tr>{head}</tr>"]
    for name, found in choice.fits.items():
        s = found.statistics
        numbers: tuple[Any, ...] = (s.minimum, s.maximum, s.mean, s.std, s.rms, s.mu, s.sigma)
        numbers += (choice.cross_validated[name],)
        cells = "".join(f"<td>{value:.4g}</td>" for value in numbers)
        cells += f"<td>{choice.aic[name]:.1f}</td><td>{choice.bic[name]:.1f}</td>"
        kind = ' class="best"' if name == choice.recommended else ""
        status = f'<td title="{html.escape(found.message)}">{found.status.name.lower().replace("_", " ")}</td>'
        rows.append(f"<tr{kind}><td>{html.escape(name)}</td>{cells}{status}</tr>")
    return f"<table>{''.join(rows)}</table>"


def _parameters(found: FitResult) -> str:
    rows = "".join(
        f"<tr><td>{name}</td><td>{value:.8g}</td><td>{'undetermined' if np.isinf(error) else f'{error:.3g}'}</td></tr>"
        for name, value, error in zip(found.names, found.values, found.standard_errors)
    )
    turn = ", ".join(f"{x:.9g}" for x in found.pose.rotation.as_quat())
    return (
        f"<details><summary>{html.escape(found.model)}</summary><p>{html.escape(found.message)}</p>"
        f"<table><tr><th>parameter</th><th>value</th><th>standard error</th></tr>{rows}</table>"
        f"<p>orientation, quaternion (x, y, z, w): {turn}</p></details>"
    )


def _wire(found: FitResult) -> np.ndarray:
    """Edges of a coarse mesh of the surface, (edges, 6)."""
    mesh = geodesic(8)
    vertices = found.pose.apply(found.shape.point(mesh.vertices))
    pairs = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    return np.hstack([vertices[pairs[:, 0]], vertices[pairs[:, 1]]])
