"""One pair of a query in the frame of A, for methods that are not compiled."""

from __future__ import annotations

import numpy as np

from ...kernels.jet import JET, POINT, SUPPORT, evaluate_many
from ...kernels.rounding import ROUNDING
from ...shapes.bounds import bounds_at
from ..judgement import TOLERANCES_OF_A_CLAIM
from ..question import Side, chosen


class PlacedPair:
    """Pair k of two sides: pose of B relative to A, sizes, and the lower bound F(n)."""

    def __init__(self, a: Side, b: Side, k: int) -> None:
        pair = np.array([k])
        frames = [side.poses[chosen(side.pick_pose, pair)[0]].reshape(3, 4) for side in (a, b)]
        self.turn, self.home = frames[0][:, :3], frames[0][:, 3]
        self.rotation = self.turn.T @ frames[1][:, :3]
        self.position = self.turn.T @ (frames[1][:, 3] - self.home)
        self.numbers = [int(chosen(side.pick, pair)[0]) for side in (a, b)]
        self.rows = [side.shape.rows[i : i + 1] for side, i in zip((a, b), self.numbers)]
        self.bounds = [bounds_at.py_func(side.shape.bounds, i) for side, i in zip((a, b), self.numbers)]
        self.addresses = (a.shape.address, b.shape.address)
        # As `tolerances.scales`, which is compiled code
        self.size = float(sum(np.linalg.norm(bounds.half) for bounds in self.bounds))
        self._rounding = float(sum(bounds.rounding for bounds in self.bounds))
        self._rounding += float(ROUNDING * np.linalg.norm(self.position))

    def support(self, n: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """F(n), a lower bound on the distance, and the boundary points of A and B with the normals n and -n."""
        jets = []
        for address, row, normal in zip(self.addresses, self.rows, (n, -self.rotation.T @ n)):
            out = np.empty((1, JET))
            evaluate_many(address, row, 0, np.ascontiguousarray(normal).reshape(1, 3), out)
            jets.append(out[0])
        f = float(n @ self.position - jets[0][SUPPORT] - jets[1][SUPPORT])
        return f, jets[0][POINT], self.rotation @ jets[1][POINT] + self.position

    def allowance(self, tol: float) -> float:
        """Maximum difference between a claimed distance and F of its normal."""
        return TOLERANCES_OF_A_CLAIM * tol * self.size + self._rounding
