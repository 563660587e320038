"""The subcommand ``tangency simulate``: motion of a scene file."""

from __future__ import annotations

import argparse
import csv
import io
import math
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

SHOWN = 10  # impacts in the table

SIMULATE = """\
examples:
  tangency simulate scene.toml                      trajectory in out/scene.npz, energies and joints in
                                                    out/scene.csv, impacts in out/scene-impacts.csv
  tangency simulate scene.toml --duration 2         override the duration in the file
  tangency simulate scene.toml --mode fast          fixed steps, for many bodies
  tangency simulate scene.toml --threads 2          on two cores
  tangency simulate scene.toml --engine lammps --ranks 2    in two processes; more machines: mpiexec -n 64 tangency ...
  tangency simulate scene.toml --resume             continue after an interruption
  tangency simulate scene.toml --stream             long runs: frames go to the folder out/scene.zarr, not into memory
  tangency simulate scene.toml --overwrite          run again from the start
  tangency simulate scene.toml --measure packing,coordination    numbers of every frame in out/scene-measures.csv
  tangency simulate scene.toml --dump ovito         also out/scene.dump, for OVITO; vtk for ParaView
  tangency simulate scene.toml --page out.html      also write an animated page
  tangency simulate scene.toml --import my_laws.py  with laws that this file registers (forces.register)

the exit code is 3 if the motion was computed but is unreliable, for example because it gained energy; the reason is
printed after the table and stored in the file

in addition to its bodies, a scene file has:
  [simulation]
  duration = 1.0                           # seconds
  gravity = [0, 0, -9.81]
  [simulation.normal]
  law = "flores"                           # hertz, kelvin_voigt, hunt_crossley, gonthier, ...
  stiffness = 1e6
  restitution = 0.6
  [simulation.friction]
  law = "tanh"                             # coulomb, bristle, none
  coefficient = 0.3
  speed = 0.01
"""


def add_verb(verbs: Any) -> None:
    """Add ``simulate`` to the command line."""
    verb = verbs.add_parser(
        "simulate",
        help="motion of a scene file (TOML)",
        epilog=SIMULATE,
        description="Simulate the bodies of a scene file, with contacts and energies.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("scene", help="scene file (TOML) with a table [simulation]")
    verb.add_argument("--out", metavar="DIR", default="out", help="folder for the files (default: out)")
    verb.add_argument("--duration", type=float, metavar="S", help="[s] (default: as in the file)")
    verb.add_argument("--mode", choices=("accurate", "fast"), help="default: as in the file, else accurate")
    verb.add_argument("--step", type=float, metavar="S", help="step of the fast mode [s]")
    verb.add_argument(
        "--threads", type=int, metavar="N", help="threads of the fast mode; the result is the same for any"
    )
    text = "which program divides the bodies among processes: none, or LAMMPS (fast mode; the same files)"
    verb.add_argument("--engine", choices=("tangency", "lammps"), default="tangency", help=text)
    verb.add_argument("--ranks", type=int, metavar="N", help="processes of LAMMPS on this machine (default: 1)")
    text = "Python file to run first, which registers your own laws by name; may be repeated"
    verb.add_argument("--import", dest="own_code", metavar="FILE", action="append", default=[], help=text)
    verb.add_argument("--resume", action="store_true", help="continue from the files of an interrupted run")
    verb.add_argument("--overwrite", action="store_true", help="replace the files of an earlier run")
    text = "stream the motion to a folder DIR/scene.zarr in the Zarr format, for runs that do not fit into memory"
    verb.add_argument("--stream", action="store_true", help=text)
    text = "comma-separated: packing, coordination, orientation, stress, fabric, energy, flow, repose; "
    text += "layers, network (last frame)"
    verb.add_argument("--measure", metavar="NAMES", help=text)
    text = "write the motion for another program: ovito (.dump), vtk (.pvd, for ParaView), or both with a comma"
    verb.add_argument("--dump", metavar="FORMS", help=text)
    verb.add_argument("--page", metavar="FILE", help="write a self-contained animated page (.html)")
    verb.add_argument("--frames", metavar="DIR", help="write images frame_0000.png, ... for a video")
    text = "frames per second of the page and the images (default: 30)"
    verb.add_argument("--fps", type=float, metavar="N", help=text)


class Answer(NamedTuple):
    """Text to print, files to write and files already written."""

    text: str
    path: Path  # of the trajectory, written already
    tables: dict[Path, str]  # CSV to write
    more: list[Path]  # pages and pictures, written already
    warnings: list[str]


def run(options: argparse.Namespace) -> Answer | None:
    """Simulate a scene file; None on a rank of LAMMPS that has no result."""
    from ..dynamics.files import FileError
    from ..dynamics.scene import options_of, world_of
    from ..dynamics.simulate import simulate
    from ..io.progress import Progress
    from ..scene import SceneError, load_scene
    from ..scene.lines import mistakes_in
    from .earlier_runs import check_earlier_run, remove_derived
    from .engines import on_engine
    from .measures import check_measures, chosen_dumps, chosen_measures, measure_tables
    from .mistakes import Mistake, of_the_motion, of_the_user
    from .own_code import import_file
    from .targets import require_folder, require_folder_of

    if options.page is not None and not options.page.endswith((".html", ".htm")):
        raise Mistake(f"--page must be followed by a name ending in .html, got {options.page!r}")
    if options.fps is not None and options.page is None and options.frames is None:
        raise Mistake("--fps needs --page or --frames")
    fps = 30.0 if options.fps is None else options.fps
    if not 0.0 < fps < math.inf:
        raise Mistake(f"--fps must be > 0 and finite, got {options.fps!r}")
    measures = chosen_measures(options.measure)
    forms = chosen_dumps(options.dump)
    for name in options.own_code:
        import_file(name)
    with of_the_user():
        scene = load_scene(options.scene)
    if options.duration is not None:
        scene.simulation["duration"] = options.duration
    if options.mode is not None:
        scene.simulation["mode"] = options.mode
    with of_the_user():
        given = options_of(scene)
    given |= {key: getattr(options, key) for key in ("step", "threads") if getattr(options, key) is not None}
    path = Path(options.out) / f"{Path(options.scene).stem}{'.zarr' if options.stream else '.npz'}"
    check_earlier_run(path, resume=options.resume, overwrite=options.overwrite)
    with of_the_user():
        world = world_of(scene)
        with mistakes_in(scene.source):
            check_measures(world, scene.measure)
    require_folder(options.out, "--out")
    require_folder_of(options.page, "--page")
    if options.frames is not None:
        require_folder(options.frames, "--frames")
    if options.overwrite and not options.resume:
        remove_derived(path)
    with of_the_motion(), mistakes_in(scene.source), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # they are in the result, too
        try:
            files = {"checkpoint": path, "resume": options.resume, "overwrite": options.overwrite}
            if options.engine == "lammps":
                trajectory = on_engine(world, given, files)
            else:
                trajectory = simulate(world, progress=True, **files, **given)
        except KeyboardInterrupt:
            if path.exists():
                print(f"tangency: interrupted; {path} holds the motion so far, --resume continues", file=sys.stderr)
            raise
        except FileError as error:
            raise Mistake(str(error).replace("overwrite=True", "--overwrite")) from None
        except (TypeError, ValueError) as error:
            if str(error).partition(" ")[0] not in scene.simulation:
                raise
            raise SceneError(f"[simulation]: {error}", ("simulation",)) from None
    if trajectory is None:
        return None
    colors = {body.name: body.color for body in scene.wholes if body.color}
    many = {group.name: group.color for group in scene.groups}
    colors |= {name: color for key, color in many.items() if color for name in world[key].names}
    more: list[Path] = []
    if options.page is not None:
        with Progress() as shown:
            shown.step("writing the page")
            more.append(trajectory.animate(options.page, title=scene.title, fps=fps, colors=colors))
    if options.frames is not None:
        try:
            trajectory.frames(options.frames, fps=fps, colors=colors, progress=True)
            more.append(Path(options.frames))
        except ImportError as error:
            raise Mistake(f"--frames needs matplotlib, install tangency[viz] ({error})") from None
    for form in forms:
        with of_the_user():
            more += trajectory.dump(path.with_suffix(".dump"), form)
    tables = {path.with_suffix(".csv"): energies_csv(trajectory)}
    if not options.stream:  # a streamed log may not fit into memory
        tables[path.with_name(f"{path.stem}-impacts.csv")] = impacts_csv(trajectory)
    text = table(trajectory, many, hardest=not options.stream)
    if options.measure is not None:
        with of_the_motion():
            lines, found = measure_tables(trajectory, measures, scene.measure, path)
        text, tables = "\n".join([text, *lines]), tables | found
    return Answer(text, path, tables, more, trajectory.info["warnings"])


def table(trajectory: Any, groups: Iterable[str] = (), hardest: bool = True) -> str:
    """Final positions and velocities, energies, hardest impacts and warnings; one line for each of the groups."""
    last = trajectory.contacts.at(-1)
    touched = np.bincount(np.concatenate([last.body_a, last.body_b]), minlength=len(trajectory.names))
    here = np.flatnonzero(trajectory.present(-1))
    own = {name: np.arange(len(trajectory.names))[trajectory.group(name)] for name in groups}
    grouped = {int(k) for part in own.values() for k in part}
    rows = [(name, np.array([k])) for k, name in enumerate(trajectory.names) if k not in grouped]
    rows += [(f"{name} ({len(part)})", part) for name, part in own.items()]
    lines = [f"{'body':<18}{'x':>11}{'y':>11}{'z':>11}{'speed':>11}{'spin':>11}{'contacts':>10}"]
    lines.append(f"{'':<18}{'[m]':>11}{'':>11}{'':>11}{'[m/s]':>11}{'[rad/s]':>11}")
    for name, whole in rows:
        part = np.intersect1d(whole, here)
        if not len(part):
            lines.append(f"{name[:17]:<18}{'none of them is there':>33}")
            continue
        place = "".join(f"{value + 0.0:>11.5f}" for value in trajectory.position[-1, part].mean(axis=0).round(5))
        rates = (trajectory.velocity, trajectory.angular_velocity)
        speed, spin = (np.linalg.norm(v[-1, part], axis=1).max() for v in rates)
        lines.append(f"{name[:17]:<18}{place}{speed:>11.4g}{spin:>11.4g}{touched[part].sum():>10}")
    lines += _joints(trajectory)
    if trajectory.removed is not None:
        gone, waiting = np.isfinite(trajectory.removed).sum(), np.isinf(trajectory.added).sum()
        lines.append(f"{gone} bodies were removed, {waiting} are still to be poured")
    if "at_rest" in trajectory.info:
        lines.append(f"at rest at t = {trajectory.info['at_rest']:g} s")
    if own:
        lines.append("groups: mean position, largest speed and spin, all contacts")
    energy = {name: values[-1] for name, values in trajectory.energy.items()}
    parts = ", ".join(f"{name} {value:.6g}" for name, value in energy.items() if name != "work" or value != 0.0)
    lines.append(f"energy at t = {trajectory.time[-1]:g} s [J]: {parts}")
    start, end = trajectory.mechanical_energy[[0, -1]]
    lines.append(
        f"mechanical energy {start:.6g} J at the start, {end:.6g} J at the end; {trajectory.info['steps']} steps"
    )
    lines += _hardest(trajectory) if hardest else [f"{len(trajectory.impacts)} contacts began"]
    lines += [f"warning: {sentence}" for sentence in trajectory.info.get("warnings", [])]
    return "\n".join(lines)


def _hardest(trajectory: Any) -> list[str]:
    """The impacts with the largest energy, in order of time."""
    log = trajectory.impacts
    shown = np.sort(np.argsort(-log.energy, kind="stable")[:SHOWN])
    lines = [f"{len(log)} contacts began" + (f"; the {SHOWN} with the largest energy:" if len(log) > SHOWN else "")]
    if len(log):
        head = f"{'t [s]':>12}  {'bodies':<30}{'speed [m/s]':>13}{'impulse [N s]':>15}"
        lines.append(f"{head}{'duration [s]':>14}{'lost [J]':>12}")
    for k in shown:
        who = f"{trajectory.names[log.body_a[k]]}, {trajectory.names[log.body_b[k]]}"
        lasted = f"{log.duration[k]:.3g}" if log.over[k] else "ongoing"
        lines.append(
            f"{log.time[k]:>12.6g}  {who[:29]:<30}{log.speed[k]:>13.4g}{log.impulse[k]:>15.4g}{lasted:>14}"
            f"{log.dissipated[k]:>12.3g}"
        )
    return lines


def impacts_csv(trajectory: Any) -> str:
    """One line per contact, in the order in which they began."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    numbers = ("time", "speed", "impulse", "duration", "dissipated", "energy")
    writer.writerow(["body_a", "body_b", *numbers, "over"])
    log, names = trajectory.impacts, trajectory.names
    for k in range(len(log)):
        values = [repr(float(getattr(log, name)[k])) for name in numbers]
        writer.writerow([names[log.body_a[k]], names[log.body_b[k]], *values, int(log.over[k])])
    return target.getvalue()


def joint_columns(trajectory: Any) -> tuple[list[str], np.ndarray]:
    """Titles, such as ``knee position``, and columns of the joints of all mechanisms."""
    titles, columns = [], [np.zeros((len(trajectory.time), 0))]
    for name in trajectory.joints.names if trajectory.joints is not None else ():
        for kind, values in trajectory.joint(name)._asdict().items():
            values = values.reshape(len(values), -1)
            numbers = [""] if values.shape[1] == 1 else [f" {k}" for k in range(values.shape[1])]
            titles += [f"{name} {kind}{number}" for number in numbers]
            columns.append(values)
    return titles, np.concatenate(columns, axis=1)


def _joints(trajectory: Any) -> list[str]:
    """Final positions and velocities of joints of one degree of freedom."""
    names = trajectory.joints.names if trajectory.joints is not None else ()
    shown = [(name, trajectory.joint(name)) for name in names]
    lines = [
        f"{name[:17]:<18}{motion.position[-1] + 0.0:>11.5f}{motion.velocity[-1]:>11.4g}{motion.torque[-1]:>11.4g}"
        for name, motion in shown
        if motion.position.ndim == 1
    ]
    return [f"{'joint':<18}{'position':>11}{'velocity':>11}{'torque':>11}", *lines] if lines else []


def energies_csv(trajectory: Any) -> str:
    """One line per frame: time, energies, number of contacts; positions, velocities and torques of joints."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    titles, columns = joint_columns(trajectory)
    writer.writerow(["time", *trajectory.energy, "contacts", *titles])
    counts = np.diff(trajectory.contacts.first)
    for f, time in enumerate(trajectory.time):
        energies = (repr(float(e[f])) for e in trajectory.energy.values())
        writer.writerow([repr(float(time)), *energies, int(counts[f]), *(repr(float(x)) for x in columns[f])])
    return target.getvalue()
