"""Shapes from formulas of the support function or the generating potential."""
