"""Checks of a shape: its formulas, convexity, smoothness and poles."""
