"""``python -m tangency`` is the command ``tangency``."""

import sys

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main())
