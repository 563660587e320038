"""Walls that press with a given force: pistons and lids for packings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from .state import MOMENTUM, PLACE, VELOCITY

if TYPE_CHECKING:
    from .assembly import Assembly

LAG = 0.1  # part of the way to the speed wanted that a wall takes in one step: dampers would make it chatter otherwise
CHATTER_SHARE = 0.01  # of the steps in which a wall may go from one largest speed to the other
# Columns of the memory of a servo: steps so far, and reversals from one largest speed to the other.
STEPS, REVERSALS = 0, 1
MEMORY = 2


@dataclass(frozen=True, eq=False)
class Servo:
    """A motion for ``Body(..., motion=...)`` in fast mode: a wall that moves until contacts resist with a force.

    The wall does not turn.  Its speed along `direction` approaches gain (force - resistance) within about ten steps; it
    is at most `speed`.  The resistance is the sum of the contact forces on it against the direction: the wall stops
    where both are equal, and gives way where the resistance is larger.  For a pressure, the force is pressure times
    area.

    Parameters
    ----------
    direction : (3,) array_like
        Direction in which the wall presses; any length.
    force : float
        The force [N].
    speed : float
        Largest speed [m/s].
    gain : float, optional
        Speed per force [m/s / N]; default speed / force.  The force follows within about 1 / (gain stiffness) seconds,
        where the stiffness is that of all contacts of the wall; this must be longer than a step.

    Examples
    --------
    A lid presses three balls with 30 N on a floor:

    >>> import tangency as tg
    >>> from tangency.dynamics import Body, Group, Interaction, Servo, World, simulate
    >>> lid = Body(
    ...     "lid", tg.HalfSpace([0, 0, -1]), (None, [0, 0, 0.25]), motion=Servo([0, 0, -1], force=30.0, speed=0.2)
    ... )
    >>> balls = Group("balls", tg.Sphere(0.1), (None, [[0, 0, 0.1], [1, 0, 0.1], [0, 1, 0.1]]), density=100)
    >>> law = Interaction(tg.forces.KelvinVoigt(stiffness=2e4, damping=20))
    >>> world = World([Body("floor", tg.HalfSpace([0, 0, 1])), lid, balls], interaction=law)
    >>> run = simulate(world, 1.0, "fast", step=2e-4, output_interval=0.1)
    >>> last = run.contacts.at(-1)
    >>> round(float(last.normal_force[(last.body_a == 1) | (last.body_b == 1)].sum()), 3)
    30.0
    """

    direction: ArrayLike
    force: float
    speed: float
    gain: float | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        vector = validate.vectors(self.direction, "direction")
        validate.single({"direction": vector.shape[:-1]})
        length = float(np.linalg.norm(vector))
        if not length > 0.0:
            raise ValueError(f"direction must not be zero, got {validate.short(vector)}")
        put(self, "direction", vector / length)
        for name in ("force", "speed", *(() if self.gain is None else ("gain",))):
            number = validate.positive(validate.array(getattr(self, name), name), name)
            if number.shape:
                raise ValueError(f"{name} must be a single number, got shape {number.shape}")
            put(self, name, float(number))
        if self.gain is None:
            put(self, "gain", self.speed / self.force)

    def __repr__(self) -> str:
        return f"Servo({np.asarray(self.direction).tolist()}, {self.force}, {self.speed}, {self.gain})"


def move_servos(assembly: Assembly, y: np.ndarray, forces: np.ndarray, step: float, memory: np.ndarray) -> None:
    """Move the walls for a step, given the forces at its start; changes their rows of `y` and of `memory`."""
    for k, (i, servo) in enumerate(assembly.servos):
        along = np.asarray(servo.direction)
        before = float(y[i, VELOCITY] @ along)
        lack = servo.force + float(forces[i, :3] @ along)
        wanted = servo.gain * lack  # type: ignore[operator]
        now = float(np.clip(before + LAG * (wanted - before), -servo.speed, servo.speed))
        y[i, PLACE] += step * now * along
        y[i, VELOCITY], y[i, MOMENTUM] = now * along, 0.0
        memory[k, STEPS] += 1.0
        memory[k, REVERSALS] += abs(now) == servo.speed and before == -now


def servo_warnings(assembly: Assembly, step: float, memory: np.ndarray) -> list[str]:
    """Warnings about walls that chatter."""
    return [
        f"the wall {assembly.names[i]!r} chatters: in {int(memory[k, REVERSALS])} of {int(memory[k, STEPS])} steps it "
        f"went from one largest speed to the other; its contacts are too stiff for the step {step:.3g} s and the gain "
        f"{servo.gain:.3g} m/s per N of its servo; use a smaller gain or speed"
        for k, (i, servo) in enumerate(assembly.servos)
        if memory[k, REVERSALS] > CHATTER_SHARE * memory[k, STEPS]
    ]
