"""The library's derivatives beside those of the oracle, for random pairs of one family."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import tangency as tg

from .definitions import define
from .implicit_oracle import KINDS, ImplicitOracle
from .oracle import QUANTITIES, Oracle, Shift, Side
from .pairs import BODIES, WALLS, Pairs, random_pairs

CHUNK = 250  # pairs evaluated together: more do not fit into the cache
FIRST, SECOND = 1e-9, 1e-7  # errors that are asked for
SURE, SURE_SECOND = 1e-5, 1e-4  # largest difference between both steps, relative, of pairs that count as decided
SAME = 1e-9  # of the size: distance of the library and of the oracle
NOISE, LOUD = 2.0**-100, 1e-9  # rounding error of the oracle; largest one of a second derivative, both in sizes

ORDERS = ("first, by poses", "first, by shapes", "second, by poses", "second, mixed")


class Findings(NamedTuple):
    """Of all pairs of a family, (N,) each."""

    flagged: np.ndarray  #: the library says that derivatives do not exist there
    decided: np.ndarray  #: the oracle knows them
    condition: np.ndarray
    gap: np.ndarray  #: distance in sizes
    errors: dict[str, np.ndarray]  #: for each of `ORDERS` the relative error, over all quantities

    def joined(self, other: Findings) -> Findings:
        errors = {key: np.concatenate([self.errors[key], other.errors[key]]) for key in self.errors}
        return Findings(*(np.concatenate(both) for both in zip(self[:4], other[:4])), errors)


def audit(name: str, seed: int, half: int = CHUNK) -> Findings:
    """Findings for pairs of a family: `half` with ellipsoids, as many with bodies of the same family."""
    found: Findings | None = None
    for same in (False, True):
        rng = np.random.default_rng([seed, (BODIES + WALLS).index(name), same])
        part = examine(rng, random_pairs(rng, name, half, same))
        found = part if found is None else found.joined(part)
    assert found is not None
    return found


def oracle_of(pairs: Pairs, c: tg.Contact) -> Oracle:
    """The oracle near the contacts c."""
    sides = []
    for shape, (rotation, place), point, n in (
        (pairs.a, pairs.pose_a, c.point_a, c.normal), (pairs.b, pairs.pose_b, c.point_b, -c.normal)
    ):  # fmt: skip
        local, arm = (np.einsum("kji,kj->ki", rotation, v) for v in (n, point - place))
        parameters = np.ascontiguousarray(np.broadcast_to(shape.parameters, (len(n), shape.parameters.shape[-1])).T)
        sides.append(Side(define(shape, local, arm), rotation, place, parameters))
    return Oracle(sides[0], sides[1], c.normal, c.distance, c.condition)


def random_motion(rng: np.random.Generator, pairs: Pairs) -> tuple[Shift, Shift]:
    """A motion of both poses, in sizes, and one of all parameters, relative to these; about 1 long."""
    count = len(pairs.size)
    scale = np.concatenate([np.tile(pairs.size[:, None], 3), np.ones((count, 3))], axis=-1)
    twists = tuple(rng.normal(size=(count, 6)) * scale for _ in range(2))
    values = [np.broadcast_to(s.parameters, (count, s.parameters.shape[-1])).T for s in (pairs.a, pairs.b)]
    changes = tuple(rng.normal(size=v.shape) * np.abs(v) for v in values)
    still = tuple(np.zeros_like(v) for v in twists), tuple(np.zeros_like(v) for v in values)
    return Shift(twists, still[1]), Shift(still[0], changes)


def examine(rng: np.random.Generator, pairs: Pairs) -> Findings:
    """Findings for given pairs, along one random motion of the poses and one of the parameters."""
    c = tg.contact(pairs.a, pairs.b, pairs.pose_a, pairs.pose_b)
    with np.errstate(all="ignore"):
        turning, growing = random_motion(rng, pairs)
        oracle = oracle_of(pairs, c)
        found = _compared(c, pairs, oracle, turning, growing)
        found.decided[:] &= LOUD * np.maximum(c.condition, 1.0) * oracle.step**2 >= NOISE
        left = np.flatnonzero(~found.decided & ~found.flagged)
        if len(left) and isinstance(pairs.a, KINDS) and isinstance(pairs.b, KINDS):
            again = _implicitly(c, pairs, left, turning, growing)
            found.decided[left] = again.decided
            for order in ORDERS:
                found.errors[order][left] = again.errors[order]
    return found


def _implicitly(c: tg.Contact, pairs: Pairs, left: np.ndarray, turning: Shift, growing: Shift) -> Findings:
    """Findings for some of the pairs by implicit functions."""
    poses = [(rotation[left], place[left]) for rotation, place in (pairs.pose_a, pairs.pose_b)]
    few = Pairs(pairs.a.take(left), pairs.b.take(left), *poses, pairs.size[left])
    motions = (
        Shift(tuple(v[left] for v in shift.twists), tuple(v[:, left] for v in shift.changes))
        for shift in (turning, growing)
    )
    return _compared(c[left], few, ImplicitOracle(few, c[left]), *motions)


def _compared(c: tg.Contact, pairs: Pairs, oracle: Oracle | ImplicitOracle, turning: Shift, growing: Shift) -> Findings:
    size = pairs.size
    by_pose, at_poses = oracle.along(turning)
    by_shape, at_shapes = oracle.along(growing)
    curved, doubt = oracle.second(at_poses)
    bulge, _ = oracle.second(at_shapes)
    both, more = oracle.second(oracle.around(turning.plus(growing)))
    mixed, doubt_mixed = 0.5 * (both - curved - bulge), np.maximum(more, doubt)
    known = (oracle.here.error < 1e-20) & (np.abs(oracle.here.state[3].high - c.distance) < SAME * size)
    errors = {}
    scales = {"distance": size, "normal": np.ones_like(size), "point_a": size, "point_b": size}
    for order, kind, exact, directions in (
        (ORDERS[0], "pose", by_pose, [v.T for v in turning.twists]), (ORDERS[1], "shape", by_shape, growing.changes)
    ):  # fmt: skip
        worst = np.zeros(len(size))
        for of in QUANTITIES:
            terms = [
                c.jacobian(of, f"{kind}_{side}").reshape(len(size), -1, len(u)) * u.T[:, None]
                for side, u in zip("ab", directions)
            ]
            error, scale = _relative(terms, exact.first[of], scales[of])
            worst = np.maximum(worst, error)
            known &= ~(exact.doubt[of] > SURE * scale)
        errors[order] = worst
    twist = np.concatenate(turning.twists, axis=-1)
    whole = np.concatenate([_row(c, f"pose_{p}", "pose") for p in "ab"], axis=-2)
    errors[ORDERS[2]], scale = _relative([(whole * twist[:, :, None] * twist[:, None, :])], curved[:, None], size)
    known &= ~(doubt > SURE_SECOND * scale)
    change = np.concatenate(growing.changes, axis=0).T
    whole = np.concatenate([_row(c, f"pose_{p}", "shape") for p in "ab"], axis=-2)
    errors[ORDERS[3]], scale = _relative([whole * twist[:, :, None] * change[:, None, :]], mixed[:, None], size)
    known &= ~(doubt_mixed > SURE_SECOND * scale)
    return Findings(~c.differentiable, known, c.condition, c.distance / size, errors)


def _row(c: tg.Contact, first: str, kind: str) -> np.ndarray:
    return np.concatenate([c.hessian((first, f"{kind}_{side}")) for side in "ab"], axis=-1)


def _relative(terms: list[np.ndarray], exact: np.ndarray, unit: Any) -> tuple[np.ndarray, np.ndarray]:
    """Largest error of the sums of all terms, relative to the terms, or to the `unit` if that is larger."""
    count = len(exact)
    flat = np.concatenate([t.reshape(count, exact.shape[-1], -1) for t in terms], axis=-1)
    scale = np.maximum(np.sqrt((flat**2).sum(axis=(-1, -2))), np.maximum(unit, np.abs(exact).max(axis=-1)))
    error = np.abs(flat.sum(axis=-1) - exact).max(axis=-1) / scale
    return np.where(np.isfinite(error), error, np.inf), scale
