"""Updates per second of the contact lab with ten bodies: the state alone, and with what is sent to the browser.

python benchmarks/measure_lab.py
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from tangency.lab.arrangement import Arrangement
from tangency.lab.desk import Desk
from tangency.lab.measures import Contacts
from tangency.lab.samples import start_scene

WORDS = ("sphere", "ellipsoid", "capsule", "box", "ovoid", "cone", "rounded_box")
COUNT = 200


def arrangement():
    """Ten bodies, 45 pairs."""
    made = Arrangement.of(start_scene())
    for word in WORDS:
        made = made.added(word)
    return made


def poses():
    for k in range(COUNT):
        yield None, [-0.6, 0.0, 0.5 + 0.3 * np.sin(0.1 * k)]


def state(made):
    """Milliseconds of processor time per moved body: all contacts, and the one under study."""
    contacts = Contacts()
    contacts.of(made)
    start = time.process_time()
    for pose in poses():
        made = made.moved("egg", pose)
        _ = contacts.of(made).studied.curvature_a
    return 1e3 * (time.process_time() - start) / COUNT


def whole(made):
    """The same with everything that the lab computes, draws and queues for its clients."""
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(made.scene, Path(folder))
        desk.solver.solver.value = "romer-1"
        desk.contact.shown["gradient"].value = desk.contact.shown["all pairs"].value = True
        desk.refresh()
        start = time.process_time()
        for pose in poses():
            desk.arrangement = desk.arrangement.moved("egg", pose)
            desk.refresh()
        spent = 1e3 * (time.process_time() - start) / COUNT
        desk.stop()
    return spent


def main():
    made = arrangement()
    pairs = len(Contacts().of(made).pairs)
    alone, all_ = state(made), whole(made)
    print(f"{len(made.names)} bodies, {pairs} pairs; processor time per update")
    print(f"  state          {alone:6.2f} ms")
    print(f"  view and text  {all_ - alone:6.2f} ms")
    print(f"  together       {all_:6.2f} ms: {1e3 / all_:.0f} updates per second on one core")


if __name__ == "__main__":
    main()
