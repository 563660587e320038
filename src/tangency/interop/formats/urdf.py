"""URDF files as robots come: collisions alone, with their meshes found, in a form that MuJoCo reads.

MuJoCo strips the folders of meshes, knows no ``package://``, reads neither Collada nor STL as text, and refuses models
with inertias that are not physical.  None of this matters for the shapes and where they are.
"""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

from ...io.mesh_files import obj_of, read_stl
from ...scene import SceneError
from .imported import xml_root
from .not_taken import not_taken

MESHES = (".stl", ".obj", ".msh")
SHAPES = ("box", "capsule", "cylinder", "mesh", "sphere")
#: By the tag of an element, the tags of its children that are read; joints that move have a remark of their own.
READ = {
    "robot": ("link", "joint", "mujoco"),
    "link": ("collision",),
    "joint": ("origin", "parent", "child", "axis"),
    "collision": ("origin", "geometry"),
}
#: Files without a mass, or with an impossible inertia, are compiled all the same: only poses are used.
COMPILER = {"strippath": "false", "discardvisual": "true", "boundmass": "1e-3", "boundinertia": "1e-6"}


def prepared(path: Path, folder: Path) -> tuple[str | None, list[str]]:
    """The text of a URDF file for MuJoCo, with links to its meshes in `folder`, and what was left out.

    None instead of the text for a file with an element <mujoco>, which was made for MuJoCo already.
    """
    root = xml_root(path)
    remarks = not_taken(root, READ)
    if any(len(link.findall("collision")) > 1 for link in root.findall("link")):
        remarks.append("collisions of one link are bodies of their own here")
    if root.tag != "robot" or root.find("mujoco") is not None:
        return None, remarks
    links: dict[tuple[Path, str], str] = {}
    for element in list(root.iter()):  # MuJoCo refuses some values of what it does not need, such as limits of joints
        for child in [child for child in element if child.tag not in READ.get(element.tag, (child.tag,))]:
            element.remove(child)
    for link in root.findall("link"):
        name = link.get("name", "")
        for collision in link.findall("collision"):
            shapes = collision.findall("geometry/*")
            if len(shapes) != 1:
                raise SceneError(f"{path}: link {name!r}: <geometry> must hold one shape, got {len(shapes)}")
            shape = shapes[0]
            problem = "" if shape.tag in SHAPES else "is no shape of URDF"
            if shape.tag == "mesh":
                problem = _linked(shape, path, folder, links)
            if problem:
                what = f"the mesh {shape.get('filename', '')!r}" if shape.tag == "mesh" else f"<{shape.tag}>"
                remarks.append(f"link {name!r}: {what} {problem} and is not taken over")
                link.remove(collision)
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", COMPILER)
    return ElementTree.tostring(root, encoding="unicode"), remarks


def _linked(mesh: ElementTree.Element, path: Path, folder: Path, links: dict[tuple[Path, str], str]) -> str:
    """Let a mesh refer to a link with a name of its own: MuJoCo takes meshes of one name for one; returns a problem."""
    file = _found(mesh.get("filename", ""), path)
    if file is None:
        return "is not found"
    ending = file.suffix.lower()
    if ending not in MESHES:
        return f"is not in a format that MuJoCo reads ({', '.join(MESHES)})"
    key = file, mesh.get("scale", "")
    if key not in links:
        text = ending == ".stl" and _is_text(file)
        link = folder / f"mesh_{len(links)}{'.obj' if text else ending}"
        if text:
            link.write_text(obj_of(read_stl(file)), encoding="ascii")
        else:
            os.symlink(file, link)
        links[key] = str(link)
    mesh.set("filename", links[key])
    return ""


def _is_text(file: Path) -> bool:
    """Whether an STL file is not binary, which has 84 bytes and 50 for each triangle; many of these say "solid"."""
    with file.open("rb") as opened:
        head = opened.read(84)
    return head[:80].lstrip().lower().startswith(b"solid") and (
        file.stat().st_size != 84 + 50 * int.from_bytes(head[80:], "little")
    )


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
