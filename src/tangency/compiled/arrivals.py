"""Classes with formulas that arrive from another process by value.

Pickle sends a class by its name.  Where the other process cannot import it, as a class of ``__main__`` in a Dask
worker, cloudpickle sends its attributes instead.  What was registered with Numba when the class was defined does not
travel, and its number may belong to another class here: both are made anew before the formulas are first compiled.
"""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakSet

_here: WeakSet[type] = WeakSet()
_lock = threading.RLock()

#: Attribute of a kernel: the method that was added to it when its class was defined.
ADDED = "_added"


def defined_here(kernel: type) -> None:
    """Note that the class with this kernel was defined in this process."""
    _here.add(kernel)


def admit(cls: type) -> None:
    """Define a class again if it arrived from another process and has not been defined in this one."""
    owner: Any = next((base for base in cls.__mro__ if "Kernel" in vars(base)), None)
    if owner is None or owner.Kernel in _here:
        return
    with _lock:
        kernel = owner.Kernel
        if kernel in _here:
            return
        kernel.__qualname__ = f"{owner.__qualname__}.Kernel"
        if ADDED in vars(kernel):
            delattr(kernel, vars(kernel)[ADDED])
        super(owner, owner).__init_subclass__()  # as the class statement does
        _here.add(kernel)
