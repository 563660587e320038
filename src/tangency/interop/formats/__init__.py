"""Scenes from other people's files and back: ``tangency convert``.

| file | what it does |
|---|---|
| imported.py | what a reader returns: a scene, and what could not be taken over |
| not_taken.py | what an XML file holds and its reader does not take |
| left_out.py | what a file of geometry does not hold of a scene |
| mujoco_xml.py | MJCF, URDF and USD in, through MuJoCo; MJCF out |
| urdf.py | URDF files as robots come, in a form that MuJoCo reads |
| sdf.py | SDFormat (Gazebo) in |
| osim.py | the contact geometry of OpenSim models in |
| osim_placement.py | where the joints of an OpenSim model put its bodies |
| osim_frames.py | paths of its bodies and offset frames |
| osim_joints.py | motion across each kind of joint |
| osim_coordinates.py | default values of coordinates, and couplers |
| osim_functions.py | functions of coordinates, such as SimmSpline |
| place.py | poses of frames in frames |
| surfaces.py | glTF, STL, PLY and OBJ out, through trimesh |
| dumps.py | text dump of LAMMPS for OVITO, and VTK for ParaView, out |
| superquadrics.py | arrays of superquadrics (NPZ) in and out |
| motion_tables.py | measured motion: OpenSim's .mot, .sto and .trc in |
| convert.py | the choice by the ending of the file |

What a format cannot hold is a remark or an error, and never left out silently.
"""

from .convert import READERS, WRITERS, read_scene, write_scene
from .imported import Imported
from .motion_tables import Markers, read_mot, read_trc

__all__ = ["READERS", "WRITERS", "Imported", "Markers", "read_mot", "read_scene", "read_trc", "write_scene"]
