"""Five of the six traps of compiled code that compiled/jit.py closes, each pinned; test_cache.py has the sixth."""

import ast
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import tangency as tg
from tangency.compiled import sources
from tangency.kernels.jet import SPATIAL_JETS

PACKAGE = Path(tg.__file__).parent


def ball(factor):
    """Classes with equal names and equal fields but another formula each."""

    class Ball(tg.Shape):
        class Kernel(NamedTuple):
            r: float

            def jet(self, n):  # the Hessian does not matter here
                h = factor * self.r * math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
                return h, (h * n[0], h * n[1], h * n[2]), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    return Ball


# ---- 1. equal names ---------------------------------------------------------------------------------
def test_equal_names_are_told_apart():
    classes = [ball(1.0), ball(2.0)]
    shapes = [cls(r=1.0) for cls in classes]
    for _ in range(2):
        assert [float(shape.support([0, 0, 1])) for shape in shapes] == [1.0, 2.0]
    assert len({shape.address for shape in shapes}) == 2
    assert len({cls.Kernel.__name__ for cls in classes}) == 2
    # nested in the same built-in shape, and in each other
    assert [float((shape + tg.Sphere(1.0)).support([1, 0, 0])) for shape in shapes] == [2.0, 3.0]
    assert float((shapes[0] + shapes[1]).support([0, 1, 0])) == 3.0


def test_built_in_names_are_stable():
    assert tg.Ellipsoid.Kernel.__name__ == "Ellipsoid_Kernel"


# ---- 2. edits in other files ------------------------------------------------------------------------
def test_files_follow_the_sources(tmp_path, monkeypatch):
    copy = tmp_path / "tangency"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "PACKAGE", copy)

    def now(module):
        sources._read.cache_clear()
        sources.source_hash.cache_clear()
        return sources.source_hash((f"tangency.{module}",))

    before = {module: now(module) for module in ("solvers.certified.solver", "forces.spring_kernel")}
    with (copy / "kernels" / "vectors.py").open("a", encoding="utf-8") as file:
        file.write("\n# an edit\n")
    assert now("solvers.certified.solver") != before["solvers.certified.solver"]  # imports it by way of other modules
    assert now("forces.spring_kernel") == before["forces.spring_kernel"]  # does not
    monkeypatch.undo()
    now("solvers.certified.solver")


def imported(module):
    """Modules of the package that a module imports, by the interpreter's own parser."""
    path = sources._file(module)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if sources._file(alias.name))
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            for alias in node.names:
                if sources._file(f"{base}.{alias.name}"):
                    yield f"{base}.{alias.name}"
                elif sources._file(base):
                    yield base


def test_imports_are_read_as_python_reads_them():
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        assert set(imported(module)) == set(sources._read(module)[1]), module


# ---- 3. users' classes stay out of the disk cache -----------------------------------------------------
SCRIPT = """
import math
from typing import NamedTuple
import tangency as tg
from tangency.compiled.cache import cache_folder

class Mine(tg.Shape):
    class Kernel(NamedTuple):
        r: float
        def jet(self, n):
            h = self.r * math.sqrt(n[0]**2 + n[1]**2 + n[2]**2)
            return h, (h * n[0], h * n[1], h * n[2]), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

def files():
    return sorted(path.name for path in cache_folder().rglob("*") if path.is_file())

tg.Sphere(1.0).support([1, 0, 0])
built_in = files()
mine = Mine(r=2.0)
values = [mine, mine.offset(1.0), tg.from_support("sqrt(nx**2 + ny**2 + nz**2)")]
print(len(built_in) > 0, [float(s.support([1, 0, 0])) for s in values], files() == built_in)
"""


def test_disk_cache_holds_built_in_shapes_only(tmp_path):
    env = {**os.environ, "TANGENCY_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(PACKAGE.parent)}
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True [2.0, 3.0, 1.0] True", done.stdout + done.stderr


# ---- 4. integers and read-only arrays -----------------------------------------------------------------
CALLS = """
import numpy as np, tangency as tg
from tangency.kernels.jet import evaluate_many
from tangency.kernels.rotations import from_frames, from_parts
one, many = tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid(np.ones((4, 3)))
far, matrix = np.full((4, 3), 5.0), np.broadcast_to(np.eye(3), (4, 3, 3))
first = tg.contact(one, one, pose_b=(None, [9, 0, 0]))
tg.contact(many, many, pose_b=(None, far))
tg.contact(many, one, pose_b=(matrix, [9, 0, 0]), max_distance=[1, 2, 3, np.inf])
tg.contact(one, many[::2], pose_b=(None, [[9, 0, 0], [8, 0, 0]]), guess=first)
tg.contact(one, one, pose_b=np.eye(4), guess=first.normal)
one.support(np.broadcast_to([1.0, 0.0, 0.0], (5, 3)))
many.aabb((matrix, far))
entries = (tg.solvers.certified.solver.certified, evaluate_many, from_frames, from_parts)
print([len(entry.signatures) for entry in entries])
"""


def test_one_compilation_of_the_solver_for_all_calls():
    """In a process of its own: code that others compile there calls the solver with types of its own."""
    done = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("[1, 1, 0, 1]", "[1, 1, 1, 1]")


def test_no_second_compilation():
    frozen = np.array([3.0, 2.0, 1.0])
    frozen.flags.writeable = False
    strided = np.ones((4, 6))[:, ::2]
    shapes = [tg.Ellipsoid(r) for r in ([3, 2, 1], [3.0, 2.0, 1.0], frozen, strided, np.float32([3, 2, 1]))]
    assert len({shape.address for shape in shapes}) == 1
    hulls = [tg.Hull(np.random.default_rng(k).normal(size=(k, 3))) for k in (5, 9)]
    assert hulls[0].address == hulls[1].address
    assert shapes[3].support([1, 0, 0]).shape == (4,)
    own = ball(1.0)
    assert own(r=1).address == own(r=np.float32(1)).address == own(r=[1, 2, 3]).address


def test_one_compilation_for_equal_layouts():
    shape = tg.Sphere(1.0).offset(1.0)
    assert SPATIAL_JETS.address(shape._prototype(), True) == (tg.Sphere([2.0, 3.0]).offset(0.5)).address


# ---- 5. parallel backends -----------------------------------------------------------------------------
def test_no_parallel_backends():
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"guvectorize\(|@vectorize|parallel=True|prange", source), path
        assert "cache=True" not in source, f"{path}: caching belongs in compiled/cache.py"


def test_threads_may_compile_at_once():
    from concurrent.futures import ThreadPoolExecutor

    classes = [ball(float(k)) for k in range(1, 4)]
    with ThreadPoolExecutor(3) as pool:
        values = list(pool.map(lambda cls: float(cls(r=1.0).support([1, 0, 0])), classes * 2))
    assert values == [1.0, 2.0, 3.0] * 2


def test_classes_typed_into_a_module_are_not_built_in():
    """A doctest runs under the name of its module; its classes are new each time and stay out of the disk cache."""
    code = "class Typed(tg.Shape):\n class Kernel(NamedTuple):\n  r: float\n  def point(self, n):\n   return n\n"
    names = {"__name__": "tangency.shapes.sphere", "tg": tg, "NamedTuple": NamedTuple}
    exec(compile(code, "<doctest>", "exec"), names)
    assert not names["Typed"]._builtin
    assert tg.Sphere._builtin
