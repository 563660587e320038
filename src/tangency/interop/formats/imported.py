"""What a reader of another format returns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from ...scene import Body, Scene, SceneError
from ...shapes.shape import Shape

#: Names such as HuntCrossleyForce::ContactParameters in OpenSim's files, which XML does not allow
_SCOPED = re.compile(rb"(</?\w+)::(?=\w)")


class Imported(NamedTuple):
    """A scene from a file, and a sentence for everything in the file that it does not hold."""

    scene: Scene
    remarks: tuple[str, ...] = ()


class Part(NamedTuple):
    """One shape of a file, placed in the world."""

    name: str
    shape: Shape
    rotation: Rotation
    position: np.ndarray
    color: str | None = None


def imported(path: Path, parts: Iterable[Part], remarks: Iterable[str]) -> Imported:
    """The scene of some parts; names that occur twice get a number."""
    bodies: list[Body] = []
    taken: set[str] = set()
    for part in parts:
        name, number = part.name, 2
        while name in taken:
            name, number = f"{part.name} {number}", number + 1
        taken.add(name)
        with named(str(path)):
            bodies.append(Body(name, part.shape, (part.rotation, part.position), part.color))
    said = tuple(dict.fromkeys(remarks))
    try:
        return Imported(Scene(tuple(bodies), title=path.stem), said)
    except SceneError as error:
        more = f" ({'; '.join(said)})" if said else ""
        raise SceneError(f"{path}: {error}{more}") from None


@contextmanager
def named(where: str) -> Iterator[None]:
    """Let errors about values say where in a file they are."""
    try:
        yield
    except ValueError as error:
        if isinstance(error, SceneError) and str(error).startswith(where):
            raise
        raise SceneError(f"{where}: {error}") from None


def xml_root(path: Path) -> ElementTree.Element:
    """The root of an XML file; a file that declares entities is refused, since they can grow without bounds."""
    text = path.read_bytes()
    if b"\0" in text:
        raise SceneError(f"{path}: not a UTF-8 text file; save it as UTF-8")
    if b"<!ENTITY" in text or b"<!DOCTYPE" in text:
        raise SceneError(f"{path}: a document type or entities are not read; remove the declaration")
    try:
        return ElementTree.fromstring(_SCOPED.sub(rb"\1.", text))
    except ElementTree.ParseError as error:
        raise SceneError(f"{path}: not valid XML: {error}") from None


def numbers_in(element: ElementTree.Element | None, count: int, where: str, default: object = None) -> np.ndarray:
    """The numbers in an element of an XML file."""
    wanted = "a finite number" if count == 1 else f"{count} finite numbers"
    if element is None or not (element.text or "").strip():
        if default is None:
            raise SceneError(f"{where} is missing; expected {wanted}")
        return np.array(default, float).reshape(count)
    try:
        values = np.array((element.text or "").split(), float)
    except ValueError:
        values = np.empty(0)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise SceneError(f"{where} must be {wanted}, got {(element.text or '').strip()!r}")
    return values
