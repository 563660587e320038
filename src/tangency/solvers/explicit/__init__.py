"""Closed forms: pairs that need no iteration."""
