"""Formulas as MathML, written into the page at build time: no script, no font, no network."""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

BAR = re.compile(r"<mo([^>]*)>([|‖∣])</mo>")


def mathml(tex: str, as_block: bool = False) -> str:
    # Bars of an absolute value stand close, unlike the relation that MathML takes them for.
    return BAR.sub(r'<mo\1 lspace="0" rspace="0">\2</mo>', tex2mathml(tex, as_block=as_block))


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    self.body.append(self.starttag(node, "div", CLASS="math-block"))
    self.body.append(f"{number}{mathml(node.astext(), as_block=True)}</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
