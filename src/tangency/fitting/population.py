"""fit_population(): the same models for many scans, compared in pairs (Lopes thesis, Tables 3.1 and 3.3-3.7)."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from ..io.clouds import Cloud
from .models import MODELS
from .result import FitResult
from .select import ModelChoice, select_model

SUFFIXES = (".csv", ".txt", ".xyz", ".npy", ".npz", ".ply", ".stl", ".obj", ".vtp")
COLUMNS = ("minimum", "maximum", "mean", "std", "rms", "mu", "sigma")


@dataclass(frozen=True)
class PairedDifference:
    """How much better one model fits than another, over all scans.

    Attributes
    ----------
    first, second : str
        Names of the models.
    mean, std : float
        Mean and standard deviation over the scans of RMS(first) - RMS(second).
    better : int
        Number of scans that the second model fits better.
    p : float
        Probability of such a difference by chance, by Wilcoxon's signed-rank test.
    """

    first: str
    second: str
    mean: float
    std: float
    better: int
    p: float


@dataclass(frozen=True)
class Population:
    """Fits of several models to several scans."""

    choices: dict[str, ModelChoice]  #: by scan

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(next(iter(self.choices.values())).fits)

    def values(self, what: str = "rms") -> np.ndarray:
        """One number of the statistics, (scans, models)."""
        return np.array([[getattr(f.statistics, what) for f in one.fits.values()] for one in self.choices.values()])

    def paired(self) -> list[PairedDifference]:
        """All pairs of models, compared scan by scan."""
        return compared(self.models, self.values())

    def table(self) -> str:
        """RMS of all scans and models, their means and standard deviations, and the comparison in pairs."""
        rms = self.values()
        width = max(12, *(len(name) + 2 for name in self.choices))
        head = f"{'RMS':<{width}}" + "".join(f"{name:>17}" for name in self.models) + "  recommended"
        lines = [head, "-" * len(head)]
        for (name, one), row in zip(self.choices.items(), rms):
            lines.append(f"{name:<{width}}" + "".join(f"{v:>17.4g}" for v in row) + f"  {one.recommended}")
        lines.append(f"{'mean':<{width}}" + "".join(f"{v:>17.4g}" for v in rms.mean(axis=0)))
        if len(rms) > 1:
            lines.append(f"{'std':<{width}}" + "".join(f"{v:>17.4g}" for v in rms.std(axis=0, ddof=1)))
        lines += ["", f"{'pairs':<36}{'mean':>11}{'std':>11}{'better':>9}{'p':>11}"]
        for pair in self.paired():
            better = f"{pair.better}/{len(rms)}"
            title = f"{pair.first} - {pair.second}"
            lines.append(f"{title:<36}{pair.mean:>11.4g}{pair.std:>11.4g}{better:>9}{pair.p:>11.3g}")
        return "\n".join(lines)

    def csv(self) -> str:
        """All statistics and parameters, one line per scan and model."""
        fits = [(scan, name, f) for scan, one in self.choices.items() for name, f in one.fits.items()]
        names = list(dict.fromkeys(name for _, _, f in fits for name in f.names))
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["scan", "model", "points", *COLUMNS, "cross_validated_rms", "status", *names])
        for scan, name, f in fits:
            numbers = [repr(float(getattr(f.statistics, column))) for column in COLUMNS]
            crossed = repr(float(self.choices[scan].cross_validated[name]))
            values = [repr(f.parameters[key]) if key in f.parameters else "" for key in names]
            writer.writerow([scan, name, len(f.residuals), *numbers, crossed, f.status.name, *values])
        return text.getvalue()

    def best(self) -> dict[str, FitResult]:
        """The recommended fit of every scan."""
        return {name: one.best for name, one in self.choices.items()}

    def __repr__(self) -> str:
        return self.table()


def fit_population(
    clouds: Mapping[str, Any],
    models: Sequence[Any] = tuple(MODELS),
    *,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Population:
    """Fit the same models to many scans.

    Parameters
    ----------
    clouds : mapping of str to Cloud or (N, 3) array_like
        The scans by name, all in the same unit.
    models : sequence
        As in :func:`tangency.select_model`.
    progress : callable, optional
        Called with the name of every scan before it is fitted.
    **options
        Further options of :func:`tangency.select_model`.

    Returns
    -------
    Population

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> from tangency.fitting import fit_population
    >>> rng = np.random.default_rng(0)
    >>> eggs = {f"egg {k}": tg.Ellipsoid([3, 2, 2]).point(rng.normal(size=(60, 3))) for k in range(3)}
    >>> found = fit_population(eggs, ["sphere", "ellipsoid"])
    >>> [pair.better for pair in found.paired()]
    [3]
    """
    if not isinstance(clouds, Mapping):
        raise TypeError(f"clouds must be a mapping of names to clouds, got a {type(clouds).__name__}")
    if not clouds:
        raise ValueError("clouds must contain at least one scan, got none")
    choices = {}
    for name, cloud in clouds.items():
        if progress is not None:
            progress(name)
        try:
            choices[name] = select_model(cloud, models, **options)
        except ValueError as error:
            raise ValueError(f"scan {name!r}: {error}") from None
    return Population(choices)


def compared(names: Sequence[str], values: np.ndarray) -> list[PairedDifference]:
    """All pairs of models from their errors (scans, models)."""
    found = []
    for i, j in itertools.combinations(range(len(names)), 2):
        difference = values[:, i] - values[:, j]
        p = float(wilcoxon(difference).pvalue) if len(difference) > 1 and difference.any() else 1.0
        spread = float(difference.std(ddof=1)) if len(difference) > 1 else 0.0
        better = int((difference > 0).sum())
        found.append(PairedDifference(names[i], names[j], float(difference.mean()), spread, better, p))
    return found


def scan_files(path: Path) -> list[Path]:
    """The point clouds in a folder, in the order of their names; or the single file."""
    if not path.is_dir():
        return [path]
    inside = sorted(one for one in path.iterdir() if one.suffix.lower() in SUFFIXES)
    if not inside:
        raise ValueError(f"{path}: the folder contains no point clouds ({' '.join(SUFFIXES)})")
    return inside


def as_clouds(paths: Sequence[Any], read: Callable[[Any], Cloud]) -> dict[str, Cloud]:
    """The scans of several files by the names of the files, which must differ."""
    found: dict[str, Cloud] = {}
    for path in paths:
        name = path.stem if path.stem not in found else str(path)
        found[name] = read(path)
    return found
