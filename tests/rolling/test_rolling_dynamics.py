"""Rolling is the limit of compliant contact (`tangency.dynamics`) as the contact becomes stiff."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces, rolling
from tangency.dynamics import Body, Interaction, World, simulate


def compliant(body, state, stiffness, times):
    """The motion with springs of this stiffness along and across the normal, both damped, and friction that holds."""
    damping = np.sqrt(stiffness * body.mass_properties.mass)
    normal = forces.KelvinVoigt(stiffness=stiffness, damping=damping)
    friction = forces.Bristle(static=10.0, stiffness=stiffness, damping=damping)
    law = Interaction(normal, friction)
    # The body starts as deep as its rigid counterpart presses.
    place = state.reference - float(state.normal_force) / stiffness * body.normal
    free = Body(
        "body",
        body.shape,
        (state.orientation, place),
        mass=body.mass,
        velocity=state.centre_velocity,
        angular_velocity=state.angular_velocity,
    )
    world = World([Body("plane", tg.HalfSpace(body.normal)), free], gravity=body.gravity, interaction=law)
    return simulate(world, times[-1], "accurate", output_interval=times[1])


@pytest.mark.parametrize(
    ("shape", "normal"),
    [
        (tg.Ellipsoid([0.3, 0.2, 0.1]), [0.0, 0.0, 1.0]),
        (tg.Ovoid([0.2, 0.2, 0.3], [1, 0.2, 0, 0], [1, 0.2, 0, 0]), [0.1, -0.05, 0.99]),
    ],
    ids=["ellipsoid", "egg on a slope"],
)
def test_limit_of_stiff_contact(shape, normal):
    """Orientation and place differ by an amount inversely proportional to the stiffness."""
    body = rolling.RollingBody(shape, mass=2.0, normal=normal)
    start, spin = Rotation.from_rotvec([0.3, 0.5, 0.1]), [0.5, 1.0, 2.0]
    run = body.simulate(start, spin, 0.3, samples=31)
    assert run.end == "time"
    turns, places = [], []
    for stiffness in (1e5, 1e6, 1e7):
        soft = compliant(body, body.state(start, spin), stiffness, run.time)
        turns.append((Rotation.from_quat(soft.quaternion[:, 1]) * run.orientation.inv()).magnitude().max())
        places.append(np.abs(soft.position[:, 1] - run.reference).max())
    print(turns, places)
    for errors, most in ((turns, 5e-5), (places, 2e-5)):
        assert errors[2] < most
        assert 6.0 < errors[0] / errors[1] < 20.0
        assert 6.0 < errors[1] / errors[2] < 20.0
