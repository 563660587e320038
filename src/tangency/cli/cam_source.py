"""The cam of ``tangency planar cam``: the paper's, or from a table of a file, smoothed or interpolated."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..io.numbers import positive
from ..io.refusals import is_refusal
from .cam_table import CamTable, read_cam_table
from .mistakes import Mistake

QUARTER = 0.5 * np.pi  # angle of the cam minus that of the normal under a flat face
BASE = 0.02  # [m] base circle of a lift table, if none is given


class CamSource(NamedTuple):
    """Where a cam comes from."""

    motion: Any  #: CamMotion
    measured: Any = None  #: SmoothedCurve of a file with smoothing
    base: float | None = None  #: radius of the base circle of a lift table [m]


def cam_of(options: argparse.Namespace, follower: Any) -> CamSource:
    """The motion that the cam gives to its follower."""
    from ..planar.cam.motion import cam_motion
    from ..planar.pitch.profile import cam_pitch
    from ..planar.pitch.smooth_fit import MIN_KNOTS

    if not options.profile:
        if options.base is not None or options.tolerance is not None or options.dwell or options.interpolate:
            raise Mistake("--base, --tolerance, --dwell and --interpolate must be given with --profile")
        if follower.inside:
            raise Mistake("--inside must be given with --profile: the paper's cam is not a ring")
        pitch = cam_pitch(0.01)
        return CamSource(cam_motion(pitch if follower.flat else pitch.change_radius(follower.radius), follower))
    if options.interpolate and (options.tolerance is not None or options.dwell):
        given = "--dwell" if options.dwell else "--tolerance"
        raise Mistake(f"{given} must not be given with --interpolate, which does not smooth")
    table = read_cam_table(options.profile)
    if len(table.first) < MIN_KNOTS and not options.interpolate:
        raise Mistake(
            f"{options.profile} must hold at least {MIN_KNOTS} rows to be smoothed, got {len(table.first)}; "
            "with --interpolate, fewer are enough"
        )
    with _named(options.profile, table):
        if table.kind == "lift":
            return _from_lift(table, follower, options)
        if options.base is not None:
            raise Mistake("--base must be given with a lift table only")
        body, found = _from_points(table.points(), follower, options)
        return CamSource(cam_motion(body, follower), found)


@contextmanager
def _named(path: str, table: CamTable) -> Iterator[None]:
    """Errors name the file, and how it was read if it does not say so itself."""
    try:
        yield
    except ValueError as error:
        if not is_refusal(error):
            raise
        read = "" if table.header else " (without a header, the columns were read as x and y in metres)"
        raise ValueError(f"{path}: {error}{read}") from error


def _from_points(points: np.ndarray, follower: Any, options: argparse.Namespace) -> tuple[Any, Any]:
    from ..planar.pitch.measured import smooth_profile, smooth_shape
    from ..planar.pitch.profile import pitch_from_profile

    if options.interpolate:
        return pitch_from_profile(points, follower.radius, concave=follower.inside), None
    if follower.flat:
        found = smooth_shape(points, tolerance=options.tolerance, dwells=_dwells(options, QUARTER))
        return found.shape, _at_cam_angles(found)
    given = {"tolerance": options.tolerance, "dwells": _dwells(options)}
    found = smooth_profile(points, follower.radius, concave=follower.inside, **given)
    return found.pitch, found


def _from_lift(table: CamTable, follower: Any, options: argparse.Namespace) -> CamSource:
    from ..planar.cam.motion import cam_motion
    from ..planar.pitch.measured import smooth_samples

    if table.angular != follower.swings:
        what = ("a length in m, mm or um", "an angle in deg or rad, as in 'lift [deg]',")[follower.swings]
        raise Mistake(f"{options.profile}: the lift must be {what} with --follower {options.follower}")
    base = positive(BASE if options.base is None else options.base, "--base")
    touching = base - follower.radius if follower.inside else base + follower.radius
    if not touching > 0.0:
        raise Mistake(f"--base must be larger than the roller inside the ring, got {base:g}")
    coordinate = float(follower.pose(np.array(touching)).coordinate) + table.second
    if follower.flat and not follower.swings and not options.interpolate:
        shape, found = _flat_cam(table.first, coordinate, base, options)
        return CamSource(cam_motion(shape, follower), found, base)
    if not (options.interpolate or follower.flat or follower.swings or follower.offset):
        distance = -coordinate if follower.inside else coordinate
        given = {"tolerance": options.tolerance, "dwells": _dwells(options)}
        found = smooth_samples(table.first, distance, follower.radius, concave=follower.inside, **given)
        return CamSource(cam_motion(found.pitch, follower), found, base)
    return CamSource(*_prescribed(table.first, coordinate, follower, options), base)


def _prescribed(
    angle: np.ndarray, coordinate: np.ndarray, follower: Any, options: argparse.Namespace
) -> tuple[Any, Any]:
    """The cam that moves any follower as tabulated."""
    from ..planar.cam.synthesis import cam_from_motion
    from ..planar.pitch.measured import smooth_samples
    from ..planar.pitch.periodic import PeriodicFunction, Polynomials
    from ..planar.shapes.piecewise import spline_pieces

    if options.interpolate:
        order = np.argsort(angle)
        twice = np.flatnonzero(np.diff(angle[order], append=angle.min() + 2.0 * np.pi) < 1e-12)
        if len(twice):
            where = np.degrees(angle[order][twice[0]])
            demand = "every angle must occur once with --interpolate"
            raise Mistake(f"{options.profile}: {demand}, got {where:.6g} degrees twice")
        function = PeriodicFunction(Polynomials(*spline_pieces(angle[order], coordinate[order], 5, "angle")).values)
        return cam_from_motion(function, follower), None
    side = -1.0 if follower.inside else 1.0
    found = smooth_samples(angle, side * coordinate, 0.0, tolerance=options.tolerance, dwells=_dwells(options))
    smooth = found.pitch.function
    function = PeriodicFunction(lambda alpha: tuple(side * value for value in smooth(alpha)), smooth.breaks)
    return cam_from_motion(function, follower), replace(found, unit="rad" if follower.swings else "m")


def _dwells(options: argparse.Namespace, ahead: float = 0.0) -> Any:
    """The stated dwells as angles [rad], from less than a turn to the next; True to look for them."""
    if not options.dwell:
        return True
    starts, lengths = np.transpose([(start % 360.0, (end - start) % 360.0) for start, end in options.dwell])
    order = np.argsort(starts)
    free = np.diff(starts[order], append=starts.min() + 360.0) - lengths[order]
    if not (np.isfinite(free).all() and lengths.all() and (free > 0.0).all()):
        given = ", ".join(f"{start:g} to {end:g}" for start, end in options.dwell)
        raise Mistake(f"--dwell must give different angles [degrees] with motion between the dwells, got {given}")
    ends = np.radians(options.dwell)
    return [(start - ahead, start - ahead + (end - start) % (2.0 * np.pi)) for start, end in ends]


def _at_cam_angles(found: Any) -> Any:
    """Dwells of a support function, whose angle is that of the normal, at angles of the cam under a flat face."""
    return replace(found, dwells=found.dwells + QUARTER)


def _flat_cam(angle: np.ndarray, values: np.ndarray, base: float, options: argparse.Namespace) -> tuple[Any, Any]:
    """Convex cam of a flat face; refused if convexity had to change the lift."""
    from ..planar.pitch.measured import smooth_support

    given = {"tolerance": options.tolerance, "dwells": _dwells(options, QUARTER)}
    found = smooth_support(angle - QUARTER, values, **given)
    if not found.active:
        return found.shape, _at_cam_angles(found)
    # How far the radius of curvature falls below zero, from a fit with a base circle so large that it does not.
    extra = 100.0 * float(np.ptp(values))
    shape = smooth_support(angle - QUARTER, values + extra, **given).shape
    phi = np.linspace(0.0, 2.0 * np.pi, 7201)
    radius = shape.radius_of_curvature(np.stack([np.cos(phi), np.sin(phi)], axis=-1))
    raise Mistake(
        f"the lift table cannot be given to a flat face on a base circle of {base:.6g} m, because "
        f"the cam would be undercut: --base must be larger by {extra - float(radius.min()):.3g} m"
    )
