"""What Numba's message about a user's formulas says: the line, and the call that cannot be compiled."""

from __future__ import annotations

import linecache
import os
import re

#: What Numba writes, and what it means; each pattern has the names of the call as its groups.
_CALLS = (
    (r"unsupported NumPy function '([^']+)'", "calls {}, which formulas cannot use"),
    (r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", "uses {1}.{0}, which formulas cannot use"),
    (r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'function'>", "calls {}, {njit}"),
    (r"Untyped global name '(\w+)'", "uses {}, which is no number and no compiled function"),
    (
        r"No implementation of function Function\(<function (\w+)",
        "calls {} with arguments for which it is not compiled",
    ),
)
_NJIT = "which is not compiled: put @numba.njit in front of its definition"


def explained_message(text: str) -> str:
    """The line to which a message of Numba points and what is wrong with it, as a sentence; '' if it points to none."""
    places = re.findall(r'File "([^"]+)", line (\d+)', text) + re.findall(r"Raised from (\S+) \((\d+)\)", text)
    own = [(file, int(line)) for file, line in places if _is_own(file)]
    if not own:
        return ""
    file, line = own[-1]
    file = file if file.startswith("<") else os.path.abspath(file)
    source = linecache.getline(file, line).strip()
    return f"line {line} of {file}{f', {source!r},' if source else ''} {_wrong(text, source)}"


def _is_own(file: str) -> bool:
    """Whether a user wrote this file: not this package, Numba, or generated code."""
    path = file.replace("\\", "/")
    return not (file == "<string>" or "tangency/" in path or "/numba/" in path or "/llvmlite/" in path)


def _wrong(text: str, source: str) -> str:
    """What Numba says about a line; it also names functions that only call the one with this line."""
    for pattern, sentence in _CALLS:
        for found in re.findall(pattern, text):
            names = (found,) if isinstance(found, str) else found
            if names[0].rpartition(".")[2] in source:
                return sentence.format(*names, njit=_NJIT)
    return "uses something that formulas cannot use"
