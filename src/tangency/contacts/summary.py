"""Text form of a contact or a stack of contacts, spatial or planar."""

from __future__ import annotations

from typing import Any

from .status import Status


def length(contact: Any) -> int:
    """Number of contacts along the first axis of a stack."""
    if not contact.shape:
        raise TypeError("a single Contact has no len()")
    return contact.shape[0]


def summary(contact: Any) -> str:
    """Values of a single contact, or the numbers of converged and overlapping contacts of a stack."""
    if contact.shape:
        return (
            f"Contact(shape={contact.shape}, {int(contact.converged.sum())} of {contact.distance.size} converged, "
            f"{int((contact.distance < 0).sum())} overlapping)"
        )
    lines = [
        f"distance     {float(contact.distance):.16g}",
        f"lower, upper {float(contact.lower):.16g}, {float(contact.upper):.16g}",
        f"normal       {contact.normal.tolist()}",
        f"point_a      {contact.point_a.tolist()}",
        f"point_b      {contact.point_b.tolist()}",
        f"status       {Status(int(contact.status)).name}: {contact.message}",
        f"evaluations  {int(contact.evaluations)}",
    ]
    return "Contact\n  " + "\n  ".join(lines)
