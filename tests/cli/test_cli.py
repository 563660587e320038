"""The command: help that teaches, clean output, one sentence for every mistake."""

import csv
import importlib
import io
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tangency.cli.main import main
from tangency.forces import registry
from tangency.studies import STUDIES

TWO = "two.toml"
SCENE = """
title = "two"
[[body]]
name = "a"
shape = "sphere"
radius = 1
[[body]]
name = "b"
shape = "box"
half_lengths = [0.5, 0.5, 0.5]
position = [3, 0, 0.25]
"""


@pytest.fixture
def scene(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(SCENE, encoding="utf-8")
    return tmp_path


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("verb", [[], ["demo"], ["contact"], ["planar"], ["study"], ["warmup"], ["info"]])
def test_help_teaches_with_examples(verb, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*verb, "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert "example" in text
    assert f"tangency {' '.join(verb)}" in text


def test_help_lists_commands_under_one_heading(capsys):
    for verb in ([], ["planar"]):
        with pytest.raises(SystemExit):
            main([*verb, "--help"])
        lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
        assert lines.count("examples:") == 1
        assert not {"command", "example"} & set(lines)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["contact", TWO, "--out", "two.toml/out"], "--out"),
        (["contact", TWO, "--json", "two.toml/a.json"], "the folder of --json"),
        (["simulate", "moving.toml", "--out", "two.toml/out"], "--out"),
        (["simulate", "moving.toml", "--page", "two.toml/a.html"], "the folder of --page"),
        (["simulate", "moving.toml", "--frames", "two.toml/frames"], "--frames"),
        (["fit", "absent.ply", "--report", "two.toml/a.html"], "the folder of --report"),
    ],
)
def test_folders_are_checked_before_the_computation(arguments, option, scene, monkeypatch, capsys):
    def computed(*_, **__):
        raise AssertionError("computed before the folder was checked")

    (scene / "moving.toml").write_text(SCENE + "[simulation]\nduration = 1\n", encoding="utf-8")
    monkeypatch.setattr("tangency.scene.all_contacts", computed)
    monkeypatch.setattr(importlib.import_module("tangency.dynamics.simulate"), "simulate", computed)
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(
        f"tangency: {option} must be a folder that can be written to, got two.toml"
    )


def test_as_a_module():
    done = subprocess.run([sys.executable, "-m", "tangency", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip().count(".") >= 1
    assert done.stderr == ""


def test_without_a_verb(capsys):
    assert main([]) == 0
    assert "commands" in capsys.readouterr().out


def test_info(capsys):
    assert main(["info"]) == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("tangency", "numba", "cache", "cores"))


def test_table_and_files(scene, capsys):
    assert main(["contact", "two.toml"]) == 0
    output = capsys.readouterr()
    assert "1.50000000" in output.out
    assert max(map(len, output.out.splitlines()[:-1])) <= 120
    assert files(scene) == ["out/two.csv", "out/two.html", "out/two.json", "out/two.png", "two.toml"]


def test_json_on_standard_output(scene, capsys):
    assert main(["contact", "two.toml", "--json", "--no-picture", "--out", "results"]) == 0
    output = capsys.readouterr()
    data = json.loads(output.out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    (pair,) = data["contacts"]
    assert pair["distance"] == pytest.approx(1.5, abs=1e-12)
    assert pair["lower"] <= pair["distance"] <= pair["upper"]
    assert len(pair["normal"]) == len(pair["point_a"]) == 3
    assert pair["curvature_a"]["values"] == pytest.approx([1, 1])
    assert pair["curvature_b"]["values"] in ([None, None], [0.0, 0.0])  # a corner or a face of the box
    assert pair["status"]["message"].endswith(".")
    assert data["bodies"][1]["quaternion_xyzw"] == [0, 0, 0, 1]
    assert (scene / "results/two.json").read_text(encoding="utf-8") == output.out
    assert "wrote" in output.err


def test_csv_on_standard_output(scene, capsys):
    assert main(["contact", "two.toml", "--csv", "--no-picture"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert float(row["distance"]) == pytest.approx(1.5, abs=1e-12)
    assert row["a"] == "a"
    assert row["converged"] == "true"


def test_results_into_named_files(scene, capsys):
    assert main(["contact", "two.toml", "--json", "x.json", "--csv", "deep/y.csv", "--no-picture"]) == 0
    assert files(scene) == ["deep/y.csv", "two.toml", "x.json"]
    assert "distance" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["absent.toml"], "absent.toml: no such file"),
        (["two.toml", "--json", "two.toml"], "--json must be followed by a name ending in .json"),
        (["two.toml", "--json", "--csv"], "--json and --csv must not both be without a file name"),
    ],
)
def test_mistakes_in_arguments(scene, capsys, arguments, sentence):
    check_mistake(["contact", *arguments], sentence, scene, capsys)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("radius = 1", "radius = "), "two.toml: not valid TOML: Invalid value (at line 6"),
        (('"box"', '"bxo"'), "two.toml, line 9: body 'b': unknown shape 'bxo'; did you mean 'box'?"),
        (("radius = 1", "radius = 0"), "two.toml, line 6: body 'a': radius must be > 0, got 0"),
        (("[0.5, 0.5, 0.5]", "[1, -1, 1]"), f"{TWO}, line 10: body 'b': half_lengths must be > 0, got [ 1., -1., 1.]"),
        (("[0.5, 0.5, 0.5]", "[1, 1]"), f"{TWO}, line 10: body 'b': half_lengths must have shape (..., 3)"),
        (('name = "b"', 'name = "a"'), "two.toml, line 8: body names must be unique, got 'a' 2 times"),
    ],
)
def test_mistakes_in_scenes(scene, capsys, change, sentence):
    (scene / "two.toml").write_text(SCENE.replace(*change), encoding="utf-8")
    check_mistake(["contact", "two.toml"], sentence, scene, capsys)


def check_mistake(arguments, sentence, folder, capsys):
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"tangency: {sentence}")
    assert output.err.count("\n") == 1
    assert files(folder) == ["two.toml"]


def test_no_folder_no_file(scene, capsys):
    (scene / "out").write_text("a file where the folder should be", encoding="utf-8")
    assert main(["contact", "two.toml", "--no-picture"]) == 2
    assert capsys.readouterr().err.startswith("tangency: --out must be a folder that can be written to, got out")
    assert files(scene) == ["out", "two.toml"]


@pytest.mark.parametrize("bug", [TypeError, KeyError, AttributeError, ValueError, ZeroDivisionError])
def test_a_bug_is_no_mistake_of_the_user(bug, scene, monkeypatch, capsys):
    """It shows where it happened, and the exit code is Python's."""

    def broken(*_):
        raise bug("broken")

    monkeypatch.setattr("tangency.scene.report.table", broken)
    monkeypatch.setattr(sys, "argv", ["tangency", "contact", "two.toml", "--no-picture"])
    with pytest.raises(bug, match="broken"):
        main()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "bug", [TypeError, *(pytest.param(bug, marks=pytest.mark.full) for bug in (KeyError, ValueError))]
)
def test_a_bug_in_the_solver_is_no_mistake_in_the_scene(bug, scene):
    """As a program sees it: a traceback and exit code 1."""
    code = (
        "import sys, tangency.scene.bodies as bodies, tangency.cli.main as command\n"
        "def broken(*_, **__):\n"
        f"    raise {bug.__name__}('broken')\n"
        "bodies.contact = broken\n"
        "sys.exit(command.main(['contact', 'two.toml', '--no-picture']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "in broken" in done.stderr


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            ("radius = 1", f"radius = 1{400 * '0'}"),
            "two.toml, line 6: body 'a': radius must lie within the range of floats",
        ),
        (("radius = 1", f"radius = {2000 * '['}1{2000 * ']'}"), "two.toml: tables or lists are nested too deep"),
        (
            ('shape = "sphere"\nradius = 1', 'shape = "ellipsoid"\nradii = [1e300, 0.2, 0.3]'),
            "body 'a': the formulas of Ellipsoid give no number",
        ),
    ],
)
def test_absurd_numbers_and_nesting(scene, capsys, change, sentence):
    (scene / "two.toml").write_text(SCENE.replace(*change), encoding="utf-8")
    check_mistake(["contact", "two.toml"], sentence, scene, capsys)


def test_files_are_written_whole(tmp_path, monkeypatch):
    from tangency.io import whole_files

    target = tmp_path / "a.txt"
    whole_files.write_whole(target, "old")
    with monkeypatch.context() as patch:
        patch.setattr(whole_files.os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            whole_files.write_whole(target, "new")
    assert target.read_text(encoding="utf-8") == "old"
    assert files(tmp_path) == ["a.txt"]


def test_progress_speaks_after_a_while():
    import time

    from tangency.io.progress import Progress

    stream = io.StringIO()
    with Progress(every=0.05, stream=stream) as progress:
        progress.step("compiling")
        time.sleep(0.2)
    assert "compiling ..." in stream.getvalue()
    quiet = io.StringIO()
    with Progress(every=5.0, stream=quiet) as progress:
        progress.step("nothing")
    assert quiet.getvalue() == ""


def test_demo(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2 * 21
    assert files(tmp_path) == ["demo.csv", "demo.html", "demo.json", "demo.png"]


LAWS = """
import typing
from tangency import forces

class Soft(forces.NormalLaw):
    class Kernel(typing.NamedTuple):
        stiffness: float
        def force(self, depth):
            return self.stiffness * depth
        def energy(self, depth):
            return self.stiffness * depth**2 / 2.0

forces.register("soft_of_a_file", Soft)
"""
FALLING = """
[[body]]
name = "ground"
shape = "plane"
normal = [0, 0, 1]
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [0, 0, 0.1]
density = 500
[simulation]
duration = 0.02
[simulation.normal]
law = "soft_of_a_file"
stiffness = 1e4
"""


def test_own_laws_of_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "scene.toml").write_text(FALLING)
    (tmp_path / "own_laws_of_a_test.py").write_text(LAWS)
    assert main(["simulate", "scene.toml"]) == 2
    assert "unknown law 'soft_of_a_file'" in capsys.readouterr().err
    try:
        assert main(["simulate", "scene.toml", "--import", "own_laws_of_a_test.py"]) == 0
    finally:
        registry.NORMAL.pop("soft_of_a_file", None)
        sys.modules.pop("own_laws_of_a_test", None)
    # A mass on a spring that starts unstretched: the depth after 0.02 s is g/w^2 (1 - cos(w t)).
    mass = 500.0 * 4.0 / 3.0 * math.pi * 0.1**3
    w = math.sqrt(1e4 / mass)
    depth = 9.81 / w**2 * (1.0 - math.cos(0.02 * w))
    assert f"{0.1 - depth:.5f}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("absent.py", None, "there is no file 'absent.py'"),
        ("laws.txt", "", "must be followed by a Python file"),
        ("wrong.py", "import math\n\nmath.sqt(2)\n", "--import wrong.py, line 3: AttributeError"),
        ("half.py", "def f(:\n", "--import half.py: SyntaxError"),
        ("refused.py", "from tangency import forces\nforces.register('Hertz', 3)\n", "line 2: ValueError: name must"),
    ],
)
def test_files_of_laws_that_fail_are_named(tmp_path, monkeypatch, capsys, name, text, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "scene.toml").write_text(FALLING)
    if text is not None:
        (tmp_path / name).write_text(text)
    assert main(["simulate", "scene.toml", "--import", name]) == 2
    assert said in capsys.readouterr().err
    sys.modules.pop(Path(name).stem, None)


@pytest.mark.parametrize("options", [[], ["--list"]])
def test_studies_are_listed_with_their_times(capsys, options):
    assert main(["study", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == list(STUDIES)
    assert all(re.match(r"\S+ +\d+ (s|min)  ", line) for line in lines[:-1])
