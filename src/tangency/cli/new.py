"""The subcommand ``tangency new``: writes a commented scene file to start from."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path
from typing import Any

NEW = """\
examples:
  tangency new                             list the templates
  tangency new bowl                        write bowl.toml, then: tangency simulate bowl.toml
  tangency new pair --to mine.toml         under another name
"""


def add_verb(verbs: Any) -> None:
    """Add ``new`` to the command line."""
    new = verbs.add_parser(
        "new",
        help="write a commented scene file to start from",
        epilog=NEW,
        description="Write a scene file with comments, to be changed at will. An existing file is not overwritten.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    new.add_argument("template", nargs="?", help="name of the template; without it, all are listed")
    new.add_argument("--to", metavar="FILE", help="file to write (default: the template's name with .toml)")


def templates() -> dict[str, str]:
    """Texts of all templates, by name."""
    folder = files("tangency.scene").joinpath("templates")
    found = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return {entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8") for entry in found}


def run(options: argparse.Namespace) -> str:
    """Write the file; the text says what to do with it."""
    from ..io.spelling import suggestion
    from ..io.whole_files import write_whole
    from .mistakes import Mistake
    from .targets import require_folder_of

    known = templates()
    if options.template is None:
        if options.to is not None:
            raise Mistake(f"template must be given with --to, one of {', '.join(known)}")
        width = max(map(len, known))
        return "\n".join(f"{name:<{width}}  {_command(text)}" for name, text in known.items())
    if options.template not in known:
        hint = suggestion(options.template, known)
        raise Mistake(f"template must be one of {', '.join(known)}, got {options.template!r}{hint}")
    target = Path(options.to or f"{options.template}.toml")
    if target.exists():
        raise Mistake(f"{target} exists already: choose another name with --to")
    require_folder_of(target, "--to")
    text = known[options.template].replace(f"{options.template}.toml", target.name)
    write_whole(target, text)
    return f"wrote {target}; next: {_command(text)}"


def _command(text: str) -> str:
    """The command in the first line of a template."""
    return text.splitlines()[0].partition(":  ")[2]
