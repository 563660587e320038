"""The verb ``fit`` of the command: options, and what is done with them."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..fitting import Cloud, FitResult, ModelChoice
    from ..io.progress import Progress

EXAMPLES = """\
examples:
  tangency fit cloud.ply --report out.html   all models, with tables, histograms and a turning view
  tangency fit head.csv --model sphere       one model, its parameters as a table
  tangency fit scan.stl --thin 2000          2000 points, evenly spread; the rest is left out
  tangency fit scan.npz --loss cauchy        for clouds with outliers
  tangency fit cloud.csv --json              results as JSON on standard output, for programs
"""
NAMES = ("sphere", "ellipsoid", "superellipsoid", "power_ellipsoid", "ovoid", "superovoid")


def add_verb(verbs: Any) -> None:
    """Add ``fit`` to the command line."""
    verb = verbs.add_parser(
        "fit",
        help="a body for a cloud of points",
        description="Fit convex bodies to a cloud of points.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("cloud", help="file: CSV, NPY, NPZ, PLY, STL, OBJ, VTP")
    verb.add_argument("--model", action="append", choices=NAMES, help="only this model (may be repeated; default: all)")
    verb.add_argument(
        "--loss",
        default="linear",
        choices=("linear", "huber", "soft_l1", "cauchy"),
        help="robust losses for clouds with outliers (default: linear)",
    )
    verb.add_argument("--thin", metavar="N", type=int, help="keep about N points, evenly spread (Poisson disks)")
    verb.add_argument("--clean", action="store_true", help="drop duplicates and points far from all others")
    verb.add_argument(
        "--weights",
        choices=("sampling", "areas"),
        help="weights for uneven density: from neighbours, or from the triangles of a mesh",
    )
    verb.add_argument("--report", metavar="FILE", help="write a self-contained HTML page")
    verb.add_argument("--json", metavar="FILE", nargs="?", const="-", help="JSON to standard output, or to FILE")


def run(options: argparse.Namespace, progress: Progress) -> tuple[str, str, Cloud, ModelChoice]:
    """Table, JSON, the cloud that was used and the fits."""
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
            raise Mistake("--weights areas needs a mesh with triangles, got points alone: take --weights sampling")
        if options.thin or options.clean:
            raise Mistake("--weights areas must not be given with --thin or --clean, which break the triangles up")
    count = len(cloud)
    models = options.model or NAMES
    with of_the_user():
        if options.clean:
            cloud = cloud.take(without_duplicates(cloud.points))
            cloud = cloud.take(without_outliers(cloud.points))
        if options.thin is not None:
            cloud = cloud.take(poisson_disk(cloud.points, count=options.thin))
        prepare(cloud, None, weights, options.loss, *models)  # refuses clouds that determine no body
    progress.step("fitting (the first time ever the solver is compiled: a minute)")
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
