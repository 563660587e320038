"""Scenes: named bodies in the world, from Python, from a TOML file or built in."""

from .bodies import Body, PairContact, Scene, SceneError, all_contacts
from .compound import Compound
from .demo import Roller, demo_scene
from .shape_table import shape_table
from .toml import load_scene
from .write import body_text, scene_toml, table_text

__all__ = [
    "Body",
    "Compound",
    "PairContact",
    "Roller",
    "Scene",
    "SceneError",
    "all_contacts",
    "body_text",
    "demo_scene",
    "load_scene",
    "scene_toml",
    "shape_table",
    "table_text",
]
