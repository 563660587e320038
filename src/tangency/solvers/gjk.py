"""GJK and EPA as a baseline, through a peer: Coal (formerly HPP-FCL), extra ``tangency[peers]``.

| shape | in Coal |
|---|---|
| Sphere, Ellipsoid, Box | the same |
| Hull with a volume | Convex |
| capsule | Capsule |
| Offset of one of them, outwards | the same with a swept sphere |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..polytope import outline
from ..result import CLAIMED, VALUES, Status
from ..shape import Shape
from ..shapes.box import Box
from ..shapes.ellipsoid import Ellipsoid
from ..shapes.hull import Hull
from ..shapes.offset import Offset
from ..shapes.segment import Segment
from ..shapes.sphere import Sphere
from .buffers import write
from .method import Method
from .placed_pair import PlacedPair
from .sides import Buffers, Pick, Question, Side


@dataclass(frozen=True)
class GJK(Method):
    """GJK for the distance and EPA for the depth, as Coal has them; for shapes that both libraries know.

    Iterations and evaluations read 0: Coal does not tell them.  A guess is not used.

    Parameters
    ----------
    tolerance : float, optional
        Of GJK and EPA; default a tenth of the query's `tol`, and at least 1e-12.
    max_iterations : int
        Of GJK and of EPA.

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
        if self.tolerance is not None and not 0.0 < self.tolerance < 1.0:
            raise ValueError(f"tolerance must lie between 0 and 1, got {self.tolerance!r}")
        if not (isinstance(self.max_iterations, int) and self.max_iterations >= 1):
            raise ValueError(f"max_iterations must be a whole number >= 1, got {self.max_iterations!r}")

    @property
    def steps(self) -> int:
        return 0

    def loop(self, a: Side, b: Side, question: Question, order: Pick, out: Buffers) -> Callable[[int, int], Any]:
        coal = _coal()
        request = coal.DistanceRequest()
        request.gjk_tolerance = request.epa_tolerance = self.tolerance or max(0.1 * question.tol, 1e-12)
        request.gjk_max_iterations = request.epa_max_iterations = self.max_iterations
        result = coal.DistanceResult()
        known: dict[tuple[int, int], Any] = {}  # geometries of both sides, each made once

        def geometry(side: Side, place: int, number: int) -> Any:
            key = (place, number)
            if key not in known:
                known[key] = _geometry(coal, side.shape.take(np.array([number]))[0], "ab"[place])
            return known[key]

        for place, side in enumerate((a, b)):  # refuse what Coal does not know before anything runs
            if len(side.shape.rows):
                geometry(side, place, 0)

        def run(start: int, stop: int) -> None:
            here = coal.Transform3s.Identity()
            for position in range(start, stop):
                k = int(order[position]) if order.size else position
                pair = PlacedPair(a, b, k)
                bodies = [geometry(side, place, pair.numbers[place]) for place, side in enumerate((a, b))]
                result.clear()  # else Coal returns the old answer as soon as one pair has overlapped
                there = coal.Transform3s(pair.rotation, pair.position)
                distance = coal.distance(bodies[0], here, bodies[1], there, request, result)
                n, point = np.array(result.normal).reshape(3), np.array(result.getNearestPoint1()).reshape(3)
                _settle(pair, distance, n, point, question.tol, k, out)

        return run


def _settle(
    pair: PlacedPair, distance: float, n: np.ndarray, point: np.ndarray, tol: float, k: int, out: Buffers
) -> None:
    """Write the answer: a claim if the distance is what the normal proves, else not converged."""
    length = float(np.linalg.norm(n))
    # Coal marks failures with the largest double.
    if not (abs(distance) < 1e100 and np.abs(point).max() < 1e100 and abs(length - 1.0) < 1e-3):
        status, distance, n, point = int(Status.BROKE_DOWN), 0.0, np.array([1.0, 0.0, 0.0]), np.zeros(3)
    else:
        n = n / length
        near = abs(distance - pair.support(n)[0]) <= pair.allowance(tol)
        status = CLAIMED if near else int(Status.NOT_CONVERGED)
    write(out.values, out.codes, k, distance, 0.0, 0.0, pair.turn @ n, pair.turn @ point + pair.home, status, 0)
    out.codes[2 * (out.values.size // VALUES) + k] = 0


def _geometry(coal: Any, shape: Shape, name: str) -> Any:
    """The same body in Coal."""
    if isinstance(shape, Offset) and shape.distance > 0:
        if isinstance(shape.body, Segment):
            return coal.Capsule(float(shape.distance), 2.0 * float(shape.body.half_length))
        swept = _geometry(coal, shape.body, name)
        swept.setSweptSphereRadius(float(shape.distance))
        return swept
    if isinstance(shape, Sphere):
        return coal.Sphere(float(shape.radius))
    if isinstance(shape, Ellipsoid):
        return coal.Ellipsoid(*shape.radii.tolist())
    if isinstance(shape, Box):
        return coal.Box(*(2.0 * shape.half_lengths).tolist())
    if isinstance(shape, Hull) and (hull := outline(shape.points)) is not None:
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for point in shape.points:
            points.append(point)
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
