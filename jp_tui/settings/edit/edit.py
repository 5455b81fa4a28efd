"""Set a key in the user's configuration file.

Comments and order are kept, and the file is replaced atomically. A lock prevents lost updates between jp-tui processes.
A broken file is never overwritten, and an invalid result is never written. tomlkit is imported only here, when a key is
set (traps.md T23).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.settings.edit.file_lock import locked
from jp_tui.settings.errors import SettingsError, SettingsProblem
from jp_tui.settings.layers import toml
from jp_tui.settings.layers.layers import from_text
from jp_tui.settings.layers.merge import check, get, without
from jp_tui.settings.schema.keys import SCHEMA, Group, dotted, node_at
from jp_tui.system.paths import PathsError, write_private

if TYPE_CHECKING:
    import tomlkit


def set_value(file: Path, key: Sequence[str], value: Any) -> None:
    """Set `key` (its parts) to `value` in `file`; create the file if it is missing.

    Raises SettingsError if the key is unknown, the value doesn't fit, or the file is broken or can't be written.
    """
    check_value(key, value)
    with locked(file, dotted(tuple(key))):
        store(file, tuple(key), with_value(file, key, value))


def with_value(file: Path, key: Sequence[str], value: Any) -> str:
    """Return the text of `file` with `key` set to `value`, without writing it.

    Raises SettingsError as `set_value`. A caller that stores the text must take the lock (`locked`) before this call. A
    table sets each of its keys and keeps the others.
    """
    check_value(key, value)
    text = _current(file)
    for path, leaf in _parts(tuple(key), value):
        text = replaced(text, path, leaf)
    return text


def _parts(path: tuple[str, ...], value: Any) -> list[tuple[tuple[str, ...], Any]]:
    node = node_at(path)
    if isinstance(node, Group) and isinstance(value, Mapping):
        return [part for key, item in value.items() for part in _parts((*path, str(key)), item)]
    return [(path, value)]


def store(file: Path, path: tuple[str, ...], text: str) -> None:
    """Write the new text of `file` for the key `path`. Raises SettingsError if the text wouldn't load or can't be
    written."""
    from_text("user", str(file), text.encode("utf-8"))
    try:
        write_private(file, text.encode("utf-8"))
    except PathsError as error:
        raise SettingsError(SettingsProblem(str(error), dotted(path))) from None


def unset_value(file: Path, key: Sequence[str]) -> bool:
    """Remove `key` (its parts) from `file`; keep comments and everything else.

    Return False if it isn't set there. Raises SettingsError if the file is broken, can't be written, or its syntax
    doesn't allow removing the key alone.
    """
    path = tuple(key)
    if not _stands(_current(file), path, file):
        return False
    with locked(file, dotted(path)):
        text = _current(file)
        if not _stands(text, path, file):  # another process removed it first
            return False
        store(file, path, removed(text, path))
    return True


def _stands(text: str, path: tuple[str, ...], file: Path) -> bool:
    return get(toml.loads(text, str(file)), path) is not None


def removed(text: str, path: Sequence[str]) -> str:
    """Return `text` without the key `path`, which must be set in it; everything else keeps its bytes. Pure."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    document = tomlkit.parse(text)
    table: Any = document
    try:
        for part in path[:-1]:
            table = table[part]
        table.remove(path[-1])
        made = tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(SettingsProblem(f"cannot be edited: {error}", dotted(tuple(path)))) from None
    left, wanted = (_bare(toml.loads(each, ""), tuple(path)) for each in (made, text))
    if get(toml.loads(made, ""), tuple(path)) is not None or left != wanted:
        raise SettingsError(
            SettingsProblem("can't be removed from a file with this layout. Edit it by hand.", dotted(tuple(path)))
        )
    return made


def _bare(tree: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return `tree` without `path` and without parent tables that become empty."""
    return without(tree, path) if get(tree, path[:1]) is not None else tree


def replaced(text: str, key: Sequence[str], value: Any) -> str:
    """Return `text` with `key` set to `value`; everything else keeps its bytes. Pure."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        made = _edited(tomlkit.parse(text), key, value)
    except TOMLKitError as error:
        raise SettingsError(SettingsProblem(f"cannot be edited: {error}", dotted(tuple(key)))) from None
    if get(toml.loads(made, ""), tuple(key)) != value:
        raise SettingsError(
            SettingsProblem("can't be set in a file with this layout. Edit it by hand.", dotted(tuple(key)))
        )
    return made if made.endswith("\n") else made + "\n"


def _edited(document: tomlkit.TOMLDocument, key: Sequence[str], value: Any) -> str:
    import tomlkit

    table: Any = document
    for depth, part in enumerate(key[:-1]):
        inner = table.get(part)
        if not hasattr(inner, "get"):  # missing, or a shorthand that a table replaces
            inner = tomlkit.table(is_super_table=depth < len(key) - 2 or isinstance(value, Mapping))
            table[part] = inner
            inner = table[part]
        table = inner
    table[key[-1]] = value
    return tomlkit.dumps(document)


def check_value(key: Sequence[str], value: Any) -> None:
    """Raise SettingsError if the key is unknown or doesn't accept `value`. Reads no file."""
    path = tuple(key)
    nested: Any = value
    for part in reversed(path):
        nested = {part: nested}
    _, flaws = check(nested, SCHEMA)
    for flaw in flaws:
        raise SettingsError(
            SettingsProblem(flaw.message, dotted(flaw.path), allowed=flaw.allowed, nearest=flaw.nearest)
        )
    node = node_at(path)
    if isinstance(node, Group) and (not isinstance(value, Mapping) or not value) and node.shorthand is None:
        raise SettingsError(SettingsProblem("is a table; set one of its keys", dotted(path)))


def _current(file: Path) -> str:
    document = toml.read(str(file))
    if document is None:
        return ""
    from_text("user", str(file), document.text.encode("utf-8"))  # report existing errors instead of overwriting them
    return document.text
