"""What a shape is: a support function, compiled, and all that follows from it.

A shape class holds a nested ``Kernel`` (a NamedTuple with formulas, see ``kernels/jet.py``) and is
itself a stack of one or many bodies, as SciPy's ``Rotation`` holds one or many rotations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from . import validate
from ._jit import unique_name
from .kernels.jet import JET, compile_kernel, evaluate_many, join_methods
from .moments import Moments, moments_by_quadrature
from .tangent import Curvature, principal

if TYPE_CHECKING:
    from .shapes.affine import Affine
    from .shapes.minkowski import MinkowskiSum
    from .shapes.offset import Offset

_SYM = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])


class Jet(NamedTuple):
    """Support function and its first two derivatives at a direction."""

    support: np.ndarray  #: (...) h(n) [m]
    point: np.ndarray  #: (..., 3) x(n) = grad h, boundary point with outward normal n [m]
    hessian: np.ndarray  #: (..., 3, 3) W(n) = Hess h, radii-of-curvature operator [m]


class Shape:
    """A strictly convex body, or a stack of them, given by its support function.

    Subclass it with a nested ``Kernel`` to make a shape of your own::

        class Egg(tg.Shape):
            class Kernel(typing.NamedTuple):
                radius: float
                skew: float

                def support(self, n): ...   # h(n), homogeneous of degree 1
                def point(self, n): ...     # its gradient, a 3-tuple
                def hessian(self, n): ...   # its Hessian (xx, xy, xz, yy, yz, zz)

        Egg(radius=0.3, skew=0.1)           # one egg; arrays make a stack

    Instead of the three methods one ``jet(self, n)`` may return all of (h, x, W).
    """

    Kernel: ClassVar[Any]
    _builtin: ClassVar[bool]
    #: False where W jumps or is unbounded somewhere (corners, edges, flat places).
    smooth: bool = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        kernel = cls.__dict__.get("Kernel")
        if kernel is None:
            return
        cls._builtin = cls.__module__.startswith("tangency.")
        unique_name(kernel, cls._builtin)
        if not hasattr(kernel, "jet"):
            join_methods(kernel)

    def __init__(self, **fields: Any) -> None:
        expected = self.Kernel._fields
        if set(fields) != set(expected):
            raise TypeError(f"{type(self).__name__} takes {', '.join(expected)}; got {', '.join(fields) or 'nothing'}")
        values: dict[str, Any] = {}
        for name in expected:
            value = fields[name]
            values[name] = value if isinstance(value, Shape) else validate.array(value, name)
        self._set(**values)

    def _set(self, **fields: Any) -> None:
        """Store validated fields, in the order of the kernel: arrays or shapes."""
        hints = self.Kernel.__annotations__
        leading: dict[str, tuple[int, ...]] = {}
        for name, value in fields.items():
            if isinstance(value, Shape):
                leading[name] = value.batch_shape
            else:
                leading[name] = value.shape[:-1] if _is_array(hints[name]) else value.shape
                value.flags.writeable = False
        self._fields = fields
        self.batch_shape: tuple[int, ...] = validate.broadcast(leading)
        self._address: int | None = None
        self._rows: np.ndarray | None = None

    # ---- the compiled side -------------------------------------------------------------------
    def _is_builtin(self) -> bool:
        nested = [f for f in self._fields.values() if isinstance(f, Shape)]
        return self._builtin and all(f._is_builtin() for f in nested)

    def _prototype(self) -> Any:
        """A kernel of the right type; its numbers do not matter."""
        hints = self.Kernel.__annotations__
        values = []
        for name, value in self._fields.items():
            if isinstance(value, Shape):
                values.append(value._prototype())
            else:
                values.append(np.zeros(1) if _is_array(hints[name]) else 0.0)
        return self.Kernel(*values)

    def kernel_at(self, index: Any = ()) -> Any:
        """The kernel (plain numbers and formulas) of one body of the stack."""
        hints = self.Kernel.__annotations__
        values = []
        for name, value in self._fields.items():
            if isinstance(value, Shape):
                values.append(_broadcast_shape(value, self.batch_shape).kernel_at(index))
            elif _is_array(hints[name]):
                values.append(np.broadcast_to(value, (*self.batch_shape, value.shape[-1]))[index])
            else:
                values.append(float(np.broadcast_to(value, self.batch_shape)[index]))
        return self.Kernel(*values)

    def _columns(self) -> np.ndarray:
        """Parameters as (*batch_shape, P), in the order in which compiled code reads them."""
        hints = self.Kernel.__annotations__
        parts = []
        for name, value in self._fields.items():
            if isinstance(value, Shape):
                part = value._columns()
            elif _is_array(hints[name]):
                count = np.full((*value.shape[:-1], 1), float(value.shape[-1]))
                part = np.concatenate([count, value], axis=-1)
            else:
                part = value[..., None]
            parts.append(np.broadcast_to(part, (*self.batch_shape, part.shape[-1])))
        return np.concatenate(parts, axis=-1) if parts else np.zeros((*self.batch_shape, 0))

    @property
    def rows(self) -> np.ndarray:
        """Parameters of all bodies, one row each."""
        if self._rows is None:
            columns = self._columns()
            # One spare number, so that a shape without parameters has a valid address.
            size = max(columns.shape[-1], 1)
            rows = np.zeros((int(np.prod(self.batch_shape)), size))
            rows[:, : columns.shape[-1]] = columns.reshape(len(rows), -1)
            self._rows = rows
        return self._rows

    @property
    def address(self) -> int:
        """Address of the compiled jet; compiles at the first use."""
        if self._address is None:
            self._address = compile_kernel(self._prototype(), self._is_builtin())
        return self._address

    # ---- what every shape can tell -----------------------------------------------------------
    def jet(self, n: Any) -> Jet:
        """Support value, boundary point and radii-of-curvature operator at directions `n`.

        Parameters
        ----------
        n : (..., 3) array_like
            Directions; need not be unit vectors.  Broadcast against the stack of bodies.
        """
        u, length = validate.directions(n)
        shape = validate.broadcast({"shape": self.batch_shape, "n": u.shape[:-1]})
        normals = np.ascontiguousarray(np.broadcast_to(u, (*shape, 3)).reshape(-1, 3))
        rows, step = self.rows, 0
        if len(rows) != 1:
            step = 1
            if self.batch_shape != shape:
                rows = np.broadcast_to(rows.reshape(*self.batch_shape, -1), (*shape, rows.shape[1]))
                rows = np.ascontiguousarray(rows.reshape(len(normals), -1))
        out = np.full((len(normals), JET), np.nan)
        evaluate_many(self.address, rows, step, normals, out)
        h = out[:, 0].reshape(shape) * length
        x = out[:, 1:4].reshape(*shape, 3)
        w = out[:, 4:][:, _SYM].reshape(*shape, 3, 3) / np.broadcast_to(length, shape)[..., None, None]
        return Jet(h, x, w)

    def support(self, n: Any) -> np.ndarray:
        """Support function h(n) = max of n.x over the body; h(t n) = t h(n).

        Examples
        --------
        >>> import tangency as tg
        >>> float(tg.Ellipsoid([3, 2, 1]).support([0, 2, 0]))
        4.0
        """
        return self.jet(n).support

    def point(self, n: Any) -> np.ndarray:
        """Boundary point with outward normal n: x(n) = grad h(n) (Römer 3-D, Eq. 16)."""
        return self.jet(n).point

    def hessian(self, n: Any) -> np.ndarray:
        """Radii-of-curvature operator W(n) = Hess h(n), (..., 3, 3); W n = 0."""
        return self.jet(n).hessian

    def curvature(self, n: Any) -> Curvature:
        """Principal curvatures and directions where the outward normal is n."""
        u, _ = validate.directions(n)
        return principal(u, self.jet(u).hessian)

    def moments(self) -> Moments:
        """Volume, centroid and inertia at unit density, with the error of the quadrature."""
        return moments_by_quadrature(self)

    @property
    def volume(self) -> np.ndarray:
        """Volume [m^3]."""
        return self.moments().volume

    @property
    def centroid(self) -> np.ndarray:
        """Centre of volume in the shape's own frame [m]."""
        return self.moments().centroid

    def inertia(self, density: Any = 1.0) -> np.ndarray:
        """Inertia tensor about the centroid, in the shape's own axes [kg m^2], (..., 3, 3)."""
        density = validate.positive(validate.array(density, "density"), "density")
        return self.moments().inertia * density[..., None, None]

    def aabb(self, pose: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Smallest axis-aligned box of the body in the world: lower and upper corners, (..., 3)."""
        from .pose import as_pose

        rotation, translation = as_pose(pose, "pose")
        shape = validate.broadcast({"shape": self.batch_shape, "pose": translation.shape[:-1]})
        low, high = np.empty((*shape, 3)), np.empty((*shape, 3))
        for axis in range(3):
            local = rotation[..., axis, :]  # world axis seen from the body
            high[..., axis] = self.support(local) + translation[..., axis]
            low[..., axis] = translation[..., axis] - self.support(-local)
        return low, high

    @property
    def bounding_radius(self) -> np.ndarray:
        """Radius of a sphere about the shape's origin that contains the body (not always the smallest)."""
        low, high = self.aabb()
        return np.linalg.norm(np.maximum(abs(low), abs(high)), axis=-1)

    # ---- the algebra -------------------------------------------------------------------------
    def offset(self, distance: Any) -> Offset:
        """Parallel body at `distance` (Römer 3-D, Eq. 48)."""
        from .shapes.offset import Offset

        return Offset(self, distance)

    def affine(self, matrix: Any, translation: Any = (0.0, 0.0, 0.0)) -> Affine:
        """Image under x -> matrix x + translation."""
        from .shapes.affine import Affine

        return Affine(self, matrix, translation)

    def translate(self, vector: Any) -> Affine:
        """The body moved by `vector` (Römer 3-D, Eq. 47 with r_BA = -vector)."""
        return self.affine(np.eye(3), vector)

    def __add__(self, other: Shape) -> MinkowskiSum:
        from .shapes.minkowski import MinkowskiSum

        if not isinstance(other, Shape):
            return NotImplemented
        return MinkowskiSum(self, other)

    def __neg__(self) -> Affine:
        return self.affine(-np.eye(3))

    # ---- a stack of bodies -------------------------------------------------------------------
    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError(f"a single {type(self).__name__} has no len()")
        return self.batch_shape[0]

    def __getitem__(self, index: Any) -> Shape:
        if not self.batch_shape:
            raise TypeError(f"a single {type(self).__name__} cannot be indexed")
        hints = self.Kernel.__annotations__
        fields: dict[str, Any] = {}
        for name, value in self._fields.items():
            if isinstance(value, Shape):
                fields[name] = _broadcast_shape(value, self.batch_shape)[index]
            else:
                tail = value.shape[-1:] if _is_array(hints[name]) else ()
                fields[name] = np.array(np.broadcast_to(value, (*self.batch_shape, *tail))[index])
        part = object.__new__(type(self))
        part._set(**fields)
        return part

    def __repr__(self) -> str:
        inner = ", ".join(
            f"{name}={value!r}" if isinstance(value, Shape) else f"{name}={value.tolist()!r}"
            for name, value in self._fields.items()
        )
        if len(inner) > 120:
            inner = f"<{self.batch_shape}>"
        return f"{type(self).__name__}({inner})"


def _is_array(hint: Any) -> bool:
    return hint is np.ndarray or hint == "np.ndarray"


def _broadcast_shape(shape: Shape, batch: tuple[int, ...]) -> Shape:
    if shape.batch_shape == batch:
        return shape
    hints = shape.Kernel.__annotations__
    fields: dict[str, Any] = {}
    for name, value in shape._fields.items():
        if isinstance(value, Shape):
            fields[name] = _broadcast_shape(value, batch)
        else:
            tail = value.shape[-1:] if _is_array(hints[name]) else ()
            fields[name] = np.array(np.broadcast_to(value, (*batch, *tail)))
    wide = object.__new__(type(shape))
    wide._set(**fields)
    return wide
