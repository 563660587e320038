"""What tests of scene files share."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Write the text of a scene file; returns its path."""

    def to(text):
        path = tmp_path / "scene.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return to


@pytest.fixture
def two():
    """The text of a scene of two spheres."""
    return """
[[body]]
name = "left"
shape = "Sphere"
radius = 1

[[body]]
name = "right"
shape = "sphere"
radius = 0.5
position = [3, 0, 0]
"""
