"""What a user knows about the parameters of a fit: bounds, fixed and tied values, priors."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..io.spelling import suggestion

#: Bounds with a name: those of Lopes' thesis (3.2.5), which keep every body convex and close to an ellipsoid.
PRESETS: dict[str, dict[str, tuple[float, float]]] = {
    "thesis": {
        **{name: (2.0, math.inf) for name in ("g1", "g2", "g3")},
        **{name: (-0.1, 0.1) for name in ("c2x", "c3x", "c2y", "c3y")},
    }
}
_TIE = re.compile(r"^\s*([^=*\s]+)\s*=\s*(?:([^=*\s]+)\s*\*\s*)?([^=*\s]+)\s*$")


@dataclass(frozen=True)
class Tie:
    """One parameter as a multiple of another."""

    name: str
    factor: float
    of: str


@dataclass(frozen=True)
class Limits:
    """Validated limits of the parameters of one model, in the unit of the cloud."""

    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    fixed: dict[str, float] = field(default_factory=dict)
    ties: tuple[Tie, ...] = ()
    priors: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def restricts(self) -> bool:
        """Whether the set of bodies is smaller than without limits."""
        return bool(self.bounds or self.fixed or self.ties)

    def kept(self, names: Sequence[str], values: np.ndarray) -> np.ndarray:
        """Values of parameters within the limits but for rounding errors, as they keep the limits exactly."""
        value = dict(zip(names, values.tolist()))
        for tie in self.ties * len(self.ties):  # one may follow another
            value[tie.name] = tie.factor * value[tie.of]
        value |= self.fixed
        for name, (low, high) in self.bounds.items():
            value[name] = min(max(value[name], low), high)
        return np.array([value[name] for name in names])


def limits_of(
    names: Sequence[str],
    bounds: Mapping[str, Any] | str | None,
    fixed: Mapping[str, Any] | None,
    ties: Sequence[Any] | None,
    priors: Mapping[str, Any] | None,
) -> Limits:
    """The limits for a model with the parameters `names`, or an error that names the argument."""
    if isinstance(bounds, str):
        if bounds not in PRESETS:
            raise ValueError(f"bounds must be a mapping or one of {', '.join(PRESETS)}, got {bounds!r}")
        within = {name: pair for name, pair in PRESETS[bounds].items() if name in names}
    else:
        within = {name: _range(name, pair) for name, pair in _mapping(bounds, "bounds", names).items()}
    held = {name: _number(value, f"fixed[{name!r}]") for name, value in _mapping(fixed, "fixed", names).items()}
    tied = tuple(_tie(tie, names) for tie in _list(ties))
    known = {name: _prior(name, pair) for name, pair in _mapping(priors, "priors", names).items()}
    for name, value in held.items():
        if name in within and not within[name][0] <= value <= within[name][1]:
            raise ValueError(f"fixed[{name!r}] must lie within bounds[{name!r}] = {within[name]}, got {value!r}")
    for name in known:
        if name in held:
            raise ValueError(
                f"{name} must be either fixed or have a prior, got fixed = {held[name]!r} and {known[name]}"
            )
    for k, tie in enumerate(tied):
        if tie.name in held:
            raise ValueError(f"{tie.name} must be either fixed or tied, got fixed = {held[tie.name]!r} and ties[{k}]")
        if tie.name in [other.name for other in tied[:k]]:
            raise ValueError(f"ties must determine each parameter once, got {tie.name} again in ties[{k}]")
    return Limits(within, held, tied, known)


def _mapping(given: object, what: str, names: Sequence[str]) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a mapping of parameter names, got {given!r}")
    for name in given:
        _known(name, what, names)
    return given


def _known(name: object, what: str, names: Sequence[str]) -> str:
    if not isinstance(name, str) or name not in names:
        raise ValueError(
            f"{what} must name parameters of the model ({', '.join(names)}), got {name!r}{suggestion(name, names)}"
        )
    return name


def _list(ties: object) -> Sequence[Any]:
    if ties is None:
        return ()
    if isinstance(ties, str) or not isinstance(ties, Sequence):
        raise TypeError(f"ties must be a list such as ['b = a', 'c = 2 * a'], got {ties!r}")
    return ties


def _number(value: object, what: str) -> float:
    try:
        if isinstance(value, str):
            raise TypeError
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer of Python
        raise ValueError(f"{what} must be finite, got an integer beyond 1.8e308") from None
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be a number, got {value!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{what} must be finite, got {value!r}")
    return number


def _pair(value: object, what: str, form: str) -> tuple[Any, Any]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise TypeError(f"{what} must be a pair {form}, got {value!r}")
    return value[0], value[1]


def _range(name: str, value: object) -> tuple[float, float]:
    what = f"bounds[{name!r}]"
    low, high = _pair(value, what, "(low, high), None for no bound")
    low = -math.inf if low is None or low == -math.inf else _number(low, what)
    high = math.inf if high is None or high == math.inf else _number(high, what)
    if not low <= high:
        raise ValueError(f"{what} must be (low, high) with low <= high, got {value!r}")
    return low, high


def _prior(name: str, value: object) -> tuple[float, float]:
    what = f"priors[{name!r}]"
    mean, deviation = (_number(part, what) for part in _pair(value, what, "(mean, standard deviation)"))
    if not deviation > 0.0:
        raise ValueError(f"{what} must have a standard deviation > 0, got {value!r}")
    return mean, deviation


def words_of(tie: object) -> tuple[str, ...]:
    """Names of the two parameters that a tie joins; none if it is not a tie."""
    parts = _TIE.match(tie) if isinstance(tie, str) else None
    return () if parts is None else (parts[1], parts[3])


def _tie(tie: object, names: Sequence[str]) -> Tie:
    parts = _TIE.match(tie) if isinstance(tie, str) else None
    if parts is None:
        raise ValueError(f"ties must be texts such as 'b = a' or 'c = 2 * a', got {tie!r}")
    name, factor, of = parts.groups()
    _known(name, f"the tie {tie!r}", names)
    _known(of, f"the tie {tie!r}", names)
    if name == of:
        raise ValueError(f"a tie must join two parameters, got {tie!r}")
    try:
        times = 1.0 if factor is None else float(factor)
    except ValueError:
        raise TypeError(f"the factor in the tie {tie!r} must be a number, got {factor!r}") from None
    _number(times, f"the factor in the tie {tie!r}")
    if times == 0.0:
        raise ValueError(f"the factor of a tie must not be zero: use fixed instead, got {tie!r}")
    return Tie(name, times, of)
