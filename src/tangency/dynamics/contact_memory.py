"""What is remembered of a pair of shapes from step to step, as a row of numbers."""

from ..compiled.jit import jit

# Whether it touches; the closing speed at the impact; since the impact: the stretch of the bristles, the normal
# impulse, the energy absorbed and the energy dissipated; the time of the impact; the largest energy that the contact
# held; the way that both bodies together can still go before they may touch (fast mode).
TOUCHING, IMPACT, _STRETCH, IMPULSE, ABSORBED, LOST, SINCE, PEAK, SLACK = 0, 1, 2, 5, 6, 7, 8, 9, 10
MEMORY = 11
SUMS = slice(_STRETCH, LOST + 1)  # what accurate mode integrates, in the order of `motion_vector`


@jit
def stretch_of(memory):
    """Stretch of the bristles [m]."""
    return (memory[_STRETCH], memory[_STRETCH + 1], memory[_STRETCH + 2])


@jit
def write_stretch(memory, stretch):
    """The stretch of the bristles."""
    memory[_STRETCH], memory[_STRETCH + 1], memory[_STRETCH + 2] = stretch


@jit
def write_begin(memory, speed, time, energy):
    """A contact begins: its closing speed, the time, and the energy of the impact."""
    memory[TOUCHING], memory[IMPACT], memory[SINCE], memory[PEAK] = 1.0, speed, time, energy
    for c in range(_STRETCH, LOST + 1):
        memory[c] = 0.0
