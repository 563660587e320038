"""The models that can be fitted (Lopes thesis, Table 3.2 and Fig. 3.2), each a linear part of a common form.

The thesis' models are special cases of the superovoid, whose *form* has twelve numbers: logarithms of the
semi-axes a, b, c, then e = 2/g of the three exponents, then the taper coefficients c1, c2, c3 along x
and along y.  c0 = 1: it only multiplies a or b, so no cloud can tell them apart.  Barr's superellipsoid
has a form of five: log a, log b, log c, e1, e2.

A model's own parameters s give the form by a matrix, ``form = base + matrix @ s``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..shape import Shape
from ..shapes import Ellipsoid, Ovoid, PowerEllipsoid, Sphere, Superellipsoid, Superovoid
from ..shapes.taper_convexity import bulges

LOG, EPSILON, EXPONENT, PLAIN = "log", "epsilon", "exponent", "plain"  # how a parameter is reported
E_LOW, E_HIGH = 0.05, 1.9
TAPER = {1: 0.9, 2: 0.5, 3: 0.5}  # largest |c1|, |c2|, |c3|
HEIGHTS = np.concatenate([-np.geomspace(0.02, 0.999, 14)[::-1], np.geomspace(0.02, 0.999, 14)])
_POWERS = np.array([[z, z * z, z**3] for z in (-1.0, -0.8, -0.6, -0.4, 0.4, 0.6, 0.8, 1.0)])
THIN, THINNEST = 0.03, 0.005  # least taper, and one that is not tried
BULGE = 2e-3  # relative Q that is kept: a hair inside the convex bodies
TAPERS = ("c1x", "c2x", "c3x", "c1y", "c2y", "c3y")


@dataclass(frozen=True, eq=False)
class Model:
    """One kind of shape with its parameters."""

    name: str
    kind: type[Shape]
    names: tuple[str, ...]  #: of the parameters, as reported
    reported: tuple[str, ...]  #: how each is reported: LOG, EPSILON, EXPONENT, PLAIN
    base: np.ndarray
    matrix: np.ndarray  #: (form, parameters)
    low: np.ndarray
    high: np.ndarray
    row: Callable[[np.ndarray], np.ndarray]  #: parameters of the compiled kernel from the form
    build: Callable[[np.ndarray], Shape]
    turns: bool = True  #: whether an orientation belongs to it
    branch: str = ""  #: for a model whose convex bodies are a union of two sets

    @property
    def barr(self) -> bool:
        return len(self.base) == 5

    @property
    def tapers(self) -> bool:
        return any(name in TAPERS for name in self.names)

    def form(self, s: np.ndarray) -> np.ndarray:
        return self.base + self.matrix @ s

    def parameters(self, form: np.ndarray) -> np.ndarray:
        """The parameters whose form is next to `form`, inside the bounds."""
        s, *_ = np.linalg.lstsq(self.matrix, form - self.base, rcond=None)
        room = 1e-6 * (self.high - self.low)
        return np.clip(s, self.low + room, self.high - room)

    def report(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Parameters as people know them (lengths, exponents) and their derivatives by s."""
        values, slopes = np.array(s, dtype=float), np.ones(len(s))
        for k, how in enumerate(self.reported):
            if how == LOG:
                values[k] = slopes[k] = np.exp(s[k])
            elif how == EXPONENT:
                values[k], slopes[k] = 2.0 / s[k], -2.0 / s[k] ** 2
        return values, slopes

    def implicit_row(self, form: np.ndarray) -> np.ndarray:
        """Parameters for ``implicit_feet.py``."""
        if self.barr:
            e1, e2 = form[3:5]
            return np.array([*np.exp(form[:3]), 2 / e2, 2 / e2, 2 / e1, e1 / e2, 1.0, 0, 0, 0, 1.0, 0, 0, 0])
        return _tapered_row(form)

    def bulge(self, s: np.ndarray) -> np.ndarray | None:
        """What is left before the body becomes hollow or pinched, at many places; None where it would be hopeless."""
        if not self.tapers:
            return np.empty(0)
        form = self.form(s)
        widths = _widths(form[None])[0]
        if widths.min() < THINNEST:
            return None
        bulge = _bulges(form[None])[0]
        return None if bulge.min() < -0.3 else np.concatenate([bulge - BULGE, widths - THIN])

    def bulge_slopes(self, s: np.ndarray) -> np.ndarray:
        """Derivatives of `bulge`: differences of a cheap closed form, which steer and are no part of the distances."""
        if not self.tapers:
            return np.empty((0, len(s)))
        step = 1e-6
        forms = self.form(s) + step * np.vstack([np.zeros(len(self.base)), self.matrix.T])
        values = np.hstack([_bulges(forms), _widths(forms)])
        return (values[1:] - values[0]).T / step


def _widths(forms: np.ndarray) -> np.ndarray:
    """The tapers at many heights."""
    return (1.0 + forms[:, 6:].reshape(-1, 2, 3) @ _POWERS.T).reshape(len(forms), -1)


def _bulges(forms: np.ndarray) -> np.ndarray:
    z = np.broadcast_to(HEIGHTS, (len(forms), len(HEIGHTS)))
    found, _ = bulges(2.0 / forms[:, 3:6], np.ones(len(forms)), _taper(forms, 6), _taper(forms, 9), z)
    return np.concatenate(list(found), axis=1)


def _taper(forms: np.ndarray, start: int) -> np.ndarray:
    return np.column_stack([np.ones(len(forms)), forms[:, start : start + 3]])


def _tapered_row(f: np.ndarray) -> np.ndarray:
    return np.concatenate([np.exp(f[:3]), 2.0 / f[3:6], [1.0, 1.0], f[6:9], [1.0], f[9:12]])


def _power_row(f: np.ndarray) -> np.ndarray:
    return np.concatenate([np.exp(f[:3]), 2.0 / f[3:6]])


def _round_row(f: np.ndarray) -> np.ndarray:
    return np.exp(f[:3])


def _barr_row(f: np.ndarray) -> np.ndarray:
    return np.concatenate([np.exp(f[:3]), 2.0 / (2.0 - f[3:5])])


def _tapers(f: np.ndarray) -> tuple[list[float], list[float]]:
    return [1.0, *f[6:9].tolist()], [1.0, *f[9:12].tolist()]


def _model(name: str, kind: type[Shape], rows: dict[str, tuple[list[int], str, float, float]], row: Any, build: Any,
           *, barr: bool = False, **more: Any) -> Model:  # fmt: skip
    """A model from its parameters: name -> (places in the form, how it is reported, low, high)."""
    size = 5 if barr else 12
    base = np.zeros(size)
    base[3 : 5 if barr else 6] = 1.0
    matrix = np.zeros((size, len(rows)))
    for k, (places, *_) in enumerate(rows.values()):
        matrix[places, k] = 1.0
        base[places] = 0.0
    low, high = (np.array([entry[i] for entry in rows.values()]) for i in (2, 3))
    return Model(name, kind, tuple(rows), tuple(entry[1] for entry in rows.values()), base, matrix, low, high, row,
                 build, **more)  # fmt: skip


_REACH = np.log(30.0)  # semi-axes lie within this factor of the size of the cloud
_RADII = {name: ([k], LOG, -_REACH, _REACH) for k, name in enumerate("abc")}
_EXPONENTS = {f"g{k + 1}": ([3 + k], EXPONENT, E_LOW, E_HIGH) for k in range(3)}
_TAPERS = {
    f"c{order}{axis}": ([6 + 3 * k + order - 1], PLAIN, -TAPER[order], TAPER[order])
    for k, axis in enumerate("xy")
    for order in (1, 2, 3)
}

SPHERE = _model("sphere", Sphere, {"r": ([0, 1, 2], LOG, -_REACH, _REACH)}, lambda f: np.exp(f[:1]),
                lambda f: Sphere(np.exp(f[0])), turns=False)  # fmt: skip
ELLIPSOID = _model("ellipsoid", Ellipsoid, _RADII, _round_row, lambda f: Ellipsoid(np.exp(f[:3])))
SUPERELLIPSOID = _model(
    "superellipsoid", Superellipsoid,
    {**_RADII, "e1": ([3], EPSILON, E_LOW, E_HIGH), "e2": ([4], EPSILON, E_LOW, E_HIGH)},
    _barr_row, lambda f: Superellipsoid(np.exp(f[:3]), f[3:5]), barr=True,
)  # fmt: skip
POWER_ELLIPSOID = _model("power_ellipsoid", PowerEllipsoid, {**_RADII, **_EXPONENTS}, _power_row,
                         lambda f: PowerEllipsoid(np.exp(f[:3]), 2.0 / f[3:6]))  # fmt: skip
OVOID = _model("ovoid", Ovoid, {**_RADII, **_TAPERS}, _tapered_row, lambda f: Ovoid(np.exp(f[:3]), *_tapers(f)))

# With g3 > 2 the profile is straight at z = 0, and only tapers that agree there and do not bulge leave the body
# convex; with g3 <= 2 they are free.
_FREE = {**_RADII, **_EXPONENTS, "g3": ([5], EXPONENT, 1.0, E_HIGH), **_TAPERS}
_STRAIGHT = {
    **_RADII, **_EXPONENTS, "g3": ([5], EXPONENT, E_LOW, 1.0), "c1x": ([6, 9], PLAIN, -0.9, 0.9),
    "c2x": ([7], PLAIN, -0.5, 0.0), "c3x": ([8], PLAIN, -0.5, 0.5),
    "c2y": ([10], PLAIN, -0.5, 0.0), "c3y": ([11], PLAIN, -0.5, 0.5),
}  # fmt: skip


def _superovoid(f: np.ndarray) -> Superovoid:
    return Superovoid(np.exp(f[:3]), 2.0 / f[3:6], *_tapers(f))


SUPEROVOID = _model("superovoid", Superovoid, _FREE, _tapered_row, _superovoid, branch="g3 <= 2")
SUPEROVOID_STRAIGHT = _model("superovoid", Superovoid, _STRAIGHT, _tapered_row, _superovoid, branch="g3 >= 2")

#: From simple to rich, in the order of the thesis (Table 3.3)
MODELS: dict[str, tuple[Model, ...]] = {
    "sphere": (SPHERE,),
    "ellipsoid": (ELLIPSOID,),
    "superellipsoid": (SUPERELLIPSOID,),
    "power_ellipsoid": (POWER_ELLIPSOID,),
    "ovoid": (OVOID,),
    "superovoid": (SUPEROVOID, SUPEROVOID_STRAIGHT),
}
