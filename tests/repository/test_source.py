"""How the source is written: few parameters, short files, nothing twice, no wrong file names."""

import ast
import re
from collections import defaultdict
from pathlib import Path
from statistics import median

import tangency

PACKAGE = Path(tangency.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
ROOT = Path(__file__).parents[2]
MAX_PARAMETERS = 8
LINES_OF_A_COPY = 12

#: C functions that compiled code calls by their address: their arguments are plain numbers and pointers.
C_SIGNATURES = {
    ("dynamics/contact/solve.py", "_solve_contact"),
    ("dynamics/fast/lane_batch.py", "_solve_ellipsoids"),
    ("dynamics/fast/lane_batch.py", "_solve_planes"),
    ("dynamics/fast/lane_batch.py", "_solve_superellipsoids"),
    ("forces/friction_kernel.py", "_evaluate"),
    ("forces/friction_kernel.py", "_guarded"),
    ("forces/normal_kernel.py", "_evaluate"),
    ("forces/normal_kernel.py", "_guarded"),
}


def test_functions_have_few_positional_parameters():
    """More of them belong together under a name: a NamedTuple in compiled code, a dataclass elsewhere."""
    many = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                count = len(node.args.posonlyargs) + len(node.args.args)
                if count > MAX_PARAMETERS:
                    many.add((path.relative_to(PACKAGE).as_posix(), node.name))
    assert many == C_SIGNATURES


def test_half_of_the_files_have_at_most_150_lines():
    assert median(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES) <= 150


def _lines_of_code(path):
    """(number, text) of the lines that say something: no imports, docstrings, comments or lone brackets."""
    source = path.read_text(encoding="utf-8")
    skipped = set()
    for node in ast.walk(ast.parse(source)):
        text = node.body[0] if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body else None
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            skipped.update(range(text.lineno, text.end_lineno + 1))
        if isinstance(node, ast.Import | ast.ImportFrom):
            skipped.update(range(node.lineno, node.end_lineno + 1))
    for number, line in enumerate(source.splitlines(), 1):
        text = line.split("  #")[0].strip()
        if number not in skipped and any(c.isalnum() for c in text) and not text.startswith("#"):
            yield number, text


def test_nothing_stands_twice():
    """No twelve lines of code are the same, but for spaces and comments."""
    places = defaultdict(list)
    for path in FILES:
        lines = list(_lines_of_code(path))
        for k in range(len(lines) - LINES_OF_A_COPY + 1):
            copied = tuple(text for _, text in lines[k : k + LINES_OF_A_COPY])
            places[copied].append(f"{path.relative_to(PACKAGE)}:{lines[k][0]}")
    assert not [where for where in places.values() if len(where) > 1]


def test_files_named_in_docstrings_exist():
    """``a/b.py`` is relative to the package, to the folder of the file or to the one above it."""
    missing = []
    for path in FILES:
        for name in re.findall(r"``([\w/]+\.py)``", path.read_text(encoding="utf-8")):
            folders = PACKAGE, path.parent, path.parent.parent, ROOT
            if not any((folder / name).is_file() for folder in folders):
                missing.append(f"{path.relative_to(PACKAGE)}: {name}")
    assert not missing


def test_files_named_in_the_documentation_exist():
    """`a/b.py` is relative to the repository or the package; the name alone is enough."""
    folders = "src", "tests", "docs", "examples", "benchmarks", ".ci"
    there = {path.relative_to(ROOT).as_posix() for folder in folders for path in (ROOT / folder).rglob("*.py")}
    missing = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")]:
        for name in re.findall(r"`([\w/]+\.py)`", page.read_text(encoding="utf-8")):
            if not any(f"/{path}".endswith(f"/{name}") for path in there):
                missing.append(f"{page.name}: {name}")
    assert not missing
