"""Run every study at full size and write the page ``papers.md`` with its tables and pictures.

python docs/papers.py                        all studies, some minutes
python docs/papers.py romer-table1           only some; the others keep what the page says
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tangency.io.progress import Progress
from tangency.io.whole_files import write_whole
from tangency.studies import STUDIES
from tangency.studies.picture import png

DOCS = Path(__file__).parent
PAGE = DOCS / "papers.md"
HEAD = """\
# Papers reproduced

Tables and figures of the papers that this library implements, computed anew: printed and reproduced values side by
side, and what differs. Each section is the output of one command, `tangency study <name>`; `--size` makes it smaller,
`--out DIR` writes the table, all numbers as CSV, and the picture. This page is made by `python docs/papers.py`.
"""


def section(name: str, progress: Progress) -> str:
    """The outcome of a study as a section of the page; its picture is written."""
    study = STUDIES[name]
    progress.step(name)
    result = study.run(study.size, 0, progress)
    text = study.markdown(result, study.size, 0).replace("# ", "## ", 1).rstrip()
    if result.figure is not None:
        picture = f"study-{name.replace('.', '-')}.png"
        write_whole(DOCS / "_static" / picture, png(result.figure()))
        text += f"\n\n![{study.title}](_static/{picture})"
    return f"{text}\n\n`tangency study {name}`\n"


def main(names: list[str]) -> None:
    """Write the page; sections of studies that are not in `names` stay as they are."""
    known: dict[str, str] = {}
    if PAGE.exists():
        for text in re.split(r"^(?=## )", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]:
            known[re.findall(r"`tangency study ([\w.-]+)`", text)[-1]] = text.rstrip() + "\n"
    with Progress() as progress:
        for name in names or STUDIES:
            known[name] = section(name, progress)
            write_whole(PAGE, "\n".join([HEAD, *(known[study] for study in STUDIES if study in known)]))


if __name__ == "__main__":
    main(sys.argv[1:])
