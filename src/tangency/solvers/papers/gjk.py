"""GJK and EPA for comparison, as implemented in Coal (formerly HPP-FCL), extra ``tangency[peers]``.

| shape | in Coal |
|---|---|
| Sphere, Ellipsoid, Box | the same |
| Hull with a volume | Convex |
| capsule | Capsule |
| outward Offset of one of these | the same with a swept sphere |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...contacts.status import CLAIMED, Status
from ...geometry.polytope import outline
from ...shapes.box import Box
from ...shapes.ellipsoid import Ellipsoid
from ...shapes.hull import Hull
from ...shapes.offset import Offset
from ...shapes.segment import Segment
from ...shapes.shape import Shape
from ...shapes.sphere import Sphere
from ..method import Method
from ..question import Side
from ..tables import Answer, Buffers, Pick, Question, write, write_iterations
from .placed_pair import PlacedPair

COARSE_TOLERANCES = (1e-6, 1e-9)  # tolerances tried before the requested one
MAX_REFINEMENT = 1e-4  # a refined result that differs by more than this, in sizes, from the coarser one is rejected


@dataclass(frozen=True)
class GJK(Method):
    """GJK for the distance and EPA for the depth, as implemented in Coal; for shapes that both libraries have.

    Iterations and evaluations are reported as 0, because Coal does not return them.  A guess is ignored.

    Parameters
    ----------
    tolerance : float, optional
        Tolerance of GJK and EPA, relative to the size of the pair.  By default 1e-6 is tried first; if that is not
        enough for the `tol` of the query, then 1e-9 and finally a tenth of `tol`, at least 1e-12.  (Started with a
        small tolerance, Coal's EPA may return wrong results.)
    max_iterations : int
        Maximum number of iterations of GJK and of EPA.

    Examples
    --------
    >>> import tangency as tg
    >>> a, b = tg.Sphere(1.0), tg.Box([1, 1, 1])
    >>> try:
    ...     c = tg.contact(a, b, pose_b=(None, [5, 0, 0]), solver="gjk")
    ... except ImportError:
    ...     c = tg.contact(a, b, pose_b=(None, [5, 0, 0]))
    >>> round(float(c.distance), 9)
    3.0
    """

    name: ClassVar[str] = "gjk"
    parallel: ClassVar[bool] = False

    tolerance: float | None = None
    max_iterations: int = 256

    def __post_init__(self) -> None:
        if self.tolerance is not None and not (isinstance(self.tolerance, float) and 0.0 < self.tolerance < 1.0):
            raise ValueError(f"tolerance must be a number between 0 and 1, both open, got {self.tolerance!r}")
        if not (isinstance(self.max_iterations, int) and self.max_iterations >= 1):
            raise ValueError(f"max_iterations must be a whole number >= 1, got {self.max_iterations!r}")

    @property
    def steps(self) -> int:
        return 0

    def loop(self, a: Side, b: Side, question: Question, order: Pick, out: Buffers) -> Callable[[int, int], None]:
        coal = _coal()
        request = coal.DistanceRequest()
        finest = max(0.1 * question.tol, 1e-12)
        tolerances = [self.tolerance] if self.tolerance else [*(t for t in COARSE_TOLERANCES if t > finest), finest]
        request.gjk_max_iterations = request.epa_max_iterations = self.max_iterations
        result = coal.DistanceResult()
        known: dict[tuple[int, int, float], Any] = {}  # geometries of both sides, each created once

        def geometry(side: Side, place: int, number: int, factor: float) -> Any:
            key = (place, number, factor)
            if key not in known:
                known[key] = _geometry(coal, side.shape.take(np.array([number]))[0], factor, "ab"[place])
            return known[key]

        for place, side in enumerate((a, b)):  # reject unsupported shapes before anything runs
            if len(side.shape.rows):
                geometry(side, place, 0, 1.0)

        def run(start: int, stop: int) -> None:
            here = coal.Transform3s.Identity()
            for position in range(start, stop):
                k = int(order[position]) if order.size else position
                pair = PlacedPair(a, b, k)
                # Some of Coal's constants are lengths, so it is given bodies of about unit size.
                factor = 2.0 ** -round(math.log2(pair.size)) if pair.size > 0.0 else 1.0
                bodies = [geometry(side, place, pair.numbers[place], factor) for place, side in enumerate((a, b))]
                there = coal.Transform3s(pair.rotation, factor * pair.position)
                allowance = pair.allowance(question.tol)
                best = Found(np.inf, 0.0, np.array([1.0, 0.0, 0.0]), np.zeros(3))
                for tolerance in tolerances:
                    request.gjk_tolerance = request.epa_tolerance = tolerance
                    result.clear()  # otherwise Coal returns the previous result once a pair has overlapped
                    distance = coal.distance(bodies[0], here, bodies[1], there, request, result)
                    n, point = np.array(result.normal).reshape(3), np.array(result.getNearestPoint1()).reshape(3)
                    new = _judged(pair, distance, n, point, factor)
                    same = best.miss == np.inf or abs(new.distance - best.distance) <= MAX_REFINEMENT * pair.size
                    if same and new.miss < best.miss:
                        best = new
                    if best.miss <= allowance:
                        break
                _settle(pair, best, allowance, k, out)

        return run


class Found(NamedTuple):
    """Coal's result for a pair, in the frame of A."""

    miss: float  #: difference between the distance and F of the normal; infinite if there is no result
    distance: float
    normal: np.ndarray
    point: np.ndarray


def _judged(pair: PlacedPair, distance: float, n: np.ndarray, point: np.ndarray, factor: float) -> Found:
    """Check a result for bodies scaled by `factor`, and scale it back."""
    length = float(np.linalg.norm(n))
    # Coal marks failures with the largest double.
    if not (abs(distance) < 1e100 and np.abs(point).max() < 1e100 and abs(length - 1.0) < 1e-3):
        return Found(np.inf, 0.0, np.array([1.0, 0.0, 0.0]), np.zeros(3))
    n, distance = n / length, distance / factor
    return Found(abs(distance - pair.support(n)[0]), distance, n, point / factor)


def _settle(pair: PlacedPair, best: Found, allowance: float, k: int, out: Buffers) -> None:
    """Write the result: a claim if the distance agrees with F of the normal, otherwise a failure."""
    failed = Status.NOT_CONVERGED if best.miss < np.inf else Status.BROKE_DOWN
    status = CLAIMED if best.miss <= allowance else int(failed)
    normal, point = pair.turn @ best.normal, pair.turn @ best.point + pair.home
    write.py_func(out.values, out.codes, k, Answer(best.distance, 0.0, 0.0, normal, point, status, 0))
    write_iterations.py_func(out, k, 0)


def _geometry(coal: Any, shape: Shape, factor: float, name: str) -> Any:
    """The same body in Coal, scaled by `factor`."""
    if isinstance(shape, Offset) and shape.distance > 0:
        if isinstance(shape.body, Segment):
            return coal.Capsule(factor * float(shape.distance), factor * 2.0 * float(shape.body.half_length))
        swept = _geometry(coal, shape.body, factor, name)
        swept.setSweptSphereRadius(factor * float(shape.distance))
        return swept
    if isinstance(shape, Sphere):
        return coal.Sphere(factor * float(shape.radius))
    if isinstance(shape, Ellipsoid):
        return coal.Ellipsoid(*(factor * shape.radii).tolist())
    if isinstance(shape, Box):
        return coal.Box(*(factor * 2.0 * shape.half_lengths).tolist())
    if isinstance(shape, Hull) and (hull := outline(shape.points)) is not None:
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for point in shape.points:
            points.append(factor * point)
        for i, j, k in hull.simplices.tolist():
            triangles.append(coal.Triangle(i, j, k))
        return coal.Convex(points, triangles)
    raise TypeError(
        f"{name} must be a Sphere, Ellipsoid, Box, capsule, Hull with a volume, or an outward Offset of one, for the "
        f"solver gjk, got {shape!r}"
    )


def _coal() -> Any:
    try:
        import coal
    except ImportError as error:
        raise ImportError(f"the solver gjk needs Coal: install tangency[peers] ({error})") from None
    return coal
