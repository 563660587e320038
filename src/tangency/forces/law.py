"""Base class of laws: formulas in a nested ``Kernel``, compiled separately, and their parameters."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.arrivals import ADDED, admit, defined_here
from ..compiled.builtin import is_builtin
from ..compiled.captured import Captured, captured_by, formulas_text
from ..compiled.formula_addresses import FormulaAddresses
from ..compiled.jit import unique_name
from ..io import validate
from ..io.numbers import number
from ..io.spelling import Spelled
from .compiled_law import numbers_of


class Law(Spelled):
    """A law with compiled formulas; subclass :class:`NormalLaw` or :class:`FrictionLaw`."""

    Kernel: ClassVar[Any]
    _builtin: ClassVar[bool] = True
    _compiler: ClassVar[FormulaAddresses]
    _lane_compiler: ClassVar[FormulaAddresses]
    _width: ClassVar[int]  # smallest width of the row

    def __new__(cls, *values: Any, **keywords: Any) -> Any:
        if values:
            names = [name for name in inspect.signature(cls).parameters if name not in (*_RARE, *keywords)]
            example = ", ".join(f"{name}={value!r}" for name, value in zip(names, values))
            raise TypeError(f"{cls.__name__} takes its arguments by keyword, for instance {cls.__name__}({example})")
        return super().__new__(cls, **keywords)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.partition(".")[0] != "tangency":
            cls._refuse_overrides()
        kernel = vars(cls).get("Kernel")
        if kernel is None:
            return
        if not (isinstance(kernel, type) and issubclass(kernel, tuple) and hasattr(kernel, "_fields")):
            raise TypeError(f"{cls.__name__}.Kernel must be a typing.NamedTuple with formulas, got {kernel!r}")
        if not getattr(cls.__base__, "_open", False):
            raise TypeError(f"{cls.__name__} defines its own Kernel: derive it from NormalLaw or FrictionLaw directly")
        cls._builtin = is_builtin(cls, "tangency.forces.")
        for name in kernel._fields:
            if any(name in vars(base) for base in cls.__mro__[1:]):
                raise TypeError(
                    f"{cls.__name__}.Kernel must not have a field {name!r}: laws have an attribute of that name"
                )
        unique_name(kernel, cls._builtin)
        defined_here(kernel)
        own = "response" in vars(kernel)
        cls._join(kernel)
        if not own:
            setattr(kernel, ADDED, "response")
        if "__init__" not in vars(cls):
            fields = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in kernel._fields]
            cls.__signature__ = inspect.Signature(fields)  # type: ignore[attr-defined]

    @classmethod
    def _refuse_overrides(cls) -> None:
        """Refuse a class that overrides methods which compiled code would not call."""
        for name, value in vars(cls).items():
            formula = name in _FORMULAS and callable(value)
            if formula or (name in _FIXED and any(name in vars(base) for base in cls.__mro__[1:])):
                does = "defines" if formula else "overrides"
                raise TypeError(
                    f"{cls.__name__} {does} {name!r}, which contacts would not use: put the formulas into the "
                    "nested class Kernel, from which they are compiled (docs/forces.md, Your own law)"
                )

    @classmethod
    def _join(cls, kernel: type) -> None:
        """Add a method ``response`` to the kernel."""
        raise NotImplementedError

    # ---- user-defined laws: the fields of the kernel are the parameters ---------------------------
    def __init__(self, **fields: ArrayLike) -> None:
        if not hasattr(type(self), "Kernel"):
            raise TypeError(f"{type(self).__name__} needs a nested class Kernel, a typing.NamedTuple with formulas")
        expected = self.Kernel._fields
        fields = {**self.Kernel._field_defaults, **fields}
        if sorted(fields) != sorted(expected):
            raise TypeError(f"{type(self).__name__} takes {', '.join(expected)}; got {', '.join(fields) or 'nothing'}")
        checked = {name: self._checked(name, fields[name]) for name in expected}
        object.__setattr__(self, "_fields", checked)

    def _checked(self, name: str, value: Any) -> Any:
        if isinstance(value, Law):
            return value
        if "ndarray" in repr(self.Kernel.__annotations__[name]).lower():
            array = validate.array(value, name)
            if array.ndim != 1:
                raise ValueError(f"{name} must be a 1-D array, got shape {array.shape}")
            return array
        return number(value, name)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_fields"][name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a law cannot be changed: make another {type(self).__name__} to set {name!r}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__['_fields'].items())})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self), self._identity()))

    def _identity(self) -> tuple[str, bytes]:
        return self.formulas, self.row.tobytes()

    # ---- for compiled code -----------------------------------------------------------------------
    @property
    def kernel(self) -> Any:
        """The parameters and formulas as a NamedTuple; formulas can be called on plain numbers."""
        values = self.__dict__["_fields"].values()
        return self.Kernel(*(value.kernel if isinstance(value, Law) else value for value in values))

    @property
    def address(self) -> int:
        """Address of the compiled formulas; compiled on first use."""
        known = self.__dict__.get("_address")
        if known is None:
            watched = self._own_formulas()
            known = self._compiler.address(self.kernel, not watched), watched
            self.__dict__["_address"] = known
        for captured in known[1]:
            if change := captured.change():
                raise RuntimeError(change)
        return known[0]

    def lane_address(self) -> int:
        """Address of the formulas for many contacts at a time, see ``law_lanes.py``; 0 for user-defined ones."""
        return 0 if self._own_formulas() else self._lane_compiler.address(self.kernel, True)

    @property
    def row(self) -> np.ndarray:
        """Parameters for compiled code: a new array of floats."""
        values = numbers_of(self.kernel)
        return np.array([*values, *[0.0] * (self._width - len(values))])

    def _own_formulas(self) -> tuple[Captured, ...]:
        """What user-defined formulas, including nested ones, capture from outside; empty for built-in formulas."""
        admit(type(self))
        nested = [v._own_formulas() for v in self.__dict__.get("_fields", {}).values() if isinstance(v, Law)]
        own = () if self._builtin else (captured_by(type(self)),)
        return tuple(dict.fromkeys([*own, *(one for many in nested for one in many)]))

    @property
    def formulas(self) -> str:
        """Text that identifies the formulas, for checkpoints."""
        return f"{_names(self.kernel)} {formulas_text(self)}"

    def __getstate__(self) -> dict[str, Any]:
        # Addresses of compiled code are invalid in another process, where the class may have other formulas.
        return {name: value for name, value in self.__dict__.items() if name not in ("_address", "_sound")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _names(kernel: Any) -> str:
    parts = [_names(value) for value in kernel if isinstance(value, tuple)]
    return f"{type(kernel).__qualname__}({', '.join(parts)})"


#: Parameters of built-in laws that are not meant by a number without a keyword.
_RARE = ("materials", "exponent", "form", "radius_limits")
#: Attributes of a law that follow from its kernel.
_FIXED = {
    "address",
    "elastic_energy",
    "force",
    "formulas",
    "has_state",
    "kernel",
    "lane_address",
    "needs_curvature",
    "needs_radius",
    "needs_impact_speed",
    "row",
    "stretch_after",
}
#: Formulas of a kernel that a law itself does not have.
_FORMULAS = {"energy", "power", "response"}
