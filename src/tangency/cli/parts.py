"""Several bodies for one scan: ``tangency fit scan.ply --parts 2`` or ``--parts auto``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .mistakes import Mistake, of_the_user

if TYPE_CHECKING:
    from ..fitting import CompoundFit
    from ..io.progress import Progress

ALONE = ("report", "surface", "weights", "limits", "bound", "fixed", "tie", "table", "boxes")  # for one body
MODELS = ("superellipsoid",)  # as in fit_bodies


def number_of_parts(value: str) -> int | None:
    """The value of ``--parts``: a number, or None for auto."""
    if value == "auto":
        return None
    if not value.isdecimal() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"must be auto or a number of parts >= 1, got {value!r}")
    return int(value)


def run(options: argparse.Namespace, progress: Progress) -> tuple[str, str, dict[str, str]]:
    """Text, JSON, and the files to write."""
    from ..fitting import fit_bodies
    from .fit import UNITS, cloud_of

    for option in ALONE:
        if getattr(options, option):
            raise Mistake(f"--{option} is for a single body, got it with --parts")
    if len(options.cloud) > 1 or Path(options.cloud[0]).is_dir():
        raise Mistake(f"--parts is for a single scan, got {' '.join(options.cloud)}")
    path = options.cloud[0]
    with of_the_user():
        progress.step(f"reading {path}")
        cloud = cloud_of(path, options)
        progress.step("dividing the scan and fitting (at first use, compiling takes a minute)")
        found = fit_bodies(cloud, options.parts, options.model or MODELS, loss=options.loss)
    unit = UNITS[options.unit]
    title = f"{len(found)} bodies fitted to {len(found.labels)} points of {Path(path).name}"
    files = {}
    if options.scene:
        bodies = found.scene_bodies(Path(path).stem, unit=unit, density=options.density)
        files[options.scene] = f"title = {json.dumps(title)}\n\n{bodies}"
    return f"{path}: {len(cloud)} points\n{found!r}", as_json(found), files


def as_json(found: CompoundFit) -> str:
    """All bodies with full precision, and the number of the body of every point."""
    from .fit import plain_fit

    data: dict[str, Any] = {
        "statistics": dict(vars(found.statistics)),
        "hidden": list(found.hidden),
        "bodies": [plain_fit(one) for one in found.fits],
        "labels": found.labels.tolist(),
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"
