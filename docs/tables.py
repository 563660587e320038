"""Write the tables generated from the code into the pages: statuses, shapes of scene files, names of the reference.

    python docs/tables.py       after adding a status, a shape or a public name

tests/repository/test_markdown.py fails when they are out of date.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import tangency as tg
from tangency.io.whole_files import write_whole
from tangency.scene.catalogue import BODIES, CATALOGUE, TEXTS

DOCS = Path(__file__).parent
TABLE = re.compile(r"(?<=<!-- from the code -->\n)(?:\|.*\n)*", re.MULTILINE)
SUMMARY = re.compile(
    r"(<!-- sphinx\n```\{eval-rst\}\n\.\. currentmodule:: (\S+)\n.*?\n\n((?:   [\w.]+\n)+)```\n-->\n)"
    r"(?:<!-- plain -->\n(?:\|[^\n]*\n)*<!-- /plain -->\n)?",
    re.DOTALL,
)


def statuses() -> str:
    """All of tangency.Status."""
    rows = [f"| {s.value} | `{s.name}` | {'yes' if s.converged else 'no'} | {s.message} |" for s in tg.Status]
    return "\n".join(["| code | name | converged | message |", "|---|---|---|---|", *rows, ""])


def scene_shapes() -> str:
    """The words for shapes in scene files and their keys."""
    rows = []
    for word, make in CATALOGUE.items():
        keys = []
        for name, parameter in inspect.signature(make).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                keys.append("values of all other symbols")
                continue
            kind = " (a shape)" if name in BODIES else " (text)" if name in TEXTS else ""
            optional = ", optional" if parameter.default is not parameter.empty else ""
            keys.append(f"`{name}`{kind}{optional}")
        rows.append(f"| `{word}` | {'; '.join(keys)} |")
    return "\n".join(["| shape | keys |", "|---|---|", *rows, ""])


def names(module: str, listed: list[str]) -> str:
    """Public names and the first sentence of what they say about themselves."""
    rows = []
    for name in listed:
        path, _, last = f"{module}.{name}".rpartition(".")
        try:
            owner = importlib.import_module(path)
        except ModuleNotFoundError:  # a class
            owner = getattr(importlib.import_module(path.rpartition(".")[0]), path.rpartition(".")[2])
        text = inspect.getdoc(getattr(owner, last)) or ""
        first = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text.split("\n\n")[0].replace("\n", " ").replace("``", "`"))
        rows.append(f"| `{name}` | {first.replace('|', chr(92) + '|')} |")
    return "\n".join(["| name | |", "|---|---|", *rows, ""])


def page(path: Path) -> str:
    """The text of a page with its tables as they ought to be."""
    text = path.read_text(encoding="utf-8")
    if path.name in ("conventions.md", "scenes.md"):
        table = statuses() if path.name == "conventions.md" else scene_shapes()
        return TABLE.sub(lambda found: table, text)
    return SUMMARY.sub(
        lambda found: f"{found[1]}<!-- plain -->\n{names(found[2], found[3].split())}<!-- /plain -->\n", text
    )


PAGES = [DOCS / name for name in ("api.md", "conventions.md", "scenes.md")]

if __name__ == "__main__":
    for path in PAGES:
        write_whole(path, page(path))
