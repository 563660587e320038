"""What the command prints about itself, read from the library, so that it cannot grow old."""

import argparse
import os
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from tangency.cli.main import parser


class CommandHelp(SphinxDirective):
    """What ``tangency --help`` prints, and the same for every verb."""

    def run(self) -> list[nodes.Node]:
        os.environ["COLUMNS"] = "110"
        top = parser()
        verbs = next(action for action in top._actions if isinstance(action, argparse._SubParsersAction))
        texts = [top.format_help(), *(verb.format_help() for verb in verbs.choices.values())]
        return [nodes.literal_block(text, text, language="none") for text in texts]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
