"""What is measured in packings and flows, from one frame of a trajectory.

| file | measures |
|---|---|
| selection.py | the bodies, the region and the frame that a measure refers to |
| volumes.py | volume of each body inside a region |
| packing.py | packing fraction of a region, and layer by layer |
| coordination.py | contacts of each body, coordination number |
| orientation.py | order of the orientations |
| network.py | the contact network with its forces; stress and fabric |
| energy.py | kinetic energy of translation and rotation |
| flow.py, repose.py | flow through outlets; slope of the free surface |
| table.py | numbers of all frames by name, for ``tangency simulate --measure`` |

Contacts with walls and fixed bodies belong to a measure if one of their two bodies is selected.
"""

from .coordination import Coordination, coordination
from .energy import KineticEnergy, kinetic_energy
from .flow import Flow, flow_rate
from .network import Network, fabric, network, stress
from .orientation import Order, orientation
from .packing import Profile, packing, packing_profile
from .repose import Repose, angle_of_repose
from .table import MEASURES, measured

__all__ = [
    "MEASURES",
    "Coordination",
    "Flow",
    "KineticEnergy",
    "Network",
    "Order",
    "Profile",
    "Repose",
    "angle_of_repose",
    "coordination",
    "fabric",
    "flow_rate",
    "kinetic_energy",
    "measured",
    "network",
    "orientation",
    "packing",
    "packing_profile",
    "stress",
]
