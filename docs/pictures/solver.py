"""How the solver works: support functions, cores, bounds that close."""

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.compiled.jit import jit
from tangency.geometry.pose import draft
from tangency.shapes.bounds import half_diagonals
from tangency.solvers.certified.pair import first_normal, place
from tangency.solvers.certified.separation import room_to_work, separate
from tangency.solvers.question import ONE, Side
from tangency.solvers.tolerances import Scales, scales

from .drawing import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, RED, arrow, directions, outline, plain, save, sheet


def support() -> None:
    """A body is its support function: h(n), x(n), the radius of curvature."""
    shape = tg.Superellipsoid([1.5, 1.0, 1.0], epsilon=(1.0, 0.62)) + tg.Ellipsoid([0.1, 0.1, 0.1])
    angle = np.radians(52.0)
    n, t = directions(np.array(angle)), directions(np.array(angle + np.pi / 2))
    h, x = float(shape.support(n)), shape.point(n)
    figure = Figure(figsize=(9.2, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])

    sheet(left)
    edge = outline(shape)
    left.fill(*edge.T, color=BLUE, alpha=0.16, lw=0)
    left.plot(*edge.T, color=BLUE, lw=2)
    line = h * n[:2] + np.outer([-1.45, 1.0], t[:2])
    left.plot(*line.T, color=GREY, lw=1.2)
    left.plot([0, h * n[0]], [0, h * n[1]], color=RED, lw=1.6)
    left.plot([0, x[0]], [0, x[1]], color=INK, lw=1.0, ls=(0, (4, 3)))
    arrow(left, x, x + 0.55 * n, RED)
    left.plot(*x[:2], "o", color=INK, ms=6)
    left.plot(0, 0, "o", color=INK, ms=5)
    left.text(-0.1, -0.2, "origin", color=INK, ha="center")
    left.text(*(0.5 * h * n[:2] + [-0.1, 0.05]), "h(n)", color=RED, ha="right", size=12)
    left.text(x[0] + 0.2, x[1] - 0.06, "x(n) = ∇h(n)", color=INK, size=12)
    left.text(*(x[:2] + 0.6 * n[:2] + [0.05, -0.02]), "n", color=RED, size=12)
    left.text(*(line[1] + [-0.05, 0.1]), "tangent plane  n·x = h(n)", color=GREY, ha="center", size=10)
    left.set(xlim=(-1.75, 2.65), ylim=(-1.2, 1.95))

    plain(right)
    grid = np.linspace(0, 2 * np.pi, 721)
    jet = shape.jet(directions(grid))
    slope = (jet.point * directions(grid + np.pi / 2)).sum(axis=-1)
    degrees = np.degrees(grid)
    right.plot(degrees, jet.support, color=RED, lw=2, label="h")
    right.plot(degrees, slope, color=BLUE, lw=2, label="h′  (x along the tangent)")
    right.plot(np.degrees(angle), h, "o", color=RED)
    right.plot(np.degrees(angle), x @ t, "o", color=BLUE)
    right.axvline(np.degrees(angle), color=GREY, lw=0.8, ls=(0, (4, 3)))
    right.axhline(0, color=GREY, lw=0.8)
    right.set(xticks=range(0, 361, 90), xlim=(0, 360), xlabel="direction of n [degrees]", ylabel="[m]")
    right.set_ylim(-1.15, 2.5)
    right.legend(frameon=False, loc="upper right", ncols=2)
    save(figure, "support")


def cores() -> None:
    """Two bodies overlap, their cores do not: F of bodies and cores differ by a constant."""
    a, b = tg.Ellipsoid([0.8, 0.62, 0.62]), tg.Ellipsoid([0.75, 0.55, 0.55])
    turn, centre = np.radians(35.0), (1.15, 0.42)
    core_a, core_b = (s.offset(-float(s.core_radius)) for s in (a, b))
    c = tg.contact(a, b, None, (Rotation.from_euler("z", turn), [*centre, 0.0]))
    total = float(a.core_radius + b.core_radius)
    figure = Figure(figsize=(9.2, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])

    sheet(left)
    for shape, core, spot, color in (
        (a, core_a, (0.0, (0.0, 0.0)), BLUE),
        (b, core_b, (turn, centre), ORANGE),
    ):
        body, inner = outline(shape, *spot), outline(core, *spot)
        left.fill(*body.T, color=color, alpha=0.14, lw=0)
        left.plot(*body.T, color=color, lw=2)
        left.fill(*inner.T, color=color, alpha=0.35, lw=0)
        left.plot(*inner.T, color=color, lw=1.2, ls=(0, (4, 2)))
    n = c.normal
    inner_a = c.point_a - float(a.core_radius) * n
    inner_b = c.point_b + float(b.core_radius) * n
    left.plot(*np.stack([inner_a, inner_b])[:, :2].T, color=RED, lw=1.4)
    for p, fill in ((inner_a, "white"), (inner_b, "white"), (c.point_a, RED), (c.point_b, RED)):
        left.plot(*p[:2], "o", ms=5.5, color=RED, mfc=fill)
    left.text(-0.55, 0.0, "A", color=BLUE, size=15, ha="center", va="center")
    left.text(1.62, 0.72, "B", color=ORANGE, size=15, ha="center", va="center")
    left.text(
        0.62, -0.78, "filled points: contact between the bodies,\nopen points: between their cores", color=INK, size=9.5
    )
    left.set(xlim=(-0.95, 2.0), ylim=(-0.85, 1.3))

    plain(right)
    grid = np.linspace(-np.pi, np.pi, 1441)
    m = directions(grid)
    back = Rotation.from_euler("z", turn).as_matrix()
    f = m @ [*centre, 0.0] - a.support(m) - b.support(-(m @ back))
    degrees = np.degrees(grid)
    right.axhline(0, color=GREY, lw=0.8)
    right.plot(degrees, f, color=INK, lw=2, label="bodies")
    right.plot(degrees, f + total, color=PURPLE, lw=2, label="cores")
    right.fill_between(degrees, 0, f + total, where=f + total > 0, color=PURPLE, alpha=0.15, lw=0)
    best = np.degrees(np.arctan2(n[1], n[0]))
    right.plot([best, best], [float(c.distance), float(c.distance) + total], color=RED, lw=1.4)
    right.plot(best, float(c.distance), "o", color=RED, ms=6)
    right.plot(best, float(c.distance) + total, "o", color=RED, mfc="white", ms=6)
    leader = {"arrowstyle": "-", "color": RED, "lw": 0.7}
    spot = (best, float(c.distance) + 0.6 * total)
    right.annotate("sum of both\ncore radii", spot, (-165, 0.75), color=RED, size=9.5, arrowprops=leader)
    right.text(best, float(c.distance) - 0.95, f"−depth = −{-float(c.distance):.3f}", color=RED, size=9.5, ha="center")
    right.set(xticks=range(-180, 181, 90), xlim=(-180, 180), xlabel="direction of n [degrees]", ylabel="F(n) [m]")
    right.set_ylim(-3.0, 1.55)
    right.legend(frameon=False, loc="upper right", ncols=2)
    save(figure, "cores")


@jit
def _after(a, b, out):
    """Bounds on the distance of the cores after 1, 2, ... evaluations."""
    placed, work = place(a, b, 0), room_to_work()
    pair, start = placed.pair, first_normal(placed)
    rounding = scales(placed.bounds_a, placed.bounds_b, pair.position, 0.0).rounding
    for k in range(len(out)):
        found = separate(pair, start, Scales(1.0, rounding, 0.0), 1e300, k + 1, work)
        out[k, 0], out[k, 1], out[k, 2] = found.lower, found.upper, found.end


def history(a: tg.Shape, b: tg.Shape, rotation: np.ndarray, position: np.ndarray, count: int) -> np.ndarray:
    """Width of the bounds after each evaluation, in units of the bodies' size."""
    out = np.empty((count, 3))
    size = float(sum(half_diagonals(shape.bounds)[0] for shape in (a, b)))
    poses = (draft(None).poses, draft((rotation, position)).filled())
    bodies = (Side(shape, ONE, pose.rows, ONE).body() for shape, pose in zip((a, b), poses))
    _after(*bodies, out)
    return np.maximum((out[:, 1] - out[:, 0]) / size, 1e-16)


def bounds() -> None:
    """The certificate closes: upper - lower after each evaluation."""
    turn = Rotation.from_euler("ZYX", [0.5, -0.8, 1.1]).as_matrix()
    n = np.array([0.48, 0.60, 0.64])
    n /= np.linalg.norm(n)
    rows = [
        ("ellipsoids, apart", tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([2, 1, 0.5]), 0.5, BLUE, "o"),
        ("ellipsoids, overlap (cores)", tg.Ellipsoid([1.2, 1, 0.8]), tg.Ellipsoid([1, 0.9, 0.7]), -0.3, GREEN, "s"),
        ("ellipsoid and box", tg.Ellipsoid([3, 2, 1]), tg.Box([2, 1, 0.5]), 0.5, ORANGE, "D"),
        (
            "superellipsoids, e = 1.5 (sharp)",
            tg.Superellipsoid([3, 2, 1], (1.5, 1.5)),
            tg.Superellipsoid([2, 1, 0.5], (1.5, 1.5)),
            0.5,
            PURPLE,
            "v",
        ),
        (
            "superellipsoids, e = 0.3, flat on flat",
            tg.Superellipsoid([3, 2, 1], (0.3, 0.3)),
            tg.Superellipsoid([2, 1, 0.5], (0.3, 0.3)),
            0.5,
            RED,
            "^",
        ),
    ]
    figure = Figure(figsize=(8.2, 4.3), layout="constrained")
    axes = figure.subplots()
    plain(axes)
    for name, a, b, gap, color, mark in rows:
        rotation, m = turn, n
        if "flat" in name:
            # Most of such a surface is flat: the normals of its points lie close to the axes.
            m = np.array([1e-3, 2e-3, 1.0])
            m /= np.linalg.norm(m)
            rotation = Rotation.from_euler("ZYX", [0.5, 1e-3, 2e-3]).as_matrix()
        position = a.point(m) + gap * m - rotation @ b.point(-rotation.T @ m)
        width = history(a, b, rotation, position, 40)
        done = int(np.argmax(width < 1e-15)) + 1 if (width < 1e-15).any() else len(width)
        axes.semilogy(np.arange(1, done + 1), width[:done], marker=mark, ms=4.5, lw=1.5, color=color, label=name)
    axes.axhline(1e-12, color=GREY, lw=0.9, ls=(0, (4, 3)))
    axes.text(0.6, 1.5e-12, "default tol", color=GREY, size=9)
    axes.set(xlabel="evaluations of both shapes", ylabel="(upper − lower) / size", ylim=(4e-17, 30), xlim=(0.5, None))
    axes.legend(frameon=False, loc="upper right")
    save(figure, "bounds")
