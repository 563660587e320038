"""Studies on Portal, Tables 3 to 5, and on Lopes' thesis, Tables 4.3 and 4.4, at reduced size."""

import numpy as np
import pytest

from tangency.io.progress import Progress
from tangency.studies import STUDIES
from tangency.studies.portal_cases import TABLE3
from tangency.studies.portal_table3 import factors


def records(name, size):
    result = STUDIES[name].run(size, 0, Progress())
    assert result.notes
    assert STUDIES[name].markdown(result, size, 0).count("\n|") > len(result.tables[0].rows)
    if result.figure is not None:
        pytest.importorskip("matplotlib")
        nothing_is_cut(result.figure())
    return [dict(zip(result.columns, row)) for row in result.records]


def nothing_is_cut(figure):
    """Every marker and line of a picture lies within its axes."""
    for axes in figure.axes:
        for k, limits in ((0, axes.get_xlim()), (1, axes.get_ylim())):
            low, high = sorted(limits)
            for line in axes.get_lines():
                if line.get_transform().contains_branch_seperately(axes.transData)[k]:
                    values = np.asarray(axes.convert_xunits(line.get_xdata()) if k == 0 else line.get_ydata(), float)
                    assert ((values >= low) & (values <= high)).all(), (values, limits)


@pytest.mark.parametrize("case", TABLE3)
def test_factors(case):
    """delta_A and delta_B of Table 3; the paper's root finder is 1e-4 off where they are exact fractions."""
    assert np.allclose(factors(case), TABLE3[case][0], atol=1.1e-4)


def test_table3():
    rows = records("portal-table3", 1)
    assert len(rows) == 12
    for row in rows:
        assert abs(row["distance"] - row["certified_distance"]) < 1e-10
        printed = 5e-3 if row["method"] == "SQP" and row["case"] == 5 else 6e-4
        assert abs(abs(row["distance"]) - row["printed_distance"]) <= printed
        if row["method"] == "IP":
            assert row["points_off"] < 0.02
    checked = {row["case"]: round(row["distance"], 5) for row in rows}
    assert (checked[4], checked[5], checked[6]) == (-0.38119, 1.58959, 1.82062)


def test_table4():
    rows = records("portal-table4", 1)
    found = {(row["constraints"], row["method"]): row for row in rows}
    for label in "aefgh":
        assert abs(found[label, "interior-point"]["distance"] - 1.745) < 5e-4
        assert found[label, "interior-point"]["status"] == "APART"
    assert abs(found["b2", "interior-point"]["distance"] - 1.745) < 5e-4
    assert found["b", "interior-point"]["status"] != "APART"


def test_table5():
    rows = records("portal-table5", 1)
    found = {(row["constraints"], row["method"]): row for row in rows}
    for method in ("interior-point", "sqp"):
        for label in "abcdefgh":
            assert (found[label, method]["status"] == "OVERLAP_PROVED") == (label == "e")
        assert round(found["e", method]["distance"], 5) == -0.40465
    # which sets stall at zero distance, as printed
    for label in "acdfg":
        assert abs(found[label, "interior-point"]["distance"]) < 0.03
    assert 0.4 < abs(found["b", "interior-point"]["distance"]) < 0.55


def test_table43():
    rows = records("lopes-table4.3", 2000)
    assert [row["technique"] for row in rows[:4]] == ["Householder", "Eberly", "square plate", "projection matrix"]
    assert all(row["mean_time"] > 0 for row in rows)


def test_table44():
    rows = records("lopes-table4.4", 10_000)
    assert len(rows) == 15
    for row in rows:
        assert row["largest"] < 3e-15
        assert row["interquartile_range"] < 3e-16
        # the mean of so many roundings of that spread
        assert abs(row["mean"]) < 1e-17
        if row["printed_interquartile_range"] and row["technique"] in ("Householder", "projection matrix"):
            assert 0.2 < row["interquartile_range"] / row["printed_interquartile_range"] < 5
