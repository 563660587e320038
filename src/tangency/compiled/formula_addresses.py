"""Addresses of compiled formulas: a kernel, a NamedTuple with formulas, is compiled when its address is first needed.

Compiled formulas of built-in classes are cached on disk; user-defined ones are compiled in memory, in a form whose
formulas may raise exceptions.  Each kind of formulas (jets in space, jets in the plane, normal laws, ...) has its own
`FormulaAddresses`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numba
from numba import types

from .explain import Formulas, explained
from .jit import DOUBLES, address_of
from .notice import notice_of
from .numba_message import explained_message


class FormulaAddresses:
    """Addresses of all compiled formulas of one kind, which have the same C signature.

    Parameters
    ----------
    cached, local
        Functions (layout, parameters, number of parameters, inputs..., out), for built-in and for user-defined classes.
    inputs : int
        Number of inputs.
    hint : str
        What the formulas must return; end of the message if they do not compile.
    formulas : dict of Formula
        The methods that a user may write, to find out why they do not compile.
    alone : callable, optional
        Compiles only the formulas of a layout, for a shorter error message.
    """

    def __init__(
        self,
        cached: Any,
        local: Any,
        inputs: int,
        hint: str,
        formulas: Formulas,
        alone: Callable[[Any], Any] | None = None,
    ) -> None:
        self._cached, self._local, self._inputs, self._hint = cached, local, inputs, hint
        self._formulas, self._alone = formulas, alone
        self._addresses: dict[Any, int] = {}
        self._lock = threading.Lock()

    def address(self, kernel: Any, builtin: bool) -> int:
        """Address of the compiled formulas of kernels with the layout of `kernel`."""
        layout = types.TypeRef(numba.typeof(kernel))
        with self._lock:
            if layout not in self._addresses:
                self._addresses[layout] = self._compile(kernel, layout, builtin)
            return self._addresses[layout]

    def _compile(self, kernel: Any, layout: Any, builtin: bool) -> int:
        signature = (layout, DOUBLES, types.int64, *[types.float64] * self._inputs, DOUBLES)
        name = layout.instance_type.instance_class.__qualname__
        try:
            if builtin:
                return address_of(self._cached, signature)
            with notice_of(name):
                return address_of(self._local, signature)
        except Exception as error:  # Numba raises many kinds
            reason = explained(kernel, self._formulas) or self._reason(layout.instance_type, error)
            raise TypeError(
                f"the formulas of {name} could not be compiled: {reason} (use floats, tuples and the math module; "
                f"{self._hint})"
            ) from None

    def _reason(self, kind: Any, error: Exception) -> str:
        """What Numba says about formulas that run as plain Python: the line, or else its last words."""
        try:
            if self._alone is not None:
                self._alone(kind)
        except Exception as direct:
            error = direct
        lines = [line.strip(" -*:") for line in str(error).splitlines()]
        causes = [line for line in lines if line.startswith(("Untyped", "Unknown", "Use of", "Cannot"))]
        return explained_message(str(error)) or "; ".join(dict.fromkeys(causes[:1])) or f"{type(error).__name__}"
