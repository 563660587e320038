"""Export of a cam's profile and of its pitch curve, as CSV and DXF."""

from __future__ import annotations

import csv
import io

import numpy as np

from ...io.numbers import positive
from ..pitch.periodic import FULL
from .motion import CamMotion

MAX_POINTS = 200_000


def profile_points(motion: CamMotion, tolerance: float = 1e-6) -> tuple[np.ndarray, np.ndarray]:
    """Angles and boundary points of a cam, so dense that their chords deviate from it by less than `tolerance`.

    Parameters
    ----------
    motion : CamMotion
        The cam with its follower.
    tolerance : float
        Largest distance of a chord from the boundary [m].

    Returns
    -------
    alpha : (M,) array
        Angle of the cam at which the follower touches the point [rad].
    points : (M, 2) array
        Points in the frame of the cam, counter-clockwise [m].

    Examples
    --------
    >>> from tangency import planar
    >>> disc = planar.Circle(0.03).translate([0.01, 0])
    >>> alpha, points = planar.profile_points(planar.cam_motion(disc, planar.FlatFace()))
    >>> points.shape[1], 200 < len(alpha) < 1000
    (2, True)
    """
    tolerance = positive(tolerance, "tolerance")
    alpha = np.union1d(np.arange(180) * (FULL / 180), motion.function.breaks)
    while len(alpha) < MAX_POINTS:
        closed = np.append(alpha, alpha[0] + FULL)
        ends = _boundary(motion, closed)
        chord = np.diff(ends, axis=0)
        length = np.maximum(np.linalg.norm(chord, axis=1), 1e-300)
        miss = np.zeros(len(chord))
        for share in (0.3, 0.5, 0.7):
            inside = _boundary(motion, closed[:-1] + share * np.diff(closed)) - ends[:-1]
            miss = np.maximum(miss, np.abs(chord[:, 0] * inside[:, 1] - chord[:, 1] * inside[:, 0]) / length)
        poor = miss > tolerance
        if not poor.any():
            break
        alpha = np.union1d(alpha, (closed[:-1] + 0.5 * np.diff(closed))[poor] % FULL)
    return alpha, _boundary(motion, alpha)


def _boundary(motion: CamMotion, alpha: np.ndarray) -> np.ndarray:
    return _in_cam(motion.contact(alpha).point, alpha)


def _in_cam(points: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """From the fixed frame to that of the cam."""
    c, s = np.cos(alpha - np.pi), np.sin(alpha - np.pi)
    return np.stack([c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1]], axis=-1)


def pitch_points(motion: CamMotion, alpha: np.ndarray) -> np.ndarray:
    """(M, 2) points of the pitch curve, the path of the roller's centre, in the frame of the cam [m]."""
    if motion.follower.flat:
        raise ValueError("motion must have a follower with a centre: a flat face has no pitch curve")
    return _in_cam(motion.follower.path(motion.values(alpha).value).point, alpha)


def profile_csv(motion: CamMotion, *, tolerance: float = 1e-6) -> str:
    """Table of a cam: angle [deg], boundary and pitch curve [mm], lift [mm] or [deg], curvature, pressure angle.

    Parameters
    ----------
    motion : CamMotion
        The cam with its follower.
    tolerance : float
        As in :func:`profile_points` [m].

    Returns
    -------
    str
        Text of a CSV file with a header.
    """
    alpha, points = profile_points(motion, tolerance)
    at = motion.contact(alpha)
    unit, scale = ("deg", 180.0 / np.pi) if motion.follower.swings else ("mm", 1e3)
    columns = {"angle [deg]": np.degrees(alpha), "x [mm]": 1e3 * points[:, 0], "y [mm]": 1e3 * points[:, 1]}
    if not motion.follower.flat:
        centres = 1e3 * pitch_points(motion, alpha)
        columns |= {"pitch x [mm]": centres[:, 0], "pitch y [mm]": centres[:, 1]}
    columns |= {
        f"lift [{unit}]": scale * motion.lift(alpha),
        "curvature [1/mm]": 1e-3 * at.curvature,
        "pressure angle [deg]": np.degrees(at.pressure_angle),
    }
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{v:.10g}" for v in row] for row in zip(*columns.values()))
    return target.getvalue()


def profile_dxf(motion: CamMotion, *, tolerance: float = 1e-6) -> str:
    """Drawing of a cam in millimetres: closed polylines of the boundary and the pitch curve, and the axis.

    Parameters
    ----------
    motion : CamMotion
        The cam with its follower.
    tolerance : float
        As in :func:`profile_points` [m].

    Returns
    -------
    str
        Text of a DXF file, with the layers CAM, PITCH and AXIS; needs ezdxf, tangency[dxf].
    """
    try:
        import ezdxf
    except ImportError as error:
        raise ImportError(f"DXF needs ezdxf, install tangency[dxf] ({error})") from error
    alpha, points = profile_points(motion, tolerance)
    drawing = ezdxf.new("R2000", units=ezdxf.units.MM)
    space = drawing.modelspace()
    curves = {"CAM": points}
    if not motion.follower.flat:
        curves["PITCH"] = pitch_points(motion, alpha)
    for layer, curve in curves.items():
        drawing.layers.add(layer)
        space.add_lwpolyline(1e3 * curve, close=True, dxfattribs={"layer": layer})
    drawing.layers.add("AXIS")
    space.add_point((0.0, 0.0), dxfattribs={"layer": "AXIS"})
    target = io.StringIO()
    drawing.write(target)
    return target.getvalue()
