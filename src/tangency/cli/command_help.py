"""Help of commands that have subcommands."""

from __future__ import annotations

import argparse


class CommandHelp(argparse.RawDescriptionHelpFormatter):
    """Lists subcommands without a line for their placeholder, such as "command" under "commands:"."""

    def _format_action(self, action: argparse.Action) -> str:
        text = super()._format_action(action)
        return text.partition("\n")[2] if action.nargs == argparse.PARSER else text
