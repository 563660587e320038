"""Draw docs/pictures/lab.png: the contact lab in Chromium.

python docs/lab_picture.py
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from tangency.io.whole_files import write_whole
from tangency.lab.desk import Desk
from tangency.lab.samples import start_scene

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from chromium import Chromium

ROOT = Path(__file__).parents[1]
SIZE = (1200, 860)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(start_scene(), Path(folder))
        desk.bodies.sliders[0].value = 0.75
        desk.contact.load.value = 3.7
        desk.contact.shown["gradient"].value = True
        desk.contact.clear.value = True
        with Chromium(Path(folder) / "profile", SIZE) as browser:
            page = browser.open(desk.address)
            page.wait(lambda: "proved between" in page.text)
            page.evaluate("document.querySelector('.mantine-Notification-closeButton')?.click()")
            time.sleep(6.0)  # bodies fade in
            page.picture(Path(folder) / "lab.png")
        desk.stop()
        picture = Image.open(Path(folder) / "lab.png").convert("RGB")
        picture = picture.quantize(128, dither=Image.Dither.NONE)
        file = io.BytesIO()
        picture.save(file, "PNG", optimize=True)
        write_whole(ROOT / "docs" / "pictures" / "lab.png", file.getvalue())


if __name__ == "__main__":
    main()
