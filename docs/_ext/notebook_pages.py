"""Notebooks as pages: cells, what they printed, their pictures, and a link to the file itself.

Outputs are those that are kept in the notebook; nothing runs here.
"""

import json
from typing import Any

from plain_markdown import for_sphinx


def markdown(notebook: dict[str, Any], name: str) -> str:
    """The page of a notebook in Markdown."""
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(for_sphinx(text))
            if len(parts) == 1:
                parts.append(f"{{download}}`Download this notebook <{name}.ipynb>`")
        else:
            parts.append(f"```python\n{text}\n```")
            parts += [_output(output, cell["metadata"].get("alt", "")) for output in cell["outputs"]]
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any], alt: str) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text'])}```"
    data = output["data"]
    if "image/png" in data:
        picture = "".join(data["image/png"]).replace("\n", "")
        return f"![{alt}](data:image/png;base64,{picture})"
    return f"```text\n{''.join(data['text/plain'])}\n```"


def _read(app: Any, page: str, source: list[str]) -> None:
    path = app.env.doc2path(page)
    if str(path).endswith(".ipynb"):
        source[0] = markdown(json.loads(source[0]), page.rpartition("/")[2])


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
