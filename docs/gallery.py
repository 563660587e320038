"""Write the page gallery.md from the titles and texts of examples/, and the thumbnails in _static/gallery.

    python docs/gallery.py                  run all examples, some minutes where nothing is compiled yet
    python docs/gallery.py slope heap       run some of them
    python docs/gallery.py --page           write the page alone

tests/repository/test_examples.py says when.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tangency.io.whole_files import write_whole

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"
PAGE, THUMBNAILS = DOCS / "gallery.md", DOCS / "_static" / "gallery"
SIZE = (420, 280)  # width and height of a thumbnail [pixels]
HEAD = """\
# Gallery

One idea per file. Each is a short program that prints its results and writes one picture, `<name>.png`, into the
current folder; all of them run as tests. They need the extras `tangency[viz,symbolic]`.
"""
TAIL = """\
The page and its thumbnails are written by `python docs/gallery.py`.
"""
SECTIONS = {
    "Contact": ["contact", "stacks", "prepared_pair", "many_bodies", "half_space", "cavity", "curvature", "scene_file"],
    "Shapes": ["offsets_and_sums", "own_shape", "formula_shape", "potential", "implicit_surfaces", "fit_cloud"],
    "Forces": ["contact_ellipse", "impact_laws", "own_law", "sliding_ball"],
    "Motion": ["slope", "two_ellipsoids", "heap"],
    "Papers": ["papers_methods", "planar_cam", "planar_foot"],
}


def names() -> list[str]:
    """Of all examples."""
    return sorted(path.stem for path in EXAMPLES.glob("*.py"))


def described(name: str) -> tuple[str, str]:
    """Title and text of an example: the first line of its docstring, and the rest."""
    script = ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))
    title, _, text = (ast.get_docstring(script) or "").partition("\n")
    return title.rstrip("."), " ".join(text.split())


def page() -> str:
    """The text of gallery.md."""
    present = names()
    listed = {name for section in SECTIONS.values() for name in section}
    more = {"More": [name for name in present if name not in listed]}
    parts = [HEAD]
    for section, members in (SECTIONS | more).items():
        cells = []
        for name in (name for name in members if name in present):
            title, text = described(name)
            picture = f"[![{title}](_static/gallery/{name}.png)](../examples/{name}.py)"
            cells.append(f"{picture}<br>**{title}**, [`{name}.py`](../examples/{name}.py)<br>{text}")
        if cells:
            cells += [""] * (len(cells) % 2)
            rows = [f"| {left} | {right} |\n" for left, right in zip(cells[::2], cells[1::2])]
            parts.append(f"## {section}\n\n| | |\n|---|---|\n{''.join(rows)}")
    return "\n".join([*parts, TAIL])


def run(name: str) -> None:
    """Run an example, and shrink its picture to a thumbnail."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, EXAMPLES / f"{name}.py"]
        subprocess.run(command, cwd=folder, check=True, env=os.environ | {"MPLBACKEND": "Agg"})
        image = Image.open(Path(folder) / f"{name}.png").convert("RGB")
    image.thumbnail(SIZE, Image.Resampling.LANCZOS)
    framed = Image.new("RGB", SIZE, "white")
    framed.paste(image, ((SIZE[0] - image.width) // 2, (SIZE[1] - image.height) // 2))
    THUMBNAILS.mkdir(exist_ok=True)
    framed.quantize(128).save(THUMBNAILS / f"{name}.png", optimize=True)


if __name__ == "__main__":
    if sys.argv[1:] != ["--page"]:
        for name in sys.argv[1:] or names():
            print(f"== {name}", flush=True)
            run(name)
    write_whole(PAGE, page())
