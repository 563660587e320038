"""Classes of shapes as a user writes them: a support function with parameters of no known meaning, and its gradient."""

import math
import typing
from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.fitting.convex_margins import Convexity

RING = "sqrt(x*x + y*y + z*z)"
ELLIPSOID = "sqrt((a*x)**2 + (b*y)**2 + (c*z)**2)"
LENGTH = (0.6, 1.8)
#: Support functions, and the ranges of their parameters.
FORMULAS = {
    "Pear": (f"r*{RING} + p*z**2/{RING} + q*z**3/{RING}**2", {"r": (1, 1), "p": (-0.5, 0.5), "q": (-0.4, 0.4)}),
    "Legendre": (
        f"r*{RING} + p*(3*z**2/{RING} - {RING})/2 + q*(5*z**3/{RING}**2 - 3*z)/2"
        f" + w*(35*z**4/{RING}**3 - 30*z**2/{RING} + 3*{RING})/8",
        {"r": (1, 1), "p": (-0.4, 0.4), "q": (-0.15, 0.15), "w": (-0.08, 0.08)},
    ),
    "Tetrahedron": (f"r*{RING} + t*x*y*z/{RING}**2", {"r": (1, 1), "t": (-0.5, 0.5)}),
    "Cube": (
        f"r*{RING} + k*(x**4 + y**4 + z**4)/{RING}**3 + t*x*y*z/{RING}**2",
        {"r": (1, 1), "k": (-0.25, 0.25), "t": (-0.3, 0.3)},
    ),
    "Lobes": (
        f"r*{RING} + k*(x**3 - 3*x*y**2)/{RING}**2 + e*z**2/{RING}",
        {"r": (1, 1), "k": (-0.15, 0.15), "e": (-0.5, 0.5)},
    ),
    "Leaning": (f"{ELLIPSOID} + s*z**3/{RING}**2", {"a": LENGTH, "b": LENGTH, "c": LENGTH, "s": (-0.2, 0.2)}),
    "Thick": (
        f"{ELLIPSOID} + r*{RING} + s*x*z**2/{RING}**2",
        {"a": LENGTH, "b": LENGTH, "c": LENGTH, "r": (0.3, 0.9), "s": (-0.3, 0.3)},
    ),
    "Tilted": (
        f"r*{RING} + sqrt((a*(x + s*z))**2 + (b*y)**2 + (c*z)**2)",
        {"r": LENGTH, "a": LENGTH, "b": LENGTH, "c": LENGTH, "s": (-1, 1)},
    ),
    "Bumps": (
        f"r*{RING} + (d*x*y*z + e*x*(x*x - 3*y*y) + f*z*(2*z*z - 3*x*x - 3*y*y) + g*x*(4*z*z - x*x - y*y))/{RING}**2",
        {"r": (1, 1), "d": (-0.2, 0.2), "e": (-0.08, 0.08), "f": (-0.08, 0.08), "g": (-0.08, 0.08)},
    ),
}


@cache
def own_class(name):
    """The class with this name; its gradient is derived from the formula."""
    import sympy

    formula, ranges = FORMULAS[name]
    space = {word: sympy.Symbol(word, real=True) for word in ("x", "y", "z")}
    h = sympy.sympify(formula, {**space, **{word: sympy.Symbol(word, positive=True) for word in ranges}})
    steps, ends = sympy.cse([h, *(sympy.diff(h, v) for v in space.values())])
    first = [f"{word} = self.{word}" for word in ranges]
    lines = ["x, y, z = n", *first, *(f"{word} = {sympy.pycode(value)}" for word, value in steps)]
    code = "\n".join(
        f"def {what}(self, n):\n " + "\n ".join([*lines, f"return {text}"])
        for what, text in (
            ("support", sympy.pycode(ends[0])),
            ("point", f"({', '.join(map(sympy.pycode, ends[1:]))})"),
        )
    )
    made: dict = {"math": math}
    exec(code, made)
    kernel = typing.NamedTuple("Kernel", [(word, float) for word in ranges])
    kernel.support, kernel.point = made["support"], made["point"]
    return type(name, (tg.Shape,), {"Kernel": kernel})


def random_body(name, rng):
    """A convex body of the class: no radius of curvature below a hundredth of its size in any of many directions."""
    kind, ranges = own_class(name), FORMULAS[name][1]
    while True:
        shape = kind(**{word: float(rng.uniform(*ends)) for word, ends in ranges.items()})
        if (Convexity(0.01).margins(np.empty(0), lambda shape=shape: shape) >= 0.0).all():
            return shape


def own_cloud(name, seed):
    """A cloud of a random body in a random pose and unit, with noise or a gap or neither: points, RMS and size."""
    rng = np.random.default_rng([seed, len(name)])
    shape = random_body(name, rng)
    points = shape.point(rng.normal(size=(int(rng.integers(100, 400)), 3)))
    if rng.random() < 0.4:
        height = points @ rng.normal(size=3)
        points = points[height < np.quantile(height, rng.uniform(0.6, 0.95))]
    size = float(shape.bounding_radius)
    noise = 0.0 if rng.random() < 0.4 else 10.0 ** rng.uniform(-3.0, -1.7)
    points = points + noise * size * rng.normal(size=points.shape)
    rms = float(np.sqrt((tg.signed_distance(shape, points).distance ** 2).mean()))
    unit = 10.0 ** rng.uniform(-2.0, 2.0)
    return unit * (Rotation.random(rng=rng).apply(points) + rng.normal(size=3)), unit * rms, unit * size
