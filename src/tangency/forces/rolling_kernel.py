"""Resistance to rolling and spinning in compiled code."""

from ..compiled.jit import entry, jit
from ..kernels.vectors import axpy, dot, norm, scale
from .tanh_kernel import tanh_over


@jit
def rolling_torque(row, load, normal, spin):
    """Torque on B [N m] against the angular velocity `spin` of B relative to A, about a contact with `normal`.

    `row` contains the rolling lever [m], spinning lever [m], angular speed of the tanh [rad/s].
    """
    if not load > 0.0:
        return (0.0, 0.0, 0.0)
    rolling, spinning, speed = row[0], row[1], row[2]
    about = dot(spin, normal)
    roll = axpy(spin, -about, normal)
    rolled = scale(roll, -rolling * load * tanh_over(norm(roll), speed))
    return axpy(rolled, -spinning * load * about * tanh_over(abs(about), speed), normal)


@entry
def rolling_torques(row, load, normal, spin, out):
    """:func:`rolling_torque` for n loads and (n, 3) vectors."""
    for i in range(load.size):
        n = (normal[i, 0], normal[i, 1], normal[i, 2])
        torque = rolling_torque(row, load[i], n, (spin[i, 0], spin[i, 1], spin[i, 2]))
        for k in range(3):
            out[i, k] = torque[k]
