"""Mistakes of the person who calls the command: one sentence and exit code 2.  Everything else is a bug and shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from numpy.linalg import LinAlgError


class Mistake(Exception):
    """A sentence for the person who called the command."""


@contextmanager
def of_the_user() -> Iterator[None]:
    """Values that are refused in this block were given by the user: only for calls that read files or options.

    A TypeError or a KeyError is none of these, since options have types and files are checked where they are read.
    """
    try:
        yield
    except LinAlgError:
        raise
    except ValueError as error:
        raise Mistake(str(error)) from error


@contextmanager
def of_the_motion() -> Iterator[None]:
    """As :func:`of_the_user`, and for integrators that give up: their RuntimeError says what to try."""
    try:
        with of_the_user():
            yield
    except RuntimeError as error:
        if type(error) is not RuntimeError:  # such as a RecursionError
            raise
        raise Mistake(str(error)) from error
