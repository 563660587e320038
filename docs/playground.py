"""Write the playground, one self-contained page: ``python docs/playground.py``.

Its parts are in ``docs/playground``; camera, lights and colours are those of the library's own pages.
"""

from pathlib import Path
from string import Template

from tangency.viz.inline import parts

FOLDER = Path(__file__).parent
PAGE = FOLDER / "_static" / "playground.html"


def page() -> str:
    """The text of the page."""

    def own(name: str) -> str:
        return (FOLDER / "playground" / name).read_text(encoding="utf-8")

    scripts = [parts("vectors.js", "orbit.js", "light.js"), *map(own, ("sphere.js", "solver.js", "playground.js"))]
    return Template(own("page.html")).substitute(style=parts("look.css"), script="\n".join(scripts))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
