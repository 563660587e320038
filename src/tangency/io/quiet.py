"""Progress that is shown only if it is asked for."""

from __future__ import annotations

from .progress import Progress


class Quiet:
    """A `Progress` that prints nothing."""

    def __enter__(self) -> Quiet:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def step(self, text: str) -> None:
        """Ignore the text."""


def progress_if(wanted: bool) -> Progress | Quiet:
    """A display of progress, or one that prints nothing."""
    return Progress() if wanted else Quiet()
