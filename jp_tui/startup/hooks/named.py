"""A cheap look before each tool of another program: can anything name its call (intake.md N20)?

Where nothing can, no engine starts. `engine.session.permission` decides about the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jp_tui.conversation.ids import id_of
from jp_tui.journal.port import JournalError
from jp_tui.system import processes

if TYPE_CHECKING:
    from jp_tui.settings.layers.layers import Settings
    from jp_tui.startup.parts import RunLocation


def may_be_named(program: str, session: str, place: RunLocation, settings: Settings) -> bool:
    """Return False if no setting, rule or earlier answer of the session can be about a tool of this program. Raises
    SettingsError for a bad policy."""
    tools = settings.get("conversation", "tools") or {}
    if any(name.startswith(f"{program}.") for name in tools) or tools.get("*", {}).get("run") == "skip":
        return True
    if settings.get("store", "url"):
        return True  # the session's answers are elsewhere
    return _rules_name(program, place) or _answered(program, session, place)


def _rules_name(program: str, place: RunLocation) -> bool:
    from jp_tui.settings.approval_rules import RuleFiles

    layers = RuleFiles(place.sources.rule_places).layers()
    every = (layers.policy, layers.user, layers.folder)
    return any(layer.broken for layer in every) or any(
        "*" in rule.tool or rule.tool.startswith(f"{program}.") for layer in every for rule in layer.rules.rules
    )


def _answered(program: str, session: str, place: RunLocation) -> bool:
    """True unless this session is known to have asked nothing yet."""
    if not place.paths.database.exists():
        return False
    found = processes.asker()
    if found is None:
        return True
    from jp_tui.journal.reader import open_reader

    name = id_of(program, processes.host(), found.pid, found.started, found.uid, session)
    try:
        reader = open_reader(place.paths.database)
        try:
            return reader.conversation(name) is not None
        finally:
            reader.close()
    except JournalError:
        return True  # it is reported where the store is opened
