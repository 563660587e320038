"""Tables of OpenSim: .mot, .sto and .trc files as OpenSim writes them, and files that are none."""

import gzip

import numpy as np
import pytest

from tangency.interop.formats import read_mot, read_trc

MOT = """subject01_walk1_grf.mot
version=1
nRows=3
nColumns=3
inDegrees=yes
endheader
time\tground_force_vx\t1_ground_force_vy
0.00\t 1.5\t-2e1
0.01\t2.5\t7
0.02\t3.5\t8
"""
TRC = (
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "60.00\t60.00\t2\t2\tmm\t60.00\t1\t2\n"
    "Frame#\tTime\tR.Heel\t\t\tR.Toe.Tip\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "1\t0.000\t100\t200\t300\t1\t2\t3\n"
    "2\t0.017\t110\t210\t310\t\t\t\n"
)


def test_columns_of_a_mot_file(tmp_path):
    for name, kind in (("a.mot", open), ("b.mot.gz", gzip.open)):
        with kind(tmp_path / name, "wt") as file:
            file.write(MOT)
        found = read_mot(tmp_path / name)
        assert list(found) == ["time", "ground_force_vx", "1_ground_force_vy"]
        assert found["1_ground_force_vy"].tolist() == [-20.0, 7.0, 8.0]


@pytest.mark.parametrize(("unit", "scale"), [("mm", 1e-3), ("m", 1.0), ("cm", 1e-2)])
def test_markers_are_in_metres(tmp_path, unit, scale):
    file = tmp_path / "walk.trc"
    file.write_text(TRC.replace("\tmm\t", f"\t{unit}\t"))
    found = read_trc(file)
    assert found.names == ("R.Heel", "R.Toe.Tip")
    np.testing.assert_allclose(found.of("R.Heel"), scale * np.array([[100, 200, 300], [110, 210, 310]]))
    assert np.isnan(found.of("R.Toe.Tip")[1]).all()  # not seen in the second frame
    assert found.time.tolist() == [0.0, 0.017]
    with pytest.raises(ValueError, match=r"no marker 'L\.Heel'; there are R\.Heel"):
        found.of("L.Heel")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time\tx\n0\t1\n", "must have a line 'endheader'"),
        (MOT.replace("time", "frame", 1).replace("frame\tg", "frame\tg"), "line 7: the first column must be 'time'"),
        (MOT.replace("0.01\t2.5\t7", "0.01\t2.5"), "line 9: must have 3 numbers, got 2"),
        (MOT.replace("2.5", "two"), "line 9: must have numbers only"),
        (MOT.replace("1_ground_force_vy", "ground_force_vx"), "a name of its own"),
    ],
)
def test_a_bad_mot_file_names_its_line(tmp_path, text, message):
    file = tmp_path / "bad.mot"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_mot(file)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("PathFileType", "Path", "must begin with 'PathFileType'"),
        ("\tmm\t", "\tinch\t", "Units must be one of mm, cm, m, got 'inch'"),
        ("\t110\t", "\tfar\t", "line 8: must have numbers only"),
        ("R.Toe.Tip", "R.Heel", "each once"),
        ("2\t0.017\t", "2\t\t", "every row must have a time"),
    ],
)
def test_a_bad_trc_file_names_its_line(tmp_path, old, new, message):
    file = tmp_path / "bad.trc"
    file.write_text(TRC.replace(old, new))
    with pytest.raises(ValueError, match=message):
        read_trc(file)
