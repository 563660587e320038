"""Compiled code: configuration of Numba, and a cache on disk whose entries are verified."""
