"""A fitted body as a scene file: shape and pose, and what a simulation needs."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import RigidTransform

from ..io import numbers
from ..scene.write import body_text, table_text
from ..shapes import HalfSpace
from ..shapes.shape import Shape
from .rebuild import length_names, shape_from_parameters
from .result import FitResult

GRAVITY = 9.81
SINKS = 2e-3  # how far a body at rest sinks into the ground, in sizes
DROP = 0.02  # height above the ground, in sizes
DURATION = 0.5  # [s] of the simulation, for a body of one metre; shorter for smaller ones


def fitted_scene(found: FitResult, name: str = "body", *, unit: float = 1.0, density: float = 1000.0) -> str:
    """Text of a scene file with the fitted body above level ground, for ``tangency contact`` and ``simulate``.

    Parameters
    ----------
    found : FitResult
        The fit; its pose becomes that of the body.
    name : str
        Name of the body.
    unit : float
        Unit of the cloud [m], such as 1e-3 for millimetres: scene files are in metres.
    density : float
        Density of the body [kg/m^3].

    Returns
    -------
    str
        TOML.  The stiffness of the contact is chosen so that the body at rest sinks into the ground by 0.2 % of its
        size; replace it by that of your material.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> from tangency.fitting import fitted_scene
    >>> n = np.random.default_rng(0).normal(size=(200, 3))
    >>> found = tg.fit(tg.Sphere(2.0).point(n), "sphere")
    >>> print(fitted_scene(found, "ball", unit=1e-3).splitlines()[4])
    shape = "sphere"
    """
    unit, density = numbers.positive(unit, "unit"), numbers.positive(density, "density")
    shape, pose = in_metres(found, unit)
    low, high = shape.aabb(pose)
    size = float(np.linalg.norm(high - low)) / 2.0
    weight = float(shape.volume) * density * GRAVITY
    stiffness = float(f"{weight / (SINKS * size) ** 1.5:.2g}")
    speed = float(f"{0.02 * np.sqrt(GRAVITY * size):.2g}")
    duration = float(f"{DURATION * np.sqrt(size):.2g}") if size < 1.0 else DURATION
    ground = HalfSpace([0.0, 0.0, 1.0], float(low[2]) - DROP * size)
    parts = [
        f'title = "{found.model} fitted to {len(found.residuals)} points"\n',
        body_text(name, shape, pose, density=density),
        body_text("ground" if name != "ground" else "floor", ground),
        table_text("[simulation]", {"duration": duration, "gravity": [0.0, 0.0, -GRAVITY]}),
        table_text("[simulation.normal]", {"law": "hunt_crossley", "stiffness": stiffness, "restitution": 0.5}),
        table_text("[simulation.friction]", {"law": "tanh", "coefficient": 0.3, "speed": speed}),
    ]
    return "\n".join(parts)


def in_metres(found: FitResult, unit: float) -> tuple[Shape, RigidTransform]:
    """Shape and pose of a fit, scaled from the unit of its cloud to metres."""
    if unit == 1.0:
        return found.shape, found.pose
    pose = RigidTransform.from_components(unit * found.pose.translation, found.pose.rotation)
    lengths = length_names(found.model)
    if lengths is None:
        return found.shape.affine(unit * np.eye(3)), pose
    values = {name: value * unit if name in lengths else value for name, value in found.parameters.items()}
    return shape_from_parameters(found.model, values), pose
