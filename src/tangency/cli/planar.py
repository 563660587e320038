"""The subcommand ``tangency planar``: the two examples of Römer 2-D with their parameters."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from typing import Any, NamedTuple

import numpy as np

from ..io.numbers import positive
from .command_help import CommandHelp
from .mistakes import Mistake, of_the_motion, of_the_user

PLANAR = """\
examples:
  tangency planar foot                     a rocking foot: numbers, picture and animated page in out/
  tangency planar cam                      a cam with a roller tappet, as in the paper
  tangency planar foot --help              all parameters of the foot
"""

FOOT = """\
examples:
  tangency planar foot                              rocks about its equilibrium for 5 s
  tangency planar foot --rate -1 --friction 0.3     until it slips
  tangency planar foot --centre 0 0 --alpha -1.5 --rate 12   the paper's centre of mass P: heel to toe
  tangency planar foot --ellipse 0.15 0.1           an ellipse instead
"""

CAM = """\
examples:
  tangency planar cam                               the paper's parameters: one lift-off per revolution
  tangency planar cam --spring 2000                 a stiffer spring keeps the roller on the cam
  tangency planar cam --radius 0.006 --speed 60     another roller on the same cam
  tangency planar cam --sweep 60 120 7              lift-offs, gap and force against speed
  tangency planar cam --profile points.csv          your own cam: lines "x, y" of its boundary, in metres
"""


class Output(NamedTuple):
    """Text to print and files to write."""

    text: str
    files: dict[str, str | bytes]


def add_verb(verbs: Any) -> None:
    """Add ``planar`` to the command line."""
    raw = argparse.RawDescriptionHelpFormatter
    planar = verbs.add_parser(
        "planar",
        help="planar examples: a rolling foot, a cam",
        formatter_class=CommandHelp,
        epilog=PLANAR,
        description="Planar contact: a foot that rolls on the ground, a cam with a roller tappet.",
    )
    examples = planar.add_subparsers(dest="example", metavar="example", title="mechanisms", required=True)
    foot = examples.add_parser(
        "foot",
        help="a convex body rolling on flat ground",
        formatter_class=raw,
        epilog=FOOT,
        description="A convex body rolls without slipping (Römer 2-D, section 6.1), until rolling fails.",
    )
    number = {"type": float, "metavar": "X"}
    foot.add_argument("--radius", **number, help="R of the foot's shape, Eq. (85) [m] (default 0.1)")
    foot.add_argument("--ellipse", nargs=2, type=float, metavar=("A", "B"), help="an ellipse instead: semi-axes [m]")
    foot.add_argument("--mass", default=1.0, **number, help="[kg] (default 1)")
    foot.add_argument("--inertia", **number, help="about the centre of mass [kg m^2] (default: uniform plate)")
    centre = "centre of mass in the shape's frame [m]; 0 0 is the paper's P (default: the centroid)"
    foot.add_argument("--centre", nargs=2, type=float, metavar=("X", "Y"), help=centre)
    foot.add_argument("--gravity", default=9.81, **number, help="[m/s^2] (default 9.81)")
    foot.add_argument(
        "--friction", default=float("inf"), **number, help="static friction coefficient mu_0 (default: infinite)"
    )
    foot.add_argument("--alpha", default=0.35, **number, help="initial angle, clockwise [rad] (default 0.35)")
    foot.add_argument("--rate", default=0.0, **number, help="initial angular rate [rad/s] (default 0)")
    foot.add_argument("--duration", default=5.0, **number, help="[s] (default 5)")
    cam = examples.add_parser(
        "cam",
        help="a cam with a roller tappet and a spring",
        formatter_class=raw,
        epilog=CAM,
        description="A cam lifts a roller tappet (Römer 2-D, section 6.2): contact, lift-off, impact.",
    )
    cam.add_argument("--speed", **number, help="of the cam [rad/s] (default 100)")
    cam.add_argument("--revolutions", **number, help="(default 3)")
    cam.add_argument("--radius", default=0.01, **number, help="of the roller [m] (default 0.01)")
    cam.add_argument("--profile", metavar="FILE", help="boundary of your own cam: lines x, y [m] around its axis")
    cam.add_argument("--spring", default=200.0, **number, help="stiffness c [N/m] (default 200)")
    cam.add_argument("--rest", default=0.0, **number, help="z_0 of the spring, Eq. (106a) [m] (default 0)")
    cam.add_argument("--mass", default=0.025, **number, help="of tappet and roller [kg] (default 0.025)")
    cam.add_argument("--roller-inertia", default=1.25e-6, **number, help="[kg m^2] (default 1.25e-6)")
    cam.add_argument("--restitution", default=0.6, **number, help="c_r of Eq. (103) (default 0.6)")
    cam.add_argument("--friction", default=0.6, **number, help="mu of Eq. (105) (default 0.6)")
    cam.add_argument("--slip-speed", default=0.01, **number, help="k in tanh(v / k), Eq. (105) [m/s] (default 0.01)")
    cam.add_argument("--sweep", nargs=3, type=float, metavar=("LOW", "HIGH", "COUNT"), help="table against speed")
    for verb in (foot, cam):
        verb.add_argument("--out", metavar="DIR", default="out", help="folder for the files (default: out)")
        verb.add_argument("--no-picture", action="store_true", help="write no PNG and no HTML, only numbers")


def run(options: argparse.Namespace, progress: Any) -> Output:
    """Run an example; the caller writes the files."""
    progress.step("computing the motion (compiling at first use)")
    return _foot(options, progress) if options.example == "foot" else _cam(options, progress)


def _foot(options: argparse.Namespace, progress: Any) -> Output:
    from ..planar.rolling.foot import RollingFoot
    from ..planar.shapes import Ellipse, foot_shape

    if options.ellipse and options.radius is not None:
        raise Mistake("--radius must not be given with --ellipse, which replaces the shape")
    with of_the_motion():
        radius = 0.1 if options.radius is None else options.radius
        shape = Ellipse(options.ellipse) if options.ellipse else foot_shape(radius)
        foot = RollingFoot(
            shape,
            mass=options.mass,
            inertia=options.inertia,
            centre_of_mass=options.centre if options.centre else shape.centroid,
            gravity=options.gravity,
            friction=options.friction,
        )
        run = foot.run(options.alpha, options.rate, options.duration)
    drift = np.abs(run.energy - run.energy[0]).max() / max(abs(run.energy[0]), 1e-300)
    rest = ", ".join(f"{round(float(alpha), 12) + 0.0:.6g}" for alpha in foot.balance()) or "none"
    text = _table(
        ("end", run.message),
        ("equilibria", f"alpha = {rest} rad"),
        ("angle", f"{run.alpha.min():.6g} to {run.alpha.max():.6g} rad"),
        ("normal force", f"{run.force[:, 1].min():.6g} to {run.force[:, 1].max():.6g} N"),
        ("friction needed", f"{run.friction_demand.max():.6g}"),
        ("energy", f"{run.energy[0]:.6g} J, drift {drift:.1e}"),
    )
    columns = {
        "time": run.time,
        "alpha": run.alpha,
        "rate": run.rate,
        "acceleration": run.acceleration,
        "x": run.reference[:, 0],
        "y": run.reference[:, 1],
        "contact_x": run.contact[:, 0],
        "force_x": run.force[:, 0],
        "force_y": run.force[:, 1],
        "energy": run.energy,
    }
    files: dict[str, str | bytes] = {"foot.csv": _csv(columns)}
    if not options.no_picture:
        from ..planar.animation import foot_page

        files["foot.html"] = foot_page(run)
        _picture(files, "foot.png", run, progress)
    return Output(text, files)


def _cam(options: argparse.Namespace, progress: Any) -> Output:
    from ..planar.cam.run import run_cam
    from ..planar.cam.sweep import lift_off_speed, sweep_speed
    from ..planar.cam.tappet import CamTappet
    from ..planar.pitch.profile import cam_pitch, pitch_from_profile

    for name in ("speed", "revolutions"):
        if options.sweep and getattr(options, name) is not None:
            raise Mistake(f"--{name} must not be given with --sweep, which sets the speeds itself")
    speed = 100.0 if options.speed is None else options.speed
    revolutions = 3.0 if options.revolutions is None else options.revolutions
    with of_the_user():
        if options.profile:
            pitch = pitch_from_profile(_points(options.profile), options.radius)
        else:
            pitch = cam_pitch(0.01).change_radius(options.radius)
        cam = CamTappet(
            pitch,
            speed=speed,
            mass=options.mass,
            roller_inertia=options.roller_inertia,
            spring=options.spring,
            rest=options.rest,
            restitution=options.restitution,
            friction=options.friction,
            slip_speed=options.slip_speed,
        )
    files: dict[str, str | bytes] = {}
    if options.sweep:
        with of_the_user():
            speeds = _speeds(*options.sweep)
        progress.step("running the cam at each speed")
        with of_the_motion():
            found = sweep_speed(cam, speeds)
        names = ("speed", "lift-offs", "impacts", "largest gap", "largest force")
        units = ("[rad/s]", "per rev.", "per rev.", "[mm]", "[N]")
        lines = ["".join(f"{word:>15}" for word in words) for words in (names, units)]
        rows = zip(found.speed, found.lift_offs, found.impacts, 1e3 * found.highest_gap, found.largest_force)
        for row, periodic in zip(rows, found.periodic):
            lines += ["".join(f"{value:>15.5g}" for value in row) + ("" if periodic else "   not periodic")]
        progress.step("searching for the lift-off speed")
        lines += [f"lift-off begins at {lift_off_speed(cam):.5g} rad/s; rigid limit {cam.rigid_lift_off_speed():.5g}"]
        columns = {
            "speed": found.speed,
            "lift_offs": found.lift_offs,
            "impacts": found.impacts,
            "highest_gap": found.highest_gap,
            "largest_force": found.largest_force,
            "periodic": found.periodic,
        }
        return Output("\n".join(lines), {"cam_sweep.csv": _csv(columns)})
    with of_the_motion():
        run = run_cam(cam, revolutions)
    text = _table(
        (
            "lift-offs",
            f"{len(run.lift_offs)} in {revolutions:g} revolutions"
            + (f", first at alpha = {run.lift_offs[0].alpha:.6g}" if run.lift_offs else ""),
        ),
        ("rigid limit", f"a rigid roller leaves the cam above {cam.rigid_lift_off_speed():.6g} rad/s"),
        ("largest gap", f"{1e3 * run.highest_gap:.6g} mm"),
        ("penetration", f"at most {1e3 * run.forces.penetration.max():.3g} mm"),
        ("normal force", f"at most {run.forces.normal.max():.6g} N"),
        ("contact", str(pitch.uniqueness())),
    )
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
    files["cam.csv"] = _csv(columns)
    if not options.no_picture:
        from ..planar.animation import cam_page

        files["cam.html"] = cam_page(run)
        _picture(files, "cam.png", run, progress)
    return Output(text, files)


def _picture(files: dict[str, str | bytes], name: str, run: Any, progress: Any) -> None:
    progress.step("drawing the picture")
    try:
        from ..planar import draw

        files[name] = draw.foot_picture(run) if name == "foot.png" else draw.cam_picture(run)
    except ImportError as error:
        print(f"no PNG written: it needs matplotlib, install tangency[viz] ({error})", file=sys.stderr)


def _speeds(low: float, high: float, count: float) -> np.ndarray:
    """The speeds of --sweep LOW HIGH COUNT."""
    for name, value in (("LOW", low), ("HIGH", high)):
        positive(value, f"--sweep {name}")
    if not 1 <= count <= 10_000 or count != int(count):
        raise ValueError(f"--sweep COUNT must be an integer from 1 to 10000, got {count:g}")
    return np.linspace(low, high, int(count))


def _points(path: str) -> np.ndarray:
    """Points of a text file, one "x, y" or "x y" per line; lines that begin with # are comments."""
    with open(path, encoding="utf-8-sig") as file:
        lines = [line.split("#")[0].replace(",", " ").replace(";", " ").split() for line in file]
    rows = [(k, words) for k, words in enumerate(lines, 1) if words]
    if len(rows) > 1 and not _numeric(rows[0][1]):
        rows = rows[1:]  # a header
    for k, words in rows:
        if len(words) != 2 or not _numeric(words):
            raise ValueError(f"{path}, line {k}, must hold two numbers x, y, got {' '.join(words)!r}")
    return np.array([[float(word) for word in words] for _, words in rows]).reshape(-1, 2)


def _numeric(words: list[str]) -> bool:
    try:
        return bool([float(word) for word in words])
    except ValueError:
        return False


def _table(*rows: tuple[str, str]) -> str:
    return "\n".join(f"{name:<16} {value}" for name, value in rows)


def _csv(columns: dict[str, np.ndarray]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([repr(float(v)) for v in row] for row in zip(*columns.values()))
    return target.getvalue()
