"""Lopes thesis, chapter 3: shape models of the heads of humerus and femur, Tables 3.1 and 3.3 to 3.7.

The scans of the thesis are not public.  The study runs on artificial heads, or on the scans in a folder of the user,
and adds what the thesis leaves to future work: many subjects, and comparisons of the models in pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from ..fitting import FitResult, Statistics, poisson_disk, read_cloud, signed_distance
from ..fitting.fit_body import prepare, run
from ..fitting.population import as_clouds, compared, scan_files
from ..io.progress import Progress
from . import picture
from .artificial_heads import heads
from .study import Cell, Result, Study, Table

#: The models of the thesis, whose superellipsoid has three exponents, by the names of the library.
MODELS = {
    "sphere": "sphere",
    "ellipsoid": "ellipsoid",
    "power_ellipsoid": "superellipsoid",
    "ovoid": "ovoid",
    "superovoid": "superovoid",
}
USED = 1700  # points of a scan that are used at most, as in Table 3.1
BONES = ("humeral head", "femoral head")
PRINTED_POINTS = ((2659, 1595, "60 %", "0.3 mm"), (58644, 1759, "3 %", "0.2 mm"))
PRINTED_RMS = ((0.9462, 0.6159, 0.6037, 0.5773, 0.5587), (0.6125, 0.5690, 0.5617, 0.5152, 0.5046))  # [mm]
PRINTED_SIGMA = ((0.9458, 0.6155, 0.6033, 0.5764, 0.5584), (0.6122, 0.5679, 0.5619, 0.5153, 0.5047))
PRINTED_MINUTES = ((0.546, 3.377, 5.580, 8.438, 19.93), (0.515, 1.009, 5.710, 6.668, 13.46))
PRINTED_DISTANCES = ((28.12, 30.29, 31.55, 32.13, 34.87), (29.10, 31.85, 33.96, 34.00, 35.99))
EXPONENTS = ("g1", "g2", "g3")
PRINTED_EXPONENTS = {
    "power_ellipsoid": ((2.00026, 2.00033, 2.00148), (2.05832, 2.00308, 2.08983)),
    "superovoid": ((2.00011, 2.00219, 2.02288), (2.09139, 2.00019, 2.00459)),
}
TAPERS = ("c1x", "c2x", "c3x", "c1y", "c2y", "c3y")
#: c0, c1, c2, c3 of x and of y
PRINTED_OVOIDS = {
    "ovoid": (
        ((0.9972, 2.686e-5, 0.09999, 0.06589), (0.9812, 0.05923, 0.05501, 0.09848)),
        ((0.9270, 0.00647, 0.07522, 0.05040), (0.9704, 0.05040, 0.03941, 0.08976)),
    ),
    "superovoid": (
        ((0.9749, 0.01709, 0.09992, 0.05628), (0.9672, 0.1299, 0.09995, 0.06226)),
        ((0.8953, 0.01998, 0.05566, 0.03631), (0.9235, 0.03316, 0.02924, 0.06766)),
    ),
}
#: The same divided by c0, which here is 1, because it only scales a and b.
PRINTED_TAPERS = {
    model: tuple(tuple(c / axis[0] for axis in bone for c in axis[1:]) for bone in bones)
    for model, bones in PRINTED_OVOIDS.items()
}
STATISTICS = ("minimum", "maximum", "mean", "std", "rms", "mu", "sigma")


@dataclass(frozen=True)
class Scan:
    """Fits of all models to one scan."""

    whole: int  #: number of points
    apart: float  #: smallest distance between the points used
    fits: dict[str, FitResult]
    seconds: dict[str, float]  #: processor time of each fit, after those of the simpler models
    distances: dict[str, float]  #: processor time of all distances


def fitted(points: np.ndarray, seed: int) -> Scan:
    """All models fitted to one scan."""
    used = points[poisson_disk(points, count=USED, seed=seed)]
    search, frame = prepare(used, None, None, "linear", *MODELS)
    fits, seconds, distances = {}, {}, {}
    for model in MODELS:
        start = process_time()
        fits[model] = run(search, frame, model)
        middle = process_time()
        signed_distance(fits[model].shape, used, fits[model].pose)
        seconds[model], distances[model] = middle - start, process_time() - middle
    return Scan(len(points), float(cKDTree(used).query(used, 2)[0][:, 1].min()), fits, seconds, distances)


def run_artificial(size: int, seed: int, progress: Progress) -> Result:
    """The tables for artificial heads."""
    return _study(heads(size, seed), seed, progress, "artificial heads in mm (`studies/artificial_heads.py`)")


def run_measured(size: int, seed: int, progress: Progress, data: str) -> Result:
    """The tables for the scans in a folder, or for one scan."""
    clouds = as_clouds(scan_files(Path(data)), read_cloud)
    points = {name: np.asarray(cloud.points) for name, cloud in clouds.items()}
    return _study(points, seed, progress, "the scans given, in their own unit")


def _study(clouds: Mapping[str, np.ndarray], seed: int, progress: Progress, what: str) -> Result:
    scans: dict[str, Scan] = {}
    for name, points in clouds.items():
        progress.step(f"fitting {name}")
        try:
            scans[name] = fitted(points, seed)
        except ValueError as error:
            raise ValueError(f"scan {name!r}: {error}") from None
    notes = [
        f"The scans of the thesis are not public: these are {what}, so only the order of the models and the magnitudes "
        "can be compared. Values are means over the scans, with the standard deviation in brackets.",
        "All fitted bodies are convex. The thesis' exponents are at least 2 and its c2 and c3 at most 0.1; here "
        "they are free. Its coefficients are divided by c0, which is not determined by a cloud and is 1 here.",
        "The thesis minimises an algebraic error by a genetic algorithm in interpreted MATLAB; here Euclidean "
        "distances are minimised. Times are processor times, each after the fits of the simpler models, and depend on "
        "the machine.",
    ]
    tables = [_points(scans), _errors(scans), _pairs(scans), _exponents(scans), _tapers(scans), _times(scans)]
    return Result(tables, notes, *_records(scans), lambda: _figure(scans))


def _mean(values: list[float], form: str = "{:.4g}") -> str:
    text = form.format(float(np.mean(values)))
    return text + (f" ({float(np.std(values, ddof=1)):.2g})" if len(values) > 1 else "")


def _points(scans: Mapping[str, Scan]) -> Table:
    rows: list[list[Cell]] = [[f"{bone}, printed", *row] for bone, row in zip(BONES, PRINTED_POINTS)]
    for name, scan in scans.items():
        used = len(scan.fits["sphere"].residuals)
        rows.append([name, scan.whole, used, f"{100 * used / scan.whole:.0f} %", f"{scan.apart:.2g}"])
    return Table(("scan", "points", "used", "share", "open ball"), rows, "Table 3.1: points of the scans")


def _errors(scans: Mapping[str, Scan]) -> Table:
    rows: list[list[Cell]] = []
    for k, (model, title) in enumerate(MODELS.items()):
        found = [scan.fits[model].statistics for scan in scans.values()]
        printed = [f"{table[bone][k]:.3f}" for table in (PRINTED_RMS, PRINTED_SIGMA) for bone in (0, 1)]
        rows.append([title, *printed[:2], *(_of(found, column) for column in STATISTICS), *printed[2:]])
    header = ("model", "RMS humerus, printed", "RMS femur, printed", "min", "max", "mean", "std", "RMS", "mu", "sigma")
    return Table(
        (*header, "sigma humerus, printed", "sigma femur, printed"),
        rows,
        "Tables 3.3 and 3.4: distances of the points from the fitted surfaces (mean, std and RMS of absolute values)",
    )


def _of(found: list[Statistics], column: str) -> str:
    return _mean([float(getattr(one, column)) for one in found], "{:.3g}")


def _pairs(scans: Mapping[str, Scan]) -> Table:
    rms = np.array([[scan.fits[model].rms for model in MODELS] for scan in scans.values()])
    rows = [
        [f"{a.first} - {a.second}", f"{a.mean:.3g}", f"{a.std:.2g}", f"{a.better} of {len(rms)}", f"{a.p:.2g}"]
        for a in compared(tuple(MODELS.values()), rms)
    ]
    header = ("models", "mean difference of RMS", "std", "second better", "p (Wilcoxon)")
    return Table(header, rows, "Comparison in pairs, scan by scan: not in the thesis, which has one scan of each bone")


def _exponents(scans: Mapping[str, Scan]) -> Table:
    return _parameters(scans, PRINTED_EXPONENTS, EXPONENTS, "Table 3.5: exponents (2 for the other models)")


def _tapers(scans: Mapping[str, Scan]) -> Table:
    caption = "Table 3.6: coefficients of the ovoids. Their signs depend on the direction of z"
    return _parameters(scans, PRINTED_TAPERS, TAPERS, caption)


def _parameters(scans: Mapping[str, Scan], printed: Mapping[str, Any], names: tuple[str, ...], caption: str) -> Table:
    rows = []
    for model, values in printed.items():
        for k, name in enumerate(names):
            found = [scan.fits[model].parameters[name] for scan in scans.values()]
            rows.append([MODELS[model], name, *(f"{bone[k]:.4g}" for bone in values), _mean(found)])
    return Table(("model", "parameter", *(f"{bone}, printed" for bone in BONES), "found"), rows, caption)


def _times(scans: Mapping[str, Scan]) -> Table:
    rows = []
    for k, (model, title) in enumerate(MODELS.items()):
        own = [f"{part[bone][k]:.3g}" for part in (PRINTED_MINUTES, PRINTED_DISTANCES) for bone in (0, 1)]
        seconds = _mean([scan.seconds[model] for scan in scans.values()], "{:.2g}")
        distances = _mean([1e3 * scan.distances[model] for scan in scans.values()], "{:.2g}")
        rows.append([title, *own[:2], seconds, *own[2:], distances])
    header = ("model", "fit humerus, printed [min]", "fit femur, printed [min]", "fit [s]")
    more = ("distances humerus, printed [min]", "distances femur, printed [min]", "distances [ms]")
    return Table((*header, *more), rows, "Table 3.7: times")


def _records(scans: Mapping[str, Scan]) -> tuple[tuple[str, ...], list[list[Cell]]]:
    names = ("a", "b", "c", *EXPONENTS, *TAPERS)
    columns = ("scan", "points", "used", "open_ball", "model", "status", *STATISTICS, "r", *names, "fit_seconds")
    rows: list[list[Cell]] = []
    for title, scan in scans.items():
        for model, found in scan.fits.items():
            numbers = [float(getattr(found.statistics, column)) for column in STATISTICS]
            values = [found.parameters.get(name) for name in ("r", *names)]
            head: list[Cell] = [title, scan.whole, len(found.residuals), scan.apart, MODELS[model], found.status.name]
            rows.append([*head, *numbers, *values, scan.seconds[model]])
    return columns, rows


def _figure(scans: Mapping[str, Scan]) -> Any:
    made = picture.figure(8.0, 4.2)
    axes = made.subplots()
    rms = np.array([[scan.fits[model].rms for model in MODELS] for scan in scans.values()])
    places = np.arange(len(MODELS))
    axes.plot(places, rms.T, color=picture.SOFT, linewidth=0.7, alpha=0.6)
    axes.boxplot(rms, positions=places, widths=0.4, showfliers=False, medianprops={"color": picture.BODY})
    axes.plot(np.broadcast_to(places, rms.shape).ravel(), rms.ravel(), ".", color=picture.INK, markersize=4)
    axes.set_xticks(places, list(MODELS.values()))
    axes.set_ylim(bottom=0.0)
    picture.plain(axes, "", "RMS distance", f"Lopes thesis, chapter 3: {len(rms)} scans, each with all models")
    return made


STUDY = Study(
    "lopes-chapter3",
    "Lopes thesis, Tables 3.1 and 3.3-3.7: shape models of bone heads",
    run_artificial,
    8,
    "artificial heads",
    measured=run_measured,
    duration="25 s",
)
