"""Trajectories as files for other programs.

| file | contents |
|---|---|
| dump.py | the function behind ``Trajectory.dump`` |
| lammps_dump.py | text dump of LAMMPS, as OVITO reads it |
| vtk_series.py | series for ParaView: bodies, contacts, surfaces |
| vtk_xml.py | one file of VTK's XML format |
"""

from .dump import FORMATS, dump

__all__ = ["FORMATS", "dump"]
