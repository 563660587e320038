"""Series of files for ParaView: bodies as points with sizes and orientations, contacts as lines, surfaces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from ...shapes import MeshWall
from ...shapes.walls import WALLS
from ..measures.network import network
from ..periodic import wrapped
from ..trajectory import Trajectory
from .vtk_xml import PolyData, write_collection, write_polydata

MOST_SURFACES = 2000  # bodies; beyond, their surfaces would take hundreds of megabytes a frame
FREQUENCY, COARSE = 12, 6  # of the grids of normals, for few bodies and for more than `FEW`
FEW = 100


def write_series(run: Trajectory, path: Path, frames: range) -> list[Path]:
    """Write a .pvd file each for bodies, contacts and (for up to 2000 bodies) surfaces, and a folder of frames."""
    base = path.with_suffix("")
    folder = base.with_name(f"{base.name}_vtk")
    folder.mkdir(parents=True, exist_ok=True)
    makers = {"bodies": _bodies, "contacts": _contacts}
    if len(run.names) <= MOST_SURFACES:
        meshes = _meshes(run)
        makers["surfaces"] = lambda run, frame: _surfaces(run, frame, meshes)
    written = []
    for name, make in makers.items():
        files = [write_polydata(make(run, frame), folder / f"{name}_{frame:05d}.vtp") for frame in frames]
        times = [float(run.time[frame]) for frame in frames]
        written.append(write_collection(times, files, base.with_name(f"{base.name}_{name}.pvd")))
    return written


def _bodies(run: Trajectory, frame: int) -> PolyData:
    """Bodies that are not walls as points: velocities, orientation, semi-axes, and both as a tensor for glyphs."""
    half = np.zeros((len(run.names), 3))
    for own, pieces in run.pieces.blocks():  # type: ignore[attr-defined]
        for piece in pieces:
            if not isinstance(piece.shape, WALLS):
                low, high = piece.shape.aabb((piece.rotation, piece.position))
                half[own] = np.maximum(half[own], np.maximum(-low, high))
    shown = np.flatnonzero(run.present(frame) & (half > 0.0).any(axis=1))
    place = (run.position[frame] + wrapped(run.centre_of_mass[frame], run.periodic))[shown]
    turn = Rotation.from_quat(run.quaternion[frame, shown]).as_matrix()
    tensor = np.einsum("kia,ka,kja->kij", turn, half[shown], turn)
    data = {
        "body": shown.astype(np.int64),
        "velocity": run.velocity[frame, shown],
        "angular_velocity": run.angular_velocity[frame, shown],
        "quaternion": run.quaternion[frame, shown],
        "semi_axes": half[shown],
        "tensor": tensor.reshape(-1, 9),
    }
    return PolyData(place, np.arange(len(shown))[:, None], data, {})


def surface_data(run: Trajectory, frame: int) -> PolyData:
    """Surfaces of all bounded bodies in one frame."""
    return _surfaces(run, frame, _meshes(run))


def _contacts(run: Trajectory, frame: int) -> PolyData:
    """Contacts as lines along the branches, whose width can show the force."""
    moved = run.present(frame) & (False if run.masses is None else run.masses.mass > 0.0)
    found = network(run, frame=frame) if moved.any() else None
    if found is None or not len(found.body_a):
        none, numbers = np.zeros(0), np.zeros(0, np.int64)
        empty: dict[str, np.ndarray] = {"body_a": numbers, "body_b": numbers, "force": np.zeros((0, 3))}
        empty |= {"normal_force": none, "tangential_force": none}
        return PolyData(np.zeros((0, 3)), np.zeros((0, 2)), {}, empty)
    # From the centre of A, or from the point on a wall, along the branch.
    centre = run.centre_of_mass[frame]
    shift = wrapped(found.point, run.periodic)
    free = run.masses.mass[found.body_a] > 0.0  # type: ignore[union-attr]
    start = np.where(free[:, None], centre[found.body_a], found.point) + shift
    count = len(start)
    lines = np.stack([np.arange(count), count + np.arange(count)], axis=1)
    data = {
        "body_a": found.body_a,
        "body_b": found.body_b,
        "force": found.force,
        "normal_force": found.normal_force,
        "tangential_force": found.tangential_force,
    }
    return PolyData(np.concatenate([start, start + found.branch]), lines, {}, data)


def _meshes(run: Trajectory) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Body, vertices in its frame and triangles of each bounded piece and each mesh wall."""
    from ...viz.mesh import surface

    frequency, found = FREQUENCY if len(run.names) <= FEW else COARSE, []
    for number in range(len(run.names)):
        for piece in run.pieces[number]:
            if isinstance(piece.shape, MeshWall) or not isinstance(piece.shape, WALLS):
                mesh = surface(piece.shape, frequency)
                found.append((number, mesh.vertices @ piece.rotation.T + piece.position, mesh.triangles))
    return found


def _surfaces(run: Trajectory, frame: int, meshes: list[tuple[int, np.ndarray, np.ndarray]]) -> PolyData:
    """Surfaces of all bounded bodies as triangles, with the number of the body and the velocity at each point."""
    turn = Rotation.from_quat(run.quaternion[frame]).as_matrix()
    place = run.position[frame] + wrapped(run.centre_of_mass[frame], run.periodic)
    centre = run.centre_of_mass[frame] + wrapped(run.centre_of_mass[frame], run.periodic)
    present, first = run.present(frame), 0
    points, triangles = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)]
    bodies, speeds = [np.zeros(0, np.int64)], [np.zeros((0, 3))]
    for number, vertices, corners in meshes:
        if present[number]:
            x = vertices @ turn[number].T + place[number]
            points.append(x)
            triangles.append(corners + first)
            bodies.append(np.full(len(x), number, np.int64))
            spin = np.cross(run.angular_velocity[frame, number], x - centre[number])
            speeds.append(run.velocity[frame, number] + spin)
            first += len(x)
    data: dict[str, np.ndarray] = {"body": np.concatenate(bodies), "velocity": np.concatenate(speeds)}
    return PolyData(np.concatenate(points), np.concatenate(triangles), data, {})
