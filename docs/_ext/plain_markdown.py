"""The pages are plain Markdown, readable on a code host and in an editor; what only Sphinx needs is added here.

- a comment ``<!-- sphinx ... -->`` holds what Sphinx shall see: tables of contents, summaries of the reference
- what stands between ``<!-- plain -->`` and ``<!-- /plain -->`` is for all others
- code that is a public name, such as `tangency.Bodies`, becomes a link into the reference
"""

import re
from typing import Any

ONLY_SPHINX = re.compile(r"^<!-- sphinx\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
ONLY_OTHERS = re.compile(r"^<!-- plain -->\n.*?^<!-- /plain -->$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?<!`)`(tangency(?:\.\w+)+)`(?!`)")


def for_sphinx(text: str) -> str:
    """The page as Sphinx reads it."""
    text = ONLY_SPHINX.sub(r"\1", ONLY_OTHERS.sub("", text))
    pieces = FENCED.split(text)
    return "".join(piece if piece.startswith("```") else NAME.sub(r"{py:obj}`\1`", piece) for piece in pieces)


def _read(app: Any, page: str, source: list[str]) -> None:
    if str(app.env.doc2path(page)).endswith(".md"):
        source[0] = for_sphinx(source[0])


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
