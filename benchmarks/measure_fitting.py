"""The table of scans in docs/fitting.md: RMS distances of six models, and the time of fits and distances.

python benchmarks/measure_fitting.py FOLDER          the folder that holds the scans (they are not part of the project)
"""

import sys
import time
from pathlib import Path

import numpy as np

import tangency as tg
from tangency.fitting.fit_body import prepare, run
from tangency.fitting.models import MODELS
from tangency.io.progress import Progress

SCANS = {
    "femoral head": "bp3d_femur_r",
    "humeral head, 31 % of a sphere": "bp3d_humerus_r",
    "acetabulum": "bp3d_hip_r_acetabulum",
    "owl's egg": "egg_strix_uralensis",
    "hen's egg": "egg_gallus_gallus",
    "emu's egg": "egg_dromaius_novaehollandiae",
    "murre's egg": "egg_uria_aalge",
    "asteroid Cacus": "asteroid_161989_cacus",
    "asteroid Ariadne": "asteroid_43_ariadne",
    "stone A55": "stone_a55",
    "stone B77": "stone_b77",
    "stone C42": "stone_c42",
    "coffee can": "ycb_002_master_chef_can",
    "cracker box": "ycb_003_cracker_box",
    "pudding box": "ycb_008_pudding_box",
}
SIMPLER = {
    "ellipsoid": ["sphere"],
    "superellipsoid": ["ellipsoid"],
    "power_ellipsoid": ["ellipsoid"],
    "ovoid": ["ellipsoid"],
    "superovoid": ["power_ellipsoid", "ovoid"],
}
DENSE, MOST = 1500, 2000  # number of vertices above which even samples are taken; largest number of points per scan
MARKS = {"AT_BOUND": " b", "AT_CONVEXITY": " c", "UNDETERMINED": " u", "NOT_CONVERGED": " n"}


def points_of(folder: Path, name: str) -> np.ndarray:
    data = np.load(folder / f"{name}.npz")
    points = data["uniform_points"] if "uniform_points" in data and len(data["points"]) > DENSE else data["points"]
    if len(points) <= MOST:
        return points
    return points[np.random.default_rng(0).permutation(len(points))[:MOST]]


def fits(points: np.ndarray) -> dict[str, tg.fitting.FitResult]:
    """Fit all models; the reported values are verified with the shape made from the reported parameters."""
    search, frame = prepare(points, None, None, "linear", *MODELS)
    found = {model: run(search, frame, model) for model in MODELS}
    for model, one in found.items():
        shape = tg.fitting.shape_from_parameters(model, one.parameters)
        distance = tg.signed_distance(shape, points, one.pose, certify=True).distance
        rms = np.sqrt(np.mean(distance**2))
        if abs(rms - one.rms) > 1e-9 * one.rms:
            raise SystemExit(f"{model}: reported {one.rms}, measured {rms}")
    for model, simpler in SIMPLER.items():
        for one in simpler:
            if found[model].rms > found[one].rms * (1.0 + 1e-9):
                raise SystemExit(f"{model} has a larger error than {one}")
    return found


def seconds(call, *args) -> float:
    """Processor time of a call; this package uses one thread."""
    start = time.process_time()
    call(*args)
    return time.process_time() - start


def distances(found: tg.fitting.FitResult, points: np.ndarray) -> None:
    tg.signed_distance(found.shape, points, found.pose, threads=1)


def main(folder: Path) -> None:
    with Progress() as progress:
        print("| scan | points | " + " | ".join(MODELS) + " | superovoid alone [s] | 10^5 distances [s] |")
        print("|---|---|" + "---|" * (len(MODELS) + 2))
        for k, (title, name) in enumerate(SCANS.items()):
            progress.step(f"scan {k + 1} of {len(SCANS)}, {title}")
            points = points_of(folder, name)
            found = fits(points)
            cells = " | ".join(f"{one.rms:.3g}{MARKS.get(one.status.name, '')}" for one in found.values())
            alone = seconds(tg.fit, points, "superovoid")
            best = found["superovoid"]
            far = seconds(distances, best, np.resize(points, (100_000, 3)))
            print(f"| {title} | {len(points)} | {cells} | {alone:.1f} | {far:.2f} |", flush=True)
        rows = []
        heads = np.load(folder / "gias2_femurs_18.npz")["points"]
        for k, head in enumerate(heads):
            progress.step(f"femur {k + 1} of {len(heads)}")
            rows.append([one.rms for one in fits(head).values()])
        ranges = zip(np.min(rows, axis=0), np.max(rows, axis=0))
        cells = " | ".join(f"{low:.2f}–{high:.2f}" for low, high in ranges)
        print(f"| 18 femoral heads | {heads.shape[1]} each | {cells} | | |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
