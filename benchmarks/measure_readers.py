"""Readers of meshes: how many files that were cut off are noticed, and the time for a large one.

python benchmarks/measure_readers.py

The table is shown in docs/fitting.md.  It needs trimesh, meshio and, for VTP, VTK.
"""

import io
import logging
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import meshio
import trimesh

from mesh_samples import cuts, random_mesh, samples
from tangency.fitting import CloudError, read_cloud

CUTS = 100
LONGEST = 3.0  # seconds


def by_trimesh(path):
    return trimesh.load(io.BytesIO(path.read_bytes()), file_type=path.suffix[1:], process=False)


READERS = {
    "tangency": read_cloud,
    f"trimesh {trimesh.__version__}": by_trimesh,
    f"meshio {meshio.__version__}": meshio.read,
}


def too_long(*_):
    raise TimeoutError


def outcome(reader, path):
    """Whether a damaged file is refused, whether the message names the place, and whether the reader never ends.

    meshio waits for the end of a header that is cut off.
    """
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        reader(path)
    except TimeoutError:
        return False, False, True
    except CloudError as error:
        return True, "line " in str(error) or " of " in str(error), False
    except (Exception, SystemExit) as error:  # meshio ends the process
        return True, "line " in str(error), False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    return False, False, False


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable()
    signal.signal(signal.SIGVTALRM, too_long)
    rng = np.random.default_rng(0)
    contents = samples(*random_mesh(rng, 200))
    big = samples(*random_mesh(rng, 40_000))
    print(
        f"refused of {CUTS} files that were cut off (with the place), seconds for {len(big['text.obj']) / 1e6:.1f} MB"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, data in contents.items():
            parts = cuts(name, data, rng, CUTS)
            for reader, read in READERS.items():
                if name.endswith("vtp") and reader != "tangency":
                    continue
                found = []
                for part in parts:
                    path = Path(folder) / name
                    path.write_bytes(part)
                    found.append(outcome(read, path))
                path.write_bytes(big[name])
                start = time.process_time()
                whole = not outcome(read, path)[0]
                seconds = f"{time.process_time() - start:.2f} s" if whole else "refused"
                refused, placed, hung = np.sum(found, axis=0)
                print(f"{name:12} {reader:16} {refused:4} ({placed}), endless {hung}  {seconds}", flush=True)


if __name__ == "__main__":
    main()
