"""Lopes thesis, chapter 6: a person who walks, on 6 ellipsoids or 31 points under each foot.

A motion that obeys the laws of motion is fitted to one cycle of walking (`walking.tracking`), Eq. (6.1).  Its torques
drive a simulation: in pieces without feedback, which checks the fit, and over the whole cycle with a feedback, without
which walking is unstable.  Then muscles take the place of the torques.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..io.progress import Progress
from .study import Cell, Result, Study, Table
from .walking.cycle import HEIGHT, Cycle, artificial_cycle, measured_cycle
from .walking.excitations import Excitations, Leg
from .walking.feedback import plan
from .walking.foot import KINDS
from .walking.foot_calibration import Calibration, calibrate_foot
from .walking.muscle_walk import muscle_walk
from .walking.muscles import MUSCLES
from .walking.person import ROOT, SIDES, actuated
from .walking.pictures import SHOWN, figure, page
from .walking.simulation import PIECE, RTOL, Pieces, Walk, pieces, walk
from .walking.tracking import Motion, Tracker, deviations

PRINTED = {"points": (7.8247, 2.4980e-4), "ellipsoids": (6.4205, 3.4230e-4)}  # Table 6.1: time, step [s]
WITH_MUSCLES = "ellipsoids"  # the feet on which muscles drive the person, too


class Outcome(NamedTuple):
    """Everything about one kind of foot."""

    fitted: Motion
    pieces: Pieces
    walk: Walk  #: driven by torques
    foot: Calibration
    legs: list[Excitations]  #: none without muscles
    driven: Walk | None  #: driven by muscles


def outcome(kind: str, cycle: Cycle, size: int, progress: Progress) -> Outcome:
    """Fit and simulate the cycle on one kind of foot."""
    tracker = Tracker(KINDS[kind](), cycle, HEIGHT)
    progress.step(f"{kind}: calibrating the foot alone")
    foot = calibrate_foot(tracker.foot, cycle)
    found = tracker.fit(size, progress, kind)
    progress.step(f"{kind}: gains of the feedback")
    fitted, planned = tracker.motion(found), plan(tracker, found)
    short = pieces(tracker, planned, progress, kind)
    walked = walk(tracker, planned, progress, f"{kind}, torques")
    legs, driven = [], None
    if kind == WITH_MUSCLES:
        legs = excitations(fitted, progress, kind)
        driven = muscle_walk(tracker, planned, legs, progress, f"{kind}, muscles")
    return Outcome(fitted, short, walked, foot, legs, driven)


def excitations(fitted: Motion, progress: Progress, kind: str) -> list[Excitations]:
    """Excitations of the muscles of the right and left leg along a motion."""
    legs = []
    for name, own in zip(SIDES, actuated().reshape(len(SIDES), -1)):

        def report(k: int, value: float, name: str = name) -> None:
            progress.step(f"{kind}: excitations of the {name} leg, iteration {k}: {value:.5g}")

        legs.append(Leg(fitted.time, fitted.q[:, own], fitted.torque[:, own]).excitations(report))
    return legs


def run_measured(size: int, seed: int, progress: Progress, path: str) -> Result:
    """The first complete cycle of a recording, with at most `size` iterations of the fit."""
    cycle = measured_cycle(path)
    return report({kind: outcome(kind, cycle, size, progress) for kind in KINDS}, cycle, "the measured cycle")


def run(size: int, seed: int, progress: Progress) -> Result:
    """The same for the made-up cycle."""
    cycle = artificial_cycle()
    return report({kind: outcome(kind, cycle, size, progress) for kind in KINDS}, cycle, "the made-up cycle")


def report(found: dict[str, Outcome], cycle: Cycle, name: str) -> Result:
    """Tables, figure and page of the outcomes of all kinds of feet."""
    tables = [
        _agreement(found, cycle, name),
        _dynamics(found, cycle),
        _cost(found),
        _muscles(found[WITH_MUSCLES]),
        _calibrated(found),
    ]
    walks = {kind: o.walk for kind, o in found.items()}
    shown = found[WITH_MUSCLES].driven or found[WITH_MUSCLES].walk
    columns, rows = _curves(cycle, {**walks, "muscles": shown})
    return Result(
        tables,
        NOTES,
        columns,
        rows,
        lambda: figure(cycle, walks, found[WITH_MUSCLES].legs),
        lambda: page(shown.motion, f"A person who walks on {WITH_MUSCLES}, driven by muscles"),
    )


def _curves(cycle: Cycle, walks: dict[str, Walk]) -> tuple[list[str], list[list[float]]]:
    """Ground reactions [N] and angles of hips, knees and ankles [deg], followed and simulated, over the time [s]."""
    n, titles, parts = len(cycle.time), ["time"], [cycle.time[:, None]]
    signs = np.tile([sign for _, sign in SHOWN], len(SIDES))
    all_of = {"followed": (cycle.force, cycle.position), **{who: (w.force, w.q) for who, w in walks.items()}}
    for who, (force, q) in all_of.items():
        titles += [f"{who}_{side}_{c}" for side in SIDES for c in ("forward", "up")]
        titles += [f"{who}_{side}_{angle.replace(' ', '_')}" for side in SIDES for angle, _ in SHOWN]
        parts += [force.reshape(n, 4), np.degrees(q[:, actuated()]) * signs]
    return titles, np.column_stack(parts).tolist()


def _agreement(found: dict[str, Outcome], cycle: Cycle, name: str) -> Table:
    rows: list[list[Cell]] = []
    for kind, o in found.items():
        walks: list[tuple[str, Any]] = [("fitted", o.fitted), (f"torques, pieces of {PIECE:g} s", o.pieces)]
        walks.append(("torques and feedback", o.walk))
        if o.driven is not None:
            walks.append(("muscles and feedback", o.driven))
        for text, own in walks:
            d = deviations(own.q, own.force, cycle)
            fed = f"{_rms(own.correction):.1f}" if isinstance(own, Walk) else ""
            numbers = [f"{d['up']:.3f}", f"{d['forward']:.3f}", f"{d['angles']:.1f}", f"{d['pitch']:.1f}", fed]
            rows.append([kind, text, *numbers])
    zero = [f"{_rms(cycle.force[..., c]) / cycle.weight:.3f}" for c in (1, 0)]
    rows.append(["", "predicting zero", *zero, "", "", ""])
    torque = _rms(found[WITH_MUSCLES].fitted.torque[:, actuated()])
    header = (
        "elements",
        "motion",
        "up [weights]",
        "forward [weights]",
        "hip, knee, ankle [deg]",
        "pitch of foot [deg]",
    )
    about = f"RMS deviations from {name}, and RMS torque of the feedback (that of the fitted motion: {torque:.1f} N m)."
    return Table((*header, "feedback [N m]"), rows, about)


def _dynamics(found: dict[str, Outcome], cycle: Cycle) -> Table:
    """How well the fitted motion obeys the laws of motion."""
    rows: list[list[Cell]] = []
    for kind, o in found.items():
        root, passive = o.fitted.torque[:, :2] / cycle.weight, np.delete(o.fitted.torque, actuated(), axis=1)[:, ROOT:]
        apart = np.abs(o.pieces.apart)
        angle = np.degrees(apart[:, 2:])
        rows.append(
            [
                kind,
                f"{_rms(root):.4f}",
                f"{_rms(o.fitted.torque[:, 2]):.2f}",
                f"{_rms(passive):.2f}",
                f"{1e3 * _rms(apart[:, :2]):.1f}, {1e3 * apart[:, :2].max():.1f}",
                f"{_rms(angle):.2f}, {angle.max():.2f}",
            ]
        )
    header = (
        "elements",
        "force on the trunk [weights]",
        "torque on the trunk [N m]",
        "torque in the foot [N m]",
        "hip after a piece [mm]",
        "angles after a piece [deg]",
    )
    about = (
        "How well the fitted motion obeys the laws of motion: RMS of forces and torques that nothing provides; RMS and "
        f"largest deviation from it after pieces of {PIECE:g} s without feedback, each begun on it."
    )
    return Table(header, rows, about)


def _cost(found: dict[str, Outcome]) -> Table:
    rows: list[list[Cell]] = []
    for kind, o in found.items():
        for text, w in (("torques", o.walk), ("muscles", o.driven)):
            if w is None:
                continue
            seconds, step = PRINTED[kind]
            mean = float(w.motion.time[-1]) / int(w.steps[-1])
            cells: list[Cell] = [seconds, f"{w.seconds:.1f}", f"{step:.3e}", f"{mean:.3e}", int(w.steps[-1])]
            rows.append([kind, text, *cells, w.evaluations, w.begun])
    head = ("elements", "driven by", "printed time [s]", "processor time [s]", "printed mean step [s]", "mean step [s]")
    return Table((*head, "steps", "right-hand sides", "contacts begun"), rows, "Table 6.1, and the cost here.")


def _muscles(o: Outcome) -> Table:
    rows: list[list[Cell]] = []
    for k, muscle in enumerate(MUSCLES):
        cells: list[Cell] = [muscle.name, f"{muscle.force:g}"]
        for leg in o.legs:
            u = np.clip(leg.excitation[:, k], 0.0, 1.0)  # as it goes into the simulation
            first = leg.time[np.argmax(u > u.max() - 1e-3)]  # where it stays at its largest, for digits that differ
            cells.append(f"{u.mean():.2f}, {u.max():.2f} at {100 * first / leg.time[-1]:.0f} %")
        rows.append(cells)
    missing = ", ".join(f"{_rms(leg.missing):.1f}" for leg in o.legs)
    about = (
        "Excitations on ellipsoids: mean, largest and when in the cycle of the right leg. RMS torque that the muscles "
        f"of the right and left leg do not reach: {missing} N m."
    )
    return Table(("muscle", "largest force [N]", *(f"{side} leg" for side in SIDES)), rows, about)


def _calibrated(found: dict[str, Outcome]) -> Table:
    rows: list[list[Cell]] = []
    for kind, o in found.items():
        (k, part), (d, spread) = o.foot.of("stiffness"), o.foot.of("damping")
        centre = "" if np.isnan(o.foot.lever) else f"{1e3 * o.foot.lever:.0f}"
        cells: list[Cell] = [f"{k:.2e} +- {100 * part:.0f} %", f"{d:.1f} +- {spread:.1f}", f"{o.foot.rms:.3f}", centre]
        rows.append([kind, *cells])
    head = ("elements", "stiffness of a foot [N/m^1.5]", "damping [s/m]", "up [weights]", "centre of pressure [mm]")
    about = (
        "The foot alone, moved along the paths of the feet: fitted law with standard errors, RMS deviation of the "
        "vertical force and of the centre of pressure."
    )
    return Table(head, rows, about)


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


NOTES = [
    "The fit is a collocation: the motion is a spline, and forces and torques that nothing provides are penalised, not "
    "excluded. The table of the laws of motion gives what is left. The pieces check this with the simulation, which "
    "finds its contacts by itself.",
    "Walking is unstable without feedback: the simulated cycle has one, the linear-quadratic regulator of the motion "
    "linearised about the fit, which acts on hips, knees and ankles and sees all joints. Its torque is in the first "
    "table. Muscles have it, too, as a torque beside theirs.",
    "Masses and lengths are those of Winter (2009) for a height of 1.80 m, which the data do not contain; passive "
    "torques those of Anderson (1999); muscles those of Song and Geyer (2015), nine functional groups a leg, not 14. "
    "Positions and stiffnesses of the elements are not given in the thesis; both models have the same sole and the "
    "same total stiffness.",
    "Only the feet and the ground reactions are followed as measured. The angles of hips, knees and ankles, with which "
    "the walk is compared, follow from the feet and from the motion of the centre of mass, with the hip as high as the "
    "legs allow.",
    "Forces are filtered at 20 Hz, markers at 6 Hz (Butterworth, second order, there and back); the weight is the mean "
    "vertical force. The coefficient of friction is 0.8.",
    "A foot that follows the measured markers exactly does not have the measured force: a millimetre is some 100 N. "
    "The calibration of the foot alone therefore has large deviations; the fit of the whole person moves the feet by "
    "millimetres.",
    f"Steps are those of SciPy's DOP853 at a tolerance of {RTOL:g}, restarted whenever an element begins or ceases to "
    "touch. Times are processor times and depend on the machine. Ellipsoids begin far fewer contacts, but here, unlike "
    "in the thesis, they do not take longer steps; each of the six is stiffer than each of the 31 points.",
    "The made-up cycle, without --data, has paths and forces that were not measured together, so that the person "
    "follows it less well.",
]

STUDY = Study(
    "lopes-walking",
    "Lopes thesis, chapter 6: a person who walks, on 6 ellipsoids or 31 points",
    run,
    80,
    "iterations of the fit",
    measured=run_measured,
    duration="4 min",
)
