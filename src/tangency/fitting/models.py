"""The models that can be fitted (Lopes thesis, Table 3.2 and Fig. 3.2), each a linear subset of a common form.

The thesis' models are special cases of the superovoid, whose *form* has twelve numbers: logarithms of the
semi-axes a, b, c, then e = 2/g of the three exponents, then the taper coefficients c1, c2, c3 along x
and along y.  c0 = 1, since it only multiplies a or b and cannot be determined separately.  Barr's superellipsoid
has a form of five: log a, log b, log c, e1, e2.

A model's own parameters s give the form by a matrix, ``form = base + matrix @ s``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..shapes.shape import Shape
from . import envelope
from .implicit_foot_points import implicit_row
from .parameter_layout import EXPONENTS, RADII, TAPER_X, TAPER_Y
from .parameter_layout import TAPERS as FORM_TAPERS
from .rebuild import BARR, FORM, SHOWN, TAPERS, shape_from_parameters

if TYPE_CHECKING:
    from .limits import Limits

LOG, EXPONENT, PLAIN = "log", "exponent", "plain"  # how an entry of the form is reported
E_LOW, E_HIGH = 0.05, 1.9
TAPER = {1: 0.9, 2: 0.5, 3: 0.5}  # largest |c1|, |c2|, |c3|


@dataclass(frozen=True, eq=False)
class Model:
    """One kind of shape with its parameters."""

    name: str
    names: tuple[str, ...]  #: of the free parameters
    shown: tuple[str, ...]  #: reported names: all parameters of the shape
    base: np.ndarray
    matrix: np.ndarray  #: (form, parameters)
    low: np.ndarray
    high: np.ndarray
    row: Callable[[np.ndarray], np.ndarray]  #: parameters of the compiled kernel from the form
    turns: bool = True  #: whether the model has an orientation
    branch: str = ""  #: for a model whose convex bodies are a union of several sets
    limits: Limits | None = None  #: of the user
    scale: float = 1.0  #: unit of the lengths in the limits

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.name, self.branch, self.limits, self.scale)

    @property
    def barr(self) -> bool:
        return len(self.base) == 5

    @property
    def tapers(self) -> bool:
        return any(name in TAPERS for name in self.names)

    def form(self, s: np.ndarray) -> np.ndarray:
        return self.base + self.matrix @ s

    @property
    def is_taper(self) -> np.ndarray:
        """Which of the parameters are tapers."""
        return np.array([name in TAPERS for name in self.names])

    def parameters(self, form: np.ndarray) -> np.ndarray:
        """The parameters whose form is closest to `form`, slightly inside the bounds; for starts."""
        s, *_ = np.linalg.lstsq(self.matrix, form - self.base, rcond=None)
        room = 1e-6 * (self.high - self.low)
        return np.clip(s, self.low + room, self.high - room)

    def exact(self, form: np.ndarray) -> np.ndarray | None:
        """The parameters whose form is exactly `form`; None if there are none."""
        if len(form) != len(self.base):
            if not self.barr or (form[EXPONENTS] != 1.0).any() or form[FORM_TAPERS].any():
                return None
            form = form[:5]  # an ellipsoid
        s = self._inverse(form)
        known = np.array_equal(self.form(s), form)
        return s if known and ((self.low <= s) & (s <= self.high)).all() else None

    def how(self) -> tuple[list[int], list[str]]:
        """Index in the form of every reported name, and how it is reported."""
        places = [0 if name == "r" else (BARR if self.barr else FORM).index(name) for name in self.shown]
        return places, [LOG if k < 3 else EXPONENT if k < 6 and not self.barr else PLAIN for k in places]

    def report(self, s: np.ndarray, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """Reported parameters (lengths times `scale`, exponents), and their derivatives in s."""
        places, how = self.how()
        form = self.form(s)
        values, rates = form[places], np.ones(len(places))
        for k, kind in enumerate(how):
            if kind == LOG:
                values[k] = rates[k] = np.exp(values[k]) * scale
            elif kind == EXPONENT:
                values[k], rates[k] = 2.0 / values[k], -2.0 / values[k] ** 2
        return values, rates[:, None] * self.matrix[places]

    def taken(self, values: np.ndarray, scale: float) -> np.ndarray:
        """The parameters s of reported values: the inverse of `report`, inside the bounds."""
        places, how = self.how()
        form = self.base.copy()
        for place, kind, value in zip(places, how, values):
            form[place] = np.log(value / scale) if kind == LOG else 2.0 / value if kind == EXPONENT else value
        return np.clip(self._inverse(form), self.low, self.high)

    def _inverse(self, form: np.ndarray) -> np.ndarray:
        """The parameters, each from one entry of the form."""
        places, columns = np.abs(self.matrix).argmax(axis=0), np.arange(self.matrix.shape[1])
        return (form - self.base)[places] / self.matrix[places, columns]

    def shape(self, s: np.ndarray) -> Shape:
        """The body, built from the reported parameters."""
        return self.reported_shape(self.report(s)[0])

    def reported_shape(self, values: np.ndarray) -> Shape:
        """The body with the reported parameters, in their unit."""
        return shape_from_parameters(self.name, dict(zip(self.shown, values.tolist())))

    def implicit_row(self, form: np.ndarray) -> np.ndarray:
        """Parameters for ``implicit_foot_points.py``."""
        if self.barr:
            e1, e2 = form[EXPONENTS]
            return implicit_row(np.exp(form[RADII]), [2 / e2, 2 / e2, 2 / e1], e1 / e2)
        return _tapered_row(form)

    def compiled(self, s: np.ndarray) -> Compiled:
        """The body for compiled code, in units of the cloud's size."""
        form = self.form(s)
        address, bends = _prototype(self.name)
        return Compiled(
            address,
            self.row(form).reshape(1, -1),
            self.implicit_row(form),
            bends,
            float(3.0 * np.exp(form[RADII]).max()),
            1.0,
        )

    def distance_slopes(self, s: np.ndarray, foot: np.ndarray, normal: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """Derivatives (N, parameters) of the distances, for a body `scale` times as large."""
        form = self.form(s)
        form[RADII] += np.log(scale)
        return (envelope.barr if self.barr else envelope.tapered)(form, foot, normal) @ self.matrix


class Compiled(NamedTuple):
    """One body, for the search of foot points."""

    address: int
    row: np.ndarray
    implicit: np.ndarray  #: empty without a suitable implicit function
    bends: bool
    size: float
    unit: float  #: of these numbers, in sizes of the cloud
    #: foot points of points, for bodies with edges or seams, where they are not followed from step to step
    feet: Callable[[np.ndarray], np.ndarray] | None = None


@cache
def _prototype(name: str) -> tuple[int, bool]:
    model = MODELS[name][0]
    shape = model.shape(model.parameters(model.base))
    return shape.address, bool(shape.bends)


def _tapered_row(f: np.ndarray) -> np.ndarray:
    tapers = [1.0, *f[TAPER_X]], [1.0, *f[TAPER_Y]]
    return implicit_row(np.exp(f[RADII]), 2.0 / f[EXPONENTS], 1.0, *tapers)  # the same as for the compiled shape


def _power_row(f: np.ndarray) -> np.ndarray:
    return np.concatenate([np.exp(f[RADII]), 2.0 / f[EXPONENTS]])


def _sphere_row(f: np.ndarray) -> np.ndarray:
    return np.exp(f[:1])


def _round_row(f: np.ndarray) -> np.ndarray:
    return np.exp(f[RADII])


def _barr_row(f: np.ndarray) -> np.ndarray:
    return np.concatenate([np.exp(f[RADII]), 2.0 / (2.0 - f[EXPONENTS])])


def _model(
    name: str, rows: dict[str, tuple[list[int], float, float]], row: Any, *, barr: bool = False, **more: Any
) -> Model:
    """A model from its parameters: name -> (indices in the form, low, high)."""
    size = 5 if barr else 12
    base = np.zeros(size)
    base[EXPONENTS] = 1.0
    matrix = np.zeros((size, len(rows)))
    for k, (places, *_) in enumerate(rows.values()):
        matrix[places, k] = 1.0
        base[places] = 0.0
    low, high = (np.array([entry[i] for entry in rows.values()]) for i in (1, 2))
    return Model(name, tuple(rows), SHOWN[name], base, matrix, low, high, row, **more)


_REACH = np.log(30.0)  # semi-axes lie within this factor of the size of the cloud
_RADII = {name: ([k], -_REACH, _REACH) for k, name in enumerate("abc")}
_EXPONENTS = {f"g{k + 1}": ([3 + k], E_LOW, E_HIGH) for k in range(3)}
_TAPERS = {
    f"c{order}{axis}": ([6 + 3 * k + order - 1], -TAPER[order], TAPER[order])
    for k, axis in enumerate("xy")
    for order in (1, 2, 3)
}

SPHERE = _model("sphere", {"r": ([0, 1, 2], -_REACH, _REACH)}, _sphere_row, turns=False)
ELLIPSOID = _model("ellipsoid", _RADII, _round_row)
SUPERELLIPSOID = _model(
    "superellipsoid", {**_RADII, "e1": ([3], E_LOW, E_HIGH), "e2": ([4], E_LOW, E_HIGH)}, _barr_row, barr=True
)
POWER_ELLIPSOID = _model("power_ellipsoid", {**_RADII, **_EXPONENTS}, _power_row)
OVOID = _model("ovoid", {**_RADII, **_TAPERS}, _tapered_row)

# With g3 > 2 the profile is straight at z = 0, and the slopes of the tapers may differ there as far as the tapers curve
# inward (``middle_walls.py``).  Straight tapers must have equal slopes: a thin edge of the convex bodies, with its own
# branch.
INWARD, EQUAL_SLOPES = "g3 >= 2", "g3 >= 2, equal slopes"
_FREE = {**_RADII, **_EXPONENTS, "g3": ([5], 1.0, E_HIGH), **_TAPERS}
_INWARD = {**_RADII, **_EXPONENTS, "g3": ([5], E_LOW, 1.0), **_TAPERS}
_STRAIGHT = {
    **_RADII,
    **_EXPONENTS,
    "g3": ([5], E_LOW, 1.0),
    "c1x": ([6, 9], -0.9, 0.9),
    "c2x": ([7], -0.5, 0.0),
    "c3x": ([8], -0.5, 0.5),
    "c2y": ([10], -0.5, 0.0),
    "c3y": ([11], -0.5, 0.5),
}

SUPEROVOID = _model("superovoid", _FREE, _tapered_row, branch="g3 <= 2")
SUPEROVOID_INWARD = _model("superovoid", _INWARD, _tapered_row, branch=INWARD)
SUPEROVOID_STRAIGHT = _model("superovoid", _STRAIGHT, _tapered_row, branch=EQUAL_SLOPES)

#: From simple to rich, in the order of the thesis (Table 3.3).
MODELS: dict[str, tuple[Model, ...]] = {
    "sphere": (SPHERE,),
    "ellipsoid": (ELLIPSOID,),
    "superellipsoid": (SUPERELLIPSOID,),
    "power_ellipsoid": (POWER_ELLIPSOID,),
    "ovoid": (OVOID,),
    "superovoid": (SUPEROVOID, SUPEROVOID_STRAIGHT, SUPEROVOID_INWARD),
}


def _named(name: str, branch: str, limits: Limits | None = None, scale: float = 1.0) -> Model:
    """The model with this name and branch, for unpickling."""
    from .restricted import restricted

    plain = next(model for model in MODELS[name] if model.branch == branch)
    found = plain if limits is None else restricted(plain, limits, scale)
    assert found is not None
    return found
