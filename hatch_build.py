"""Hatchling build hook: a wheel built with TANGENCY_UNITS=FOLDER contains the compiled code in that folder.

Such a wheel is for one platform and one version of Python, as its name says.  Without the variable the wheel works on
all platforms and compiles at first use.  ``./wheel`` builds both.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Units(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = os.environ.get("TANGENCY_UNITS")
        if not folder or version != "standard":
            return
        archives = sorted(Path(folder).resolve().glob("*.zip"))
        if not archives:
            raise ValueError(f"TANGENCY_UNITS must be a folder with archives of tangency.cli.prebuild, got {folder}")
        for path in archives:
            build_data["force_include"][str(path)] = f"tangency/compiled/units/{path.name}"
        build_data.update(pure_python=False, infer_tag=True)
