"""The subcommand ``tangency fit``."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

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
"""
NAMES = ("sphere", "ellipsoid", "superellipsoid", "power_ellipsoid", "ovoid", "superovoid")


def add_verb(verbs: Any) -> None:
    """Add ``fit`` to the command line."""
    verb = verbs.add_parser(
        "fit",
        help="fit a body to a point cloud",
        description="Fit convex bodies to a point cloud.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("cloud", help="point cloud file: CSV, NPY, NPZ, PLY, STL, OBJ, VTP")
    verb.add_argument(
        "--model", action="append", choices=NAMES, help="fit only this model (may be repeated; default: all)"
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
    verb.add_argument("--report", metavar="FILE", help="write a self-contained HTML report")
    verb.add_argument("--json", metavar="FILE", nargs="?", const="-", help="write JSON to standard output, or to FILE")


def run(options: argparse.Namespace, progress: Progress) -> tuple[str, str, Cloud, ModelChoice]:
    """Table, JSON, the cloud used and the fits."""
    from ..fitting import poisson_disk, read_cloud, select_model, without_duplicates, without_outliers
    from ..fitting.fit_body import prepare
    from .mistakes import Mistake, of_the_user

    progress.step(f"reading {options.cloud}")
    with of_the_user():
        cloud = read_cloud(options.cloud)
    weights: Any = options.weights
    if weights == "areas":
        weights = cloud.areas
        if weights is None:
            raise Mistake("--weights areas needs a mesh with triangles, got only points: use --weights sampling")
        if options.thin or options.clean:
            raise Mistake("--weights areas must not be given with --thin or --clean, which remove vertices")
    count = len(cloud)
    models = options.model or NAMES
    with of_the_user():
        if options.clean:
            cloud = cloud.take(without_duplicates(cloud.points))
            cloud = cloud.take(without_outliers(cloud.points))
        if options.thin is not None:
            cloud = cloud.take(poisson_disk(cloud.points, count=options.thin))
        prepare(cloud, None, weights, options.loss, *models)  # rejects clouds that determine no body
    progress.step("fitting (at first use, compiling takes a minute)")
    choice = select_model(cloud, models, weights=weights, loss=options.loss)
    used = "" if len(cloud) == count else f", {len(cloud)} of them used"
    lines = [f"{options.cloud}: {count} points{used}", choice.table(), "", repr(choice.best)]
    return "\n".join(lines), as_json(choice), cloud, choice


def as_json(choice: ModelChoice) -> str:
    """All fits with full precision; an infinite standard error becomes null."""
    data = {
        "recommended": choice.recommended,
        "reason": choice.reason,
        "fits": [_plain(found, choice) for found in choice.fits.values()],
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _plain(found: FitResult, choice: ModelChoice) -> dict[str, Any]:
    errors = [None if error == float("inf") else error for error in found.standard_errors.tolist()]
    return {
        "model": found.model,
        "shape": type(found.shape).__name__,
        "position": found.pose.translation.tolist(),
        "quaternion_xyzw": found.pose.rotation.as_quat().tolist(),
        "parameters": found.parameters,
        "standard_errors": dict(zip(found.names, errors)),
        "statistics": dict(vars(found.statistics)),
        "cross_validated_rms": choice.cross_validated[found.model],
        "aic": choice.aic[found.model],
        "bic": choice.bic[found.model],
        "status": found.status.name,
        "message": found.message,
    }
