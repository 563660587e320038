"""Suggestions for misspelt names: attributes of modules, keywords, and words that select something."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

CUTOFF = 0.7  # similarity from which a name is suggested
_VARIABLE_KEYWORDS = 0x08  # flag of code that takes any keyword


def suggestion(word: object, words: Iterable[str]) -> str:
    """``; did you mean 'radii'?`` for a misspelt word, otherwise ''."""
    known = {name.lower(): name for name in words}
    close = difflib.get_close_matches(str(word).lower(), known, n=1, cutoff=CUTOFF)
    return f"; did you mean {known[close[0]]!r}?" if close else ""


def nearest(word: str, words: Iterable[str]) -> str:
    """``; did you mean 'radii'?`` for a misspelt word, otherwise the list of words."""
    words = sorted(words)
    close = difflib.get_close_matches(word.lower(), words, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; expected {' or '.join(words)}" if len(words) < 3 else f"; expected one of {', '.join(words)}"


def missing(module: str, name: str, names: Iterable[str]) -> AttributeError:
    """The error for an attribute that a module does not have."""
    hint = "" if name.startswith("_") else suggestion(name, names)
    # With a name, but without an object, Python adds no suggestion of its own.
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name)


class Spelled:
    """Base of classes whose constructor suggests a keyword for one that it does not have."""

    def __new__(cls, *_: Any, **keywords: Any) -> Any:
        if keywords:
            _check_keywords(cls, keywords)
        return object.__new__(cls)


def _check_keywords(cls: Any, given: Iterable[str]) -> None:
    code = getattr(cls.__init__, "__code__", None)
    if code is None or code.co_flags & _VARIABLE_KEYWORDS:
        return
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    for name in given:
        if name not in names:
            raise TypeError(
                f"{cls.__name__}() got an unexpected keyword argument {name!r}{suggestion(name, names)} "
                f"(it takes {', '.join(names)})"
            )
