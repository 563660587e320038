"""Reading a scene file.

`examples/scene.toml` lists three bodies with shapes and poses.  `load_scene` reads it, `all_contacts` solves every
pair; the command `tangency contact examples/scene.toml` does the same.
"""

from pathlib import Path

from tangency.scene import all_contacts, load_scene
from tangency.scene.report import table
from tangency.viz import picture

scene = load_scene(Path(__file__).with_name("scene.toml"))
pairs = all_contacts(scene)
print(table(pairs))
Path("scene_file.png").write_bytes(picture(scene, pairs, width=960, height=640))
