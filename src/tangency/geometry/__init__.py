"""Poses, tangent planes, curvature, moments and polytopes: geometry independent of shape classes."""
