"""Tables of cams in files: read as they are written by any program, or refused with file and line."""

import csv
import io
import re

import numpy as np
import pytest

from tangency import planar
from tangency.cli.cam_table import UNITS, read_cam_table
from tangency.cli.main import main


def test_reading_tables(tmp_path):
    path = tmp_path / "t.csv"
    for text, kind, first, second in (
        ("angle,lift\n0,0\n80,2\n160,3\n240,3\n300,1\n", "lift", np.radians(80), 2e-3),
        ("# a machine\nlift_um\tangle_rad\n0\t0\n7\t1.5\n8\t3\n7\t4\n3\t5\n", "lift", 1.5, 7e-6),
        ("x [mm] , y [mm]\n1,2\n3,4\n", "points", 3e-3, 4e-3),
        ("1 2\n3 4\n", "points", 3.0, 4.0),
        ("1;2,5\n3;4,5\n1;2,5", "points", 3.0, 4.5),
        ("# angle [deg] radius [mm]\n0 5\n80 6\n160 6\n240 5\n300 5\n", "radius", np.radians(80), 6e-3),
        ("# x and y of a cam\n1 2\n3 4\n", "points", 3.0, 4.0),
        ("angle;radius (mm);y;x\n0;5;1;2\n180;6;3;4\n360;5;1;2\n", "points", 4.0, 3.0),
    ):
        path.write_text(text, encoding="utf-8")
        table = read_cam_table(str(path))
        assert table.kind == kind
        assert len(table.first) == (5 if kind != "points" else 2)
        assert (table.first[1], table.second[1]) == pytest.approx((first, second))


@pytest.mark.parametrize("seed", range(20))
def test_reading_tables_of_any_program(seed, tmp_path):
    """Separators, decimal commas, byte order marks, line ends, quotes, units, comments, more columns, any order."""
    rng = np.random.default_rng(seed)
    pair = (("angle", "lift"), ("angle", "radius"), ("x", "y"))[rng.integers(3)]
    units = [rng.choice(list(UNITS[name])) for name in pair]
    columns = list(pair) + ["number", "remark"][: rng.integers(3)]
    order = rng.permutation(len(columns))
    separator = rng.choice([",", ";", "\t", " "])
    comma = separator != "," and rng.random() < 0.5
    angles = np.sort(rng.uniform(0, 2 * np.pi, 60)) + 0.01 * np.arange(60)
    angles *= 2 * np.pi / (angles[-1] + 0.2)
    values = {
        pair[0]: angles if pair[0] == "angle" else rng.normal(size=60),
        pair[1]: rng.uniform(0.001, 0.02, 60),
        "number": np.arange(60.0),
        "remark": rng.normal(size=60),
    }
    given = {name: values[name] / (UNITS[name][unit]) for name, unit in zip(pair, units)}
    wrap = [("[", "]"), ("(", ")")][rng.integers(2)]
    quote = '"' if rng.random() < 0.3 else ""

    def line(words):
        return separator.join(f"{quote}{word}{quote}" for word in words)

    stated = dict(zip(pair, units))
    head = [name + (f" {wrap[0]}{stated[name]}{wrap[1]}" if name in stated else "") for name in columns]
    if separator == " ":
        quote = ""
    lines = [line(head[k] for k in order)]
    rows = rng.permutation(60)
    for r in rows:
        words = [f"{given.get(name, values[name])[r]:.17g}" for name in (columns[k] for k in order)]
        lines.append(line(word.replace(".", ",") if comma else word for word in words))
    text = rng.choice(["\n", "\r\n"]).join(["# measured", *lines, ""])
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("utf-8-sig" if rng.random() < 0.5 else "utf-8"))
    table = read_cam_table(str(path))
    assert table.first == pytest.approx(values[pair[0]][rows], rel=1e-14)
    assert table.second == pytest.approx(values[pair[1]][rows], rel=1e-14)
    assert table.angular == (units[1] in ("deg", "rad"))


AROUND = "".join(f"{angle},{angle / 1000}\n" for angle in range(0, 360, 10))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "must hold a table, got an empty file"),
        (b"angle,lift\n", "must hold a table, got its header alone"),
        (b"time,lift\n1,2\n", "line 1: the header must name the columns angle and lift"),
        (b"#\n\nangle [turns],lift\n1,2\n", "line 3: the unit of angle must be one of deg, degrees, rad, got 'turns'"),
        (b"angle,lift,lift\n1,2,3\n", "line 1: the header must name lift once"),
        (b"angle,lift\n1,two\n", "line 2, must hold two numbers angle and lift, got '1,two'"),
        (b"angle,lift\n1,2\n2,nan\n", "line 3, must hold two numbers angle and lift, got '2,nan'"),
        (b"angle,lift\n1,2\n2,inf\n", "line 3, must hold two numbers"),
        (b"angle,lift\n1,2\n2,\n", "line 3, must hold two numbers"),
        (b"angle,lift\n1,2\n2\n", "line 3, must have 2 columns, got '2'"),
        (b"angle,lift\n1,0,2,5\n", "line 2, must have 2 columns, got '1,0,2,5'; decimal commas need semicolons"),
        (b"angle,lift\n1,2\n2,1e7\n", "line 3, must hold angle and lift of a cam, below a kilometre, got '2,1e7'"),
        (b"x,y\n1,2\n", "must hold at least 24 rows to be smoothed, got 1; with --interpolate, fewer are enough"),
        (b"angle,lift\n1,2\n\xb5,2\n", "line 3, must be text in UTF-8, got the byte 0xb5"),
        ("angle,lift\n1,2\n".encode("utf-16"), "line 1, must be text in UTF-8"),
        (
            b"angle,lift\n0,0\n3.14,2\n6.2,1\n",
            "angle must cover the whole turn, dwells too, got a gap of 353.8 degrees",
        ),
        (b"angle,lift\n" + AROUND.encode() + b"730,1\n", "angle must lie within one turn, got 0 to 730 degrees"),
    ],
)
def test_tables_with_errors(content, sentence, tmp_path, capsys):
    """One sentence with file and line, exit code 2, nothing written."""
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert main(["planar", "cam", "--profile", str(path), "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith(f"tangency: {path}")
    assert sentence in message
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize(
    ("header", "rows", "words", "sentence"),
    [
        ("angle,lift [deg]", AROUND, [], "the lift must be a length in m, mm or um with --follower roller"),
        (
            "angle,lift",
            AROUND,
            ["--follower", "swinging-flat", "--pivot", "1", "0"],
            "the lift must be an angle in deg or rad",
        ),
        ("", AROUND, [], "(without a header, the columns were read as x and y in metres)"),
        ("angle,lift", AROUND + "350,0.5\n", ["--interpolate"], "every angle must occur once with"),
        ("angle,lift", AROUND, ["--base", "-1"], "--base must be > 0"),
        ("angle,radius", AROUND, ["--base", "1"], "--base must be given with a lift table only"),
        (
            "angle,lift",
            AROUND,
            ["--interpolate", "--tolerance", "1"],
            "--tolerance must not be given with --interpolate",
        ),
        ("angle,lift", AROUND, ["--tolerance", "0"], "tolerance must be > 0"),
        ("angle,lift", AROUND, ["--interpolate", "--dwell", "0", "90"], "--dwell must not be given with --interpolate"),
        ("angle,lift", AROUND, ["--dwell", "0", "90", "--dwell", "80", "99"], "got 0 to 90, 80 to 99"),
    ],
)
def test_tables_that_do_not_fit(header, rows, words, sentence, tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n{rows}", encoding="utf-8")
    assert main(["planar", "cam", "--profile", str(path), *words, "--out", str(tmp_path / "out")]) == 2
    assert sentence in capsys.readouterr().err
    assert not list((tmp_path / "out").iterdir())


def test_dwells_of_a_table(tmp_path, capsys):
    """Found or stated, in degrees of the cam, also under a flat face."""
    law = [planar.Segment("3-4-5", 2.0, 8.0), planar.Segment("dwell", 0.5, 8.0), planar.Segment("3-4-5", 2.0, 0.0)]
    motion = planar.lift_program([*law, planar.Segment("dwell", 2 * np.pi - 4.5, 0.0)])
    rows = "".join(f"{d},{motion(np.radians(d)).value:.3f}\n" for d in range(0, 360, 2))
    path = tmp_path / "lift.csv"
    path.write_text("angle,lift\n" + rows, encoding="utf-8")
    words = ["--follower", "flat", "--spring", "2000", "--revolutions", "1", "--no-picture", "--out", str(tmp_path)]
    assert main(["planar", "cam", "--profile", str(path), *words]) == 0
    found = [float(word) for word in re.findall(r"from ([\d.]+) to ([\d.]+)", capsys.readouterr().out)[-1]]
    assert found[0] == pytest.approx(np.degrees(4.5), abs=1.0)
    assert min(found[1], 360 - found[1]) < 1.0
    stated = ["--dwell", "257.83", "0", "--dwell", "114.59", "143.24"]
    assert main(["planar", "cam", "--profile", str(path), *words, *stated]) == 0
    assert "the follower rests from 114.6 to 143.2 and from 257.8 to 0 degrees" in capsys.readouterr().out


@pytest.mark.parametrize("which", [{2}, pytest.param({0, 1, 3, 4, 5, 6}, marks=pytest.mark.full)])
def test_lift_tables_of_all_followers(which, tmp_path, capsys):
    """A tabulated motion is what the cam gives to its follower, also swinging, beside the axis and in a ring."""
    law = planar.lift_program([planar.Segment("4-5-6-7", np.pi, 1.0), planar.Segment("3-4-5", np.pi, 0.0)])
    degrees = np.arange(0, 360, 2)
    share = law(np.radians(degrees)).value
    path = tmp_path / "lift.csv"
    swinging = ["--pivot", "0.06", "0.01", "--mass", "1e-4", "--spring", "20", "--speed", "20", "--friction", "0"]
    straight = ["--spring", "2000", "--speed", "20", "--friction", "0", "--rest", "0.1"]
    followers = (
        (planar.SwingingRoller((0.06, 0.01), 0.05, 0.01), "deg", 6.0, [*swinging, "--arm", "0.05"]),
        (
            planar.SwingingRoller((0.06, 0.01), 0.05, 0.01, -1),
            "rad",
            0.1,
            [*swinging, "--arm", "0.05", "--side", "-1"],
        ),
        (planar.SwingingFlat((0.06, 0.01), 0.002), "deg", 3.0, [*swinging, "--face", "0.002"]),
        (planar.Roller(0.01, 0.004), "mm", 4.0, [*straight, "--offset", "0.004"]),
        (planar.KnifeEdge(0.005), "um", 4000.0, [*straight, "--radius", "0.005"]),
        (planar.Roller(0.006, 0.0, True), "mm", 3.0, [*straight, "--radius", "0.006", "--inside"]),
        (
            planar.Roller(0.006, 0.002, True),
            "mm",
            3.0,
            [*straight, "--radius=0.006", "--offset=0.002", "--inside", "--rest=0.1"],
        ),
    )
    for follower, unit, top, words in (followers[k] for k in sorted(which)):
        path.write_text(f"angle,lift [{unit}]\n" + "".join(f"{d},{top * s:.9f}\n" for d, s in zip(degrees, share)))
        kind = {"SwingingRoller": "swinging-roller", "SwingingFlat": "swinging-flat", "KnifeEdge": "knife"}
        name = kind.get(type(follower).__name__, "roller")
        for smooth in ([], ["--interpolate"]):
            given = [
                "--profile",
                str(path),
                "--base",
                "0.025",
                "--follower",
                name,
                *words,
                *smooth,
                "--revolutions",
                "1",
            ]
            assert main(["planar", "cam", *given, "--no-picture", "--out", str(tmp_path)]) == 0
            text = capsys.readouterr().out
            assert "base circle      radius 25 mm" in text
            assert ("rad of the smooth curve" in text) == (follower.swings and not smooth)
            rows = list(csv.DictReader(io.StringIO((tmp_path / "cam_profile.csv").read_text(encoding="utf-8"))))
            column = "lift [deg]" if follower.swings else "lift [mm]"
            alpha, lift = (np.array([float(row[c]) for row in rows]) for c in ("angle [deg]", column))
            size = top * UNITS["lift"][unit]
            exact = np.degrees(size) if follower.swings else 1e3 * size
            assert lift == pytest.approx(exact * law(np.radians(alpha)).value, abs=2e-4 * exact)
            # The cam as it is, without the prescribed motion, gives that motion
            points = np.array([[float(row[c]) for c in ("x [mm]", "y [mm]")] for row in rows]) * 1e-3
            body = (
                planar.smooth_shape(points).shape
                if follower.flat
                else planar.smooth_profile(points, follower.radius, concave=follower.inside).pitch
            )
            found = planar.cam_motion(body, follower).lift(np.radians(degrees))
            assert found == pytest.approx(size * share, abs=5e-3 * size)
