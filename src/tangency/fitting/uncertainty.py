"""Covariance of fitted parameters."""

from __future__ import annotations

import numpy as np

RANK = 1e-7  # relative singular value below which a direction is not determined


def covariance(
    slopes: np.ndarray,
    residuals: np.ndarray,
    weights: np.ndarray,
    loss: str,
    scale: float,
    free: np.ndarray,
    pulls: np.ndarray | None = None,
    units: np.ndarray | float = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Covariance (P, P) and standard errors (P,); infinite errors for parameters that are not determined.

    For equal weights and plain squares: s^2 (J'J)^-1.  Otherwise the sandwich estimator of White (1980) and Huber
    (1981), which makes no assumption about the meaning of the weights.  `pulls` are the rows that priors add to J, in
    units of the standard deviation of the distances.  `units` (P,) are the magnitudes of the slopes for a cloud
    of this size: a parameter has no influence if its slopes vanish in these units.
    """
    size = slopes.shape[1]
    whole, errors = np.zeros((size, size)), np.zeros(size)
    columns = np.flatnonzero(free)
    j = slopes[:, columns]
    count, unknowns = len(j), len(columns)
    if unknowns == 0 or count <= unknowns:
        errors[columns] = np.inf
        return whole, errors
    psi, bend = influence(residuals * np.sqrt(weights), loss, scale)
    stretch = np.linalg.norm(j, axis=0)
    influences = stretch / np.broadcast_to(units, size)[columns]
    dead = influences <= 1e-12 * max(influences.max(), 1e-300)
    stretch = np.where(dead, 1.0, stretch)
    root = np.sqrt(weights * np.maximum(bend, 0.0))
    rows = root[:, None] * (j / stretch)
    information = rows.T @ rows
    if pulls is not None:
        known = np.zeros((len(pulls), size))
        known[:, : pulls.shape[1]] = pulls
        known = known[:, columns] / stretch
        information = information + known.T @ known
    squares, columns_of = np.linalg.eigh(information)
    values, axes = np.sqrt(np.maximum(squares, 0.0)), columns_of.T
    solid = values > RANK * values.max()
    inverse = (axes[solid].T / values[solid] ** 2) @ axes[solid]
    freedom = count - int(solid.sum())  # what the cloud does not determine, such as a turn about an axis, costs nothing
    if loss == "linear" and np.ptp(weights) <= 1e-12 * weights.max():
        matrix = inverse * float(psi @ psi) / freedom
    else:
        scores = (j / stretch) * (np.sqrt(weights) * psi)[:, None]
        spread = scores.T @ scores * count / freedom
        if pulls is not None:
            spread = spread + known.T @ known * float(weights @ psi**2) / freedom
        matrix = inverse @ spread @ inverse
    matrix = matrix / np.outer(stretch, stretch)
    lost = (np.abs(axes[~solid]) > 1e-3).any(axis=0) | dead
    matrix[lost] = 0.0
    matrix[:, lost] = 0.0
    whole[np.ix_(columns, columns)] = matrix
    errors[columns] = np.where(lost, np.inf, np.sqrt(np.maximum(np.diag(matrix), 0.0)))
    return whole, errors


def influence(r: np.ndarray, loss: str, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """psi = d(loss)/dr and its derivative, for the losses of SciPy's ``least_squares``."""
    z = (r / scale) ** 2
    if loss == "linear":
        return r, np.ones_like(r)
    if loss == "huber":
        return np.where(z <= 1.0, r, np.sign(r) * scale), (z <= 1.0).astype(float)
    if loss == "soft_l1":
        return r / np.sqrt(1.0 + z), (1.0 + z) ** -1.5
    return r / (1.0 + z), (1.0 - z) / (1.0 + z) ** 2  # cauchy
