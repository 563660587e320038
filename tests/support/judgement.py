"""Check of a stack of contacts with support functions that are not the library's own (`extended.py`).

The distance, or minus the depth, is the largest value of F(n) = n.r - h_A(n) - h_B(-n) over the unit sphere.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import extended
import tangency as tg
from extended import LONG
from manufactured import unit
from queries import PLACEMENTS, Queries
from tangency import planar
from tangency.geometry.directions import spread
from tangency.geometry.pose import Poses
from tangency.kernels.rounding import ROUNDING

ANGLES = np.arange(120) * (np.pi / 60)
DIRECTIONS = {
    2: np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=-1),
    3: spread(200),
}  # among which the global maximum of F is looked for
STARTS = 3  # the best of them
STEPS = 60  # of the search next to each


def placed(queries: Queries, contact: tg.Contact | planar.Contact) -> list[tuple[np.ndarray, np.ndarray]]:
    """Orientations and positions as the contact has them."""
    if isinstance(contact, planar.Contact):
        turns = (np.asarray(turn, LONG) for _, turn, *_ in contact._bodies)
        matrices = (np.stack([t, t[..., ::-1] * [-1, 1]], axis=-1) for t in turns)
        return [(r, np.asarray(pose[1], LONG)) for r, pose in zip(matrices, (queries.pose_a, queries.pose_b))]
    poses = [Poses(rows, leading) for _, rows, leading in contact._bodies]
    return [(np.asarray(p.rotation, LONG), np.asarray(p.translation, LONG)) for p in poses]


def gap_along(queries: Queries, contact: tg.Contact, n: np.ndarray) -> np.ndarray:
    """F(n) of the bodies where the contact has put them: a lower bound on the distance, in extended precision."""
    (r_a, t_a), (r_b, t_b) = placed(queries, contact)
    n = n / extended.length(n)[..., None]
    h_a = extended.support(queries.a, (r_a * n[..., :, None]).sum(axis=-2))
    h_b = extended.support(queries.b, -(r_b * n[..., :, None]).sum(axis=-2))
    return (n * (t_b - t_a)).sum(axis=-1) - h_a - h_b


def rough_gap(queries: Queries, n: np.ndarray) -> np.ndarray:
    """F at directions (..., N, d) by the library's own formulas: to find where to look, not to judge."""
    (r_a, t_a), (r_b, t_b) = queries.pose_a, queries.pose_b
    h_a = queries.a.support(np.einsum("kji,...kj->...ki", r_a, n))
    h_b = queries.b.support(-np.einsum("kji,...kj->...ki", r_b, n))
    return np.einsum("...ki,ki->...k", n, t_b - t_a) - h_a - h_b


def part(queries: Queries, contact: tg.Contact, index: np.ndarray) -> tuple[Queries, tg.Contact]:
    poses = [(r[index], t[index]) for r, t in (queries.pose_a, queries.pose_b)]
    some = Queries(queries.a.take(index), queries.b.take(index), *poses, queries.placement[index])
    return some, contact[index]


def climbed(rng: np.random.Generator, queries: Queries, contact: tg.Contact) -> np.ndarray:
    """Largest F next to the contact's normal, by random steps of all lengths; kinks lie along axes of the bodies."""
    n = np.asarray(contact.normal, LONG)
    best, radius = gap_along(queries, contact, n), np.full(len(n), LONG(1e-3))
    for r in (queries.pose_a[0], queries.pose_b[0]):
        local = np.einsum("kji,kj->ki", r, contact.normal)
        for least in 10.0 ** np.arange(-16, -2):
            trial = np.einsum("kij,kj->ki", r, np.where(abs(local) < least, 0.0, local))
            f = gap_along(queries, contact, trial.astype(LONG))
            n, best = np.where((f > best)[:, None], trial, n), np.maximum(best, f)
    for _ in range(400):
        trial = n + radius[:, None] * rng.normal(size=n.shape)
        f = gap_along(queries, contact, trial)
        better = f > best
        n, best = np.where(better[:, None], trial, n), np.maximum(best, f)
        radius = np.where(better, radius * 2, np.maximum(radius * LONG(0.8), LONG(1e-21)))
        radius = np.where(rng.random(len(n)) < 0.05, 10.0 ** rng.uniform(-19, -2, len(n)), radius)
    return best


def from_all_sides(rng: np.random.Generator, queries: Queries) -> np.ndarray:
    """Directions (STARTS, N, d) where F is largest among the axes of both bodies and directions all around."""
    axes = np.concatenate([np.swapaxes(r, -1, -2) for r, _ in (queries.pose_a, queries.pose_b)], axis=1)
    axes = np.concatenate([axes, -axes], axis=1).swapaxes(0, 1)
    count = axes.shape[1]
    around = DIRECTIONS[queries.dimension] @ queries.pose_a[0][rng.integers(count)]
    n = np.concatenate([axes, np.broadcast_to(around[:, None], (len(around), *axes.shape[1:]))])
    best = np.argsort(-rough_gap(queries, n), axis=0)[:STARTS]
    return np.take_along_axis(n, best[..., None], axis=0)


def ascended(rng: np.random.Generator, queries: Queries, n: np.ndarray, radius: float) -> np.ndarray:
    """The directions (M, N, d) after random steps to larger F, the first ones about as long as `radius`."""
    f, radius = rough_gap(queries, n), np.full(n.shape[:-1], radius)
    for _ in range(STEPS):
        trial = unit(n + radius[..., None] * rng.normal(size=n.shape))
        g = rough_gap(queries, trial)
        better = g > f
        n, f = np.where(better[..., None], trial, n), np.maximum(f, g)
        radius = np.where(better, 2.0 * radius, np.maximum(0.7 * radius, 1e-15))
    return n


def highest(rng: np.random.Generator, queries: Queries, contact: tg.Contact, n: np.ndarray) -> np.ndarray:
    """Largest F found, in extended precision: next to the normals n, and from all sides unless F has one maximum.

    F has one maximum where it is positive for some direction: there the search from all sides would find nothing more.
    """
    near = ascended(rng, queries, n[None], 1e-4)[0]
    f = np.maximum(gap_along(queries, contact, n.astype(LONG)), gap_along(queries, contact, near.astype(LONG)))
    several = np.flatnonzero(f <= 0)
    if len(several):
        some, contacts = part(queries, contact, several)
        far = ascended(rng, some, from_all_sides(rng, some), 0.05)
        best = rough_gap(some, far).argmax(axis=0)[None, :, None]
        far = np.take_along_axis(far, best, axis=0)[0]
        f[several] = np.maximum(f[several], gap_along(some, contacts, far.astype(LONG)))
    return f


@dataclass
class Report:
    """What a sweep found."""

    queries: int = 0
    status: Counter = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    unconverged: Counter = field(default_factory=Counter)
    missed: Counter = field(default_factory=Counter)  # OVERLAP, not proved, and not the shortest way out
    cases: list[tuple[str, Queries, int]] = field(default_factory=list)  # failures and what did not converge

    def complain(self, name, queries, contact, what, wrong, amount=None) -> None:
        """Note the contacts that are wrong, the first five of a stack in detail; amounts are in sizes."""
        for k in np.flatnonzero(wrong)[:5]:
            note = "" if amount is None else f" by {float(amount[k]):.3g} sizes"
            where, status = PLACEMENTS[queries.placement[k]], tg.Status(int(contact.status[k])).name
            self.cases.append((what, queries, k))
            self.failures.append(f"{name} [{k}] {where} {status}: {what}{note}")
        if wrong.sum() > 5:
            self.failures.append(f"{name}: {what}, {int(wrong.sum()) - 5} times more")


def judge(rng: np.random.Generator, name: str, queries: Queries, report: Report, **options) -> tg.Contact:
    """Ask for the contacts, and judge every bound, status and number."""
    c = queries.contact(**options)
    count = len(c)
    report.queries += count
    for code, number in zip(*np.unique(c.status, return_counts=True)):
        report.status[tg.Status(int(code)).name] += int(number)
    away = np.linalg.norm(queries.pose_b[1] - queries.pose_a[1], axis=-1)
    size = queries.a.bounding_radius + queries.b.bounding_radius + away
    rounding = queries.a.rounding + queries.b.rounding + ROUNDING * away

    def complain(what: str, wrong: np.ndarray, amount: np.ndarray | None = None) -> None:
        report.complain(name, queries, c, what, wrong, None if amount is None else amount / size)

    fields = (c.distance, c.lower, c.upper, c.normal, c.point_a, c.point_b)
    finite = np.all([np.isfinite(v.reshape(count, -1)).all(axis=1) for v in fields], axis=0)
    complain("not a finite number", ~finite)
    for k in np.flatnonzero(~c.converged):
        report.unconverged[f"{name} {PLACEMENTS[queries.placement[k]]}"] += 1
        report.cases.append(("did not converge", queries, k))
    complain("normal is no unit vector", np.abs(np.linalg.norm(c.normal, axis=-1) - 1.0) > 1e-14)
    complain("lower <= distance <= upper fails", ~((c.lower <= c.distance) & (c.distance <= c.upper)))
    complain("points do not fit", (c.point_b != c.point_a + c.distance[:, None] * c.normal).any(axis=1))
    complain("curvature is NaN", curvature_is_nan(c))
    proved = c.status <= tg.Status.OVERLAP_PROVED
    diagonals = sum(np.linalg.norm(body.bounds[:, : queries.dimension], axis=1) for body in (queries.a, queries.b))
    room = options.get("tol", 1e-12 if queries.dimension == 3 else 1e-14) * diagonals + 6.0 * rounding
    complain("proved, with bounds far apart", proved & (c.upper - c.lower > room), c.upper - c.lower)
    overlap = (c.status > tg.Status.APART) & (c.status <= tg.Status.OVERLAP_FOLLOWED)
    complain("claims the wrong side", np.where(overlap, c.lower > 0.0, (c.status == tg.Status.APART) & (c.upper < 0.0)))

    n = np.where(finite[:, None], c.normal, np.eye(queries.dimension)[-1])
    f = gap_along(queries, c, n.astype(LONG))
    doubtful = np.flatnonzero(finite & (f < c.lower))
    if len(doubtful):
        most = f.copy()
        most[doubtful] = climbed(rng, *part(queries, c, doubtful))
        complain("lower is violated", finite & (most < c.lower), c.lower - most)
    f = highest(rng, queries, c, n)
    complain("upper is violated", finite & (f > c.upper), f - c.upper)
    for k in np.flatnonzero((c.status == tg.Status.OVERLAP) & (f > c.distance + 1e-9 * size)):
        report.missed[f"{name} {PLACEMENTS[queries.placement[k]]}"] += 1
        report.cases.append(("not the shortest way out", queries, k))
    return c


def curvature_is_nan(c: tg.Contact) -> np.ndarray:
    """Whether a curvature, radius or direction is NaN, or a direction no unit vector."""
    if isinstance(c, planar.Contact):
        return np.isnan(c.curvature_a) | np.isnan(c.curvature_b) | np.isnan(c.relative_curvature)
    wrong = np.zeros(len(c), bool)
    for k in (c.curvature_a, c.curvature_b, c.relative_curvature):
        wrong |= np.isnan(k.values).any(axis=-1) | np.isnan(k.radii).any(axis=-1)
        wrong |= ~(np.abs(np.linalg.norm(k.directions, axis=-1) - 1.0) < 1e-12).all(axis=-1)
    return wrong
