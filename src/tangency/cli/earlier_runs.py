"""What ``tangency simulate`` finds of an earlier run in its folder: files of two runs must not stand side by side."""

from __future__ import annotations

from pathlib import Path

from .mistakes import Mistake

# Files that follow from a trajectory: tables, dumps.
DERIVED = (
    ".csv",
    *(f"-{name}.csv" for name in ("impacts", "measures", "layers", "network")),
    ".dump",
    *(f"_{name}.pvd" for name in ("bodies", "contacts", "surfaces")),
)


def check_earlier_run(path: Path, *, resume: bool, overwrite: bool) -> None:
    """Refuse to write beside a trajectory in the other form, or over one without being asked to."""
    streamed = path.suffix == ".zarr"
    if path.exists() and not (resume or overwrite):
        kind = "folder" if streamed else "file"
        raise Mistake(f"{path}: {kind} exists; --resume continues from it, --overwrite replaces it")
    other = path.with_suffix(".npz" if streamed else ".zarr")
    if other.exists() and not path.exists():
        option = "without" if streamed else "with"
        continues = f"; --resume {option} --stream continues it" if resume else ""
        raise Mistake(
            f"{other}: is of an earlier run {option} --stream{continues}; to start anew, remove it or choose another "
            "folder with --out"
        )


def remove_derived(path: Path) -> None:
    """Remove the tables and dumps of a trajectory that is replaced: not all of them are written again."""
    for end in DERIVED:
        path.with_name(f"{path.stem}{end}").unlink(missing_ok=True)
