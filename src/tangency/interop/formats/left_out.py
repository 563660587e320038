"""What a file of geometry does not hold of a scene, one sentence each."""

from __future__ import annotations

from collections.abc import Iterable

from ...scene import Scene


def left_out(scene: Scene, kept: Iterable[str] = (), *, colors: bool = True) -> list[str]:
    """Remarks on everything in a scene but shapes and poses.

    Parameters
    ----------
    scene : Scene
    kept : iterable of str
        Keys of physics that the format holds, such as "mass".
    colors : bool
        Whether the format holds colours.

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.interop.formats.left_out import left_out
    >>> from tangency.scene import Body, Scene
    >>> ball = Body("ball", tg.Sphere(1.0), physics={"mass": 2.0})
    >>> left_out(Scene((ball, Body("wall", tg.HalfSpace([1, 0, 0])))))
    ["body 'ball': mass is not written"]
    """
    remarks = []
    for body in scene.wholes:
        lost = sorted(set(body.physics) - set(kept))
        lost += [] if colors or body.color is None else ["color"]
        if lost:
            remarks.append(f"body {body.name!r}: {', '.join(lost)} {'is' if len(lost) == 1 else 'are'} not written")
    if scene.simulation:
        remarks.append("the laws of contact and options of the simulation are not written")
    if scene.pairs is not None:
        remarks.append("the choice of pairs is not written: all bodies may touch")
    if scene.options:
        remarks.append(f"the options of contacts are not written: {', '.join(scene.options)}")
    if scene.measure:
        remarks.append("the table [measure] is not written")
    return remarks
