"""The subcommand ``tangency fit``."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from .parts import number_of_parts

if TYPE_CHECKING:
    from ..fitting import Cloud, FitResult, ModelChoice
    from ..io.progress import Progress

EXAMPLES = """\
examples:
  tangency fit cloud.ply --report out.html   all models; report with tables, histograms and a 3-D view
  tangency fit head.csv --model sphere       one model
  tangency fit scan.stl --thin 2000          use about 2000 evenly spread points
  tangency fit scan.npz --loss cauchy        for clouds with outliers
  tangency fit cloud.csv --json              results as JSON on standard output
  tangency fit scan.ply --scene out.toml     the recommended body as a scene, for contact and simulate
  tangency fit scan.ply --unit mm --surface body.stl        its surface as a mesh (STL, OBJ, PLY, VTP)
  tangency fit femur.stl --region sphere     the head of a whole bone
  tangency fit scan.ply --parts auto         several bodies, as many as the scan has convex parts
  tangency fit scans/ --table all.csv        all scans of a folder: tables and paired statistics
  tangency fit scan.ply --limits thesis      exponents of at least 2 and small tapers, as in the thesis
  tangency fit scan.ply --model capsule --fixed radius=5 --bound half_length=10:20
"""
NAMES = ("sphere", "ellipsoid", "superellipsoid", "power_ellipsoid", "ovoid", "superovoid")
MORE = ("box", "cylinder", "capsule", "cone", "rounded_box", "tapered_superellipsoid", "harmonic", "spline")
UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}


def add_verb(verbs: Any) -> None:
    """Add ``fit`` to the command line."""
    verb = verbs.add_parser(
        "fit",
        help="fit a body to a point cloud",
        description="Fit convex bodies to a point cloud.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument(
        "cloud",
        nargs="+",
        help="point cloud file: CSV, NPY, NPZ, PLY, STL, OBJ, VTP; several, or a folder, are compared",
    )
    verb.add_argument(
        "--region", choices=("sphere", "socket"), help="use only the most complete sphere in the scan, or hollow sphere"
    )
    verb.add_argument(
        "--parts",
        metavar="N",
        type=number_of_parts,
        default=argparse.SUPPRESS,
        help="divide the scan into N nearly convex parts, or as many as it has (auto), and fit a body to each",
    )
    verb.add_argument("--table", metavar="FILE", help="of several scans: statistics and parameters of all fits (CSV)")
    verb.add_argument("--boxes", metavar="FILE", help="of several scans: box plots of the RMS distances (SVG)")
    verb.add_argument(
        "--model",
        action="append",
        choices=(*NAMES, *MORE),
        help="fit only this model (may be repeated; default: all from sphere to superovoid)",
    )
    verb.add_argument("--limits", choices=("thesis",), help="named bounds of the parameters")
    verb.add_argument(
        "--bound",
        metavar="NAME=LOW:HIGH",
        action="append",
        default=[],
        help="bounds of a parameter, either may be empty",
    )
    verb.add_argument("--fixed", metavar="NAME=VALUE", action="append", default=[], help="a parameter that is known")
    verb.add_argument(
        "--tie", metavar="'B = 2 * A'", action="append", default=[], help="a multiple of another parameter"
    )
    verb.add_argument(
        "--loss",
        default="linear",
        choices=("linear", "huber", "soft_l1", "cauchy"),
        help="loss function; the others are robust against outliers (default: linear)",
    )
    verb.add_argument("--thin", metavar="N", type=int, help="keep about N points, evenly spread (Poisson disks)")
    verb.add_argument("--clean", action="store_true", help="drop duplicates and points far from all others")
    verb.add_argument(
        "--weights",
        choices=("sampling", "areas"),
        help="weights for uneven density: from neighbours (sampling), or from mesh triangles (areas)",
    )
    verb.add_argument("--scene", metavar="FILE", help="write the recommended body as a scene file (TOML)")
    verb.add_argument(
        "--surface",
        metavar="FILE",
        action="append",
        default=[],
        help="write its surface: .stl .obj .ply .vtp .xml .osim",
    )
    verb.add_argument(
        "--unit", choices=UNITS, default="m", help="unit of the cloud, for --scene and --surface (default: m)"
    )
    verb.add_argument("--density", type=float, default=1000.0, help="density in the scene [kg/m^3] (default: 1000)")
    verb.add_argument("--report", metavar="FILE", help="write a self-contained HTML report")
    verb.add_argument("--json", metavar="FILE", nargs="?", const="-", help="write JSON to standard output, or to FILE")


def run(options: argparse.Namespace, progress: Progress) -> tuple[str, str, Cloud, ModelChoice]:
    """Table, JSON, the cloud used and the fits."""
    from ..fitting import read_cloud, select_model
    from ..fitting.fit_body import prepare
    from .mistakes import Mistake, of_the_user

    path = options.cloud[0]
    progress.step(f"reading {path}")
    with of_the_user():
        cloud = read_cloud(path)
    weights: Any = options.weights
    if weights == "areas":
        weights = cloud.areas
        if weights is None:
            raise Mistake("--weights areas needs a mesh with triangles, got only points: use --weights sampling")
        if options.thin or options.clean or options.region:
            raise Mistake("--weights areas must not be given with --thin, --clean or --region, which remove vertices")
    count = len(cloud)
    models = options.model or NAMES
    with of_the_user():
        cloud = cloud if weights is not None and not isinstance(weights, str) else cloud_of(path, options)
        prepare(cloud, None, weights, options.loss, *models)  # rejects clouds that determine no body
    progress.step("")  # the fits tell their own
    with of_the_user():
        choice = select_model(cloud, models, weights=weights, loss=options.loss, **limits_of(options), progress=True)
    used = "" if len(cloud) == count else f", {len(cloud)} of them used"
    lines = [f"{path}: {count} points{used}", choice.table(), "", repr(choice.best)]
    return "\n".join(lines), as_json(choice), cloud, choice


def cloud_of(path: Any, options: argparse.Namespace) -> Cloud:
    """The points of a file that are used."""
    from ..fitting import poisson_disk, read_cloud, spherical_region, without_duplicates, without_outliers

    cloud = read_cloud(path)
    if options.region:
        cloud = cloud.take(spherical_region(cloud, hollow=options.region == "socket"))
    if options.clean:
        cloud = cloud.take(without_duplicates(cloud.points))
        cloud = cloud.take(without_outliers(cloud.points))
    if options.thin is not None:
        cloud = cloud.take(poisson_disk(cloud.points, count=options.thin))
    return cloud


def limits_of(options: argparse.Namespace) -> dict[str, Any]:
    """Bounds, fixed and tied parameters."""
    from .mistakes import Mistake

    if options.limits and options.bound:
        raise Mistake("--limits and --bound must not be given together")
    bounds = options.limits or _bounds(options.bound)
    return {"bounds": bounds, "fixed": _values(options.fixed), "ties": options.tie}


def files(options: argparse.Namespace, found: FitResult) -> dict[str, Any]:
    """The files asked for: name and what writes them."""
    from pathlib import Path

    from ..fitting import fitted_scene
    from ..fitting.fitted_scene import in_metres
    from ..fitting.surface_files import surface_content
    from .mistakes import of_the_user

    written: dict[str, Any] = {}
    unit = UNITS[options.unit]
    with of_the_user():
        if options.scene:
            written[options.scene] = fitted_scene(
                found, Path(options.cloud[0]).stem, unit=unit, density=options.density
            )
        for path in options.surface:
            written[path] = surface_content(path, *in_metres(found, unit))
    return written


def _bounds(given: list[str]) -> dict[str, tuple[float | None, float | None]]:
    from .mistakes import Mistake

    found: dict[str, tuple[float | None, float | None]] = {}
    for text in given:
        name, _, ends = text.partition("=")
        low, colon, high = ends.partition(":")
        if not name or not colon:
            raise Mistake(f"--bound must look like g1=2: or c2x=-0.1:0.1, got {text!r}")
        ends_of = [_number(end, "--bound", text) if end.strip() else None for end in (low, high)]
        found[name.strip()] = ends_of[0], ends_of[1]
    return found


def _values(given: list[str]) -> dict[str, float]:
    from .mistakes import Mistake

    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise Mistake(f"--fixed must look like g1=2, got {text!r}")
        found[name.strip()] = _number(value, "--fixed", text)
    return found


def _number(value: str, option: str, text: str) -> float:
    from .mistakes import Mistake

    try:
        return float(value)
    except ValueError:
        raise Mistake(f"{option} must have a number after the name, got {text!r}") from None


def as_json(choice: ModelChoice) -> str:
    """All fits with full precision; an infinite standard error becomes null."""
    data = {
        "recommended": choice.recommended,
        "reason": choice.reason,
        "fits": [_plain(name, found, choice) for name, found in choice.fits.items()],
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _plain(name: str, found: FitResult, choice: ModelChoice) -> dict[str, Any]:
    criteria = {
        "cross_validated_rms": choice.cross_validated[name],
        "aic": choice.aic[name],
        "bic": choice.bic[name],
    }
    return {**plain_fit(found), **criteria}


def plain_fit(found: FitResult) -> dict[str, Any]:
    """One fit as plain numbers and text."""
    errors = [None if error == float("inf") else error for error in found.standard_errors.tolist()]
    from ..scene import shape_table

    try:
        scene: dict[str, Any] | None = shape_table(found.shape)
    except ValueError:  # a shape without a name in scene files
        scene = None
    return {
        "model": found.model,
        "shape": type(found.shape).__name__,
        "scene_body": scene,
        "position": found.pose.translation.tolist(),
        "quaternion_xyzw": found.pose.rotation.as_quat().tolist(),
        "parameters": found.parameters,
        "standard_errors": dict(zip(found.names, errors)),
        "covariance": found.covariance.tolist(),
        "statistics": dict(vars(found.statistics)),
        "status": found.status.name,
        "message": found.message,
    }
