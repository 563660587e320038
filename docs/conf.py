"""Sphinx configuration, see ``docs/build``; no network needed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import tangency

project = "tangency"
author = "tangency developers"
copyright = "2026, tangency developers"
version = release = tangency.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "from_code",
    "plain_markdown",
    "notebook_pages",
    "mathml",
    "plain_docstrings",
]
# autosummary writes its pages with the first ending that has no parser of its own name: .rst stands before .ipynb.
source_suffix = {".md": "markdown", ".rst": "restructuredtext", ".ipynb": "markdown"}
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
nitpicky = False

myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3

autosummary_generate = True
# File systems that do not tell capitals from small letters need different names.
autosummary_filename_map = {
    f"tangency.{name}": f"tangency.{name}-class"
    for name in ("Contact", "Continuity", "Spherical", "planar.Contact", "planar.Continuity")
}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "furo"
html_title = f"tangency {release}"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#2f5d8c", "color-brand-content": "#2f5d8c"},
    "dark_css_variables": {"color-brand-primary": "#8ab4dd", "color-brand-content": "#8ab4dd"},
}
