"""The subcommand ``tangency planar cam``: a cam from a file or of the paper, its follower, report and export."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..io.numbers import positive
from .cam_source import CamSource, cam_of
from .mistakes import Mistake, of_the_motion, of_the_user
from .planar_output import Output, csv_text, table_text

CAM = """\
examples:
  tangency planar cam                               the paper's parameters: one lift-off per revolution
  tangency planar cam --spring 2000                 a stiffer spring keeps the roller on the cam
  tangency planar cam --radius 0.006 --speed 60     another roller on the same cam
  tangency planar cam --sweep 60 120 7              lift-offs, gap and force against speed
  tangency planar cam --profile points.csv          your own cam: columns x, y of its boundary, in metres
  tangency planar cam --profile lift.csv --follower flat --speed 100 --base 0.02
                                                    a lift table: columns angle in degrees, lift in millimetres
  tangency planar cam --profile cmm.csv --tolerance 5e-6
                                                    columns angle, radius (or x, y) with 5 micrometres of noise
  tangency planar cam --profile swing.csv --follower swinging-roller --pivot 0.06 0 --arm 0.05 --base 0.02
                      --mass 1e-4 --spring 10       columns angle, lift [deg]: the angle of the arm
"""

FOLLOWERS = ("roller", "flat", "knife", "swinging-roller", "swinging-flat")
#: Options that only some followers have.
NEEDED = {
    "radius": ("roller", "knife", "swinging-roller"),
    "offset": ("roller", "knife"),
    "inside": ("roller",),
    "pivot": ("swinging-roller", "swinging-flat"),
    "arm": ("swinging-roller",),
    "face": ("swinging-flat",),
    "side": ("swinging-roller", "swinging-flat"),
    "roller-inertia": ("roller", "swinging-roller"),
}


def add_options(cam: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    number: dict[str, Any] = {"type": float, "metavar": "X"}
    cam.add_argument("--speed", **number, help="of the cam [rad/s] (default 100)")
    cam.add_argument("--revolutions", **number, help="(default 3)")
    cam.add_argument("--profile", metavar="FILE", help="your own cam: columns angle, lift or angle, radius or x, y")
    cam.add_argument("--base", **number, help="radius of the base circle of a lift table [m] (default 0.02)")
    cam.add_argument("--tolerance", **number, help="standard deviation of the measured values [m] (default: estimated)")
    dwell = "where the follower rests, in degrees of the cam; may be repeated (default: found in the measured values)"
    cam.add_argument("--dwell", nargs=2, type=float, action="append", metavar=("FROM", "TO"), help=dwell)
    cam.add_argument("--interpolate", action="store_true", help="pass through all points instead of smoothing")
    cam.add_argument("--follower", choices=FOLLOWERS, default="roller", help="(default roller)")
    cam.add_argument("--radius", **number, help="of the roller or the tip of a knife edge [m] (default 0.01)")
    cam.add_argument("--offset", **number, help="of the line of motion from the axis [m] (default 0)")
    cam.add_argument("--inside", action="store_true", help="the roller runs inside a ring")
    cam.add_argument("--pivot", nargs=2, type=float, metavar=("X", "Y"), help="of a swinging follower [m]")
    cam.add_argument("--arm", **number, help="of a swinging roller [m]")
    cam.add_argument("--face", **number, help="distance of the pivot from a swinging face [m] (default 0)")
    side = "1 if a swinging follower lies counter-clockwise from its pivot, seen from the axis, or -1 (default 1)"
    cam.add_argument("--side", type=int, choices=(1, -1), help=side)
    cam.add_argument("--spring", default=200.0, **number, help="stiffness c [N/m] or [N m/rad] (default 200)")
    rest = "z_0: the spring presses with c (z + z_0), z from the axis of the cam to the roller's centre or the face"
    rest += "; for a preload F on the base circle z_0 = F / c - z, often negative [m] or [rad] (default 0)"
    cam.add_argument("--rest", default=0.0, **number, help=rest)
    cam.add_argument("--mass", default=0.025, **number, help="of the follower [kg] or [kg m^2] (default 0.025)")
    cam.add_argument("--spring-mass", default=0.0, **number, help="of the spring, which then surges [kg] (default 0)")
    cam.add_argument("--line", **number, help="width of the cam [m]: line contact (Palmgren) instead of Eq. (104)")
    cam.add_argument("--roller-inertia", **number, help="[kg m^2] (default 1.25e-6)")
    cam.add_argument("--restitution", default=0.6, **number, help="c_r of Eq. (103) (default 0.6)")
    cam.add_argument("--friction", default=0.6, **number, help="mu of Eq. (105) (default 0.6)")
    cam.add_argument("--slip-speed", default=0.01, **number, help="k in tanh(v / k), Eq. (105) [m/s] (default 0.01)")
    cam.add_argument("--sweep", nargs=3, type=float, metavar=("LOW", "HIGH", "COUNT"), help="table against speed")
    cam.add_argument("--dxf", action="store_true", help="also write the profile as DXF; needs tangency[dxf]")


def run(options: argparse.Namespace, progress: Any) -> Output:
    """Make the cam, run it, and collect text and files."""
    from ..planar.cam.run import run_cam
    from ..planar.cam.tappet import CamTappet

    for name in ("speed", "revolutions"):
        if options.sweep and getattr(options, name) is not None:
            raise Mistake(f"--{name} must not be given with --sweep, which sets the speeds itself")
    if options.dxf and find_spec("ezdxf") is None:
        raise Mistake("--dxf needs ezdxf, install tangency[dxf]")
    with of_the_user():
        speeds = _speeds(*options.sweep) if options.sweep else None
        follower = _follower(options)
        source = cam_of(options, follower)
        cam = CamTappet(
            source.motion,
            speed=100.0 if options.speed is None else options.speed,
            mass=options.mass,
            roller_inertia=1.25e-6 if options.roller_inertia is None else options.roller_inertia,
            spring=options.spring,
            rest=options.rest,
            spring_mass=options.spring_mass,
            **_contact_law(options),
            friction=options.friction,
            slip_speed=options.slip_speed,
        )
    if speeds is not None:
        return _sweep(cam, speeds, options, progress, source)
    revolutions = 3.0 if options.revolutions is None else options.revolutions
    with of_the_motion():
        outcome = run_cam(cam, revolutions)
    return _outcome(outcome, options, progress, source)


def _contact_law(options: argparse.Namespace) -> dict[str, Any]:
    """Eq. (103), or the law of line contact with the same restitution."""
    if options.line is None:
        return {"restitution": options.restitution}
    from ..forces.material import Material
    from ..planar.cam.line_contact import line_contact

    steel = Material(young=2.1e11, poisson=0.3)
    return {"normal_law": line_contact(steel, positive(options.line, "--line"), restitution=options.restitution)}


def _follower(options: argparse.Namespace) -> Any:
    from ..planar.cam.followers import FlatFace, KnifeEdge, Roller, SwingingFlat, SwingingRoller

    kind = options.follower
    for name, kinds in NEEDED.items():
        given = getattr(options, name.replace("-", "_"))
        if given is not None and given is not False and kind not in kinds:
            raise Mistake(f"--{name} must be given with --follower {' or '.join(kinds)} only, got {kind}")
    if kind.startswith("swinging") and options.pivot is None:
        raise Mistake(f"--pivot must be given with --follower {kind}")
    if kind == "swinging-roller" and options.arm is None:
        raise Mistake("--arm must be given with --follower swinging-roller")
    radius = positive(0.01 if options.radius is None else options.radius, "--radius")
    offset = 0.0 if options.offset is None else options.offset
    if kind == "roller":
        return Roller(radius, offset, options.inside)
    if kind == "knife":
        return KnifeEdge(radius, offset)
    if kind == "flat":
        return FlatFace()
    side = options.side or 1
    if kind == "swinging-roller":
        return SwingingRoller(tuple(options.pivot), options.arm, radius, side)
    return SwingingFlat(tuple(options.pivot), 0.0 if options.face is None else options.face, side)


def _sweep(cam: Any, speeds: np.ndarray, options: argparse.Namespace, progress: Any, source: CamSource) -> Output:
    from ..planar.cam.limits import rigid_limit
    from ..planar.cam.run import run_cam
    from ..planar.cam.sweep import lift_off_speed, sweep_speed

    progress.step("running the cam at each speed")
    with of_the_motion():
        found = sweep_speed(cam, speeds)
    names = ("speed", "lift-offs", "openings", "largest gap", "largest force")
    units = ("[rad/s]", "per rev.", "per rev.", "[mm]", "[N]")
    lines = ["".join(f"{word:>15}" for word in words) for words in (names, units)]
    rows = zip(found.speed, found.lift_offs, found.openings, 1e3 * found.highest_gap, found.largest_force)
    for row, periodic in zip(rows, found.periodic):
        lines += ["".join(f"{value:>15.5g}" for value in row) + ("" if periodic else "   not periodic")]
    progress.step("searching for the lift-off speed")
    jump = lift_off_speed(cam)
    begins = f"lift-off begins at {jump:.5g} rad/s" if np.isfinite(jump) else "the follower never lifts off"
    lines += [f"{begins}; {rigid_limit(cam)}"]
    columns = {
        "speed": found.speed,
        "lift_offs": found.lift_offs,
        "openings": found.openings,
        "impacts": found.impacts,
        "highest_gap": found.highest_gap,
        "largest_force": found.largest_force,
        "periodic": found.periodic,
    }
    files: dict[str, str | bytes] = {"cam_sweep.csv": csv_text(columns), **_profile(cam.motion, options)}
    if not options.no_picture:
        from dataclasses import replace

        with of_the_motion():
            last = run_cam(replace(cam, speed=float(speeds[-1])), 3.0)
        _report(files, last, progress, found, source.measured)
    return Output("\n".join(lines), files)


def _outcome(run: Any, options: argparse.Namespace, progress: Any, source: CamSource) -> Output:
    from ..planar.cam.limits import rigid_limit, spring_force
    from ..planar.cam_warnings import cam_warnings

    motion = run.cam.motion
    turns = run.alpha[-1] / (2.0 * np.pi)
    rows = [
        (
            "lift-offs",
            f"{len(run.lift_offs)} in {turns:g} revolutions"
            + (f", first at alpha = {run.lift_offs[0].alpha:.6g}" if run.lift_offs else ""),
        ),
        ("losses", f"{len(run.openings)} losses of contact, rebounds included"),
        ("rigid limit", rigid_limit(run.cam)),
        ("largest gap", f"{1e3 * run.highest_gap:.6g} mm"),
        ("penetration", f"at most {1e3 * max(run.forces.penetration.max(), 0.0):.3g} mm"),
        ("normal force", f"{run.forces.normal.min():.6g} to {run.forces.normal.max():.6g} N"),
        ("spring force", spring_force(run)),
        *_geometry(motion),
    ]
    if source.base is not None:
        default = ", the default of --base" if options.base is None else ""
        rows.append(("base circle", f"radius {1e3 * source.base:.6g} mm{default}"))
    if source.measured is not None:
        rows.append(("measurement", str(source.measured)))
    rows += [("warning", text) for text in cam_warnings(run, source.measured)]
    columns = {
        "time": run.time,
        "alpha": run.alpha,
        "distance": run.distance,
        "velocity": run.velocity,
        "gap": run.gap,
        "normal_force": run.forces.normal,
        "tangential_force": run.forces.tangential,
        "roller_rate": run.roller_rate,
    }
    files: dict[str, str | bytes] = {"cam.csv": csv_text(columns), **_profile(motion, options)}
    if not options.no_picture:
        from ..planar.animation import cam_page

        files["cam.html"] = cam_page(run)
        _report(files, run, progress, None, source.measured)
    return Output(table_text(*rows), files)


def _profile(motion: Any, options: argparse.Namespace) -> dict[str, str | bytes]:
    """Files of the cam's boundary and pitch curve."""
    from ..planar.cam.export import profile_csv, profile_dxf

    files: dict[str, str | bytes] = {"cam_profile.csv": profile_csv(motion)}
    return {**files, "cam_profile.dxf": profile_dxf(motion)} if options.dxf else files


def _geometry(motion: Any) -> list[tuple[str, str]]:
    from ..planar.cam.limits import cam_limits

    limits = cam_limits(motion)
    hollow = f", hollow {1e3 * limits.hollow:.4g} mm" if np.isfinite(limits.hollow) else ""
    return [
        ("pressure angle", f"at most {np.degrees(limits.pressure_angle):.4g} degrees"),
        ("curvature", f"smallest radius {1e3 * limits.sharpest:.4g} mm{hollow}"),
    ]


def _report(files: dict[str, str | bytes], run: Any, progress: Any, sweep: Any, measured: Any) -> None:
    progress.step("drawing the report")
    try:
        from ..planar.cam_report import cam_report
        from ..planar.draw import cam_picture

        files["cam_report.html"] = cam_report(run, sweep, measured)
        if sweep is None:
            files["cam.png"] = cam_picture(run)
    except ImportError as error:
        print(f"no report written: it needs matplotlib, install tangency[viz] ({error})", file=sys.stderr)


def _speeds(low: float, high: float, count: float) -> np.ndarray:
    """The speeds of --sweep LOW HIGH COUNT."""
    for name, value in (("LOW", low), ("HIGH", high)):
        positive(value, f"--sweep {name}")
    if not 1 <= count <= 10_000 or count != int(count):
        raise ValueError(f"--sweep COUNT must be an integer from 1 to 10000, got {count:g}")
    return np.linspace(low, high, int(count))
