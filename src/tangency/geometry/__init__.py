"""Poses, tangent planes, curvature, moments and polytopes: geometry that knows no shapes."""
