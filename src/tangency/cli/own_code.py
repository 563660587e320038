"""The option ``--import``: a user's Python file, run before a scene is read, that defines and registers laws."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path

from .mistakes import Mistake


def import_file(name: str) -> None:
    """Run a Python file, which may import others in its folder."""
    path = Path(name).resolve()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise Mistake(f"--import must be followed by a Python file (.py), got {name!r}")
    if not path.is_file():
        raise Mistake(f"--import: there is no file {name!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # formulas are found by their module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        lines = [
            line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)
        ]
        place = f", line {lines[-1]}" if lines else ""
        raise Mistake(f"--import {name}{place}: {type(error).__name__}: {error}") from error
