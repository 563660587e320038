"""Shapes from formulas: of the support function, or of the generating potential."""
