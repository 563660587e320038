"""Shapes given by formulas in scene files."""

import pytest

from tangency.scene import SceneError, load_scene
from tangency.scene.catalogue import harmless


def test_formulas(write, two):
    pytest.importorskip("sympy")
    egg = "[[body]]\nname = 'egg'\nshape = 'support'\nposition = [0, 5, 0]\n"
    scene = load_scene(write(two + egg + "expression = 'sqrt(a**2*nx**2 + ny**2 + nz**2)'\na = 2\n"))
    assert float(scene["egg"].shape.support([1, 0, 0])) == pytest.approx(2.0)
    with pytest.raises(SceneError, match=r"body 'egg': h must describe a convex body, but a radius .* falls to -"):
        load_scene(write(two + egg + "expression = 'nz**3 + 1'\n"))
    with pytest.raises(
        SceneError,
        match="body 'egg': h must be finite for every normal: the formulas of FromSupport ",
    ):
        load_scene(write(two + egg + "expression = 'sqrt(nx**2 + ny**2 - nz**2/2)'\n"))
    with pytest.raises(SceneError, match=r"body 'egg': h contains b"):
        load_scene(write(two + egg + "expression = 'sqrt(b**2*nx**2 + ny**2 + nz**2)'\n"))


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "nx.real",
        "(lambda: 1)()",
        "[1]",
        "'a'",
        "open('x')",
        "1 if 1 else 2",
        "1 +",
        "9**9**9",
        "9**999999999",  # would never end
        "9**-(9**9)",
        "nx**(1 + 9**9)",
        "9**(nx - nx + 1000*1000*1000)",
        "9**(nx/1e-9)",
        "9**Max(999999999, nx)",
        "sin(" * 150 + "nx" + ")" * 150,
        "-" * 1500 + "nx",
    ],
)
def test_formulas_cannot_run_code(text):
    with pytest.raises(ValueError, match="expression must"):
        harmless(text)


@pytest.mark.parametrize("text", ["nx**2", "nx**(2/e)", "ny**-3.5", "a**(b + 1)", "(nx**2 + ny**2)**(3/4*k)"])
def test_usual_powers_are_formulas(text):
    assert harmless(text) == text
