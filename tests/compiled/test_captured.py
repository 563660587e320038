"""Compiled formulas keep the constants they were compiled with: a change is refused with a sentence, never ignored."""

import math
import re
import types
from typing import NamedTuple

import numpy as np
import pytest

import tangency as tg
from tangency import planar
from tangency.compiled.captured import Captured

K = 0.5
TABLE = np.array([0.5, 0.25])
PAIR = (0.5, 0.25)
SETTINGS = types.ModuleType("settings")
SETTINGS.factor = 0.5


def helper(z):
    return K * z


def through_a_global(self, n):
    return self.r + K


def through_a_function(self, n):
    return self.r + helper(1.0)


def through_an_array(self, n):
    return self.r + TABLE[0]


def through_a_tuple(self, n):
    return self.r + PAIR[0]


def through_a_module(self, n):
    return self.r + SETTINGS.factor


def through_a_default(self, n, k=0.5):
    return self.r + k


def closure(k):
    def through_a_closure(self, n):
        return self.r + k

    def change(value):
        nonlocal k
        k = value

    return through_a_closure, change


def kernel_of(formula):
    class Kernel(NamedTuple):
        r: float

    Kernel.jet = formula
    return type("Mine", (), {"Kernel": Kernel})


def set_global(name, value):
    return lambda monkeypatch: monkeypatch.setitem(globals(), name, value)


def in_place(monkeypatch):
    monkeypatch.setattr("test_captured.TABLE", TABLE)
    TABLE[0] = 0.75


def new_default(monkeypatch):
    monkeypatch.setattr(through_a_default, "__defaults__", (0.75,))


@pytest.mark.parametrize(
    ("formula", "change", "name"),
    [
        (through_a_global, set_global("K", 0.75), "K, which was 0.5 .* is 0.75 now"),
        (through_a_function, set_global("K", 0.75), "K, which was 0.5"),
        (through_a_function, set_global("helper", lambda z: z), "helper"),
        (through_an_array, set_global("TABLE", np.array([0.75, 0.25])), "TABLE"),
        (through_an_array, in_place, r"TABLE, which was array\(\[0.5 , 0.25\]\)"),
        (through_a_tuple, set_global("PAIR", (0.75, 0.25)), "PAIR"),
        (through_a_module, lambda m: m.setattr(SETTINGS, "factor", 0.75), "SETTINGS.factor"),
        (through_a_default, new_default, "the defaults of through_a_default"),
    ],
)
def test_every_way_in_is_watched(formula, change, name, monkeypatch):
    before = TABLE.copy()
    captured = Captured(kernel_of(formula))
    assert captured.change() == ""
    change(monkeypatch)
    sentence = captured.change()
    TABLE[:] = before
    assert re.search(name, sentence)


def test_closures_are_watched():
    formula, change = closure(0.5)
    captured = Captured(kernel_of(formula))
    change(0.5 + 0.0)
    assert captured.change() == ""
    change(0.75)
    assert "use k, which was 0.5" in captured.change()


class Ball(tg.Shape):
    class Kernel(NamedTuple):
        r: float

        def point(self, n):
            i = (self.r + K) / math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            return (i * n[0], i * n[1], i * n[2])


class Disc(planar.Shape):
    class Kernel(NamedTuple):
        r: float

        def potential(self, phi):
            return self.r + K, 0.0, 0.0


def test_shapes_refuse_a_changed_constant(monkeypatch):
    ball, disc = Ball(r=1.0), Disc(r=1.0)
    pair = tg.Pair(ball, tg.Sphere(1.0))
    pose = (None, [5.0, 0.0, 0.0])
    assert float(pair(None, pose).distance) == pytest.approx(2.5)
    assert float(tg.contact(ball, tg.Sphere(1.0), pose_b=pose).distance) == pytest.approx(2.5)
    assert float(disc.support([1, 0])) == 1.5
    monkeypatch.setitem(globals(), "K", 0.75)
    for use in (
        lambda: ball.support([0, 0, 1]),
        lambda: Ball(r=2.0).support([0, 0, 1]),
        lambda: ball.offset(1.0).support([0, 0, 1]),
        lambda: pair(None, pose),
        lambda: tg.contact(ball, tg.Sphere(1.0), pose_b=pose),
        lambda: disc.support([1, 0]),
    ):
        with pytest.raises(RuntimeError, match=r"use K, which was 0\.5 when they were compiled and is 0\.75 now"):
            use()
    monkeypatch.setitem(globals(), "K", 0.5)
    assert float(ball.support([0, 0, 1])) == 1.5


def test_a_field_may_have_the_name_of_a_global():
    class Ball(tg.Shape):
        class Kernel(NamedTuple):
            K: float

            def point(self, n):
                k = self.K / math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
                return (k * n[0], k * n[1], k * n[2])

    global K
    before = K
    try:
        assert float(Ball(K=2.0).support([1, 0, 0])) == 2.0
        K = 7.0
        assert float(Ball(K=3.0).support([1, 0, 0])) == 3.0
    finally:
        K = before
