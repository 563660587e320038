"""Memory of a pair of shapes between steps, as a row of numbers."""

from ..compiled.jit import jit

# Whether the pair touches; closing speed at the impact; since the impact: stretch of the bristles, normal impulse,
# absorbed energy and dissipated energy; time of the impact; largest energy of the contact; distance that both bodies
# together can still travel before they may touch (fast mode).
TOUCHING, IMPACT, _STRETCH, IMPULSE, ABSORBED, LOST, SINCE, PEAK, SLACK = 0, 1, 2, 5, 6, 7, 8, 9, 10
MEMORY = 11
SUMS = slice(_STRETCH, LOST + 1)  # integrated in accurate mode, in the order of `motion_vector`


@jit
def stretch_of(memory):
    """Stretch of the bristles [m]."""
    return (memory[_STRETCH], memory[_STRETCH + 1], memory[_STRETCH + 2])


@jit
def write_stretch(memory, stretch):
    """Write the stretch of the bristles."""
    memory[_STRETCH], memory[_STRETCH + 1], memory[_STRETCH + 2] = stretch


@jit
def write_begin(memory, speed, time, energy):
    """Write the start of a contact: closing speed, time, and energy of the impact."""
    memory[TOUCHING], memory[IMPACT], memory[SINCE], memory[PEAK] = 1.0, speed, time, energy
    for c in range(_STRETCH, LOST + 1):
        memory[c] = 0.0
