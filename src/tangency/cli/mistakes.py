"""User errors on the command line: one sentence and exit code 2.  Everything else is a bug and shows a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..io.refusals import is_refusal


class Mistake(Exception):
    """A user error; the message is one sentence."""


@contextmanager
def of_the_user() -> Iterator[None]:
    """Treat a refused value in this block as a user error: only for calls that read files or options.

    A TypeError or a KeyError is a bug, since options have types and files are checked where they are read.  So is a
    ValueError that the library did not raise itself.
    """
    try:
        yield
    except ValueError as error:
        if not is_refusal(error):
            raise
        raise Mistake(str(error)) from error


@contextmanager
def of_the_motion() -> Iterator[None]:
    """As :func:`of_the_user`, and for integrators that fail: their RuntimeError says what to try."""
    try:
        with of_the_user():
            yield
    except RuntimeError as error:
        if type(error) is not RuntimeError:  # such as a RecursionError
            raise
        raise Mistake(str(error)) from error
