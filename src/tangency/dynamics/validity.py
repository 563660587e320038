"""Warnings where a run leaves the valid range of its laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..forces.normal_kernel import LEAST_CURVATURE
from .contact.columns import creeps
from .contact.undue_slip import SMALL_SHARE
from .extremes_kernel import DEEPEST, FLATTEST, SLIPPED, WIDEST

if TYPE_CHECKING:
    from .assembly import Assembly

#: Limits beyond which a run issues a warning.
MAX_DEPTH = 0.5  # times the half width
MAX_ELLIPSE = 0.5  # times the radius of curvature
MAX_SLIP = 0.01  # way that a pair slips because the step is too long for the friction, times the half width
MIN_STEPS_OF_CONTACT = 4.0  # smallest duration of a contact, in steps
BRIEF_SHARE = 0.1  # fraction of the contacts that may be shorter
MAX_TURN = 0.5  # rotation of a body in one step [rad]


def limit_warnings(assembly: Assembly) -> list[str]:
    """Warnings about depths and contact ellipses that are too large for the laws."""
    extremes, found = assembly.extremes, []

    def names_at(column: int) -> str:
        return _names(assembly, extremes[column + 1 : column + 3])

    if extremes[DEEPEST] > MAX_DEPTH:
        found.append(
            f"{names_at(DEEPEST)} overlapped by {extremes[DEEPEST]:.2g} half widths of the smaller one: "
            "the laws hold for small depths; use a stiffer law, or check whether a step or a speed is too large"
        )
    if extremes[WIDEST] > MAX_ELLIPSE:
        found.append(
            f"the contact ellipse of {names_at(WIDEST)} reached {extremes[WIDEST]:.2g} times the radius of "
            "curvature: Hertz's theory holds for small ones; use a stiffer material, or radius_limits for edges"
        )
    if extremes[FLATTEST] > 0.0:
        found.append(
            f"{names_at(FLATTEST)} touched where the gap between them is flat: Hertz's theory gives no "
            f"stiffness there, and a radius of {1.0 / LEAST_CURVATURE:.0e} m was used; give the law radius_limits, "
            "or a stiffness"
        )
    return found


def longest_creep(assembly: Assembly, pairs: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """Longest undue slip of a pair, see `undue_slip`, and its two shapes.

    It is that of the extremes, or of the `pairs` that are close at the end of the run.  The extremes stay as they are:
    a checkpoint is no end.
    """
    crept, moved = creeps(memory)
    crept = np.where(crept > SMALL_SHARE * moved, crept, 0.0)
    longest: np.ndarray = assembly.extremes[SLIPPED : SLIPPED + 3].copy()
    if crept.max(initial=0.0) > longest[0]:
        most = int(crept.argmax())
        longest[:] = crept[most], *pairs[most]
    return longest


def friction_warnings(assembly: Assembly, step: float, longest: np.ndarray) -> list[str]:
    """A warning if friction was so stiff that the step did not resolve it, and bodies crept that it should hold.

    A hundredth of a half width can be seen in a picture; errors of depths and impacts are not much smaller.
    """
    slipped = longest[0]
    if not slipped > MAX_SLIP:
        return []
    return [
        f"friction between {_names(assembly, longest[1:])} is too stiff for the step {step:.3g} s: they crept by "
        f"{slipped:.2g} half widths of the smaller one, more than the law lets them; use a shorter step, a larger "
        "regularisation speed, a smaller tangential stiffness or damping, or the accurate mode"
    ]


def is_brief(durations: np.ndarray, step: float) -> np.ndarray:
    """Which contacts were too short for the step."""
    return durations < (MIN_STEPS_OF_CONTACT - 0.5) * step


def step_warnings(brief: int, ended: int, step: float) -> list[str]:
    """A warning if too many of the finished contacts were too short for the step."""
    if not brief > BRIEF_SHARE * ended:
        return []
    return [
        f"{brief} of {ended} contacts lasted less than {MIN_STEPS_OF_CONTACT:g} steps of {step:.3g} s, which "
        "do not resolve them: take a shorter step"
    ]


def way_warnings(assembly: Assembly, way: float) -> list[str]:
    """A warning if bodies move so far in one step that they may pass through each other undetected."""
    sizes = assembly.reach[assembly.free & (assembly.reach > 0.0)]
    if not len(assembly.laws.kinds) or not len(sizes) or way <= sizes.min():
        return []
    return [
        f"a body moved up to {way:.3g} m in one step, more than the radius of the smallest one, {sizes.min():.3g} m: "
        "bodies may have passed through each other undetected; use a shorter step"
    ]


def turn_warnings(turn: float, step: float) -> list[str]:
    """A warning if bodies turn so far in one step that neither their rotation nor their contacts are resolved."""
    if turn <= MAX_TURN:
        return []
    return [
        f"a body turned by up to {turn:.2g} rad in one step of {step:.3g} s, too far to resolve: use a shorter step"
    ]


def _names(assembly: Assembly, shapes: np.ndarray) -> str:
    a, b = (assembly.names[assembly.owner[int(shape)]] for shape in shapes)
    return f"{a!r} and {b!r}"
