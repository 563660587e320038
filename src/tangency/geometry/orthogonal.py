"""Vector orthogonalisation: tangent and binormal of given normals, for one vector or a stack.

| name | technique | from |
|---|---|---|
| householder | reflection of the normal onto the x axis | Lopes thesis, Table C.1 |
| eberly | cross product with the farther of two axes | Lopes thesis, Table C.2 |
| square_plate | cross product with a corner of a turning plate | Lopes thesis, Table C.3 |
| projection_matrix | an orthogonal matrix, turned by Rodrigues' formula | Lopes thesis, Table C.4 |
| branch_free | reflection with the sign of n_z, no branch | Duff et al. 2017 |

>>> import tangency as tg
>>> tg.orthogonal.householder([0, 0, 1]).tangent.tolist()
[0.0, 1.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from ..kernels import tangent_frames as kernel


class Tangents(NamedTuple):
    """Two unit vectors that span the plane normal to a given vector.

    Examples
    --------
    >>> import tangency as tg
    >>> t, b = tg.orthogonal.branch_free([0, 0, 2])
    >>> t.tolist(), b.tolist()
    ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    """

    tangent: np.ndarray  #: (..., 3)
    binormal: np.ndarray  #: (..., 3)


def _tangents(technique: int, n: Any) -> Tangents:
    unit, _ = validate.directions(n)
    rows = np.ascontiguousarray(unit).reshape(-1, 3)
    t, b = np.empty_like(rows), np.empty_like(rows)
    kernel.tangents(technique, rows, t, b)
    return Tangents(t.reshape(unit.shape) + 0.0, b.reshape(unit.shape) + 0.0)  # no -0.0


def householder(n: ArrayLike) -> Tangents:
    """Tangent and binormal by a Householder reflection (Lopes thesis, Table C.1).

    (t, b, n) is right-handed for n_x >= 0, left-handed for n_x < 0.

    Parameters
    ----------
    n : (..., 3) array_like
        Normals; need not be unit vectors.

    Returns
    -------
    Tangents

    Examples
    --------
    >>> import tangency as tg
    >>> t, b = tg.orthogonal.householder([1, 0, 0])
    >>> abs(t).tolist(), abs(b).tolist()
    ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    """
    return _tangents(kernel.HOUSEHOLDER, n)


def eberly(n: ArrayLike) -> Tangents:
    """Tangent and binormal by cross products with the x or y axis (Lopes thesis, Table C.2).

    Parameters
    ----------
    n : (..., 3) array_like
        Normals; need not be unit vectors.

    Returns
    -------
    Tangents

    Examples
    --------
    >>> import tangency as tg
    >>> t, b = tg.orthogonal.eberly([0, 1, 0])
    >>> abs(t).tolist(), abs(b).tolist()
    ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    """
    return _tangents(kernel.EBERLY, n)


def square_plate(n: ArrayLike) -> Tangents:
    """Tangent and binormal by cross products with a corner of a square plate (Lopes thesis, Table C.3).

    Parameters
    ----------
    n : (..., 3) array_like
        Normals; need not be unit vectors.

    Returns
    -------
    Tangents

    Examples
    --------
    >>> import tangency as tg
    >>> t, b = tg.orthogonal.square_plate([1, 0, 0])
    >>> abs(t).tolist(), abs(b).tolist()
    ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    """
    return _tangents(kernel.SQUARE_PLATE, n)


def projection_matrix(n: ArrayLike) -> Tangents:
    """Tangent and binormal from an orthogonal matrix, turned until one column is n (Lopes thesis, Table C.4).

    The matrix is I - 2 n n'; the columns of n n', which the table names, are all parallel to n.

    Parameters
    ----------
    n : (..., 3) array_like
        Normals; need not be unit vectors.

    Returns
    -------
    Tangents

    Examples
    --------
    >>> import tangency as tg
    >>> t, b = tg.orthogonal.projection_matrix([0, 0, 1])
    >>> abs(t).tolist(), abs(b).tolist()
    ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0])
    """
    return _tangents(kernel.PROJECTION_MATRIX, n)


def branch_free(n: ArrayLike) -> Tangents:
    """Tangent and binormal without a branch, (t, b, n) right-handed (Duff et al. 2017).

    Parameters
    ----------
    n : (..., 3) array_like
        Normals; need not be unit vectors.

    Returns
    -------
    Tangents

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> t, b = tg.orthogonal.branch_free([0, 0, -1])
    >>> np.cross(t, b).tolist()
    [0.0, 0.0, -1.0]
    """
    return _tangents(kernel.BRANCH_FREE, n)


#: The techniques by name, in the order of the thesis.
TECHNIQUES: dict[str, Callable[[Any], Tangents]] = {
    "householder": householder,
    "eberly": eberly,
    "square_plate": square_plate,
    "projection_matrix": projection_matrix,
    "branch_free": branch_free,
}
