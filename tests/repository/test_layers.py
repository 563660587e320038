"""Data flows one way, shape -> solver -> contact -> force -> motion: lower layers never import higher ones."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tangency

PACKAGE = Path(tangency.__file__).parent

#: From low to high; modules in one line may import each other.  A module may stand lower than its package.
LAYERS = [
    {"compiled", "io"},
    {"kernels", "contacts.status", "contacts.impact_status", "contacts.summary"},
    {"geometry"},
    {"motions"},
    {"shapes"},
    {"implicit", "derivatives", "contacts.result", "contacts.trace"},
    {"solvers"},
    {"contacts"},
    {"interop"},
    {"forces"},
    {"broadphase", "planar"},
    {"fitting", "scene"},
    {"dynamics"},
    {"interop.mjcf", "interop.mujoco", "interop.ensemble", "interop.sweep", "interop.lammps"},
    {"rolling"},
    {"viz"},
    {"interop.formats"},
    {"lab"},
    {"studies"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

#: A trajectory draws itself: its methods for pictures are the doors to viz.
LAZY = {("dynamics", "viz")}

MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


def layer_of(parts):
    """The first name of LAYERS that a module belongs to, the longer one first."""
    return next((name for name in (".".join(parts[:2]), parts[0]) if name in LEVEL), parts[0])


def imports(path):
    """(layer imported, whether inside a function) for every import from the package, type checking aside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            skipped |= {id(inner) for inner in ast.walk(node)}
    inside = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    folder = ("tangency", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(folder[: len(folder) - node.level + 1]) if node.level else []
            base += node.module.split(".") if node.module else []
            names = [[*base, alias.name] for alias in node.names]
        for parts in names:
            if parts[0] == "tangency" and len(parts) > 1 and layer_of(parts[1:]) in LEVEL:
                yield layer_of(parts[1:]), id(node) in inside


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_module_imports_a_higher_layer(path):
    own = layer_of(path.relative_to(PACKAGE).with_suffix("").parts)
    assert own in LEVEL, f"{own} has no place in LAYERS of tests/repository/test_layers.py: give it one"
    for other, lazy in imports(path):
        if lazy and (own, other) in LAZY:
            continue
        assert LEVEL[other] <= LEVEL[own], f"{path.name} (layer {own}) imports {other}, which is higher"


def test_import_is_light():
    code = (
        "import sys, tangency; "
        "names = 'matplotlib', 'sympy', 'scipy.special', 'scipy.spatial', 'scipy.optimize', "
        "'tangency.viz', 'tangency.cli.main'; "
        "heavy = [m for m in names if m in sys.modules]; "
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_command_starts_without_heavy_imports():
    code = (
        "import sys; from tangency.cli.main import main; main(['info']); "
        "assert 'matplotlib' not in sys.modules and 'sympy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_dir_shows_what_there_is():
    """Also what is loaded on first use, in a process that has used nothing yet; and nothing else."""
    code = (
        "import tangency as tg; shown = [name for name in dir(tg) if not name.startswith('_')]; "
        "assert shown == sorted(tg.__all__), set(shown) ^ set(tg.__all__); "
        "assert {'viz', 'scene', 'fit', 'planar'} <= set(shown); "
        "assert all(getattr(tg, name) is not None for name in shown); "
        "assert 'picture' in dir(tg.viz) and tg.scene.load_scene"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
