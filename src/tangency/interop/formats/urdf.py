"""URDF files as robots come: collisions alone, with their meshes found, in a form that MuJoCo reads.

MuJoCo strips the folders of meshes, knows no ``package://``, does not read Collada, and refuses models with inertias
that are not physical.  None of this matters for the shapes and where they are.
"""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

from .imported import xml_root

READ = (".stl", ".obj", ".msh")
#: Files without a mass, or with an impossible inertia, are compiled all the same: only poses are used.
COMPILER = {"strippath": "false", "discardvisual": "true", "boundmass": "1e-3", "boundinertia": "1e-6"}


def prepared(path: Path, folder: Path) -> tuple[str | None, list[str]]:
    """The text of a URDF file for MuJoCo, with links to its meshes in `folder`, and what was left out.

    None instead of the text for a file with an element <mujoco>, which was made for MuJoCo already.
    """
    root = xml_root(path)
    if root.tag != "robot" or root.find("mujoco") is not None:
        return None, []
    remarks: list[str] = []
    links: dict[tuple[Path, str], str] = {}
    for link in root.findall("link"):
        for kind in ("visual", "inertial"):
            for element in link.findall(kind):
                link.remove(element)
        for collision in link.findall("collision"):
            mesh = collision.find("geometry/mesh")
            if mesh is None:
                continue
            problem = _linked(mesh, path, folder, links)
            if problem:
                name = link.get("name", "")
                remarks.append(f"link {name!r}: the mesh {mesh.get('filename', '')!r} {problem} and is not taken over")
                link.remove(collision)
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", COMPILER)
    return ElementTree.tostring(root, encoding="unicode"), remarks


def _linked(mesh: ElementTree.Element, path: Path, folder: Path, links: dict[tuple[Path, str], str]) -> str:
    """Let a mesh refer to a link with a name of its own: MuJoCo takes meshes of one name for one; returns a problem."""
    file = _found(mesh.get("filename", ""), path)
    if file is None:
        return "is not found"
    ending = file.suffix.lower()
    if ending not in READ:
        return f"is not in a format that MuJoCo reads ({', '.join(READ)})"
    key = file, mesh.get("scale", "")
    if key not in links:
        links[key] = str(folder / f"mesh_{len(links)}{ending}")
        os.symlink(file, links[key])
    mesh.set("filename", links[key])
    return ""


def _found(name: str, path: Path) -> Path | None:
    """The file of a mesh: that of a package is searched in the folders above the URDF file."""
    here = path.resolve().parent
    scheme, mark, rest = name.partition("://")
    if not mark:
        candidates = [here / name]
    elif scheme == "file":
        candidates = [here / rest, Path(rest)]
    else:
        package, _, inner = rest.partition("/")
        above = [here, *here.parents]
        candidates = [place / package / inner for place in above]
        candidates += [place / inner for place in above if place.name == package]
    return next((file.resolve() for file in candidates if file.is_file()), None)
