"""All built-in families by name."""

from .families import SIMPLE, Family
from .potentials import harmonic_family
from .spline_model import spline_family

FAMILIES: dict[str, Family] = {**SIMPLE, "harmonic": harmonic_family(), "spline": spline_family()}
