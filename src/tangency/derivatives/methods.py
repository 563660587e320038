"""The functions behind the methods of `Contact`: arguments, threads, frames."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiled.jit import plain_rows
from ..compiled.memory import borrow
from ..compiled.threads import share
from ..contacts.status import VALUES, Status
from ..geometry.curvature import Curvature
from ..io import validate
from ..shapes.ellipsoid import Ellipsoid
from ..shapes.sphere import Sphere
from . import loops
from .ellipsoid_hessians import ellipsoid_hessians
from .ellipsoid_lanes import ellipsoid_jacobians
from .frames import as_twists, check_frame, convert, convert_hessian
from .rates import Rates, rates_from
from .side import core_radii, groups, poses_of
from .ties import ties

QUANTITIES = {"distance": loops.DISTANCE, "normal": loops.NORMAL, "point_a": loops.POINT_A, "point_b": loops.POINT_B}
POSES = ("pose_a", "pose_b")
SHAPES = ("shape_a", "shape_b")
CONTACTS_OF_A_THREAD = 2048  # minimum per thread
QUADRICS = {Sphere, Ellipsoid}
CORES = object()  # stands for the core radii of a group


def check_quantity(of: object) -> int:
    """The number of a quantity, or an error."""
    if of not in QUANTITIES:
        raise ValueError(f"of must be one of {', '.join(QUANTITIES)}, got {of!r}")
    return QUANTITIES[str(of)]


def check_variable(by: object) -> str:
    """The name of a variable, or an error."""
    if by not in (*POSES, *SHAPES):
        raise ValueError(f"by must be one of {', '.join((*POSES, *SHAPES))}, got {by!r}")
    return str(by)


def run(contact: Any, loop: Callable, *arguments: Any, of_ellipsoids: Callable | None = None) -> None:
    """Run a compiled loop over all contacts, group by group, in several threads; there may be one for ellipsoids."""
    values = contact._values[: VALUES * math.prod(contact.shape)]
    extra, outputs = arguments[:-1], arguments[-1]
    for group in groups(contact):
        quadrics = of_ellipsoids is not None and set(map(type, group.shapes)) <= QUADRICS
        more = tuple(core_radii(group) if part is CORES else part for part in extra)
        inputs = (tuple(group.a), tuple(group.b), values, *more)
        portion = _portion(of_ellipsoids if quadrics else loop, inputs, group.order, outputs)
        share(portion, group.number, CONTACTS_OF_A_THREAD, None)


def _portion(loop: Any, inputs: tuple, order: np.ndarray, outputs: tuple) -> Callable[[int, int], None]:
    """The part of a loop that one thread runs."""

    def portion(start: int, stop: int) -> None:
        loop(*inputs, (order, start, stop), *outputs)

    return portion


def _array(contact: Any, *tail: int) -> np.ndarray:
    return borrow((math.prod(contact.shape), *tail))


def jacobian(contact: Any, of: str, by: str, frame: str) -> np.ndarray:
    """See `Contact.jacobian`."""
    quantity, variable, frame = check_quantity(of), check_variable(by), check_frame(frame)
    if variable in SHAPES:
        from .parameters import shape_jacobian

        return shape_jacobian(contact, of, SHAPES.index(variable))
    side = POSES.index(variable)
    tail = (6,) if quantity == loops.DISTANCE else (3, 6)
    out = _array(contact, math.prod(tail))
    if quantity == loops.DISTANCE:
        run(contact, loops.gradients, side, (out,))
    else:
        run(contact, loops.jacobians, (quantity, side), (out,), of_ellipsoids=ellipsoid_jacobians)
    found = out.reshape(*contact.shape, *tail)
    return convert(found, poses_of(contact, side), frame, len(tail) == 2)


def hessian(contact: Any, by: tuple[str, str], frame: str) -> np.ndarray:
    """See `Contact.hessian`."""
    frame = check_frame(frame)
    if not isinstance(by, tuple | list) or len(by) != 2:
        raise ValueError(f"by must be two variables, as ('pose_b', 'pose_b'), got {by!r}")
    first, second = (check_variable(name) for name in by)
    if first in SHAPES or second in SHAPES:
        from .parameters import mixed_hessian

        return mixed_hessian(contact, first, second, frame)
    sides = POSES.index(first), POSES.index(second)
    out = _array(contact, 36)
    run(contact, loops.hessians, sides, (out,), of_ellipsoids=ellipsoid_hessians)
    found = out.reshape(*contact.shape, 6, 6)
    poses = poses_of(contact, sides[0]), poses_of(contact, sides[1])
    gradient = contact.normal if sides[0] else -contact.normal
    return convert_hessian(found, gradient, poses, frame, sides[0] == sides[1])


def rates(contact: Any, twist_a: Any, twist_b: Any, frame: str) -> Rates:
    """See `Contact.rates`."""
    frame = check_frame(frame)
    twists = [
        as_twists(twist, f"twist_{name}", poses_of(contact, side), frame)
        for side, (name, twist) in enumerate((("a", twist_a), ("b", twist_b)))
    ]
    shape = validate.broadcast(
        {"contacts": contact.shape, "twist_a": twists[0].shape[:-1], "twist_b": twists[1].shape[:-1]}
    )
    if shape != contact.shape:
        raise ValueError(f"twists must broadcast to the shape {contact.shape} of the contacts, got shape {shape}")
    both = np.concatenate([np.broadcast_to(twist, (*shape, 6)) for twist in twists], axis=-1)
    out = _array(contact, loops.RATES)
    run(contact, loops.rates, plain_rows(both, (-1, 12)), (out,))
    return rates_from(out.reshape(*contact.shape, loops.RATES))


def conditions(contact: Any) -> tuple[np.ndarray, np.ndarray]:
    """Condition number of each contact, and whether its derivatives exist."""
    count = math.prod(contact.shape)
    condition, regular = np.empty(count), np.empty(count, np.bool_)
    run(contact, loops.conditions, (condition, regular))
    run(contact, ties, CORES, (regular,))
    regular = regular.reshape(contact.shape) & (contact.status < Status.BEYOND)
    return condition.reshape(contact.shape), regular


def curvature(contact: Any, side: int) -> Curvature:
    """See `Contact.curvature_a` and `curvature_b`."""
    values, radii, directions = _array(contact, 2), _array(contact, 2), _array(contact, 2, 3)
    run(contact, loops.curvatures, side, (values, radii, directions))
    shape = contact.shape
    return Curvature(values.reshape(*shape, 2), radii.reshape(*shape, 2), directions.reshape(*shape, 2, 3))


def jvp(contact: Any, of: str, tangents: dict[str, Any], frame: str) -> np.ndarray:
    """See `Contact.jvp`."""
    check_quantity(of)
    moved = rates(contact, tangents["pose_a"], tangents["pose_b"], frame)
    total = moved.gap if of == "distance" else getattr(moved, of)
    for by in SHAPES:
        if tangents[by] is not None:
            derivative = jacobian(contact, of, by, frame)
            change = validate.vectors(tangents[by], by, derivative.shape[-1])
            total = total + np.einsum("...p,...p->..." if of == "distance" else "...ip,...p->...i", derivative, change)
    return total


def vjp(contact: Any, cotangent: Any, of: str, by: str, frame: str) -> np.ndarray:
    """See `Contact.vjp`."""
    derivative = jacobian(contact, of, by, frame)
    if of == "distance":
        weight = validate.array(cotangent, "cotangent")
        validate.broadcast({"contacts": contact.shape, "cotangent": weight.shape})
        return weight[..., None] * derivative
    weight = validate.vectors(cotangent, "cotangent")
    validate.broadcast({"contacts": contact.shape, "cotangent": weight.shape[:-1]})
    return np.einsum("...i,...ip->...p", weight, derivative)
