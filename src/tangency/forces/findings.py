"""A problem of a law, and how much of what was tested has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Finding(NamedTuple):
    """One problem of a law."""

    sentence: str  #: with numbers and the place of the first contact that has it
    share: float  #: of the contacts or loops tested


def noted(bad: np.ndarray, sentence: Callable[[int], str]) -> list[Finding]:
    """The finding that some contacts are bad, with the sentence about the first of them; empty if none is."""
    if not bad.any():
        return []
    return [Finding(sentence(int(np.argmax(bad))), float(bad.mean()))]
