"""Run the notebooks in docs/notebooks and keep what they print and draw.

    python docs/notebooks.py                   all of them
    python docs/notebooks.py cams              some of them

tests/repository/test_notebooks.py fails when a notebook prints something else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat

from tangency.io.whole_files import write_whole

FOLDER = Path(__file__).parent / "notebooks"
SECONDS = 600  # for one cell, in which much may have to be compiled
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def names() -> list[str]:
    """Of all notebooks."""
    return sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def read(name: str) -> Any:
    """A notebook as it is kept."""
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


@contextmanager
def kernel() -> Iterator[Any]:
    """A Python that runs cells; starting one and importing everything takes longer than most notebooks."""
    os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")  # jupyter_core warns without it
    from jupyter_client import AsyncKernelManager
    from nbclient.util import run_sync

    manager = AsyncKernelManager(kernel_name=KERNEL["name"])
    try:
        yield manager
    finally:
        run_sync(manager.shutdown_kernel)(now=True)
        manager.context.destroy()


def executed(notebook: Any, manager: Any, folder: Path) -> Any:
    """The same notebook with the outputs of a run in a folder and in an empty namespace."""
    from nbclient import NotebookClient

    made = nbformat.from_dict(notebook)
    made.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    client = NotebookClient(made, km=manager, timeout=SECONDS, startup_timeout=SECONDS)
    client.record_timing, client.coalesce_streams, client.extra_arguments = False, True, ["--log-level=ERROR"]
    client.resources = {"metadata": {"path": str(folder)}}
    client.execute()
    client.kc.stop_channels()
    del made.cells[0]
    made.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}})
    for number, cell in enumerate((cell for cell in made.cells if cell.cell_type == "code"), 1):
        cell.execution_count = number
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = number
    return made


def main() -> None:
    with kernel() as manager:
        for name in sys.argv[1:] or names():
            made = executed(read(name), manager, FOLDER)
            print(write_whole(FOLDER / f"{name}.ipynb", nbformat.writes(made) + "\n"))


if __name__ == "__main__":
    main()
