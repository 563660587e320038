"""The options ``--measure`` and ``--dump`` of ``tangency simulate``; tables of measures and contacts as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

TABLES = ("layers", "network")  # with files of their own, of the last frame
LAYERS = 10


def chosen_measures(text: str | None) -> tuple[list[str], list[str]]:
    """Measures of every frame, and tables of the last frame, from the text of the option."""
    from ..dynamics.measures import MEASURES
    from ..io.spelling import nearest
    from .mistakes import Mistake

    names = [] if text is None else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in (*MEASURES, *TABLES):
            known = (*MEASURES, *TABLES)
            raise Mistake(f"--measure must name some of {', '.join(known)}, got {name!r}{nearest(name, known)}")
    return [name for name in names if name in MEASURES], [name for name in names if name in TABLES]


def chosen_dumps(text: str | None) -> list[str]:
    """Forms of the option ``--dump``."""
    from ..dynamics.dumps import FORMATS
    from ..io.spelling import nearest
    from .mistakes import Mistake

    forms = [] if text is None else [form.strip() for form in text.split(",")]
    for form in forms:
        if form not in FORMATS:
            raise Mistake(f"--dump must name some of {', '.join(FORMATS)}, got {form!r}{nearest(form, FORMATS)}")
    return forms


def check_measures(world: Any, given: dict[str, Any]) -> None:
    """Refuse a table [measure] that does not fit the world, before the run instead of after it."""
    from ..dynamics.measures.selection import whole_axes
    from ..io.spelling import nearest
    from ..scene import SceneError

    known = [body.name for body in world.bodies]
    for name in given.get("bodies", ()):
        if name not in known and name not in world.names:
            raise SceneError(
                f"[measure]: bodies must name bodies or groups, got {name!r}{nearest(name, known)}",
                ("measure", "bodies"),
            )
    if "region" in given:
        try:
            whole_axes(world, *given["region"])
        except ValueError as error:
            raise SceneError(f"[measure]: {error}", ("measure", "region")) from None


def measure_tables(trajectory: Any, chosen: tuple[list[str], list[str]], given: dict[str, Any], path: Path) -> Any:
    """Text about the last frame, and the tables to write by path; `given` is the table [measure] of the scene.

    A table that cannot be made, for instance because no body is left, is left out, and the text says why.
    """
    from ..dynamics import measures
    from ..io.refusals import is_refusal

    where: dict[str, Any] = {key: given[key] for key in ("region", "bodies") if key in given}
    tables, lines = {}, []
    if chosen[0]:
        columns = measures.measured(trajectory, chosen[0], **where)
        tables[path.with_name(f"{path.stem}-measures.csv")] = _csv(columns, zip(*columns.values()))
        shown = [f"{name} {values[-1]:.5g}" for name, values in columns.items() if name != "time"]
        lines.append(f"measured at t = {trajectory.time[-1]:g} s: {', '.join(shown)}")
    for name in chosen[1]:
        make = _layers if name == "layers" else _network
        try:
            tables[path.with_name(f"{path.stem}-{name}.csv")] = make(trajectory, given, where)
        except ValueError as error:
            if not is_refusal(error):
                raise
            lines.append(f"{name} not written: {error}")
    return lines, tables


def _layers(trajectory: Any, given: dict[str, Any], where: dict[str, Any]) -> str:
    """One line per layer, in the last frame."""
    from ..dynamics import measures

    profile = measures.packing_profile(trajectory, given.get("layers", LAYERS), **where)
    return _csv(["low", "high", "packing"], zip(profile.edges, profile.edges[1:], profile.fraction))


def _network(trajectory: Any, given: dict[str, Any], where: dict[str, Any]) -> str:
    """One line per contact of the last frame."""
    from ..dynamics import measures

    network = measures.network(trajectory, bodies=given.get("bodies"))
    vectors = ("point", "normal", "branch", "force")
    header = ["body_a", "body_b", *(f"{name}_{axis}" for name in vectors for axis in "xyz")]
    rows = []
    for k in range(len(network.body_a)):
        names = [trajectory.names[int(number)] for number in (network.body_a[k], network.body_b[k])]
        numbers = [value for name in vectors for value in getattr(network, name)[k]]
        rows.append([*names, *numbers, network.normal_force[k], network.tangential_force[k]])
    return _csv([*header, "normal_force", "tangential_force"], rows)


def _csv(header: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([value if isinstance(value, str) else repr(float(value)) for value in row] for row in rows)
    return target.getvalue()
