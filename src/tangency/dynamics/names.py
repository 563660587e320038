"""Names of bodies for error messages, where each group counts once."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MEMBER = re.compile(r"(.+)\[\d+\]", re.DOTALL)


def bodies_and_groups(names: Iterable[str]) -> list[str]:
    """Names of bodies and, instead of their bodies, of groups, in their order.

    Examples
    --------
    >>> from tangency.dynamics.names import bodies_and_groups
    >>> bodies_and_groups(["floor", "grains[0]", "grains[1]"])
    ['floor', 'grains']
    """
    members = ((name, _MEMBER.fullmatch(name)) for name in names)
    return list(dict.fromkeys(found.group(1) if found else name for name, found in members))
