"""Checks that a library is as a patch expects it: its version, its names and the parameters of its functions.

They cost microseconds, because all of them are made at each start: `inspect` and `importlib.metadata` aren't used.
"""

from __future__ import annotations

import re
from importlib import import_module
from os import listdir
from os.path import dirname
from types import CodeType
from typing import Any

_ANY = 0x04 | 0x08
"""Flags of a function that takes any number of parameters."""
_VERSION = re.compile(r"\d+(?:\.\d+)*")


class Unfit(Exception):
    """A part of a library isn't there or looks different; the message says which."""


def installed_version(package: str) -> str:
    """Return the version of a package, read from the name of its metadata folder; empty if it can't be found."""
    folder = dirname(dirname(import_module(package).__file__ or ""))
    prefix, suffix = f"{package}-", ".dist-info"
    try:
        found = [name for name in listdir(folder) if name.startswith(prefix) and name.endswith(suffix)]
    except OSError:
        found = []
    if len(found) == 1:
        return found[0][len(prefix) : -len(suffix)]
    from importlib import metadata  # 50 ms, for unusual installations only

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def is_within(version: str, bounds: tuple[str, str]) -> bool:
    """Return True if `version` is at least the first of `bounds` and below the second. A pre-release counts as its
    release."""
    first, beyond = (_numbers(bound) for bound in bounds)
    return first <= _numbers(version) < beyond


def _numbers(version: str) -> tuple[int, ...]:
    found = _VERSION.match(version)
    return tuple(map(int, found[0].split("."))) if found else ()


def needs(owner: object, *names: str) -> None:
    """Raise Unfit if `owner`, a class or a module, lacks one of these names."""
    for name in names:
        if not hasattr(owner, name):
            raise Unfit(f"{_name(owner)} has no {name}")


def takes(owner: object, name: str, *parameters: str) -> Any:
    """Return the function `name` of `owner`. Raise Unfit if it is missing or takes other parameters."""
    needs(owner, name)
    function = getattr(owner, name)
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & _ANY or _parameters(code) != parameters:
        raise Unfit(f"{_name(owner)}.{name} doesn't take ({', '.join(parameters)})")
    return function


def _parameters(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def uses(owner: object, name: str, *names: str) -> None:
    """Raise Unfit if the function `name` of `owner` doesn't read, set or call these names."""
    needs(owner, name)
    function = getattr(owner, name)
    code = getattr(getattr(function, "fget", None) or function, "__code__", None)
    if code is None or not set(names) <= {*code.co_names, *code.co_freevars}:
        raise Unfit(f"{_name(owner)}.{name} doesn't use {', '.join(names)}")


def _name(owner: object) -> str:
    return getattr(owner, "__qualname__", "") or getattr(owner, "__name__", "") or type(owner).__name__
