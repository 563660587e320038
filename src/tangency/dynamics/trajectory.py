"""Result of a simulation: motion of all bodies, contacts and energies."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import RigidTransform, Rotation

from ..io.spelling import suggestion
from .frame_contacts import Contacts
from .impacts import Impacts, no_impacts
from .joints.history import JointHistory, JointMotion
from .joints.rods import Rod
from .names import bodies_and_groups
from .periodic import Periodic, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .body import Piece
    from .mass import Masses
    from .spring import Spring

ENERGIES = ("kinetic", "gravitational", "elastic", "springs", "dissipated", "work")


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Motion of a world; the first axis of arrays is the frame, the second the body.

    Attributes
    ----------
    time : (F,) array
        Time of each frame [s].
    position : (F, N, 3) array
        Origins of the body frames in the world [m].
    quaternion : (F, N, 4) array
        Orientations of the body frames, (x, y, z, w) as SciPy orders them.
    centre_of_mass, velocity, angular_velocity : (F, N, 3) array
        Centres of mass, their velocities, and angular velocities, in the world [m, m/s, rad/s].
    contacts : Contacts
        Contacts of all frames.
    energy : dict of (F,) arrays
        ``kinetic``, ``gravitational``, ``elastic`` (of contacts), ``springs``, ``dissipated`` (by contacts and
        dampers so far) and ``work`` (external work so far) [J].
    names : tuple of str
        Names of the bodies.
    info : dict
        Mode, options and counts of the run; ``warnings`` lists problems in sentences.
    impacts : Impacts
        The impact log: every contact, with start time, closing speed, impulse and energy.
    pieces : sequence of tuples of Piece
        Shapes of every body with their poses in it, for pictures; empty for a file read without its world.
    springs : tuple of Spring
        Springs of the world, for pictures.
    masses : Masses, optional
        Mass, centre of mass, principal moments and axes of every body in its own frame, zero for bodies that forces do
        not move; None for a file read without its world.
    joints : JointHistory, optional
        Positions, velocities and torques of the joints of mechanisms; None without mechanisms.
    rods : tuple of Rod
        Lines between the joints of mechanisms, for pictures; empty for a file read without its world.
    added, removed : (N,) array, optional
        Times at which bodies were poured in and taken out [s]; None if all bodies are there all the time.

    Examples
    --------
    >>> import tangency as tg
    >>> ball = tg.dynamics.Body("ball", tg.Sphere(0.1), (None, [0, 0, 5]))
    >>> fall = tg.dynamics.simulate(tg.dynamics.World([ball]), 1.0, output_interval=0.5)
    >>> fall.position[:, 0, 2].round(6).tolist()
    [5.0, 3.77375, 0.095]
    """

    time: np.ndarray
    position: np.ndarray
    quaternion: np.ndarray
    centre_of_mass: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    contacts: Contacts
    energy: dict[str, np.ndarray]
    names: tuple[str, ...]
    info: dict[str, Any] = field(default_factory=dict)
    pieces: Sequence[tuple[Piece, ...]] = ()
    springs: tuple[Spring, ...] = ()
    impacts: Impacts = field(default_factory=no_impacts)
    masses: Masses | None = None
    added: np.ndarray | None = None
    removed: np.ndarray | None = None
    joints: JointHistory | None = None
    rods: tuple[Rod, ...] = ()

    def joint(self, name: str) -> JointMotion:
        """Position, velocity and torque of one joint of a mechanism."""
        if self.joints is None:
            raise KeyError(f"no joint {name!r}: there are no mechanisms")
        return self.joints[name]

    @property
    def mechanical_energy(self) -> np.ndarray:
        """Sum of kinetic, gravitational and elastic energy [J], which cannot rise without external work."""
        return sum(self.energy[name] for name in ("kinetic", "gravitational", "elastic", "springs"))  # type: ignore[return-value]

    def number(self, name: str) -> int:
        """Number of the body with this name."""
        try:
            return self.names.index(name)
        except ValueError:
            known = bodies_and_groups(self.names)
            raise KeyError(f"no body {name!r}; there are {', '.join(known)}{suggestion(name, known)}") from None

    def group(self, name: str) -> slice:
        """Numbers of the bodies of a group, as a slice: ``run.position[:, run.group("grains")]``.

        Examples
        --------
        >>> import tangency as tg
        >>> balls = tg.dynamics.Group("balls", tg.Sphere(0.1), (None, [[0, 0, 5], [1, 0, 5]]))
        >>> law = tg.dynamics.Interaction(tg.forces.HuntCrossley(stiffness=1e6, restitution=0.5))
        >>> world = tg.dynamics.World([balls], interaction=law)
        >>> fall = tg.dynamics.simulate(world, 1.0, output_interval=0.5)
        >>> fall.position[-1, fall.group("balls"), 2].round(6).tolist()
        [0.095, 0.095]
        """
        if f"{name}[0]" not in self.names:
            known = bodies_and_groups(other for other in self.names if other.endswith("]"))
            raise KeyError(f"no group {name!r}; there are {', '.join(known) or 'none'}")
        first, count = self.number(f"{name}[0]"), 1
        while first + count < len(self.names) and self.names[first + count] == f"{name}[{count}]":
            count += 1
        return slice(first, first + count)

    def present(self, frame: int) -> np.ndarray:
        """Which bodies (N,) are there in a frame: poured in already, and not taken out."""
        if self.added is None or self.removed is None:
            return np.ones(len(self.names), bool)
        time = self.time[frame] * (1.0 + 1e-12)
        return (self.added <= time) & (time < self.removed)

    @property
    def periodic(self) -> Periodic | None:
        """Bounds of the periodic box for each axis, None for axes without; None if there are none."""
        bounds = self.info.get("periodic")
        return None if bounds is None else tuple(None if axis is None else tuple(axis) for axis in bounds)

    @property
    def _drawn(self) -> Trajectory:
        """The motion as it is drawn: inside a periodic box."""
        return self if self.periodic is None else self.wrapped()

    def wrapped(self) -> Trajectory:
        """The same motion with positions inside the periodic box: bodies by their centres, contacts by their points.

        Positions jump where a body leaves the box.
        """
        shift = wrapped(self.centre_of_mass, self.periodic)
        points = self.contacts.point + wrapped(self.contacts.point, self.periodic)
        moved = {name: getattr(self, name) + shift for name in ("position", "centre_of_mass")}
        return replace(self, **moved, contacts=replace(self.contacts, point=points))

    def pose(self, frame: int) -> RigidTransform:
        """Poses of all bodies in one frame of the trajectory."""
        return RigidTransform.from_components(self.position[frame], Rotation.from_quat(self.quaternion[frame]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file atomically; see :func:`load_trajectory`, and docs/dynamics.md for the format."""
        from .files import save_trajectory

        save_trajectory(self, path)

    def dump(self, path: str | os.PathLike[str], form: str = "ovito", *, every: int = 1) -> list[Path]:
        """Write the motion for another program.

        Parameters
        ----------
        path : path
            File to write, by convention ``name.dump`` or ``name.pvd``.
        form : {"ovito", "vtk"}
            ``"ovito"``: a text dump of LAMMPS with semi-axes, orientations and roundness of spheres, ellipsoids and
            superellipsoids, one line per shape.  ``"vtk"``: series for ParaView of any shapes, ``name_bodies.pvd``
            (points with sizes, orientations and velocities), ``name_contacts.pvd`` (lines with forces) and for up to
            2000 bodies ``name_surfaces.pvd``, with a folder ``name_vtk``.  Walls are left out; positions are inside a
            periodic box.
        every : int
            Frames from one to the next that is written.

        Returns
        -------
        list of Path
            The files to open.
        """
        from .dumps import dump

        return dump(self, path, form, every)

    def plot_energy(self, axes: Axes | None = None) -> Axes:
        """Plot the energies over time, by kind; those that are always zero are omitted.

        Parameters
        ----------
        axes : matplotlib Axes, optional
            Axes to draw in; default those of a new figure, the attribute ``.figure`` of the result.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import tangency as tg
        >>> ball = tg.dynamics.Body("ball", tg.Sphere(0.1), (None, [0, 0, 5]))
        >>> axes = tg.dynamics.simulate(tg.dynamics.World([ball]), 1.0, output_interval=0.5).plot_energy()
        >>> [line.get_label() for line in axes.lines]
        ['kinetic', 'gravitational', 'mechanical']
        """
        from ..viz.motion_plots import energy_plot

        return energy_plot(self, axes)

    def plot_forces(self, axes: Sequence[Axes] | np.ndarray | None = None, most: int = 8) -> np.ndarray:
        """Plot the contact forces over time: normal forces above, friction below.

        Parameters
        ----------
        axes : two matplotlib Axes, optional
            Axes to draw in; default those of a new figure.
        most : int
            Number of pairs of bodies drawn separately, those with the largest forces; the others are drawn as one
            sum.  The forces of several contacts of one pair are added.

        Returns
        -------
        (2,) array of Axes
        """
        from ..viz.motion_plots import force_plots

        return force_plots(self, axes, most)

    def plot_force_chains(
        self, frame: int = -1, axes: Axes | None = None, *, plane: str = "xz", bodies: object = None, least: float = 0.0
    ) -> Axes:
        """Draw the contacts of one frame as lines between centres, as wide as their normal forces are large.

        Parameters
        ----------
        frame : int
            Number of the frame; negative numbers count from the end.
        axes : matplotlib Axes, optional
            Axes to draw in; default those of a new figure.
        plane : str
            The two axes of the world that are drawn, across and up: "xz", "yz", "xy", ...
        bodies : optional
            Bodies whose contacts are drawn, as in :func:`tangency.dynamics.measures.packing`.
        least : float
            Forces below this fraction of the mean are left out.

        Returns
        -------
        matplotlib Axes
        """
        from ..viz.force_chains import force_chains

        return force_chains(self, frame, axes, plane, bodies, least)

    def snapshots(
        self,
        times: ArrayLike = 6,
        *,
        contacts: bool = True,
        columns: int | None = None,
        width: int = 480,
        height: int = 400,
        view: tuple[float, float] = (-73.0, 24.0),
        colors: Mapping[str, str] | None = None,
    ) -> Figure:
        """Draw several instants of the motion, all from the same viewpoint.

        Parameters
        ----------
        times : (K,) array_like or int
            Times [s], for which the nearest frames are drawn; or the number of evenly spaced times.
        contacts : bool
            Draw contact points, and the forces on body B as arrows.
        columns : int, optional
            Number of pictures per row.
        width, height : int
            Size of one picture [pixels].
        view : (float, float)
            Azimuth and elevation of the camera [degrees].
        colors : mapping of str to str, optional
            Colours ``#rrggbb`` of bodies by name.

        Returns
        -------
        matplotlib Figure
        """
        from ..viz.snapshots import snapshots

        return snapshots(
            self._drawn, times, contacts=contacts, columns=columns, size=(width, height), view=view, colors=colors
        )

    def frames(
        self,
        folder: str | os.PathLike[str],
        *,
        fps: float = 30.0,
        speed: float | None = None,
        width: int = 1280,
        height: int = 720,
        contacts: bool = True,
        view: tuple[float, float] = (-73.0, 24.0),
        colors: Mapping[str, str] | None = None,
        progress: bool = False,
    ) -> list[Path]:
        """Write pictures ``frame_0000.png``, ... for a video; options as in :meth:`animate` and :meth:`snapshots`.

        The pictures are evenly spaced in time, `fps` per second of video; each shows the nearest frame of the
        trajectory.
        """
        from ..viz.snapshots import film

        return film(
            self._drawn,
            folder,
            fps=fps,
            speed=speed,
            size=(width, height),
            contacts=contacts,
            view=view,
            colors=colors,
            progress=progress,
        )

    def animate(
        self,
        path: str | os.PathLike[str],
        *,
        title: str = "Motion",
        fps: float = 30.0,
        speed: float | None = None,
        colors: Mapping[str, str] | None = None,
    ) -> Path:
        """Write a self-contained HTML page that plays the motion, without network access or libraries.

        Parameters
        ----------
        path : path
            File to write, atomically.
        title : str
            Title of the page.
        fps : float
            Most frames per second of playback; further frames of the trajectory are omitted.  The page interpolates
            between frames.
        speed : float, optional
            Seconds of motion per second of playback; default 1, or a value for which the playback takes a few
            seconds to a minute.
        colors : mapping of str to str, optional
            Colours ``#rrggbb`` of bodies by name.

        Returns
        -------
        Path
            The file written.
        """
        from ..io.whole_files import folder_for, write_whole
        from ..viz.player import motion_page

        if not os.fspath(path).lower().endswith((".html", ".htm")):
            raise ValueError(f"path must end with .html, the format of the page, got {os.fspath(path)!r}")
        folder_for(Path(path).parent, "the folder of path")
        return write_whole(path, motion_page(self._drawn, title=title, fps=fps, speed=speed, colors=colors))

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        if not len(self.time):
            return "Trajectory(empty)"
        return (
            f"Trajectory({len(self.names)} bodies, {len(self.time)} frames from {self.time[0]:g} to "
            f"{self.time[-1]:g} s, {len(self.contacts)} contacts)"
        )
