"""The table of docs/fitting.md: RMS distances of six models from scans.

python docs/measure_fitting.py FOLDER          the folder that holds the scans (they are not part of the project)
"""

import sys
import time
from pathlib import Path

import numpy as np

import tangency as tg
from tangency.fitting.models import MODELS
from tangency.fitting.orthogonal import prepare, run

SCANS = (
    "bp3d_femur_r", "bp3d_humerus_r", "egg_strix_uralensis", "egg_gallus_gallus", "egg_dromaius_novaehollandiae",
    "egg_uria_aalge", "asteroid_161989_cacus", "asteroid_43_ariadne", "stone_a55", "stone_b77", "stone_c42",
    "ycb_002_master_chef_can", "ycb_003_cracker_box", "ycb_008_pudding_box",
)  # fmt: skip
DENSE, MOST = 1500, 2000  # vertices from which on even samples are taken; points of a scan at most


def points_of(folder: Path, name: str) -> np.ndarray:
    data = np.load(folder / f"{name}.npz")
    points = data["uniform_points"] if "uniform_points" in data and len(data["points"]) > DENSE else data["points"]
    if len(points) <= MOST:
        return points
    return points[np.random.default_rng(0).permutation(len(points))[:MOST]]


def fits(points: np.ndarray) -> dict[str, tg.fitting.FitResult]:
    search, centre, scale = prepare(points, None, None, "linear", *MODELS)
    return {model: run(search, centre, scale, model) for model in MODELS}


def main(folder: Path) -> None:
    print("| scan | points | " + " | ".join(MODELS) + " | seconds |")
    print("|---|---|" + "---|" * (len(MODELS) + 1))
    for name in SCANS:
        points = points_of(folder, name)
        start = time.process_time()
        found = fits(points)
        seconds = time.process_time() - start
        cells = " | ".join(f"{one.rms:.3g}{_mark(one)}" for one in found.values())
        print(f"| {name} | {len(points)} | {cells} | {seconds:.0f} |", flush=True)
    heads = np.load(folder / "gias2_femurs_18.npz")["points"]
    rows = np.array([[one.rms for one in fits(head).values()] for head in heads])
    cells = " | ".join(f"{low:.2f}-{high:.2f}" for low, high in zip(rows.min(axis=0), rows.max(axis=0)))
    print(f"| 18 femoral heads | {heads.shape[1]} each | {cells} | |", flush=True)


def _mark(found: tg.fitting.FitResult) -> str:
    return {"AT_BOUND": " b", "AT_CONVEXITY": " c", "NOT_CONVERGED": " n"}.get(found.status.name, "")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
