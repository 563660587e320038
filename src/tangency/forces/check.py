"""Test of the formulas of user-defined laws, before a simulation uses them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..io.numbers import number
from ..io.report import FormulaReport
from .check_friction import friction_findings
from .check_normal import normal_findings, pulling_remark, rebound_problem
from .findings import Finding
from .friction_base import FrictionLaw
from .law import Law
from .normal_base import NormalLaw

DEPTH, SPEED, LOAD, MASS, SAMPLES = 1e-3, 1.0, 100.0, 1.0, 300  # defaults
STROKES = (1e-6, 1e-3, 1.0)  # parts of the depth to which closed strokes go before a simulation
MOST = 0.5  # share of the contacts tested above which a law is refused before a simulation


class LawError(ValueError):
    """The formulas of a law are wrong; the message says how, by how much and where."""


@dataclass(frozen=True)
class LawReport(FormulaReport):
    """Outcome of :func:`check`; ``str()`` lists the problems in sentences.

    Attributes
    ----------
    name : str
        Class of the law.
    samples : int
        Number of random contacts tested.
    problems : tuple of str
        One sentence each; empty if nothing was found.
    remarks : tuple of str
        Properties that are not mistakes but worth knowing.
    """

    _tried = "contacts"


def check(
    law: NormalLaw | FrictionLaw,
    *,
    depth: float = DEPTH,
    speed: float = SPEED,
    load: float = LOAD,
    mass: float = MASS,
    samples: int = SAMPLES,
    seed: int = 0,
    strict: bool = False,
) -> LawReport:
    """Test the formulas of a law: finite, no attraction, energy that fits the force, no gain over closed loops.

    Parameters
    ----------
    law : NormalLaw or FrictionLaw
        The law to test.
    depth, speed, load : float
        Largest penetration [m], rate or slip [m/s] and normal force [N] tested; smaller values cover nine, five and
        six decades.
    mass : float
        Mass in the free impacts whose restitution is tested [kg].
    samples, seed : int
        Number of random contacts, and seed of their generator.
    strict : bool
        Raise an error instead of returning a report with problems.

    Returns
    -------
    LawReport

    Raises
    ------
    LawError
        With `strict`, if there is a problem.

    Examples
    --------
    >>> from tangency import forces
    >>> print(forces.check(forces.Flores(stiffness=1e8, restitution=0.8)))
    Flores: no problem found in 300 contacts.
    Remark: the formula would pull at depth ...; the force is 0 there.
    """
    d, v, m = number(depth, "depth", above=0.0), number(speed, "speed", above=0.0), number(mass, "mass", above=0.0)
    n, rng = number(load, "load", above=0.0), np.random.default_rng(seed)
    if not isinstance(law, NormalLaw | FrictionLaw):
        raise TypeError(f"law must be a NormalLaw or a FrictionLaw, got {law!r}")
    remarks: list[str] = []
    try:
        if isinstance(law, NormalLaw):
            problems = [found.sentence for found in normal_findings(law, d, v, samples, rng)]
            if not problems:
                problems, remarks = rebound_problem(law, v, m), pulling_remark(law, d, v, samples, seed)
        else:
            problems = [found.sentence for found in friction_findings(law, n, v, samples, rng)]
    except ValueError as error:  # a number that is not finite, reported by the law itself
        problems, remarks = [str(error)], []
    report = LawReport(type(law).__name__, samples, tuple(problems), tuple(remarks))
    if strict and problems:
        raise LawError(str(report))
    return report


def require_sound(law: Law) -> None:
    """Raise a LawError if user-defined formulas contradict each other or generate energy; each object is tested once.

    Only a problem in most contacts counts: formulas may hold for small depths or slow contacts alone.
    """
    own = law._own_formulas() or type(law).__module__.partition(".")[0] != "tangency"
    if not own or "_sound" in law.__dict__:
        return
    rng = np.random.default_rng(0)
    found: list[Finding] = []
    with suppress(ValueError):  # numbers not finite far from ordinary contacts, for which see `require_finite`
        if isinstance(law, NormalLaw):
            found = normal_findings(law, DEPTH, SPEED, SAMPLES, rng, STROKES)
        elif isinstance(law, FrictionLaw):
            found = friction_findings(law, LOAD, SPEED, SAMPLES, rng)
    for finding in found:
        if finding.share > MOST:
            raise LawError(
                f"the law {type(law).__name__} is wrong: {finding.sentence}; tangency.forces.check(law) reports more"
            )
    law.__dict__["_sound"] = True
