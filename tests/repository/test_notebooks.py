"""The notebooks run, and print and draw what they show."""

import importlib.util
from pathlib import Path

import pytest

import printed

pytest.importorskip("nbclient", reason="running notebooks needs nbclient and ipykernel: pip install -e .[test]")
pytest.importorskip("ipykernel", reason="running notebooks needs nbclient and ipykernel: pip install -e .[test]")
pytest.importorskip("matplotlib", reason="the notebooks draw with matplotlib: pip install 'tangency[viz]'")

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
notebooks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(notebooks)

each = pytest.mark.parametrize("name", notebooks.names())


@pytest.fixture(scope="module")
def kernel():
    with notebooks.kernel() as made:
        yield made


def shown(cell):
    """What a cell printed, and how many pictures it drew."""
    said, pictures = [], 0
    for output in cell.outputs:
        assert output.output_type in ("stream", "display_data", "execute_result"), output
        if output.output_type == "stream":
            assert output.name == "stdout", output.text
            said.append(output.text)
        elif "image/png" in output.data:
            pictures += 1
        else:
            said.append(output.data["text/plain"])
    return "".join(said), pictures


@each
def test_it_prints_and_draws_what_it_shows(name, kernel, tmp_path):
    kept = notebooks.read(name)
    again = notebooks.executed(kept, kernel, tmp_path)
    assert list(tmp_path.iterdir()) == []
    for old, new in zip(kept.cells, again.cells, strict=True):
        if old.cell_type == "code":
            (text, pictures), (found, drawn) = shown(old), shown(new)
            assert printed.Checker().check_output(text, found, printed.FLAGS), f"shows\n{text}\nbut prints\n{found}"
            assert pictures == drawn, old.source


@each
def test_it_is_short_and_says_what_it_shows(name):
    kept = notebooks.read(name)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert kept.cells[0].source.startswith("# ")
    assert sum(cell.source.count("\n") + 1 for cell in code) <= 80
    assert (notebooks.FOLDER / f"{name}.ipynb").stat().st_size < 250_000
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert set(kept.metadata) == {"kernelspec", "language_info"}
    for cell in code:
        text, pictures = shown(cell)
        assert not printed.noise(text), text
        assert bool(cell.metadata.get("alt")) == bool(pictures), (
            f"a picture needs a text for those who cannot see it: {name}"
        )


def test_every_notebook_is_in_the_contents():
    for page in ("docs/index.md", "README.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert not [name for name in notebooks.names() if f"notebooks/{name}.ipynb" not in text], page
