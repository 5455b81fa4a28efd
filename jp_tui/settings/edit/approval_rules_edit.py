"""Adding and revoking rules in the user's `rules.toml`: comments and order stay, the file is whole or as it was
(rules.md AR1). tomlkit is imported only here, when something is written.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jp_tui.rules.values import ApprovalRule
from jp_tui.settings.approval_rules import RulesFile, checked_rule, parse_rules
from jp_tui.settings.edit.file_lock import locked
from jp_tui.settings.errors import SettingsError, SettingsProblem
from jp_tui.settings.layers import toml
from jp_tui.system.paths import PathsError, private_folder, write_private

_LETTERS = "abcdefghjkmnpqrstvwxyz23456789"


def new_rule_id() -> str:
    """Return an id for a rule."""
    return f"rule-{''.join(secrets.choice(_LETTERS) for _ in range(6))}"


def add_rule(file: Path, table: Mapping[str, Any]) -> ApprovalRule:
    """Write a rule at the end of the file, which is made when it is missing; its id and the time are made unless given.
    SettingsError for a bad rule, or a file that has something wrong in it or cannot be written."""
    now = datetime.now(UTC).replace(microsecond=0)
    written = {"id": new_rule_id(), **table}
    written.setdefault("created", now)
    flaws: list[SettingsProblem] = []

    def wrong(message: str, key: str = "", allowed: Any = ()) -> None:
        flaws.append(SettingsProblem(message, key, allowed=tuple(allowed)))

    if checked_rule(written, wrong) is None:
        raise SettingsError(flaws)
    _prepared(file)
    with locked(file, "rule"):
        text, before = _current(file)
        made = f"{text.rstrip()}\n\n{_table(written)}" if text.strip() else _table(written)
        after = _checked(made, file)
        if len(after.rules) != len(before.rules) + 1:
            raise SettingsError(SettingsProblem("cannot be added to a file written like this", file=str(file)))
        _write(file, made)
    return after.rules[-1]


def revoke_rules(file: Path, ids: Collection[str]) -> tuple[str, ...]:
    """Take rules out of the file by their ids; those that stood there. SettingsError as `add_rule`; a file with a rule
    that cannot be read can still lose others."""
    if not file.exists():
        return ()
    with locked(file, "rule"):
        text, _ = _current(file, sound=False)
        gone = _ids(text, file, ids)
        if gone:
            made = _without(text, set(gone), file)
            if _ids(made, file, gone.values()) or len(_tables(made, file)) != len(_tables(text, file)) - len(gone):
                raise SettingsError(SettingsProblem("cannot be taken out; do it by hand", file=str(file)))
            _write(file, made)
    return tuple(gone.values())


def _prepared(file: Path) -> None:
    try:
        private_folder(file.parent)
    except PathsError as problem:
        raise SettingsError(SettingsProblem(str(problem), file=str(file))) from None


def _current(file: Path, *, sound: bool = True) -> tuple[str, RulesFile]:
    document = toml.read(str(file))
    text = "" if document is None else document.text
    return text, _checked(text, file) if sound else parse_rules(text, str(file))


def _checked(text: str, file: Path) -> RulesFile:
    found = parse_rules(text, str(file))
    if found.problems:
        raise SettingsError(found.problems)
    return found


def _tables(text: str, file: Path) -> list[Any]:
    tables = toml.loads(text, str(file)).get("rule", [])
    return tables if isinstance(tables, list) else []


def _ids(text: str, file: Path, wanted: Collection[str]) -> dict[int, str]:
    """The numbers of the tables with these ids; one that has none is known by the id that is made for it."""
    found = {}
    for number, table in enumerate(_tables(text, file)):
        rule = checked_rule(table, lambda *_: None)
        name = rule.id if rule is not None else table.get("id", "") if isinstance(table, dict) else ""
        if name in wanted:
            found[number] = str(name)
    return found


def _without(text: str, numbers: set[int], file: Path) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        tables: Any = document["rule"]
        for number in sorted(numbers, reverse=True):
            del tables[number]
        if not len(tables):
            document.remove("rule")
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise SettingsError(SettingsProblem(f"cannot be edited: {error}", file=str(file))) from None


def _table(table: Mapping[str, Any]) -> str:
    import tomlkit

    document = tomlkit.document()
    tables = tomlkit.aot()
    one = tomlkit.table()
    for key, value in table.items():
        one[key] = _inline(value) if isinstance(value, dict) else value
    tables.append(one)
    document["rule"] = tables
    return tomlkit.dumps(document)


def _inline(value: Mapping[str, Any]) -> Any:
    import tomlkit

    table = tomlkit.inline_table()
    for key, one in value.items():
        table[key] = _inline(one) if isinstance(one, dict) else one
    return table


def _write(file: Path, text: str) -> None:
    try:
        write_private(file, text.encode("utf-8"))
    except PathsError as error:
        raise SettingsError(SettingsProblem(str(error), file=str(file))) from None
