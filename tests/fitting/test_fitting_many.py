"""Synthetic clouds with noise, gaps and outliers, all models: what is reported is true, richer models are not worse.

``python benchmarks/measure_clouds.py 0 500`` does the same for 500 clouds and prints a line for each.
"""

import pytest

from fit_audit import audit


@pytest.mark.parametrize("seed", [108])
def test_a_difficult_cloud(seed):
    audit(seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(500))
def test_difficult_clouds(seed):
    audit(seed)
