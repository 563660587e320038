"""What a run says."""

import warnings

from tangency.dynamics import simulate


def said_by(world, duration, mode="fast", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return simulate(world, duration, mode, **options).info["warnings"]
