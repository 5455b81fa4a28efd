"""Every message that a test makes is checked: the program leaves that to mypy, which doesn't see what comes as a dict.

`jp_tui.protocol` checks what comes from outside. Here each message must be what pydantic makes of the same values, so
that a list where a tuple is meant is found, too.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import jp_tui.protocol
from jp_tui.protocol.base import Model, adapter


def install() -> None:
    """Check all messages that are made from now on. A wrong one raises ValidationError or TypeError."""
    for module in pkgutil.iter_modules(jp_tui.protocol.__path__):
        importlib.import_module(f"jp_tui.protocol.{module.name}")
    _check(Model)


def _check(parent: type[Model]) -> None:
    for cls in parent.__subclasses__():
        if cls.__module__.startswith("jp_tui.protocol."):
            cls.__init__ = _checked(cls, cls.__init__)  # type: ignore[method-assign]
        _check(cls)


def _checked(cls: type[Model], init: Callable[..., None]) -> Callable[..., None]:
    def checked(self: Model, **values: Any) -> None:
        init(self, **values)
        if type(self) is cls and adapter(cls).validate_python(dict(vars(self))) != self:
            raise TypeError(f"not what {cls.__name__} takes: {values}")

    return checked
