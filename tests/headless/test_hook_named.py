"""The look before an engine starts for a hook (intake.md N20): it says no only where nothing can name the call."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import id_of
from jp_tui.engine.record.event_codec import entry
from jp_tui.engine.session.session_memory import session_conversation
from jp_tui.journal.port import OUTSIDE
from jp_tui.journal.store import open_journal
from jp_tui.protocol.outside import Asker
from jp_tui.settings.approval_rules import RulePlaces
from jp_tui.startup.hooks.named import may_be_named
from jp_tui.system import processes

ME = processes.ProcessInfo(pid=4711, parent=1, started="2026-01-01T00:00:00Z", name="claude", uid=1000)


class Place:
    """A home without settings, rules and conversations."""

    def __init__(self, home: Path) -> None:
        self.user, self.folder = home / "rules.toml", home / "folder.toml"
        self.sources = SimpleNamespace(rule_places=RulePlaces(str(self.user), str(self.folder), ()))
        self.paths = SimpleNamespace(database=home / "conversations.db")
        self.settings: dict[tuple[str, ...], Any] = {("conversation", "tools"): {"*": {"run": "ask"}, "shell_run": {}}}

    def named(self) -> bool:
        settings: Any = SimpleNamespace(get=lambda *path: self.settings.get(path))
        return may_be_named("claude-code", "s1", self, settings)  # type: ignore[arg-type]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(processes, "asker", lambda: ME)
    return Place(tmp_path)


def rule(effect: str, tool: str) -> str:
    return f'[[rule]]\neffect = "{effect}"\ntool = "{tool}"\n'


def test_n20_nothing_names_it(place: Place) -> None:
    assert not place.named()
    place.user.write_text(rule("allow", "shell_run") + rule("deny", "codex.Bash"))
    place.settings["conversation", "tools"]["codex.Bash"] = {"run": "skip"}
    assert not place.named()


@pytest.mark.parametrize(
    "text", [rule("allow", "claude-code.Bash"), rule("deny", "*"), rule("ask", "claude*"), "no toml"], ids=repr
)
def test_n20_a_rule_may_name_it(place: Place, text: str) -> None:
    place.user.write_text(text)
    assert place.named()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("conversation", "tools"), {"claude-code.*": {"questions": {}}}),
        (("conversation", "tools"), {"*": {"run": "skip"}}),
        (("store", "url"), "postgresql://elsewhere/store"),
    ],
    ids=repr,
)
def test_n20_a_setting_may_name_it(place: Place, path: tuple[str, ...], value: Any) -> None:
    place.settings[path] = value
    assert place.named()


def test_n20_a_session_that_asked_may_name_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    asker = Asker(program="claude", pid=ME.pid, started=ME.started, host=processes.host(), uid=ME.uid)
    name = session_conversation(asker, "claude-code", "s1")
    assert name == id_of("claude-code", processes.host(), ME.pid, ME.started, ME.uid, "s1") and len(name) == 12
    journal = open_journal(place.paths.database)
    at = "2026-01-01 00:00:00.0"
    first = entry(ev.TurnStart(timestamp=at), 1, at)[0]
    assert not place.named()
    begins = first.__class__(OUTSIDE, first.turn, first.payload, at=at)
    journal.ask_outside(name, [begins], workspace="/", at=at, title="", admits=lambda _: None).result()
    assert place.named()
    monkeypatch.setattr(processes, "asker", lambda: None)
    assert place.named(), "it isn't known who asks"
    journal.close()


def test_n20_a_store_that_cannot_be_read_names_it(place: Place) -> None:
    place.paths.database.write_bytes(b"no database" * 999)
    assert place.named()
