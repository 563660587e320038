"""Refused arguments, told from bugs."""

from __future__ import annotations

import traceback
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def is_refusal(error: ValueError) -> bool:
    """Whether a statement ``raise`` of this package made the error, so that its sentence is about an argument.

    A ValueError of Python, NumPy or SciPy has slipped through the checks: it is a bug.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.io.refusals import is_refusal
    >>> for make in (lambda: tg.Sphere(-1.0), lambda: int("one")):
    ...     try:
    ...         make()
    ...     except ValueError as error:
    ...         print(is_refusal(error))
    True
    False
    """
    last = traceback.extract_tb(error.__traceback__)[-1]
    return Path(last.filename).is_relative_to(_PACKAGE) and (last.line or "raise").startswith("raise")
