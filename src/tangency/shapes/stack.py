"""Stacks of bodies: the parameters of kernels as arrays, and as rows for compiled code."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, ClassVar, Self, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.arrivals import ADDED, admit, defined_here
from ..compiled.builtin import is_builtin
from ..compiled.captured import Captured, captured_by
from ..compiled.jit import plain_rows, unique_name
from ..compiled.subclasses import overridden
from ..io import validate
from ..io.spelling import Spelled
from ..kernels.implicit import ImplicitKernel
from ..kernels.jet import JET, SPATIAL_JETS, evaluate_many, join_methods

_AxisIndex: TypeAlias = SupportsIndex | slice | EllipsisType | np.ndarray | Sequence[int] | None
#: Index into the leading axes of a stack, as in NumPy.
Index: TypeAlias = _AxisIndex | tuple[_AxisIndex, ...]

OF_MOMENTS = ("volume", "centroid", "inertia", "area", "arc_length")


class Stack(Spelled):
    """A stack of kernels of one class, as SciPy's ``Rotation`` holds one or many rotations.

    A subclass has a nested ``Kernel``; each field of the kernel is stored as an array of leading shape
    `batch_shape`, or as a stack.  Stacks are immutable.
    """

    Kernel: ClassVar[Any]
    _builtin: ClassVar[bool]
    _runs_in_python: ClassVar[bool] = True  #: False if the kernel divides by zero, which only compiled code allows
    _formulas: ClassVar[dict[str, Any]]
    _arrays: ClassVar[frozenset[str]]  #: fields of the kernel that are arrays

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        kernel = cls.__dict__.get("Kernel")
        if kernel is None:
            return
        if not (isinstance(kernel, type) and issubclass(kernel, tuple) and hasattr(kernel, "_fields")):
            raise TypeError(f"{cls.__name__}.Kernel must be a typing.NamedTuple with formulas, got {kernel!r}")
        if any("Kernel" in base.__dict__ for base in cls.__mro__[1:]):
            raise TypeError(f"{cls.__name__} defines its own Kernel: derive it from tangency.Shape directly")
        cls._builtin = is_builtin(cls, "tangency.shapes.", "tangency.implicit.")
        unique_name(kernel, cls._builtin)
        defined_here(kernel)
        if not hasattr(kernel, "jet"):
            join_methods(kernel)
            setattr(kernel, ADDED, "jet")
        # A hint is a class, a string or a ForwardRef, as the module's imports have it.
        hints = kernel.__annotations__.items()
        cls._arrays = frozenset(name for name, hint in hints if "ndarray" in repr(hint).lower())
        # The sources of the compiled code, to detect whether they are replaced later.
        cls._formulas = {
            name: value
            for name, value in vars(kernel).items()
            if not name.startswith("_") and inspect.isfunction(value)
        }

    def __init__(self, *values: ArrayLike | Stack, **fields: ArrayLike | Stack) -> None:
        if not hasattr(type(self), "Kernel"):
            raise TypeError(f"{type(self).__name__} needs a nested class Kernel, a typing.NamedTuple with formulas")
        expected = self.Kernel._fields
        given = [*expected[: len(values)], *fields]
        if len(values) > len(expected) or sorted(given) != sorted(expected):
            got = ", ".join([*(repr(value) for value in values), *fields]) or "nothing"
            raise TypeError(f"{type(self).__name__} takes {', '.join(expected)}; got {got}")
        fields = {**dict(zip(expected, values)), **fields}
        checked: dict[str, Any] = {}
        for name in expected:
            value = fields[name]
            checked[name] = value if isinstance(value, Stack) else validate.array(value, name)
        self._set(**checked)

    def __getattr__(self, name: str) -> Any:
        # Fields of a user-defined kernel, unless the class has properties with these names.
        try:
            return self.__dict__["_fields"][name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None

    def __setattr__(self, name: str, value: object) -> None:
        # A replaced method or field would hide the one that compiled code keeps using.
        field = name in self.__dict__.get("_fields", ()) and name != "_fields"
        there = getattr(type(self), name, None)
        if field or (there is not None and not hasattr(there, "__set__")):
            raise AttributeError(
                f"{name} of a {type(self).__name__} cannot be replaced, since contacts would keep using the old one: "
                "make a new shape or define a new class"
            )
        super().__setattr__(name, value)

    def _set(self, **fields: Any) -> None:
        """Store validated fields, in the order of the kernel: arrays or shapes."""
        leading: dict[str, tuple[int, ...]] = {}
        for name, value in fields.items():
            if isinstance(value, Stack):
                leading[name] = value.batch_shape
            else:
                leading[name] = value.shape[:-1] if name in self._arrays else value.shape
                value.flags.writeable = False
        self._fields = fields
        self.batch_shape: tuple[int, ...] = validate.broadcast(leading)
        self._address: int | None = None
        self._watched: tuple[Captured, ...] = ()
        self._rows: np.ndarray | None = None
        self._prepared: dict[str, Any] = {}

    # ---- compiled code -----------------------------------------------------------------------
    def _is_builtin(self) -> bool:
        nested = [f for f in self._fields.values() if isinstance(f, Stack)]
        return self._builtin and all(f._is_builtin() for f in nested)

    def _inaccuracies(self) -> list[str]:
        """Sentences about digits that the formulas of a single body lose; most classes have no test for it."""
        return []

    def _prototype(self) -> Any:
        """A kernel of the right type, with arbitrary numbers."""
        values = []
        for name, value in self._fields.items():
            if isinstance(value, Stack):
                values.append(value._prototype())
            else:
                values.append(np.zeros(1) if name in self._arrays else 0.0)
        return self.Kernel(*values)

    def kernel_at(self, index: Any = ()) -> Any:
        """The kernel (plain numbers and formulas) of one body of the stack."""
        values = []
        for name, value in self._fields.items():
            if isinstance(value, Stack):
                values.append(value.broadcast_to(self.batch_shape).kernel_at(index))
            elif name in self._arrays:
                values.append(np.broadcast_to(value, (*self.batch_shape, value.shape[-1]))[index])
            else:
                values.append(float(np.broadcast_to(value, self.batch_shape)[index]))
        return self.Kernel(*values)

    def _columns(self) -> np.ndarray:
        """Parameters as (*batch_shape, P), in the order in which compiled code reads them."""
        parts = []
        for name, value in self._fields.items():
            if isinstance(value, Stack):
                part = value._columns()
            elif name in self._arrays:
                count = np.full((*value.shape[:-1], 1), float(value.shape[-1]))
                part = np.concatenate([count, value], axis=-1)
            else:
                part = value[..., None]
            parts.append(np.broadcast_to(part, (*self.batch_shape, part.shape[-1])))
        return np.concatenate(parts, axis=-1) if parts else np.zeros((*self.batch_shape, 0))

    @property
    def rows(self) -> np.ndarray:
        """Parameters of all bodies, one row each."""
        if self._rows is None:
            columns = self._columns()
            # One spare number, so that a shape without parameters has a valid address.
            size = max(columns.shape[-1], 1)
            rows = np.zeros((int(np.prod(self.batch_shape)), size))
            rows[:, : columns.shape[-1]] = columns.reshape(len(rows), columns.shape[-1])
            self._rows = rows
            self._share(rows)
        return self._rows

    def _share(self, rows: np.ndarray) -> None:
        """Turn the fields of a large stack into views of its rows, so that the numbers are stored only once."""
        if self._fields_are_columns and len(rows) > 1:
            for k, name in enumerate(self._fields):
                self._fields[name] = rows[:, k].reshape(self.batch_shape)
                self._fields[name].flags.writeable = False

    @property
    def _fields_are_columns(self) -> bool:
        """Whether every field is a column of the rows."""
        return bool(self._fields) and all(
            isinstance(value, np.ndarray) and name not in self._arrays and value.shape == self.batch_shape
            for name, value in self._fields.items()
        )

    @property
    def layout(self) -> tuple:
        """Stacks with equal layouts share their compiled formulas."""
        return type(self).Kernel, *(f.layout for f in self._fields.values() if isinstance(f, Stack))

    @property
    def address(self) -> int:
        """Address of the compiled jet; compiled on first use."""
        if self._address is None:
            self._watched = self._own_formulas()
            self._address = SPATIAL_JETS.address(self._prototype(), not self._watched)
        if self._watched:
            self._require_unchanged()
        return self._address

    def _own_formulas(self) -> tuple[Captured, ...]:
        """What user-defined formulas, including nested ones, capture from outside; empty for built-in formulas."""
        admit(type(self))
        nested = [f._own_formulas() for f in self._fields.values() if isinstance(f, Stack)]
        own = () if self._builtin else (captured_by(type(self)),)
        return tuple(dict.fromkeys(itertools.chain(own, *nested)))

    def _require_unchanged(self) -> None:
        """Raise an error if globals of the formulas have changed: compiled code keeps the old values."""
        for captured in self._watched:
            if change := captured.change():
                raise RuntimeError(change)

    @property
    def has_implicit(self) -> bool:
        """Whether the kernel and all nested kernels have a method ``implicit`` (``kernels/implicit.py``)."""
        nested = [f for f in self._fields.values() if isinstance(f, Stack)]
        return hasattr(getattr(self, "Kernel", None), "implicit") and all(f.has_implicit for f in nested)

    @property
    def implicit_address(self) -> int:
        """Address of the compiled implicit function; compiled on first use."""
        if "implicit" not in self._prepared:
            self._watched = self._own_formulas()
            self._prepared["implicit"] = SPATIAL_JETS.address(ImplicitKernel(self._prototype()), not self._watched)
        if self._watched:
            self._require_unchanged()
        return self._prepared["implicit"]

    def _evaluate(
        self, address: int, at: np.ndarray, name: str, many: Callable = evaluate_many, numbers: int = JET
    ) -> np.ndarray:
        """The numbers that a compiled function of the kernels returns at the vectors `at`, (..., numbers)."""
        shape = validate.broadcast({"shape": self.batch_shape, name: at.shape[:-1]})
        dimension = at.shape[-1]
        vectors = plain_rows(np.broadcast_to(at, (*shape, dimension)), (math.prod(shape), dimension))
        rows = self.rows
        if len(rows) > 1 and shape[len(shape) - len(self.batch_shape) :] != self.batch_shape:
            rows = np.broadcast_to(rows.reshape(*self.batch_shape, rows.shape[1]), (*shape, rows.shape[1]))
            rows = plain_rows(rows, (len(vectors), rows.shape[-1]))
        out = np.full((len(vectors), numbers), np.nan)
        many(address, rows, 1, vectors, out)
        return out.reshape(*shape, numbers)

    # ---- stacks ------------------------------------------------------------------------------
    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError(f"a single {type(self).__name__} has no len()")
        return self.batch_shape[0]

    def broadcast_to(self, batch_shape: tuple[int, ...]) -> Self:
        """The same bodies, repeated to a larger stack."""
        if self.batch_shape == batch_shape:
            return self
        fields: dict[str, Any] = {}
        for name, value in self._fields.items():
            if isinstance(value, Stack):
                fields[name] = value.broadcast_to(batch_shape)
            else:
                tail = value.shape[-1:] if name in self._arrays else ()
                fields[name] = np.array(np.broadcast_to(value, (*batch_shape, *tail)))
        wide = object.__new__(type(self))
        wide._set(**fields)
        return wide

    def take(self, numbers: np.ndarray) -> Self:
        """The bodies with the given flat indices, counted over all axes of the stack."""
        if not self._fields_are_columns:
            return self._at(np.unravel_index(numbers, self.batch_shape) if self.batch_shape else (numbers * 0,))
        rows = self.rows[numbers if self.batch_shape else numbers * 0]
        part = object.__new__(type(self))
        part._set(**{name: rows[..., k] for k, name in enumerate(self._fields)})
        part._rows, part._address, part._watched = rows.reshape(-1, rows.shape[-1]), self._address, self._watched
        return part

    def __getitem__(self, index: Index) -> Self:
        if not self.batch_shape:
            raise TypeError(f"a single {type(self).__name__} cannot be indexed")
        # Applied to the leading axes only: an ellipsis must not reach the arrays of a kernel.
        numbers = np.arange(math.prod(self.batch_shape)).reshape(self.batch_shape)[index]
        return self._at(np.unravel_index(numbers, self.batch_shape))

    def _at(self, at: tuple[np.ndarray, ...]) -> Self:
        """The bodies at the given indices, one array per axis."""
        shape = self.batch_shape or (1,)
        fields: dict[str, Any] = {}
        for name, value in self._fields.items():
            if isinstance(value, Stack):
                fields[name] = value.broadcast_to(shape)._at(at)
            else:
                tail = value.shape[-1:] if name in self._arrays else ()
                fields[name] = np.array(np.broadcast_to(value, (*shape, *tail))[at])
        part = object.__new__(type(self))
        part._set(**fields)
        return part

    def __getstate__(self) -> dict[str, Any]:
        # Addresses of compiled code are invalid in another process.
        return {**self.__dict__, "_address": None, "_watched": (), "_rows": None, "_prepared": {}}

    def __repr__(self) -> str:
        # Not the signature of the class: before Python 3.11.4 that is the one of the inherited `__new__`.
        _, *own = inspect.signature(type(self).__init__).parameters
        arguments = [name for name in own if name not in ("values", "fields")]
        # A user-defined constructor may take arguments that it does not store; the fields always exist.
        known = bool(arguments) and all(hasattr(self, name) for name in arguments)
        values = {name: getattr(self, name) for name in arguments} if known else self._fields
        inner = ", ".join(
            f"{name}={value.tolist() if isinstance(value, np.ndarray) else value!r}" for name, value in values.items()
        )
        if len(inner) > 200:
            inner = f"<{self.batch_shape}>"
        return f"{type(self).__name__}({inner})"


def refuse_overrides(cls: type, honoured: tuple[str, ...]) -> None:
    """Refuse a class that overrides a method that compiled code, or shapes built from this one, would not call."""
    for kind, name in overridden(cls, (*honoured, "Kernel", "_builtin", "_formulas")):
        instead = "put the formulas into the nested class Kernel of a Shape, from which they are compiled"
        if name in OF_MOMENTS:
            instead = "override moments(), from which it is derived"
        raise TypeError(f"{kind.__name__} overrides {name}(), which contacts and simulations would not use: {instead}")
