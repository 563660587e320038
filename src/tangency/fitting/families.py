"""Kinds of bodies that can be fitted besides the named models: built-in ones by name, and any shape of a user.

A family says how to make a body from its parameters, and how its support function changes with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..shapes import Box, Cone, Cylinder, TaperedSuperellipsoid, capsule, rounded_box
from ..shapes.shape import Shape
from ..shapes.taper_convexity import GRID, bulges
from .closed_feet import box_feet, revolved_feet, segment_feet
from .convex_margins import Convexity
from .envelope import barr_tapered
from .limits import Limits, Tie
from .middle_walls import middle_walls

Slopes = Callable[[Shape, np.ndarray, np.ndarray], np.ndarray]

E_RANGE, TAPER = (0.05, 1.9), 0.9  # as for the named models
SPREAD = 0.3  # of the logarithms of random lengths
ALMOST_ZERO = 1e-9  # a length, in sizes of the body or the cloud, where the body becomes a simpler one
TAPER_MARGIN = 2e-3  # smallest relative Q of a tapered body
E_NEARLY_ROUND = 0.7  # e1 below which tapers cannot differ by more than 1e-4


@dataclass(frozen=True, eq=False)
class Family:
    """One kind of body with its parameters."""

    name: str
    shown: tuple[str, ...]  #: names of the parameters
    lengths: np.ndarray  #: which of them scale with the body
    low: np.ndarray
    high: np.ndarray
    build: Callable[[np.ndarray], Shape]
    #: dh/dp (N, P) of a body at unit normals and the surface points that belong to them
    by_parameters: Slopes
    #: parameters of bodies whose bounding box has the given half lengths
    guesses: Callable[[np.ndarray], list[np.ndarray]]
    #: quantities that must not be negative, of order one
    margins: Callable[[np.ndarray, Shape], np.ndarray] | None = None
    branches: tuple[Limits, ...] = (Limits(),)
    #: further starts for a cloud: values, positions and rotation matrices
    placed: Callable[[np.ndarray], list[tuple[np.ndarray, np.ndarray, np.ndarray]]] | None = None
    #: random parameters of a body about as large as a box with the given half lengths
    scattered: Callable[[np.random.Generator, np.ndarray], np.ndarray | None] | None = None
    #: condition of convexity, made anew for every fit, for bodies that do not test it themselves
    convexity: Callable[[], Convexity] | None = None
    #: foot points of points in the frame of the body, in closed form (``closed_feet.py``)
    feet: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    turns: bool = True  #: whether the orientation is an unknown
    orientations: int = 24  #: that are tried at the start
    #: models that are special cases, and how their parameters become those of this family, in the same pose
    contains: Mapping[str, Callable[[np.ndarray], np.ndarray]] = field(default_factory=dict)
    #: least values of lengths that may vanish, in sizes of the cloud
    vanishing: Mapping[str, float] = field(default_factory=dict)
    edge: str = ""  #: what has happened where a margin is zero, if not a loss of convexity


def _family(
    name: str,
    ranges: dict[str, tuple[float, float] | None],
    build: Callable[..., Shape],
    by_parameters: Slopes,
    guesses: Callable[[np.ndarray], list[list[float]]],
    margins: Callable[[np.ndarray, Shape], np.ndarray] | None = None,
    branches: tuple[Limits, ...] = (Limits(),),
    **more: Any,
) -> Family:
    """A built-in family; the range of a length is None."""
    low, high = (np.array([(0.0, np.inf)[k] if r is None else r[k] for r in ranges.values()]) for k in (0, 1))
    lengths = np.array([r is None for r in ranges.values()])

    def starts(half: np.ndarray) -> list[np.ndarray]:
        return [np.array(guess, float) for guess in guesses(half)]

    def drawn(rng: np.random.Generator, half: np.ndarray) -> np.ndarray:
        some = starts(rng.permutation(half) * np.exp(rng.normal(0.0, SPREAD, 3)))
        return some[rng.integers(len(some))]

    more.setdefault("scattered", drawn)
    return Family(name, tuple(ranges), lengths, low, high, build, by_parameters, starts, margins, branches, **more)


def _support_slopes(shape: Shape, n: np.ndarray, foot: np.ndarray) -> np.ndarray:
    return shape.parameter_jet(n).support


def _capsule_slopes(shape: Shape, n: np.ndarray, foot: np.ndarray) -> np.ndarray:
    return shape.parameter_jet(n).support[:, ::-1]  # of the segment, then of the offset


def _capsules(half: np.ndarray) -> list[list[float]]:
    radius = 0.5 * (half[0] + half[1])
    return [[radius, max(half[2] - radius, 0.1 * radius)]]


def _rounded_box_slopes(shape: Shape, n: np.ndarray, foot: np.ndarray) -> np.ndarray:
    inner = shape.parameter_jet(n).support  # of the inner box, then of the offset
    return np.column_stack([inner[:, :3], inner[:, 3] - inner[:, :3].sum(axis=1)])


def _rounded_boxes(half: np.ndarray) -> list[list[float]]:
    return [[*half, share * half.min()] for share in (0.1, 0.5)]


def _rounded_box_margins(p: np.ndarray, shape: Shape) -> np.ndarray:
    return (p[:3] - p[3]) / p[:3].max() - ALMOST_ZERO


def _rounded_capsule(p: np.ndarray) -> np.ndarray:
    radius, length = p[0], p.sum()
    return np.array([radius, radius, length, radius - 2.0 * ALMOST_ZERO * length])


def _cone_slopes(shape: Shape, n: np.ndarray, foot: np.ndarray) -> np.ndarray:
    # All points of a line on the side have the same normal: which of them it is decides how far each end moves it.
    half = float(np.asarray(shape.half_length))
    up = np.clip(0.5 + 0.5 * foot[:, 2] / half, 0.0, 1.0)
    outward = np.hypot(n[:, 0], n[:, 1])
    return np.column_stack([(1.0 - up) * outward, (2.0 * up - 1.0) * n[:, 2], up * outward])


def _cones(half: np.ndarray) -> list[list[float]]:
    radius = 0.5 * (half[0] + half[1])
    return [[radius, half[2], share * radius] for share in (0.1, 0.6)]


def _profile(radius: float, half: float, top: float) -> np.ndarray:
    return np.array([[0.0, -half], [radius, -half], [top, half], [0.0, half]])


def _tapered_body(p: np.ndarray) -> Shape:
    return TaperedSuperellipsoid(p[:3], p[3:5], p[5:])


def _tapered_slopes(shape: Shape, n: np.ndarray, foot: np.ndarray) -> np.ndarray:
    p = np.asarray(shape.parameters)
    slopes = barr_tapered(np.concatenate([np.log(p[:3]), p[3:5]]), p[5:], foot, n)
    slopes[:, :3] /= p[:3]
    return -slopes


def _tapered_starts(half: np.ndarray) -> list[list[float]]:
    return [[*half, e1, e2, lean, lean] for e1, e2 in ((1.0, 1.0), (0.4, 0.4), (0.5, 1.0)) for lean in (0.0, 0.2)]


def _tapered_margins(p: np.ndarray, shape: Shape) -> np.ndarray:
    e1, e2 = p[3:5]
    tx, ty = np.array([[1.0, p[5], 0.0, 0.0]]), np.array([[1.0, p[6], 0.0, 0.0]])
    values, _ = bulges(np.array([[2 / e2, 2 / e2, 2 / e1]]), np.array([e1 / e2]), tx, ty, GRID[None])
    form = np.array([[0.0, 0.0, 0.0, e2, e2, e1, p[5], 0.0, 0.0, p[6], 0.0, 0.0]])
    # With e1 < 1 only equal tapers are convex, but with e1 close to 1 a dent at z = 0 is narrower than rounding.
    middle = middle_walls(form, TAPER_MARGIN, e1 / e2)[0] + ALMOST_ZERO
    return np.concatenate([values[:, 0, ::4].ravel() - TAPER_MARGIN, middle])


#: The families of simple bodies by name.
SIMPLE: dict[str, Family] = {
    family.name: family
    for family in (
        _family(
            "box",
            {"a": None, "b": None, "c": None},
            lambda p: Box(p),
            _support_slopes,
            lambda half: [list(half)],
            feet=box_feet,
        ),
        _family(
            "cylinder",
            {"radius": None, "half_length": None},
            lambda p: Cylinder(*p),
            _support_slopes,
            lambda half: [[0.5 * (half[0] + half[1]), half[2]]],
            feet=lambda p, points: revolved_feet(_profile(p[0], p[1], p[0]), points),
        ),
        _family(
            "capsule",
            {"radius": None, "half_length": None},
            lambda p: capsule(*p),
            _capsule_slopes,
            _capsules,
            feet=lambda p, points: segment_feet(p[1], points, p[0]),
            contains={"sphere": lambda p: np.array([p[0], 0.0])},
            vanishing={"half_length": ALMOST_ZERO},
        ),
        _family(
            "cone",
            {"radius": None, "half_length": None, "top_radius": None},
            lambda p: Cone(*p),
            _cone_slopes,
            _cones,
            feet=lambda p, points: revolved_feet(_profile(*p), points),
            contains={"cylinder": lambda p: np.array([p[0], p[1], p[0]])},
            vanishing={"top_radius": 0.0},
        ),
        _family(
            "rounded_box",
            {"a": None, "b": None, "c": None, "r": None},
            lambda p: rounded_box(p[:3], p[3]),
            _rounded_box_slopes,
            _rounded_boxes,
            _rounded_box_margins,
            feet=lambda p, points: box_feet(p[:3] - p[3], points, p[3]),
            contains={"box": lambda p: np.array([*p, 0.0]), "capsule": _rounded_capsule},
            vanishing={"r": ALMOST_ZERO},
            edge="its radius has grown to a half length, as in a capsule",
        ),
        _family(
            "tapered_superellipsoid",
            {
                "a": None,
                "b": None,
                "c": None,
                "e1": E_RANGE,
                "e2": E_RANGE,
                "tx": (-TAPER, TAPER),
                "ty": (-TAPER, TAPER),
            },
            _tapered_body,
            _tapered_slopes,
            _tapered_starts,
            _tapered_margins,
            # With e1 < 1 the profile is straight at z = 0, and the body is convex only if both tapers agree: an edge
            # of the set of bodies, apart from those with e1 close to 1.
            (
                Limits(bounds={"e1": (1.0, E_RANGE[1])}),
                Limits(bounds={"e1": (E_RANGE[0], 1.0)}, ties=(Tie("ty", 1.0, "tx"),)),
                Limits(bounds={"e1": (E_NEARLY_ROUND, 1.0)}),
            ),
            contains={"superellipsoid": lambda p: np.array([*p, 0.0, 0.0])},
            scattered=None,
        ),
    )
}
