"""Rotation matrices from outside: how far from a rotation they are, and the nearest one."""

from .._jit import entry, jit


@jit
def _defect(m, k):
    """Largest entry of R R' - I."""
    worst = 0.0
    for i in range(3):
        for j in range(i, 3):
            s = m[k, i, 0] * m[k, j, 0] + m[k, i, 1] * m[k, j, 1] + m[k, i, 2] * m[k, j, 2]
            worst = max(worst, abs(s - 1.0) if i == j else abs(s))
    return worst


@entry
def settle(m):
    """Largest defect and smallest determinant of a stack of matrices, which are brought to the nearest rotations.

    Two steps of Newton's method, R -> (3 R - R R'R) / 2: a pose read from a file with nine digits stays rigid.
    """
    worst, least = 0.0, 1.0
    for k in range(m.shape[0]):
        defect = _defect(m, k)
        worst = max(worst, defect)
        det = (
            m[k, 0, 0] * (m[k, 1, 1] * m[k, 2, 2] - m[k, 1, 2] * m[k, 2, 1])
            - m[k, 0, 1] * (m[k, 1, 0] * m[k, 2, 2] - m[k, 1, 2] * m[k, 2, 0])
            + m[k, 0, 2] * (m[k, 1, 0] * m[k, 2, 1] - m[k, 1, 1] * m[k, 2, 0])
        )
        least = min(least, det)
        if defect > 1e-15:
            for _ in range(2):
                a = m[k].copy()
                for i in range(3):
                    for j in range(3):
                        s = 0.0
                        for p in range(3):
                            s += (a[i, 0] * a[p, 0] + a[i, 1] * a[p, 1] + a[i, 2] * a[p, 2]) * a[p, j]
                        m[k, i, j] = 1.5 * a[i, j] - 0.5 * s
    return worst, least
