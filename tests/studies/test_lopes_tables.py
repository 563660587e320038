"""The studies lopes-table5.3 and lopes-table5.4 at reduced size, beside the printed numbers of iterations."""

import pytest

from tangency.io.progress import Progress
from tangency.studies import STUDIES


def per_step(name, size):
    result = STUDIES[name].run(size, 0, Progress())
    assert result.columns == ("pair", "tangents", "step", "iterations", "distance")
    assert STUDIES[name].markdown(result, size, 0).count("|") > 50
    return result.tables[0].rows


def test_ellipsoids():
    rows = per_step("lopes-table5.3", 40)
    assert len(rows) == 8
    for pair, kind, _, printed, _, found, _, _, lost, error in rows:
        assert lost == 0
        assert float(error) < 1e-9
        # The print rounds to 4 for pair 2 and 5 for the others.
        if kind == "householder":
            assert float(found) == pytest.approx(float(printed), abs=0.7), pair
        else:  # a restart costs more than the print allows
            assert 3.5 < float(found) < 7.0
    assert min(rows, key=lambda row: float(row[5]))[0] == 2


def test_superellipsoids():
    rows = per_step("lopes-table5.4", 40)
    assert len(rows) == 3
    for row in rows:
        assert row[8] == 0
        assert 4.0 <= float(row[5]) <= 8.2
