"""The page of rules: by layer, with their record, revoked and added by two presses (rules.md AR22, AR24, AR27)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.rules import RuleAnswer, RuleInfo, RuleSuggestion
from jp_tui.ui.screens.rules import RulesPage
from jp_tui.view.pages import rules as say
from tests.fakes.link import FakeLink, opened
from tests.ui.app_host import Host, workspace
from tests.ui.app_host import opened as is_open
from tests.ui.test_app_pictures import SIZES

Compare = Callable[..., bool]
FILE = "/home/ada/.config/jp-tui/rules.toml"


def rule(id_: str, effect: Any, scope: Any, match: Any, line: int, **more: Any) -> RuleInfo:
    told = {"tool": "shell_run", "lifetime": "folder", "layer": "user", "place": f"{FILE}:{line}", **more}
    return RuleInfo(id=id_, effect=effect, scope=scope, match=match, **told)


RULES = (
    rule("no-curl", "deny", "command", [["curl", "wget"]], 3, layer="policy", place="/etc/jp-tui/policy.toml:3",
        lifetime="everywhere", hits=2, last_hit="2026-03-04T09:10:11Z", reason="use the mirror"),
    rule("rule-7f3k2p", "allow", "command", ["git", ["log", "diff"]], 8, folder="/home/ada/code/acme", hits=14,
        last_hit="2026-03-05T20:11:12Z", created="2026-02-20T10:00:00Z", made_by="answer",
        answer=RuleAnswer(conversation="jp-c1a2", inquiry="call_3.__permission__.1", call="call_3")),
    rule("rule-x1", "ask", "path", "[b]secrets[/b]/**\x1b[31m\u202e", 15, tool="fs_*", hits=0, made_by="command",
        created="2026-03-01T10:00:00Z", expires="2026-12-01T00:00:00Z", lifetime="everywhere"),
    rule("team", "deny", "command", ["npm", "publish"], 2, layer="folder", hits=0,
        place="/home/ada/code/acme/.jp-tui/rules.toml:2", folder=None),
    rule("old", "allow", "host", "*.example.org", 22, tool="fetch", active=False, hits=1,
        last_hit="2026-01-05T20:11:12Z", expires="2026-02-01T00:00:00Z"),
)  # fmt: skip
SUGGESTED = RuleSuggestion(
    tool="shell_run", scope="command", match=["cargo", "test"], folder="/home/ada/code/acme", approved=9,
    conversations=3, first="2026-02-12T08:00:00Z", last="2026-03-05T08:00:00Z",
    add="jp-tui rules add allow --tool shell_run --command 'cargo test'",
    table={"effect": "allow", "tool": "shell_run", "command": ["cargo", "test"], "folder": "/home/ada/code/acme"},
)  # fmt: skip


def read(**more: Any) -> ev.RulesRead:
    told = {"rules": RULES, "suggestions": (SUGGESTED,), "file": Foreign(FILE), **more}
    return ev.RulesRead.model_validate(told)


@asynccontextmanager
async def page(first: ev.RulesRead, size: tuple[int, int] = (120, 36)) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    async with workspace(size=size) as (app, pilot):
        app.action_open("rules")
        await pilot.pause()
        assert isinstance(app.screen, RulesPage) and len(app.link.of(cmd.ReadRules)) == 1
        await app.says(pilot, first)
        yield app, pilot


async def test_ar22_each_rule_has_its_layer_its_hits_and_its_maker() -> None:
    async with page(read()) as (app, pilot):
        shown = app.screen_text()
        assert shown.index("command curl|wget …") < shown.index("command git log|diff …") < shown.index("npm publish")
        assert "policy · used 2 times, last 2026-03-04 09:10 UTC" in shown
        assert "not in force here · used once" in shown and "suggested · you approved 9 calls in 3" in shown
        assert "[b]secrets[/b]" in shown and "\x1b" not in shown and "\u202e" not in shown
        await pilot.press("j")
        shown = app.screen_text()
        assert "made 2026-02-20 10:00 UTC by your answer in jp-c1a2 (call_3.__permission__.1)" in shown


async def test_ar24_revoking_takes_two_presses_and_another_key_cancels() -> None:
    async with page(read()) as (app, pilot):
        await pilot.press("d", "d")
        await pilot.pause()
        assert "Only rules of your own rules.toml can be revoked here" in app.screen_text()
        await pilot.press("j", "d")
        await pilot.pause()
        assert "Take rule-7f3k2p out of" in app.screen_text()
        await pilot.press("x", "d")
        assert app.link.of(cmd.RevokeRule) == []
        await pilot.press("d")
        (sent,) = app.link.of(cmd.RevokeRule)
        assert sent.id == "rule-7f3k2p" and sent.conversation
        await app.says(pilot, read(rules=RULES[:1], done="revoked", changed="rule-7f3k2p"))
        assert "Revoked rule-7f3k2p." in app.screen_text() and "git log" not in app.screen_text()


async def test_ar27_a_suggestion_is_added_by_two_presses_as_it_was_shown() -> None:
    async with page(read()) as (app, pilot):
        await pilot.press("a", "a")
        assert app.link.of(cmd.TakeSuggestion) == [], "no suggestion is highlighted"
        await pilot.press("end", "a")
        await pilot.pause()
        shown = app.screen_text()
        assert "Add this rule to" in shown and "--command 'cargo test'" in shown
        await pilot.press("a")
        (sent,) = app.link.of(cmd.TakeSuggestion)
        assert sent.table == SUGGESTED.table
        await app.says(pilot, ev.Refused(command="take_suggestion", message="not any more"))
        assert "not any more" in app.screen_text()
        await pilot.press("a")
        assert len(app.link.of(cmd.TakeSuggestion)) == 1, "what was confirmed before doesn't count"


async def test_a_click_only_marks() -> None:
    async with page(read()) as (app, pilot):
        await pilot.press("d")
        await pilot.click("OptionList", offset=(6, 2))
        await pilot.pause()
        assert app.link.of(cmd.RevokeRule) == [] and "rule-7f3k2p · " in app.screen_text()


async def test_ar10_bad_rules_and_the_policy_are_named_above_the_list() -> None:
    problems = tuple(Foreign(f"{FILE}:{line}: rule[{line}].colour is no key of a rule") for line in range(5))
    async with page(read(rules=(), suggestions=(), problems=problems, policy=(Foreign("/etc/p.toml"),))) as (app, _):
        shown = app.screen_text()
        assert "Policy in force: /etc/p.toml" in shown and "rules.toml:2" in shown and "rules.toml:4" not in shown
        assert "and 2 more problems" in shown and say.EMPTY[:20] in shown


def _picture(told: ev.RulesRead, theme: str, *keys: str) -> tuple[Host, Callable[[Pilot[None]], Any]]:
    app = Host(FakeLink(opened(), stops=False), theme=theme)

    async def run(pilot: Pilot[None]) -> None:
        await is_open(app, pilot)
        app.action_open("rules")
        await pilot.pause()
        await app.says(pilot, told)
        await pilot.press(*keys)
        await app.still(pilot)

    return app, run


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_picture(snap_compare: Compare, size: tuple[int, int]) -> None:
    app, run = _picture(read(policy=(Foreign("/etc/jp-tui/policy.toml"),)), "jp-night", "j", "d")
    assert snap_compare(app, terminal_size=size, run_before=run)


def test_picture_of_no_rules(snap_compare: Compare) -> None:
    app, run = _picture(read(rules=(), suggestions=()), "jp-day")
    assert snap_compare(app, terminal_size=(80, 24), run_before=run)


def test_picture_without_colour(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app, run = _picture(read(), "jp-night", "end", "a")
    assert snap_compare(app, terminal_size=(80, 24), run_before=run)
