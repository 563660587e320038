"""The subcommand ``tangency planar``: a rolling foot, and a cam (``planar_cam.py``)."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from .command_help import CommandHelp
from .mistakes import Mistake, of_the_motion
from .planar_cam import CAM, add_options
from .planar_cam import run as run_cam
from .planar_output import Output, csv_text, table_text

PLANAR = """\
examples:
  tangency planar foot                     a rocking foot: numbers, picture and animated page in out/
  tangency planar cam                      a cam with a roller tappet, as in the paper
  tangency planar cam --profile lift.csv --follower flat   your own cam: report, profile, forces
  tangency planar foot --help              all parameters of the foot
"""

FOOT = """\
examples:
  tangency planar foot                              rocks about its equilibrium for 5 s
  tangency planar foot --rate -1 --friction 0.2     slips and rolls again
  tangency planar foot --height 0.05 --friction 0.4 --restitution 0.3   dropped: lands, bounces, rocks
  tangency planar foot --ground-radius -1           in a bowl; a positive radius: on a bump
  tangency planar foot --centre 0 0 --alpha -1.5 --rate 12   the paper's centre of mass P: heel to toe
  tangency planar foot --ellipse 0.15 0.1           an ellipse instead
"""


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
        help="a convex body rolling on the ground",
        formatter_class=raw,
        epilog=FOOT,
        description="A convex body rolls, slips, flies and lands on the ground (Römer 2-D, section 6.1).",
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
    sliding = "friction coefficient while it slips (default: as --friction)"
    foot.add_argument("--sliding-friction", **number, help=sliding)
    foot.add_argument("--restitution", default=0.0, **number, help="of landings, 0 to 1 (default 0)")
    around = "radius of the ground [m]: positive for a bump, negative for a bowl (default: a line)"
    foot.add_argument("--ground-radius", default=float("inf"), **number, help=around)
    foot.add_argument("--slope", default=0.0, **number, help="angle by which the ground falls towards +x [rad]")
    foot.add_argument("--alpha", default=0.35, **number, help="initial angle, clockwise [rad] (default 0.35)")
    foot.add_argument("--rate", default=0.0, **number, help="initial angular rate [rad/s] (default 0)")
    foot.add_argument("--slip", default=0.0, **number, help="initial velocity of the contact point [m/s] (default 0)")
    foot.add_argument("--height", default=0.0, **number, help="initial height above the ground [m] (default 0)")
    foot.add_argument("--only-rolling", action="store_true", help="stop where it would slip or lift off (Eq. 89)")
    foot.add_argument("--whole", action="store_true", help="let it roll on its whole boundary, not on the sole alone")
    foot.add_argument("--duration", default=5.0, **number, help="[s] (default 5)")
    cam = examples.add_parser(
        "cam",
        help="a cam with its follower and a spring",
        formatter_class=raw,
        epilog=CAM,
        description="A cam lifts its follower (Römer 2-D, section 6.2): contact, lift-off, impact, report, export.",
    )
    add_options(cam)
    for verb in (foot, cam):
        verb.add_argument("--out", metavar="DIR", default="out", help="folder for the files (default: out)")
        verb.add_argument("--no-picture", action="store_true", help="write no PNG and no HTML, only numbers")


def run(options: argparse.Namespace, progress: Any) -> Output:
    """Run an example; the caller writes the files."""
    progress.step("computing the motion (compiling at first use)")
    return _foot(options, progress) if options.example == "foot" else run_cam(options, progress)


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
            sliding_friction=options.sliding_friction,
            restitution=options.restitution,
            ground_radius=options.ground_radius,
            slope=options.slope,
            **({"sole": None} if options.whole else {}),
        )
        run = foot.run(
            options.alpha,
            options.rate,
            options.duration,
            slip=options.slip,
            height=options.height,
            only_rolling=options.only_rolling,
        )
    drift = run.balance_error / max(float(np.abs(run.energy).max()), 1e-300)
    losses = ""
    if run.events:
        losses = f"; {run.friction_loss[-1]:.6g} J to friction, {run.impact_loss[-1]:.6g} J to impacts"
    rest = ", ".join(f"{round(float(alpha), 12) + 0.0:.6g}" for alpha in foot.balance())
    text = table_text(
        ("end", run.message),
        ("equilibria", f"alpha = {rest} rad" if rest else "none, or all angles"),
        ("angle", f"{run.alpha.min():.6g} to {run.alpha.max():.6g} rad"),
        ("normal force", f"{run.force[:, 1].min():.6g} to {run.force[:, 1].max():.6g} N"),
        ("friction needed", f"{run.friction_demand.max():.6g}"),
        ("energy", f"{run.energy[0]:.6g} J{losses}, drift {drift:.1e}"),
    )
    columns = {
        "time": run.time,
        "alpha": run.alpha,
        "rate": run.rate,
        "acceleration": run.acceleration,
        "x": run.reference[:, 0],
        "y": run.reference[:, 1],
        "contact_x": run.contact[:, 0],
        "contact_y": run.contact[:, 1],
        "gap": run.gap,
        "slip": run.slip,
        "force_x": run.force[:, 0],
        "force_y": run.force[:, 1],
        "energy": run.energy,
        "friction_loss": run.friction_loss,
        "impact_loss": run.impact_loss,
    }
    files: dict[str, str | bytes] = {"foot.csv": csv_text(columns)}
    if not options.no_picture:
        from ..planar.animation import foot_page

        files["foot.html"] = foot_page(run)
        _picture(files, "foot.png", run, progress)
    return Output(text, files)


def _picture(files: dict[str, str | bytes], name: str, run: Any, progress: Any) -> None:
    progress.step("drawing the picture")
    try:
        from ..planar import draw

        files[name] = draw.foot_picture(run)
    except ImportError as error:
        print(f"no PNG written: it needs matplotlib, install tangency[viz] ({error})", file=sys.stderr)
