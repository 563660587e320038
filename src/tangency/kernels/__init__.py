"""Compiled numerics independent of shape classes: small vectors, tangent planes, simplices."""
