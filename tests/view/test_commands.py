"""What `/` means: a command, a text, or a name nobody knows (issue 4, 6)."""

from __future__ import annotations

import pytest

from jp_tui.view.composer.commands import RunAction, SendText, SlashCommand, UnknownCommand, matching, parse

LEDGER = SlashCommand(name="ledger", title="Ledger", does="…")
THEME = SlashCommand(name="theme", title="Theme", does="…", argument="NAME")
ALL = (LEDGER, THEME)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("hello", SendText("hello")),
        (" /ledger", SendText(" /ledger")),
        ("//ledger", SendText("/ledger")),
        ("//", SendText("/")),
        ("/ledger", RunAction(LEDGER, "")),
        ("/LEDGER  ", RunAction(LEDGER, "")),
        ("/theme  jp-day ", RunAction(THEME, "jp-day")),
        ("/theme", RunAction(THEME, "")),
    ],
)
def test_what_is_meant(text: str, meant: object) -> None:
    assert parse(text, ALL) == meant


@pytest.mark.parametrize(
    ("text", "name", "advice"),
    [
        ("/ledgr", "ledgr", "Did you mean /ledger?"),
        ("/them", "them", "Did you mean /theme?"),
        ("/zzz", "zzz", "/help lists all."),
        ("/", "", "/help lists all."),
        ("/etc/hosts is broken", "etc/hosts", "// sends it as text"),
        ("/ledger now", "ledger", "takes no argument"),
    ],
)
def test_what_nobody_knows_is_never_a_text(text: str, name: str, advice: str) -> None:
    found = parse(text, ALL)
    assert isinstance(found, UnknownCommand) and found.name == name and advice in found.advice


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/", ["ledger", "theme"]),
        ("/T", ["theme"]),
        ("/ledger", ["ledger"]),
        ("/x", []),
        ("//", []),
        ("/theme jp", []),
        ("", []),
        ("a/", []),
        ("/le\n", []),
    ],
)
def test_what_may_be_meant_while_it_is_written(text: str, names: list[str]) -> None:
    assert [one.name for one in matching(text, ALL)] == names
