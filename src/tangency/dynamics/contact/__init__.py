"""One contact of two shapes in compiled code: its geometry, its forces, its scales."""
