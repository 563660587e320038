"""Arguments of directly called functions, against NumPy's own description of the same arrays."""

import numpy as np
import pytest
from numba import carray, types

from tangency.compiled.direct import ARRAY, FLOATS, FRAME, MATRIX, OTHER, RECORD, VECTOR, direct
from tangency.compiled.small_arrays import on_stack

_six = on_stack(2, 3)


@direct(ARRAY, FLOATS)
def shape_and_last(array, out):
    found = carray(out, (2,))
    found[0], found[1] = array.shape, 0.0
    if array.shape == FRAME:
        found[1] = carray(array.data, (16,))[15]


@direct(RECORD, types.int64)
def record_product(record, k):
    return carray(record.integers, (2,))[k] * carray(record.floats, (4,))[2 + k]


@direct(types.float64)
def stack_sum(x):
    m, n = _six(), _six()
    for i in range(2):
        for j in range(3):
            m[i, j], n[i, j] = x + 3 * i + j, 0.0
    return m.sum() + n.sum() + m[1, 0] - m.T[0, 1]


ARRAYS = {
    "frame": (np.arange(16.0).reshape(4, 4), FRAME),
    "read-only": (np.broadcast_to(np.arange(16.0).reshape(4, 4), (4, 4)), FRAME),
    "part of an array": (np.zeros((5, 4, 4))[3], FRAME),
    "matrix": (np.eye(3), MATRIX),
    "vector": (np.ones(3), VECTOR),
    "flat": (np.arange(16.0), 16),
    "two by eight": (np.zeros((2, 8)), 2008),
    "long": (np.zeros(4004), OTHER),
    "wide": (np.zeros((3, 1003)), OTHER),
    "empty": (np.zeros((0, 4)), 4),
    "number": (np.array(1.0), OTHER),
    "stack": (np.zeros((1, 4, 4)), OTHER),
    "single precision": (np.eye(4, dtype=np.float32), OTHER),
    "integers": (np.eye(4, dtype=np.int64), OTHER),
    "complex": (np.eye(4, dtype=complex), OTHER),
    "long double": (np.eye(4, dtype=np.longdouble), OTHER),
    "objects": (np.eye(4, dtype=object), OTHER),
    "times": (np.zeros((4, 4), "m8[s]"), OTHER),
    "other byte order": (np.eye(4).astype(">f8"), OTHER),
    "Fortran order": (np.asfortranarray(np.arange(16.0).reshape(4, 4)), OTHER),
    "every second": (np.zeros((4, 8))[:, ::2], OTHER),
    "backwards": (np.zeros(3)[::-1], OTHER),
    "unaligned": (np.zeros(129, np.uint8)[1:].view(np.float64).reshape(4, 4), OTHER),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_shape_of_an_array(name):
    array, expected = ARRAYS[name]
    out = np.empty(2)
    shape_and_last.call(array, out)
    assert out[0] == expected
    assert out[1] == (array[3, 3] if expected == FRAME else 0.0)


def test_record():
    record = np.array([2, -3]).tobytes() + np.array([0.5, 4.0]).tobytes()
    assert [record_product.call(record, k) for k in range(2)] == [1.0, -12.0]


def test_arrays_on_the_stack():
    assert stack_sum.call(1.0) == 21.0
