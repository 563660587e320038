"""Parts of pages that load nothing: scripts and styles of this folder, arrays as text, data as JSON."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from string import Template

import numpy as np
from numpy.typing import ArrayLike


def parts(*names: str) -> str:
    """Files of this folder, one after the other."""
    return "\n".join(files(__package__).joinpath(name).read_text(encoding="utf-8") for name in names)


def filled(name: str, **texts: str) -> str:
    """A page of this folder with its places filled in."""
    return Template(parts(name)).substitute(texts)


def packed(array: ArrayLike, kind: str = "<f4") -> str:
    """Numbers as base64."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def as_json(data: object) -> str:
    """JSON for a script element: "<" never appears, so no name can end the element."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
