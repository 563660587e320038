"""MuJoCo: mj_geomDistance between geoms of one model."""

from __future__ import annotations

from functools import partial

import mujoco
import numpy as np

from ..clock import seconds
from ..engine import Engine, Query, Run
from ..problems import Pairs

FAR = 1e10  # distmax: larger distances are not computed


def loop(pairs: Pairs, tolerance: float, iterations: int) -> Query:
    """Timed: `mj_geomDistance`.

    All bodies are geoms of one model, with sizes and poses set in advance: setting them pair by pair would take a third
    of the time.
    """
    geoms = '<geom type="ellipsoid" size="1 1 1"/>' * (2 * len(pairs))
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    model.opt.ccd_tolerance, model.opt.ccd_iterations = tolerance, iterations
    model.geom_size[0::2], model.geom_size[1::2] = pairs.radii_a, pairs.radii_b
    model.geom_rbound[:] = model.geom_size.max(axis=1)
    data.geom_xpos[0::2], data.geom_xpos[1::2] = 0.0, pairs.position
    data.geom_xmat[0::2], data.geom_xmat[1::2] = np.eye(3).ravel(), pairs.rotation.reshape(-1, 9)
    numbers, distance, segment = range(0, 2 * len(pairs), 2), mujoco.mj_geomDistance, np.zeros(6)

    def query() -> Run:
        found = []
        start = seconds()
        for i in numbers:
            found.append(distance(model, data, i, i + 1, FAR, segment))
        return Run(seconds() - start, np.array(found))

    return query


def engines() -> list[Engine]:
    # The default of 35 iterations cannot reach a tolerance of 1e-12 near contact.
    return [
        Engine("MuJoCo, default (1e-6)", partial(loop, tolerance=1e-6, iterations=35)),
        Engine("MuJoCo, 1e-12", partial(loop, tolerance=1e-12, iterations=1000)),
    ]
