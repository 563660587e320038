"""Does a program print what is shown?  To the digits that mean something, on every processor.

The last digit of a number and the sign of a zero differ from one processor to the next, and so neither is compared.
"""

from __future__ import annotations

import doctest
import re

_FLOAT = r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[-+]?\d+)?(?!\w)"
NUMBER = re.compile(rf"{_FLOAT}|(?<![\w.])[-+]?\d+(?![\w.])", re.IGNORECASE)
ROUNDING = 1e-12  # absolute; examples are of the order of one
DIGITS = 12  # more of them are noise
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def decimals(number: str) -> int:
    return len(number.lower().split("e")[0].partition(".")[2])


def significant(number: str) -> int:
    return len(re.sub(r"\D", "", number.lower().split("e")[0]).lstrip("0"))


def same_number(shown: str, cut: bool, printed: str) -> bool:
    """Whether two printed numbers agree up to rounding, or in the digits shown if `cut`; integers must be equal."""
    if cut:
        return abs(float(shown) - float(printed)) < 1.5 * 10.0 ** -decimals(shown)
    if re.fullmatch(r"[-+]?\d+", shown):
        return shown == printed
    difference = abs(float(shown) - float(printed))
    if decimals(shown) == decimals(printed) and significant(shown) >= 6 and "e" not in (shown + printed).lower():
        return difference < 1.5 * 10.0 ** -decimals(shown)  # rounded to as many digits, perhaps the other way
    return difference <= ROUNDING + 1e-11 * abs(float(shown))


class Checker(doctest.OutputChecker):
    """Compares numbers as numbers."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        shown = [(found[0], want.startswith("...", found.end())) for found in NUMBER.finditer(want)]
        parts = [_pattern(part) for part in NUMBER.split(want)]
        pattern = f"({NUMBER.pattern})".join(parts)
        found = re.fullmatch(rf"\s*{pattern.strip()}\s*", got, re.DOTALL | re.IGNORECASE)
        return found is not None and all(
            same_number(*number, printed) for number, printed in zip(shown, found.groups())
        )


def _pattern(text: str) -> str:
    """Regular expression for the text between numbers: `...` matches anything, blanks match any blanks."""
    pieces = (r"\s+".join(map(re.escape, re.split(r"\s+", piece))) for piece in text.split("..."))
    return ".*?".join(pieces)


def noise(text: str) -> list[str]:
    """Numbers that another processor may print differently: signed zeros, numbers with too many digits."""
    found = [number[0] for number in NUMBER.finditer(text)]
    return [n for n in found if (n[0] == "-" and not float(n)) or ("." in n and significant(n) > DIGITS)]


def run(test: doctest.DocTest, *, keep: bool = False) -> str:
    """Run a doctest; what went wrong, or nothing."""
    runner, report = doctest.DocTestRunner(Checker(), optionflags=FLAGS, verbose=False), []
    runner.run(test, out=report.append, clear_globs=not keep)
    return "".join(report)
