"""How the source is written: few parameters, short files."""

import ast
from pathlib import Path
from statistics import median

import tangency

PACKAGE = Path(tangency.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
MOST_PARAMETERS = 8

#: C functions that compiled code calls by their address: their arguments are plain numbers and pointers.
C_SIGNATURES = {
    ("dynamics/touch.py", "_touch"),
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
                if count > MOST_PARAMETERS:
                    many.add((path.relative_to(PACKAGE).as_posix(), node.name))
    assert many == C_SIGNATURES


def test_half_of_the_files_have_at_most_150_lines():
    assert median(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES) <= 150
