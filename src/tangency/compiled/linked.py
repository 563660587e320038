"""Functions that are called by compiled code only get no machine code of their own, which takes less time.

Numba turns every function into machine code together with all functions that it calls, and links the same functions
into each of its callers.  With calls ten levels deep, the innermost functions become machine code ten times, and only
the copy in the outermost one is ever run.  Here, the functions below an entry point stay intermediate code, which is
linked into their callers; it is optimised in full, and machine code made of it, for the entry point alone.  Loops over
lanes are the exception: they become packed arithmetic only if the functions that they call are optimised before.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from numba.core import codegen as _codegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.sigutils import normalize_signature

base: Any = _codegen.JITCodeLibrary
_WITHOUT_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Linked(base):
    """Code of one function and of those it calls; it becomes machine code when an address in it is asked for."""

    _emitted = False

    def _optimize_final_module(self) -> None:
        """Only what Numba does ahead of full optimisation, which the caller gets with all that is linked into it."""
        codegen = self._codegen
        made = codegen._module_pass_manager(
            loop_vectorize=codegen._loopvect, slp_vectorize=False, opt=codegen._opt_level, cost="cheap"
        )
        if not isinstance(made, tuple):  # Numba 0.61
            base._optimize_final_module(self)
            return
        passes, builder = made
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Address of a function; 0 if it is not defined here."""
        self._ensure_finalized()
        if not self._emitted:
            if not any(f.name == name and not f.is_declaration for f in self._final_module.functions):
                return 0
            self._emitted = True
            base._optimize_final_module(self)
            self._dynamic_globals.clear()
            super()._finalize_final_module()
        return super().get_pointer_to_function(name)

    @property
    def codegen(self) -> Any:
        """Where Numba stores what the function needs at run time: nowhere, before there is machine code."""
        return self._codegen if self._emitted else _Nowhere

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        with _libraries(codegen, base):
            return base._unserialize(codegen, state)


class Optimised(Linked):
    """The same, optimised in full before it is linked into its callers."""

    _optimize_final_module = base._optimize_final_module


class _Nowhere:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Nothing to do."""


@contextlib.contextmanager
def _libraries(codegen: Any, kind: type) -> Iterator[None]:
    """Compile into libraries of this kind."""
    with global_compiler_lock:
        before, codegen._library_class = codegen._library_class, kind
        try:
            yield
        finally:
            codegen._library_class = before


def link_into_callers(dispatcher: Any, kind: type[Linked] = Linked) -> None:
    """Make compiled callers link the function; called from Python, it is compiled once more, to machine code."""
    resolve, compile_, add = dispatcher.get_call_template, dispatcher.compile, dispatcher.add_overload
    compiler, linking = dispatcher._compiler, [False]
    linked: set[tuple] = set()
    full, lean = compiler.targetoptions, {**compiler.targetoptions, **_WITHOUT_WRAPPERS}

    def get_call_template(args: Any, kws: Any) -> Any:
        with _libraries(dispatcher.targetctx.codegen(), kind):
            before, linking[0], compiler.targetoptions = linking[0], True, lean
            try:
                return resolve(args, kws)
            finally:
                linking[0] = before
                compiler.targetoptions = lean if before else full

    def compile_for(sig: Any) -> Any:
        with global_compiler_lock:
            arguments = tuple(normalize_signature(sig)[0])
            if not linking[0] and arguments in linked:
                linked.remove(arguments)
                del dispatcher.overloads[arguments]
            return compile_(sig)

    def add_overload(result: Any) -> None:
        if linking[0]:
            arguments = tuple(result.signature.args)
            linked.add(arguments)
            dispatcher.overloads[arguments] = result
        else:
            add(result)

    dispatcher.get_call_template, dispatcher.compile = get_call_template, compile_for
    dispatcher.add_overload = add_overload


def with_machine_code(dispatcher: Any) -> None:
    """Compile the function to machine code, also for the sake of a caller that has none."""
    resolve = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        with _libraries(dispatcher.targetctx.codegen(), base):
            return resolve(args, kws)

    dispatcher.get_call_template = get_call_template
