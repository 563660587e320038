"""Tables and texts that are read from the library, so that they cannot grow old."""

import argparse
import inspect
import os
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import tangency as tg
from tangency.cli import parser
from tangency.scene.catalogue import BODIES, CATALOGUE, TEXTS


class Table(SphinxDirective):
    """A Markdown table made by `lines`."""

    def lines(self) -> list[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        holder = nodes.container()
        self.state.nested_parse(StringList(self.lines(), source=type(self).__name__), self.content_offset, holder)
        return holder.children


class Statuses(Table):
    """All of tangency.Status."""

    def lines(self) -> list[str]:
        rows = [f"| {s.value} | `{s.name}` | {'yes' if s.converged else 'no'} | {s.message} |" for s in tg.Status]
        return ["| code | name | converged | message |", "|---|---|---|---|", *rows]


class SceneShapes(Table):
    """The words for shapes in scene files and their keys."""

    def lines(self) -> list[str]:
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
        return ["| shape | keys |", "|---|---|", *rows]


class CommandHelp(SphinxDirective):
    """What ``tangency --help`` prints, and the same for every verb."""

    def run(self) -> list[nodes.Node]:
        os.environ["COLUMNS"] = "110"
        top = parser()
        verbs = next(action for action in top._actions if isinstance(action, argparse._SubParsersAction))
        texts = [top.format_help(), *(verb.format_help() for verb in verbs.choices.values())]
        return [nodes.literal_block(text, text, language="none") for text in texts]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("statuses", Statuses)
    app.add_directive("scene-shapes", SceneShapes)
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
