"""Convex planar shapes from points with noise, and from parametric and implicit curves."""
