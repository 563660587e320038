"""Parts of self-contained pages: scripts and styles of this folder, arrays as text, data as JSON."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from string import Template

import numpy as np
from numpy.typing import ArrayLike


def parts(*names: str) -> str:
    """Contents of files of this folder, concatenated."""
    return "\n".join(files(__package__).joinpath(name).read_text(encoding="utf-8") for name in names)


def filled(name: str, **texts: str) -> str:
    """A page template of this folder with its placeholders filled in."""
    return Template(parts(name)).substitute(texts)


def packed(array: ArrayLike, kind: str = "<f4") -> str:
    """Numbers as base64."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def as_json(data: object) -> str:
    """JSON for a script element, without "<", so that no name can end the element."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
