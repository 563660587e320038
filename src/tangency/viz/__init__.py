"""Pictures and HTML pages of scenes; imported on demand, because matplotlib is slow to load.

>>> from tangency import viz
>>> from tangency.scene import all_contacts, demo_scene
>>> scene = demo_scene()
>>> html = viz.webpage(scene, all_contacts(scene))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .fit_report import fit_page
    from .page import webpage
    from .player import motion_page
    from .png import picture

__all__ = ["fit_page", "motion_page", "picture", "webpage"]


def __getattr__(name: str) -> Any:
    if name == "picture":
        from .png import picture

        return picture
    if name == "webpage":
        from .page import webpage

        return webpage
    if name == "fit_page":
        from .fit_report import fit_page

        return fit_page
    if name == "motion_page":
        from .player import motion_page

        return motion_page
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
