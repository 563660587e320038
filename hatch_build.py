"""Hook of hatchling: a wheel that is built with TANGENCY_UNITS=FOLDER holds the compiled code of that folder.

Such a wheel is for one platform and one version of Python, and its name says so.  Without the variable the wheel is the
same for all, and compiles at first use.  ``./wheel`` makes both.
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
            raise ValueError(f"TANGENCY_UNITS must be a folder of archives, see tangency.cli.prebuild, got {folder}")
        for path in archives:
            build_data["force_include"][str(path)] = f"tangency/compiled/units/{path.name}"
        build_data.update(pure_python=False, infer_tag=True)
