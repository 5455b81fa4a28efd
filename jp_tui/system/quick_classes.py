"""Create data classes without generated code, which saves a sixth of the workspace's start.

Up to Python 3.12 `dataclasses` writes, compiles and runs source text for each method of each class. Here equality,
hash, repr and the methods that refuse changes are closures over the fields' names; a test compares their results with
the generated ones. Only `__init__` is still compiled, since it is called most, but not before the first instance is
made: of the classes that the start loads, it makes instances of few. Until then a class has no signature of its own,
so neither has the docstring that `dataclasses` makes for a class without one. Later versions of Python
generate less and are left alone. `python -m tests.bench --only patches` measures the gain.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any

_Fields = Sequence["dataclasses.Field[Any]"]
_KNOWN = {
    "_init_fn": (
        "fields",
        "std_fields",
        "kw_only_fields",
        "frozen",
        "has_post_init",
        "self_name",
        "globals",
        "slots",
    ),
    "_repr_fn": ("fields", "globals"),
    "_cmp_fn": ("name", "op", "self_tuple", "other_tuple", "globals"),
    "_hash_fn": ("fields", "globals"),
    "_frozen_get_del_attr": ("cls", "fields", "globals"),
}
"""Functions of `dataclasses` that are replaced, with their expected parameters."""


def install() -> bool:
    """Patch `dataclasses`. Return False, without a change, if its functions differ from the expected ones."""
    if sys.version_info >= (3, 13):
        return False
    for name, takes in _KNOWN.items():
        code = getattr(getattr(dataclasses, name, None), "__code__", None)
        if code is None or code.co_varnames[: code.co_argcount] != takes:
            return False
    theirs = vars(dataclasses)
    ours = {"_init_fn": _init_later(theirs["_init_fn"]), "_cmp_fn": _compared(theirs["_cmp_fn"])}
    theirs.update(ours, _repr_fn=_repr, _hash_fn=_hash, _frozen_get_del_attr=_frozen)
    return True


def _init_later(compiled: Callable[..., Callable[..., None]]) -> Callable[..., Callable[..., None]]:
    """Replacement of `_init_fn`, which makes an `__init__`, now called `compiled`: the returned `__init__` has the real
    one compiled and puts it in its own place when it is first called."""

    def init_fn(fields: _Fields, std_fields: _Fields, *how: object) -> Callable[..., None]:
        if _out_of_order(std_fields):
            return compiled(fields, std_fields, *how)  # raises its TypeError where the class is defined

        def __init__(self: object, *values: object, **named: object) -> None:
            real = compiled(fields, std_fields, *how)
            real.__qualname__ = __init__.__qualname__
            for cls in type(self).__mro__:
                if cls.__dict__.get("__init__") is __init__:
                    type.__setattr__(cls, "__init__", real)
            real(self, *values, **named)

        return __init__

    return init_fn


def _out_of_order(fields: _Fields) -> bool:
    """True if a field without a default follows one with a default."""
    optional = False
    for field in fields:
        if field.init:
            if field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING:
                optional = True
            elif optional:
                return True
    return False


def _values(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    """Return a function that gets these attributes of an object as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if names:
        only = attrgetter(*names)
        return lambda self: (only(self),)
    return lambda self: ()


def _repr(fields: _Fields, globals: object) -> Callable[[Any], str]:
    names = [field.name for field in fields]

    def __repr__(self: object) -> str:
        said = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{self.__class__.__qualname__}({said})"

    return recursive_repr()(__repr__)


def _compared(others: Callable[..., object]) -> Callable[..., object]:
    """Replacement of `_cmp_fn` for equality; `others` makes the ordering comparisons."""

    def compared(name: str, op: str, self_tuple: str, other_tuple: str, globals: object) -> object:
        if op != "==":
            return others(name, op, self_tuple, other_tuple, globals)
        values = _values([one.partition(".")[2] for one in self_tuple.strip("()").split(",") if one])

        def __eq__(self: object, other: object) -> bool:
            if other.__class__ is self.__class__:
                return values(self) == values(other)
            return NotImplemented

        return __eq__

    return compared


def _hash(fields: _Fields, globals: object) -> Callable[[object], int]:
    values = _values([field.name for field in fields])

    def __hash__(self: object) -> int:
        return hash(values(self))

    return __hash__


def _frozen(cls: type[Any], fields: _Fields, globals: object) -> tuple[Callable[..., None], Callable[..., None]]:
    names = frozenset(field.name for field in fields)

    def __setattr__(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__
