"""Text dump of LAMMPS with ellipsoids and superquadrics, as OVITO reads it.

One line per shape, with its own place and velocity and its share of the mass of the body.  ``shapex`` to ``shapez`` are
diameters, as in LAMMPS; ``quati`` to ``quatw`` the orientation; ``SuperquadricRoundnessPhi`` and ``...Theta`` the
exponents of the section across z and of the profile along it, which OVITO knows under these names: Barr's epsilon 2 and
1, and 2 / n2 and 2 / n1 for the block exponents of LAMMPS.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ...io.whole_files import whole_file
from ...shapes import Ellipsoid, Sphere, Superellipsoid
from ...shapes.walls import WALLS
from ..periodic import wrapped
from ..trajectory import Trajectory

_COLUMNS = (
    "id type body x y z ix iy iz vx vy vz omegax omegay omegaz quati quatj quatk quatw shapex shapey shapez "
    "SuperquadricRoundnessPhi SuperquadricRoundnessTheta mass"
)
_WHOLE = (0, 1, 2, 6, 7, 8)  # columns of whole numbers


class Particles(NamedTuple):
    """The bounded shapes of all bodies."""

    body: np.ndarray  #: (P,) number of the body
    kind: np.ndarray  #: (P,) 1 for single bodies, then one number for each group
    rotation: np.ndarray  #: (P, 3, 3) in the body
    position: np.ndarray  #: (P, 3) in the body
    radii: np.ndarray  #: (P, 3) semi-axes
    roundness: np.ndarray  #: (P, 2) phi and theta
    share: np.ndarray  #: (P,) of the volume of all shapes of the body


def particles_of(run: Trajectory) -> Particles:
    """The spheres, ellipsoids and superellipsoids of a trajectory; walls are left out, other shapes are refused."""
    parts: list[Particles] = []
    groups = 1
    for own, pieces in run.pieces.blocks():  # type: ignore[attr-defined]
        count = own.stop - own.start
        groups += count > 1
        for piece in pieces:
            if isinstance(piece.shape, WALLS):
                continue
            radii, roundness = _sizes(piece.shape, run.names[own.start])
            wide = (np.arange(own.start, own.stop), np.full(count, groups if count > 1 else 1))
            fixed = (np.broadcast_to(piece.rotation, (count, 3, 3)), np.broadcast_to(piece.position, (count, 3)))
            sizes = np.broadcast_to(radii, (count, 3)), np.broadcast_to(roundness, (count, 2))
            parts.append(Particles(*wide, *fixed, *sizes, np.broadcast_to(piece.shape.volume, (count,))))
    if not parts:
        raise ValueError("run must have bounded bodies to write, got only walls")
    found = Particles(*(np.concatenate(column) for column in zip(*parts)))
    return found._replace(share=found.share / np.bincount(found.body, weights=found.share)[found.body])


def _sizes(shape: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Semi-axes and roundness of a shape or stack."""
    if isinstance(shape, Sphere):
        return np.repeat(np.reshape(shape.radius, (-1, 1)), 3, axis=1), np.ones(2)
    if isinstance(shape, Ellipsoid):
        return np.asarray(shape.radii), np.ones(2)
    if isinstance(shape, Superellipsoid):
        return np.asarray(shape.radii), np.asarray(shape.epsilon)[..., ::-1]
    raise ValueError(
        f"form must be 'vtk' for shapes other than spheres, ellipsoids and superellipsoids, got 'ovito' for {name!r}, "
        f"a {type(shape).__name__}"
    )


def write_dump(run: Trajectory, path: Path, frames: range) -> list[Path]:
    """Write all frames to one file."""
    parts = particles_of(run)
    masses = np.zeros(len(run.names)) if run.masses is None else run.masses.mass
    columns = _COLUMNS.split()
    form = " ".join("%d" if k in _WHOLE else "%.10g" for k in range(len(columns)))
    bounds, inside = _bounds(run, parts), wrapped(run.centre_of_mass, run.periodic)
    with whole_file(path) as raw:
        file = io.TextIOWrapper(raw, encoding="ascii", newline="\n")
        for frame in frames:
            present = np.flatnonzero(run.present(frame)[parts.body])
            rows = _rows(run, parts, frame, inside[frame], masses)[present]
            step = run.info.get("step")
            number = frame if step is None else round(run.time[frame] / step)
            file.write(f"ITEM: TIME\n{run.time[frame]:.10g}\nITEM: TIMESTEP\n{number}\n")
            file.write(f"ITEM: NUMBER OF ATOMS\n{len(rows)}\n{bounds}ITEM: ATOMS {' '.join(columns)}\n")
            np.savetxt(file, rows, fmt=form)
        file.flush()
        file.detach()
    return [path]


def _rows(run: Trajectory, parts: Particles, frame: int, inside: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """One row of numbers per particle."""
    body = Rotation.from_quat(run.quaternion[frame, parts.body])
    arm = run.position[frame, parts.body] + body.apply(parts.position) - run.centre_of_mass[frame, parts.body]
    place = run.centre_of_mass[frame, parts.body] + inside[parts.body] + arm
    turn = (body * Rotation.from_matrix(parts.rotation)).as_quat()
    periods = np.array([0.0 if axis is None else axis[1] - axis[0] for axis in run.periodic or (None,) * 3])
    images = -np.divide(inside, periods, out=np.zeros_like(inside), where=periods > 0.0)[parts.body].round()
    whole = np.stack([np.arange(1, len(place) + 1), parts.kind, parts.body + 1], axis=1)
    spin = run.angular_velocity[frame, parts.body]
    velocity = run.velocity[frame, parts.body] + np.cross(spin, arm)
    sizes = 2.0 * parts.radii, parts.roundness, (masses[parts.body] * parts.share)[:, None]
    return np.concatenate([whole, place, images, velocity, spin, turn, *sizes], axis=1)


def _bounds(run: Trajectory, parts: Particles) -> str:
    """The lines about the box: the periodic one, along other axes that around all frames."""
    reach = np.linalg.norm(parts.position, axis=1).max(initial=0.0) + parts.radii.max(initial=0.0)
    used = np.unique(parts.body)
    lows, highs = (end(run.position[:, used], axis=(0, 1)) for end in (np.min, np.max))
    periodic = run.periodic or (None,) * 3
    letters = " ".join("ff" if axis is None else "pp" for axis in periodic)
    lines = [f"ITEM: BOX BOUNDS {letters}"]
    for axis, low, high in zip(periodic, lows - 1.8 * reach, highs + 1.8 * reach):
        lines.append(f"{low:.10g} {high:.10g}" if axis is None else f"{axis[0]:.10g} {axis[1]:.10g}")
    return "\n".join(lines) + "\n"
