"""Docstrings are written for a terminal; two things must not be mistaken for markup.

Bars, as in |x| + |y|, are not substitutions, and the dot in "Eq. 16" does not end a sentence.
"""

import re
from typing import Any

# Quoted text is left alone; what remains may hold bars.
PIECES = re.compile(r"(``.*?``|`.*?`_?)")
EQUATION = re.compile(r"\b(Eqs?)\. (?=[(\dC])")
JOINER = "\u2060"  # invisible


def _escape(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    indent = None  # of a literal block, opened by a line that ends in "::"
    for k, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        if indent is not None and line.strip() and depth <= indent:
            indent = None
        code = indent is not None or line.lstrip().startswith((">>>", "..."))
        if not code:
            pieces = PIECES.split(EQUATION.sub(rf"\1.{JOINER} ", line))
            lines[k] = "".join(p if p.startswith("`") else p.replace("|", r"\|") for p in pieces)
        if line.rstrip().endswith("::"):
            indent = depth


def _results_have_no_constructor(app: Any, what: str, name: str, obj: Any, *_: Any) -> tuple[str, None] | None:
    """Nobody makes a Contact by hand."""
    return ("", None) if name == "tangency.Contact" else None


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _escape, priority=900)  # after numpydoc
    app.connect("autodoc-process-signature", _results_have_no_constructor)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
