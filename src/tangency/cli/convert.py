"""The command ``tangency convert``: scenes from and to other people's formats."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .mistakes import Mistake, of_the_user
from .targets import require_folder_of

CONVERT = """\
examples:
  tangency convert robot.urdf robot.toml   the colliding geoms of a robot, as a scene file
  tangency convert humanoid.xml bodies.npz MJCF in, superquadrics out
  tangency convert gait.osim feet.toml     the contact geometry of an OpenSim model
  tangency convert scene.toml scene.glb    triangles for a viewer

in:   toml, xml/mjcf, urdf, usd (MuJoCo), sdf/world (Gazebo), osim (OpenSim), npz (superquadrics)
out:  toml, xml/mjcf, npz, dump (OVITO), vtp (ParaView), glb/gltf, stl, ply, obj

What a format cannot hold is said on standard error.
"""


def add_verb(verbs: Any) -> None:
    """Options of the command."""
    convert = verbs.add_parser(
        "convert",
        help="scenes from and to MJCF, URDF, SDF, OSIM, glTF, STL, ...",
        description="Read a scene in one format and write it in another; the endings of the files say which.",
        epilog=CONVERT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    convert.add_argument("source", metavar="FROM", help="file to read")
    convert.add_argument("target", metavar="TO", help="file to write; an existing one is replaced")


def run(options: argparse.Namespace) -> None:
    """Read, write, and say what was left out."""
    from ..interop.formats import read_scene, write_scene

    try:
        with of_the_user():
            scene, remarks = read_scene(options.source)
            require_folder_of(options.target, "TO")
            remarks += write_scene(scene, options.target)
    except ImportError as error:
        raise Mistake(str(error)) from error
    for remark in remarks:
        print(f"note: {remark}", file=sys.stderr)
    print(f"wrote {options.target}: {len(scene.bodies) + len(scene.compounds)} bodies")
