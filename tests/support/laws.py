"""One of every public law of tangency.forces: properties run over all of them."""

from __future__ import annotations

from tangency import forces

SOURCES = ({"stiffness": 1e8}, {"materials": forces.Material(young=210e9, poisson=0.3)})

#: What a normal law needs besides a stiffness or materials, by the name of its class.
NORMAL: dict[str, tuple[dict[str, float], ...]] = {
    "Hertz": ({},),
    "KelvinVoigt": ({"damping": 300.0},),
    "HuntCrossley": ({"restitution": 0.4}, {"damping": 0.5}),
    "LankaraniNikravesh": ({"restitution": 0.4},),
    "Flores": ({"restitution": 0.4},),
    "Gonthier": ({"restitution": 0.4},),
    "CarvalhoMartins": ({"restitution": 0.4},),
}
FRICTION: dict[str, dict[str, float]] = {
    "Frictionless": {},
    "Tanh": {"coefficient": 0.3, "speed": 1e-3},
    "Coulomb": {"static": 0.5, "dynamic": 0.3, "peak_speed": 1e-3, "slide_speed": 1e-2},
    "Bristle": {"static": 0.6, "dynamic": 0.4, "stiffness": 2e4, "damping": 100.0},
}


def public(base: type) -> set[str]:
    """Names of all public laws of a kind."""
    found = ((name, getattr(forces, name)) for name in forces.__all__)
    return {name for name, law in found if isinstance(law, type) and issubclass(law, base) and law is not base}


def normal_laws() -> dict[str, forces.NormalLaw]:
    """By a name for tests."""
    return {
        f"{name}, {', '.join([*source, *more])}": getattr(forces, name)(**source, **more)
        for name, options in NORMAL.items()
        for more in options
        for source in SOURCES
    }


def friction_laws() -> dict[str, forces.FrictionLaw]:
    """By name."""
    return {name: getattr(forces, name)(**options) for name, options in FRICTION.items()}
