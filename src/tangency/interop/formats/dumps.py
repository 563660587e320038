"""Scenes for OVITO (text dump of LAMMPS) and ParaView (VTK): one frame of the files that motions are written to."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from ...dynamics import Body as MovingBody
from ...dynamics.assembly import world_masses
from ...dynamics.dumps.lammps_dump import write_dump
from ...dynamics.dumps.vtk_series import surface_data
from ...dynamics.dumps.vtk_xml import write_polydata
from ...dynamics.group import AllPieces
from ...dynamics.trajectory import ENERGIES, Contacts, Trajectory
from ...dynamics.world import World
from ...scene import Body, Scene, SceneError
from ...shapes import Cavity, Ellipsoid, HalfSpace, Sphere, Superellipsoid
from .left_out import left_out


def dump_bytes(scene: Scene) -> tuple[bytes, tuple[str, ...]]:
    """The spheres, ellipsoids and superellipsoids of a scene as a dump that OVITO reads, and what it does not hold."""
    return _written(scene, "dump", (Sphere, Ellipsoid, Superellipsoid), "a dump holds numbers, not names, of bodies")


def vtp_bytes(scene: Scene) -> tuple[bytes, tuple[str, ...]]:
    """The surfaces of a scene as a VTK file, and what it does not hold."""
    remark = "smooth surfaces are written as triangles, with numbers, not names, of bodies"
    return _written(scene, "vtp", (object,), remark)


def _written(scene: Scene, ending: str, kinds: tuple[type, ...], remark: str) -> tuple[bytes, tuple[str, ...]]:
    scene.require_bodies_alone(f"a .{ending} file is written")
    remarks, bodies = [remark], []
    for body in scene.placed:
        if isinstance(body.shape, HalfSpace | Cavity) or not isinstance(body.shape, kinds):
            remarks.append(f"body {body.name!r}: a .{ending} file cannot hold a {type(body.shape).__name__}")
        else:
            bodies.append(body)
    if not bodies:
        raise SceneError(f"the scene has no body that a .{ending} file can hold: {'; '.join(remarks[1:])}")
    run = _at_rest(bodies)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"scene.{ending}")
        if ending == "dump":
            write_dump(run, path, range(1))
        else:
            write_polydata(surface_data(run, 0), path)
        return path.read_bytes(), (*remarks, *left_out(scene, colors=False))


def _at_rest(bodies: list[Body]) -> Trajectory:
    """One frame with bodies that do not move."""
    world = World(tuple(MovingBody(body.name, body.shape, body.pose, fixed=True) for body in bodies))
    position = np.array([[body.position for body in bodies]])
    still = np.zeros_like(position)
    none = np.zeros(0, np.int64)
    contacts = Contacts(
        np.zeros(2, np.int64), none, none, none, none, *(np.zeros((0, 3)),) * 3, np.zeros(0), np.zeros(0)
    )
    return Trajectory(
        time=np.zeros(1),
        position=position,
        quaternion=np.array([[body.pose.rotation.as_quat() for body in bodies]]),
        centre_of_mass=position,
        velocity=still,
        angular_velocity=still,
        contacts=contacts,
        energy={name: np.zeros(1) for name in ENERGIES},
        names=world.names,
        pieces=AllPieces(world.bodies),
        masses=world_masses(world),
    )
