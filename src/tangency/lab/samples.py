"""What the lab starts with, and one body of every word of the catalogue to add."""

from __future__ import annotations

from typing import Any

from scipy.spatial.transform import Rotation

from ..scene import Body, Scene
from ..shapes import Ellipsoid, HalfSpace, Superellipsoid

#: A table of a scene file for every word of the catalogue, about half a metre in size.
SAMPLES: dict[str, dict[str, Any]] = {
    "half_space": {"shape": "half_space", "normal": [0.0, 0.0, 1.0], "offset": 0.0},
    "sphere": {"shape": "sphere", "radius": 0.4},
    "ellipsoid": {"shape": "ellipsoid", "radii": [0.5, 0.35, 0.25]},
    "superellipsoid": {"shape": "superellipsoid", "radii": [0.4, 0.4, 0.4], "epsilon": [0.5, 0.6]},
    "power_ellipsoid": {"shape": "power_ellipsoid", "radii": [0.4, 0.35, 0.3], "exponents": [2.0, 3.0, 5.0]},
    "superovoid": {
        "shape": "superovoid",
        "radii": [0.35, 0.3, 0.4],
        "exponents": [3.0, 2.5, 2.0],
        "taper_x": [1.0, -0.2, 0.0, 0.0],
        "taper_y": [1.0, -0.2, -0.1, 0.0],
    },
    "ovoid": {
        "shape": "ovoid",
        "radii": [0.3, 0.3, 0.4],
        "taper_x": [1.0, -0.15, 0.0, 0.0],
        "taper_y": [1.0, -0.15, 0.0, 0.0],
    },
    "tapered_superellipsoid": {
        "shape": "tapered_superellipsoid",
        "radii": [0.35, 0.3, 0.35],
        "epsilon": [0.6, 0.6],
        "taper": [-0.3, -0.3],
    },
    "harmonic_shape": {"shape": "harmonic_shape", "coefficients": [1.4, 0.0, 0.0, 0.0, 0.02, 0.0, 0.05, 0.0, 0.04]},
    "spline_shape": {
        "shape": "spline_shape",
        "body": {
            "shape": "minkowski_sum",
            "a": {"shape": "sphere", "radius": 0.15},
            "b": {"shape": "ellipsoid", "radii": [0.3, 0.2, 0.15]},
        },
        "cells": 5,
    },
    "capsule": {"shape": "capsule", "radius": 0.2, "half_length": 0.3},
    "rounded_box": {"shape": "rounded_box", "half_lengths": [0.4, 0.3, 0.25], "radius": 0.1},
    "box": {"shape": "box", "half_lengths": [0.35, 0.3, 0.25]},
    "cylinder": {"shape": "cylinder", "radius": 0.25, "half_length": 0.35},
    "cone": {"shape": "cone", "radius": 0.3, "half_length": 0.3, "top_radius": 0.1},
    "hull": {
        "shape": "hull",
        "points": [[-0.4, -0.3, -0.4], [0.4, -0.3, -0.4], [0.0, 0.4, -0.4], [0.0, 0.0, 0.45]],
    },
    "segment": {"shape": "segment", "half_length": 0.5},
    "offset": {
        "shape": "offset",
        "body": {"shape": "hull", "points": [[-0.3, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.3, 0.3]]},
        "distance": 0.12,
    },
    "minkowski_sum": {
        "shape": "minkowski_sum",
        "a": {"shape": "ellipsoid", "radii": [0.3, 0.1, 0.1]},
        "b": {"shape": "segment", "half_length": 0.2},
    },
    "affine": {
        "shape": "affine",
        "body": {"shape": "superellipsoid", "radii": [0.3, 0.3, 0.3], "epsilon": [0.5, 0.5]},
        "matrix": [[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        "translation": [0.0, 0.0, 0.05],
    },
    "support": {
        "shape": "support",
        "expression": "r*(sqrt(nx**2 + ny**2 + nz**2) + s*nx*ny*nz/(nx**2 + ny**2 + nz**2))",
        "r": 0.4,
        "s": 0.7,
    },
    "potential": {
        "shape": "potential",
        "expression": "sqrt(a**2*sin(phi)**2 + c**2*cos(phi)**2)",
        "a": 0.4,
        "c": 0.25,
    },
}


def start_scene() -> Scene:
    """An ellipsoid and a superellipsoid above the ground."""
    return Scene(
        (
            Body(
                "egg",
                Ellipsoid([0.55, 0.35, 0.3]),
                (Rotation.from_euler("ZY", [20, -15], degrees=True), [-0.6, 0, 0.5]),
            ),
            Body(
                "pillow",
                Superellipsoid([0.4, 0.45, 0.3], (0.5, 0.7)),
                (Rotation.from_euler("ZX", [35, 20], degrees=True), [0.6, 0.15, 0.7]),
            ),
            Body("ground", HalfSpace([0, 0, 1])),
        ),
        title="contact lab",
    )
