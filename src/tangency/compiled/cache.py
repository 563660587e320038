"""Compiled code on disk: one self-describing file per function and argument types.

Numba's own cache is not used, for four reasons, each of which has caused wrong numbers or lost time:

- Symbols of compiled code are numbered from 1 in every process.  Two closures of one factory, compiled in two
  processes, can get the same name; loaded into a third, the first one is used for both.  Here the numbers of a process
  start at a random value (:func:`number_symbols_apart`), each file states which process compiled each of its symbols,
  and a file whose symbols are already loaded from another process is refused.
- Its index files are not safe for several writers.  Here each file has a fixed name and is written atomically.
- It does not notice edits in other files; see ``sources.py``.
- It does not read from a folder that is not writable.

Code that comes with the package (``unit.py``) is compiled for a level of x86-64, code compiled here for this exact
processor.  Code of a level runs on every processor that has its features, so it is looked up first.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.machinery
import itertools
import json
import os
import pickle
import re
import secrets
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba import types
from numba.core import config as _config
from numba.core import sigutils
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.serialize import dumps

from ..io.whole_files import whole_file
from . import unit
from .sources import source_hash

config: Any = _config
identity: Any = FunctionIdentity

MAGIC = b"tangency compiled 1\n"
_RESERVED = 1 << 24  # symbol numbers available to one process


def _new_session() -> int:
    return secrets.randbits(62) & ~(_RESERVED - 1)


#: Identifier of this process: the first of its symbol numbers.
SESSION = _new_session()
#: Identifiers of the processes from which this one was forked.
_ancestors: list[int] = []

#: Set this to a dictionary to collect everything that is read or compiled, by name.
kept: dict[str, bytes] | None = None

#: Versions that compiled code depends on: of Python (as the suffix of extension modules), Numba and llvmlite.
VERSIONS = [importlib.machinery.EXTENSION_SUFFIXES[0], numba.__version__, llvmlite.__version__]

_origin: dict[str, int] = {}  # the process that compiled each symbol in use here
_numbered = re.compile(r"B\d+v(\d+)")  # the number that Numba adds to the name of every function


def number_symbols_apart() -> None:
    """Make Numba number the functions of this process from `SESSION`; no other process uses these numbers."""
    identity._unique_ids = itertools.count(SESSION + 1)


def _after_fork() -> None:
    """Number the functions of a forked process apart: it would go on with its parent's numbers, like its siblings."""
    global SESSION
    _ancestors.append(SESSION)
    SESSION = _new_session()
    number_symbols_apart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _compiled_by(symbol: str) -> int:
    """The process that compiled a symbol which was not read from a file: this one, or one from which it was forked."""
    found = _numbered.search(symbol)
    number = int(found[1]) if found else 0
    return next((session for session in _ancestors if session <= number < session + _RESERVED), SESSION)


def cache_folder() -> Path:
    """Folder of the compiled code: ``TANGENCY_CACHE_DIR`` if set, else the user's cache folder."""
    own = os.environ.get("TANGENCY_CACHE_DIR")
    base = own or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "tangency")
    return Path(os.path.abspath(os.path.expanduser(base)))


def can_keep() -> bool:
    """Whether compiled code can be stored: the folder, or its closest existing parent, is writable."""
    folder = cache_folder()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def describe(kind: Any) -> str:
    """Text of the type of an argument, with the full name of every kernel class in it."""
    if isinstance(kind, types.TypeRef):
        return f"type[{describe(kind.instance_type)}]"
    if not isinstance(kind, types.BaseTuple):
        return str(kind)
    owner = getattr(kind, "instance_class", None)
    name = "" if owner is None else f"{owner.__module__}.{owner.__qualname__}"
    return f"{name}({', '.join(describe(part) for part in _parts(kind))})"


def _parts(kind: Any) -> list[Any]:
    """Types of the elements of a tuple."""
    return list(kind)


def _modules(kind: Any) -> set[str]:
    """Modules of the kernel classes in the type of an argument."""
    if isinstance(kind, types.TypeRef):
        return _modules(kind.instance_type)
    if not isinstance(kind, types.BaseTuple):
        return set()
    owner = getattr(kind, "instance_class", None)
    own = set() if owner is None else {owner.__module__}
    return own.union(*(_modules(part) for part in _parts(kind)))


def _symbols(module: Any) -> list[str]:
    """Names of the numbered functions that a module of machine code defines."""
    return sorted(f.name for f in module.functions if not f.is_declaration and _numbered.search(f.name))


class Refused(Exception):
    """A file exists but has unexpected contents; the message says why."""


class DiskCache(_Cache):
    """Cache of a Numba dispatcher."""

    def __init__(self, function: Callable) -> None:
        self._function, self._impl = function, None
        self._name = f"{function.__module__}.{function.__qualname__}"

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def enable(self) -> None:
        """Nothing to do."""

    def disable(self) -> None:
        """Nothing to do."""

    def flush(self) -> None:
        """Nothing to do: files are never reused under another name."""

    def _key(self, arguments: tuple, codegen: Any) -> dict[str, Any]:
        modules = {self._function.__module__}.union(*map(_modules, arguments))
        return {
            "function": self._name,
            "arguments": [describe(kind) for kind in arguments],
            "sources": source_hash(tuple(sorted(modules))),
            "processor": [str(part) for part in codegen.magic_tuple()],
            "versions": VERSIONS,
            "settings": [
                config.OPT,
                config.LOOP_VECTORIZE,
                config.SLP_VECTORIZE,
                config.BOUNDSCHECK,
                config.DEBUGINFO_DEFAULT,
                config.LLVM_REFPRUNE_PASS,
            ],
        }

    def _file(self, key: dict[str, Any]) -> str:
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        short = self._name.partition(".")[2].replace("<locals>.", "")
        return f"{short}-{digest[:32]}.bin"

    # ---- loading -------------------------------------------------------------------------------
    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for these types, or None."""
        target_context.refresh()
        arguments = _arguments(sig)
        own = self._key(arguments, target_context.codegen())
        keys = [{**own, "processor": [own["processor"][0], level, unit.FEATURES[level]]} for level in unit.levels()]
        found = (self._take(key, arguments, target_context) for key in ([*keys, own] if own not in keys else keys))
        return next((result for result in found if result is not None), None)

    def _take(self, key: dict[str, Any], arguments: tuple, target_context: Any) -> Any:
        """The compiled function from the package or from the folder, or None."""
        name, level = self._file(key), key["processor"][1]
        shipped = name in unit.names(level)
        path = (unit.archive(level) if shipped else cache_folder()) / name
        try:
            content = unit.read(level, name) if shipped else path.read_bytes()
            result = self._rebuild(content, key, arguments, target_context)
        except OSError:
            return None
        except Exception as error:
            reason = str(error) if isinstance(error, Refused) else f"it cannot be read: {error!r}"
            text = f"compiled code on disk was not used, {self._name} is recompiled: {reason} ({path})"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        if kept is not None:
            kept[name] = content
        return result

    def _rebuild(self, content: bytes, key: dict[str, Any], arguments: tuple, target_context: Any) -> Any:
        head, found, rest = content.partition(b"\n\n")
        if not found or not head.startswith(MAGIC):
            raise Refused("the file is damaged")
        header = json.loads(head[len(MAGIC) :])
        if hashlib.sha256(rest).hexdigest() != header["sha256"]:
            raise Refused("the file is damaged")
        if header["key"] != json.loads(json.dumps(key)):
            raise Refused(f"it contains {header['key']['function']} for other types, sources or processors")
        engine, symbols = target_context.codegen()._engine, header["symbols"]
        for name, session in symbols.items():
            if engine.is_symbol_defined(name) and (_origin.get(name) or _compiled_by(name)) != session:
                raise Refused("its symbols clash with other code in this process")
        payload = pickle.loads(rest)
        description = payload[1]
        if (description.modname, description.qualname) != (self._function.__module__, self._function.__qualname__):
            raise Refused(f"it contains {description.modname}.{description.qualname}")
        if tuple(description.argtypes) != arguments:
            raise Refused("it contains code for other types")
        result = CompileResultCacheImpl.rebuild(self, target_context, payload)
        _origin.update(symbols)
        return result

    # ---- saving --------------------------------------------------------------------------------
    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled function; an unwritable folder is not an error."""
        if data.lifted or data.library.has_dynamic_globals:
            return  # code specific to this process
        symbols = {name: _origin.setdefault(name, _compiled_by(name)) for name in _symbols(data.library._final_module)}
        key = self._key(tuple(data.signature.args), data.codegen)
        payload = dumps(CompileResultCacheImpl.reduce(self, data))
        header = {"key": key, "symbols": symbols, "sha256": hashlib.sha256(payload).hexdigest()}
        name, content = self._file(key), MAGIC + json.dumps(header).encode() + b"\n\n" + payload
        if kept is not None:
            kept[name] = content
        with contextlib.suppress(OSError), whole_file(cache_folder() / name) as file:
            file.write(content)


def _arguments(sig: Any) -> tuple:
    return tuple(sigutils.normalize_signature(sig)[0])
