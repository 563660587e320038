"""The options ``--engine`` and ``--ranks`` of ``tangency simulate``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .mistakes import Mistake, of_the_user

INTERRUPTED = 130  # exit code after Ctrl-C


def on_engine(world: Any, given: dict[str, Any], files: dict[str, Any]) -> Any:
    """The trajectory of a world simulated with LAMMPS; None on ranks other than 0."""
    if given.get("mode", "fast") != "fast":
        raise Mistake(f"--engine lammps needs the mode fast, got {given['mode']!r}: use --mode fast")
    if given.get("threads") is not None:
        raise Mistake("--engine lammps has no --threads: use --ranks")
    for key in ("method", "rtol", "atol", "max_step"):
        if key in given:
            raise Mistake(f"--engine lammps has fixed steps: leave out {key} = {given[key]!r} of [simulation]")
    options = {key: value for key, value in given.items() if key not in ("mode", "threads")}
    try:
        from ..interop import lammps
    except ImportError as error:
        raise Mistake(str(error)) from error
    try:
        return lammps.simulate(world, progress=True, **files, **options)
    except ImportError as error:
        raise Mistake(str(error)) from error
    except lammps.RankError:  # rank 0 says what is wrong
        return None


def on_ranks_of(options: argparse.Namespace, arguments: list[str]) -> int:
    """Start this command again on several ranks; the exit code."""
    from ..dynamics.scene import options_of, world_of
    from ..interop.lammps.launch import on_ranks
    from ..interop.lammps.refusals import refuse
    from ..scene import load_scene
    from .own_code import import_file

    if options.engine != "lammps":
        raise Mistake("--ranks needs --engine lammps")
    if options.ranks < 1:
        raise Mistake(f"--ranks must be >= 1, got {options.ranks}")
    for name in options.own_code:
        import_file(name)
    with of_the_user():  # one message, not one from each rank
        scene = load_scene(options.scene)
        options_of(scene)
        refuse(world_of(scene))
    rest = _without_ranks(arguments)
    try:
        code = on_ranks(rest, options.ranks)
    except FileNotFoundError as error:
        raise Mistake(str(error)) from None
    if code not in (0, 2, 3, INTERRUPTED):
        path = Path(options.out) / f"{Path(options.scene).stem}.npz"
        kept = f"; {path} has the last checkpoint: continue with --resume" if path.exists() else ""
        raise Mistake(f"a rank ended with exit code {code}, and the others were stopped{kept}")
    return code


def _without_ranks(arguments: list[str]) -> list[str]:
    """The arguments without ``--ranks N``."""
    rest, skip = [], False
    for argument in arguments:
        if skip or argument.startswith("--ranks="):
            skip = False
        elif argument == "--ranks":
            skip = True
        else:
            rest.append(argument)
    return rest
