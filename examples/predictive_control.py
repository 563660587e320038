"""Model predictive control in CasADi.

An ellipsoidal car drives past three moving ellipsoids, one of which spins in its way.  Five times a second, IPOPT plans
the next three seconds.  One call per body gives it the gaps at all times of the plan, with exact first and second
derivatives.  `tg.impact` proves that the car touches nothing.  Needs CasADi: `pip install "tangency[casadi]"`.
"""

import time

import casadi
import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.interop.casadi import distance

STEP, HORIZON, COUNT, MARGIN = 0.2, 15, 28, 0.1  # [s], steps of a plan, steps driven, [m]
car = tg.Ellipsoid([0.5, 0.22, 0.25])
others = [tg.Ellipsoid([0.9, 0.18, 0.3]), tg.Ellipsoid([0.5, 0.22, 0.3]), tg.Ellipsoid([0.25, 0.4, 0.3])]
motions = [
    tg.Drift((None, [0.3, 0.1, 0]), angular_velocity=[0, 0, 0.8]),
    tg.Drift((None, [4.5, 0.1, 0]), velocity=[-0.5, 0, 0]),
    tg.Drift((None, [-1.9, -1.7, 0]), velocity=[0.1, 0.9, 0], angular_velocity=[0, 0, 0.5]),
]


def after(x, u):
    """Position, heading and speed x a step later, with acceleration and rate of turn u: the midpoint rule."""
    half = x + STEP / 2 * casadi.vertcat(x[3] * casadi.cos(x[2]), x[3] * casadi.sin(x[2]), u[1], u[0])
    return x + STEP * casadi.vertcat(half[3] * casadi.cos(half[2]), half[3] * casadi.sin(half[2]), u[1], u[0])


def pose(x):
    c, s = casadi.cos(x[2]), casadi.sin(x[2])
    rows = [(c, -s, 0, x[0]), (s, c, 0, x[1]), (0, 0, 1, 0), (0, 0, 0, 1)]
    return casadi.vertcat(*(casadi.horzcat(*row) for row in rows))


# The plan: variables are all states x and controls u, parameters are the present state and the poses of the others
x, u = casadi.MX.sym("x", 4, HORIZON + 1), casadi.MX.sym("u", 2, HORIZON)
now, frames = casadi.MX.sym("now", 4), [casadi.MX.sym(f"frames_{i}", 4, 4 * HORIZON) for i in range(3)]
equal = [x[:, 0] - now, *(x[:, k + 1] - after(x[:, k], u[:, k]) for k in range(HORIZON))]
places = casadi.horzcat(*(pose(x[:, k + 1]) for k in range(HORIZON)))
gaps = [distance(car, other, f"gap_{i}", count=HORIZON)(places, frames[i]).T for i, other in enumerate(others)]
wish = 0.3 * x[1, :] ** 2 + 0.3 * x[2, :] ** 2 + (x[3, :] - 1.5) ** 2  # along y = 0, at 1.5 m/s
problem = {
    "x": casadi.vertcat(casadi.vec(x), casadi.vec(u)),
    "p": casadi.vertcat(now, *(casadi.vec(each) for each in frames)),
    "f": casadi.sum2(wish) + 0.05 * casadi.sumsqr(u),
    "g": casadi.vertcat(*equal, *gaps),
}
free = 4 * (HORIZON + 1)
limits = {"lbg": [0.0] * free + [MARGIN] * 3 * HORIZON, "ubg": [0.0] * free + [np.inf] * 3 * HORIZON}
most = np.concatenate([np.tile([np.inf, 1.5, np.inf, 3.0], HORIZON + 1), np.tile([3.0, 1.5], HORIZON)])
limits |= {"lbx": -most, "ubx": most}


def drive(hessian):
    """States, plans, and the time and the iterations that each plan took."""
    options = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.hessian_approximation": hessian}
    solver = casadi.nlpsol("solver", "ipopt", problem, options)
    state = np.array([-4.0, 0.0, 0.0, 1.5])
    plan = state + np.outer(1.5 * STEP * np.arange(HORIZON + 1), [1, 0, 0, 0])
    states, controls, plans, effort = [state], np.zeros((HORIZON, 2)), [], []
    for n in range(COUNT):
        times = STEP * (n + 1 + np.arange(HORIZON))
        seen = [np.concatenate([m.pose(times)[0], m.pose(times)[1][:, :, None]], axis=-1) for m in motions]
        last = np.broadcast_to([0.0, 0, 0, 1], (HORIZON, 1, 4))
        seen = [np.concatenate([each, last], axis=1).swapaxes(1, 2).ravel() for each in seen]  # column by column
        began = time.process_time()
        found = solver(x0=np.concatenate([plan.ravel(), controls.ravel()]), p=np.concatenate([state, *seen]), **limits)
        assert solver.stats()["success"], solver.stats()["return_status"]
        effort.append((1e3 * (time.process_time() - began), solver.stats()["iter_count"]))
        values = np.array(found["x"]).ravel()
        plan, controls = values[:free].reshape(-1, 4), values[free:].reshape(-1, 2)
        state = plan[1]
        states.append(state)
        plans.append(plan)
        plan, controls = np.vstack([plan[1:], plan[-1:]]), np.vstack([controls[1:], controls[-1:]])
    return np.array(states), plans, np.array(effort)


for hessian in ("limited-memory", "exact"):
    states, plans, effort = drive(hessian)
    middle, most_time = np.median(effort[:, 0]), effort[:, 0].max()
    print(
        f"{hessian} Hessian: {effort[:, 1].mean():.1f} iterations per plan, {middle:.0f} ms, at most {most_time:.0f} ms"
    )
times, fine = STEP * np.arange(COUNT + 1), np.linspace(0, STEP * COUNT, 1361)
driven = tg.PosePath(times, (Rotation.from_rotvec(np.outer(states[:, 2], [0, 0, 1])), states[:, :3] * [1, 1, 0]))
clearance = [tg.contact(car, o, driven.pose(fine), m.pose(fine)).distance for o, m in zip(others, motions)]
proofs = [tg.impact(car, o, driven, m, 0, times[-1]).status == tg.ImpactStatus.FREE for o, m in zip(others, motions)]
print(f"smallest gaps {[round(float(each.min()), 3) for each in clearance]} m; proved free: {sum(proofs)} of 3")

figure = plt.figure(figsize=(8.4, 5.2), layout="constrained")
axes = figure.subplot_mosaic([[0, 1], [2, 3], ["gap", "time"]], height_ratios=[1, 1, 0.9])
n = np.column_stack([np.cos(a := np.linspace(0, 2 * np.pi, 181)), np.sin(a), 0 * a])
cast = list(zip([car, *others], [driven, *motions], ["#c2185b", "#4c78a8", "#54a24b", "#b279a2"]))
for k, at in enumerate((6, 13, 18, 25)):
    for shape, motion, color in cast:
        turn, place = motion.pose(STEP * at)
        axes[k].fill(*(shape.point(n) @ turn.T + place)[:, :2].T, facecolor=color, alpha=0.7)
    axes[k].plot(*states[: at + 1, :2].T, color="#c2185b", linewidth=1, label="driven")
    axes[k].plot(*plans[at][:, :2].T, ".-", color="#f58518", markersize=3, linewidth=1, label="planned")
    axes[k].set(aspect="equal", xlim=(-4.5, 5.2), ylim=(-1.8, 1.8), title=f"{STEP * at:.1f} s")
axes[0].legend(frameon=False, fontsize=8, loc="lower right", ncols=2)
for each, (_, _, color) in zip(clearance, cast[1:]):
    axes["gap"].plot(fine, each, color=color)
axes["gap"].axhline(MARGIN, color="#1b2430", linewidth=1, linestyle="--")
axes["gap"].set(xlabel="time [s]", ylabel="gaps [m]", ylim=(0, 1.2), title="gaps, at least 0.1 m when planned")
axes["time"].bar(times[:-1], effort[:, 0], 0.15, color="#f58518")
axes["time"].axhline(1e3 * STEP, color="#1b2430", linewidth=1, linestyle="--")
axes["time"].set(xlabel="time [s]", ylabel="time [ms]", title="planning, every 200 ms")
figure.savefig("predictive_control.png")
