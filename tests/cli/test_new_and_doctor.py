"""``tangency new`` and ``tangency doctor``."""

import re
import tomllib
from pathlib import Path

import pytest

from tangency.cli import doctor as doctor_module
from tangency.cli.main import main
from tangency.cli.new import templates

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", sorted(templates()))
def test_templates_run_as_they_say(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", name]) == 0
    said = capsys.readouterr().out.strip()
    command = said.partition("next: ")[2].split()
    assert command[0] == "tangency"
    assert command[2] == f"{name}.toml"
    text = (tmp_path / f"{name}.toml").read_text(encoding="utf-8")
    if command[1] == "simulate":  # the start of it is enough
        text = re.sub(r"duration = \d.\d", "duration = 0.06", re.sub(r"rest = .*", "", text))
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    assert main([*command[1:], *(["--no-picture"] if command[1] == "contact" else [])]) == 0


def test_new_overwrites_nothing_and_knows_its_templates(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bowl.toml").write_text("mine", encoding="utf-8")
    assert main(["new", "bowl"]) == 2
    assert "bowl.toml exists already: choose another name with --to" in capsys.readouterr().err
    assert (tmp_path / "bowl.toml").read_text(encoding="utf-8") == "mine"
    assert main(["new", "bowl", "--to", "sub/other.toml"]) == 0
    assert "tangency simulate other.toml" in (tmp_path / "sub" / "other.toml").read_text(encoding="utf-8")
    assert main(["new", "bowel"]) == 2
    assert "did you mean 'bowl'" in capsys.readouterr().err
    assert main(["new", "--to", "x.toml"]) == 2
    assert main(["new"]) == 0
    assert set(templates()) == {line.split()[0] for line in capsys.readouterr().out.splitlines() if line[:1].isalpha()}


def test_doctor_finds_the_core_well(capsys):
    assert main(["doctor"]) == 0
    report = capsys.readouterr().out
    assert "works  contact of two bodies" in report
    assert "works  stack of contacts" in report


def test_doctor_says_what_fails(capsys, monkeypatch):
    def broken():
        raise OSError("no such thing")

    monkeypatch.setattr(doctor_module, "_stack", broken)
    assert main(["doctor"]) == 2
    assert "FAILS  stack of contacts" in (report := capsys.readouterr().out)
    assert "OSError: no such thing" in report


def test_doctor_knows_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {task.extra for task in doctor_module.TASKS} == set(extras) - {"bench", "docs", "test"}
