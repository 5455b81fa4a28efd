"""Setting a key in the user's configuration file: comments and order stay, the file is whole or as it was.

A file that is broken is never written over, and nothing is written that would not load again. tomlkit is imported
only here and only when something is set (traps.md T23).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.settings import toml
from jp_tui.settings.errors import Problem, SettingsError
from jp_tui.settings.keys import SCHEMA, Leaf, dotted, node_at
from jp_tui.settings.layers import from_text
from jp_tui.settings.merge import check, get
from jp_tui.system.paths import PathsError, write_private

if TYPE_CHECKING:
    import tomlkit


def set_value(file: Path, key: Sequence[str], value: Any) -> None:
    """Set `key` (its parts) to `value` in `file`, which is made when it is missing.

    SettingsError when there is no such key, the value does not fit, the file is broken, or it cannot be written.
    """
    _check(tuple(key), value)
    text = _current(file)
    made = replaced(text, key, value)
    from_text("user", str(file), made.encode("utf-8"))
    try:
        write_private(file, made.encode("utf-8"))
    except PathsError as error:
        raise SettingsError(Problem(str(error), dotted(tuple(key)))) from None


def replaced(text: str, key: Sequence[str], value: Any) -> str:
    """`text` with `key` set to `value`; everything else keeps its bytes. Pure."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        made = _edited(tomlkit.parse(text), key, value)
    except TOMLKitError as error:
        raise SettingsError(Problem(f"cannot be edited: {error}", dotted(tuple(key)))) from None
    if get(toml.loads(made, ""), tuple(key)) != value:
        raise SettingsError(Problem("cannot be set in a file written like this; set it by hand", dotted(tuple(key))))
    return made if made.endswith("\n") else made + "\n"


def _edited(document: tomlkit.TOMLDocument, key: Sequence[str], value: Any) -> str:
    import tomlkit

    table: Any = document
    for depth, part in enumerate(key[:-1]):
        inner = table.get(part)
        if not hasattr(inner, "get"):  # missing, or a shorthand that a table replaces
            inner = tomlkit.table(is_super_table=depth < len(key) - 2)
            table[part] = inner
            inner = table[part]
        table = inner
    table[key[-1]] = value
    return tomlkit.dumps(document)


def _check(path: tuple[str, ...], value: Any) -> None:
    nested: Any = value
    for part in reversed(path):
        nested = {part: nested}
    _, flaws = check(nested, SCHEMA)
    for flaw in flaws:
        raise SettingsError(Problem(flaw.message, dotted(flaw.path), allowed=flaw.allowed, nearest=flaw.nearest))
    if not isinstance(node_at(path), Leaf):
        raise SettingsError(Problem("is a table; set one of its keys", dotted(path)))


def _current(file: Path) -> str:
    document = toml.read(str(file))
    if document is None:
        return ""
    from_text("user", str(file), document.text.encode("utf-8"))  # what is wrong already is said, not written over
    return document.text
