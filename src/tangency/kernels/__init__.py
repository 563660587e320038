"""Compiled numerics that know no shapes: small vectors, tangent planes, simplices."""
