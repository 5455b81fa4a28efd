"""Resources and prompts of MCP servers (mcp.md P48): named by the user, attached, filled in; never a model's own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.model import TextPart
from jp_tui.engine.base.server_content import ContentArgument, ContentPrompt
from jp_tui.engine.desks.mcp import content as desk
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.view.composer.commands import RunAction, matching, parse, server_named, server_prompt, with_own
from tests.engine.conftest import Bench, bench
from tests.fakes.models import Script, end, text

__all__ = ["bench"]
PROMPT = ContentPrompt("Review", "Review a change.", (ContentArgument("file", "Which", True), ContentArgument("depth")))


class Content:
    """A server `docs` that runs, and `far`, which doesn't."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def names(self) -> Sequence[str]:
        return ("docs", "far")

    def running(self, server: str) -> bool:
        return server == "docs"

    async def resources(self, server: str) -> Sequence[str]:
        self.asked.append(("resources", server))
        if server == "far":
            raise ValueError("far did not start within 30 s.")
        return ("file:///guide.md", "file:///notes.md")

    async def read(self, server: str, address: str) -> str:
        self.asked.append(("read", server, address))
        if address == "gone":
            raise ValueError("docs answered with an error: no such resource.")
        if address == "slow":
            await asyncio.sleep(60)
        return f"{address}\nThe guide."

    async def prompts(self, server: str) -> Sequence[ContentPrompt]:
        self.asked.append(("prompts", server))
        return (PROMPT, ContentPrompt("no way"))

    async def fill(self, server: str, prompt: str, arguments: Mapping[str, str]) -> str:
        return f"Look at {arguments['file']}."


@pytest.fixture
def content(bench: Bench) -> Content:
    made = bench.server_content = Content()
    return made


def test_a_named_resource_goes_to_the_model_and_stays_on_record(bench: Bench, content: Content) -> None:
    bench.script = Script([*text("ok"), *end()], [*text("ok"), *end()])
    bench.start()
    said = 'Sum up @docs:file:///guide.md, (@"docs:a b") and @far.txt.'
    bench.say(said)
    bench.turn()
    told = [one.text for one in bench.script.requests[0].messages[0].parts if isinstance(one, TextPart)]
    assert told[:2] == [
        "The resource @docs:file:///guide.md, which the user attached:\n\nfile:///guide.md\nThe guide.",
        "The resource @docs:a b, which the user attached:\n\na b\nThe guide.",
    ]
    assert told[-1] == said and content.asked == [("read", "docs", "file:///guide.md"), ("read", "docs", "a b")]
    (request,) = [one for one in bench.log() if one["type"] == "chat_request"]
    assert request["content"] == said
    assert [one["name"] for one in request["metadata"]["attachments"]] == ["docs:file:///guide.md", "docs:a b"]
    bench.say("and now?")  # it stays in the conversation, and is read once
    bench.turn()
    assert len(content.asked) == 2
    assert "which the user attached" in str(bench.script.requests[1].messages[0].parts)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("@docs:gone", "docs:gone can't be read. docs answered with an error: no such resource."),
        (" ".join(f"@docs:{n}" for n in range(11)), "A message can have at most 10 resources."),
    ],
)
def test_a_message_without_its_resource_is_not_sent(bench: Bench, content: Content, said: str, why: str) -> None:
    bench.start()
    bench.say(said)
    assert bench.until(e.Refused).message.endswith(why) and not bench.script.requests


def test_a_message_waits_a_moment_only(bench: Bench, content: Content, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "PATIENCE", 0.01)
    bench.start()
    bench.say("@docs:slow")
    assert "took more than 0.01 s" in bench.until(e.Refused).message


def test_resources_are_completed_from_the_listing(bench: Bench, content: Content, tmp_path: Path) -> None:
    """And who is asked is told first: it may have to start."""
    bench.start()
    bench.send(c.FindFiles(query="docs:gui", revision=1))
    asked, found = bench.until(e.FilesFound), bench.until(e.FilesFound)
    assert (asked.server, asked.done, asked.paths) == ("docs", False, ())
    assert (found.server, found.paths) == ("docs", ("docs:file:///guide.md",)) and found.done
    bench.send(c.FindFiles(query="far:", revision=2))
    failed = bench.until(e.FilesFound, lambda one: one.done)
    assert (failed.server, failed.problem) == ("far", "far did not start within 30 s.")
    bench.send(c.FindFiles(query="do", revision=3))
    assert bench.until(e.FilesFound, lambda one: one.done).paths[0] == "docs:"


def test_prompts_are_commands_of_servers_that_run(bench: Bench, content: Content) -> None:
    """And of one that is named: naming it starts it."""
    bench.start()
    bench.send(c.ReadOwnCommands())
    found = bench.until(e.OwnCommandsRead, lambda one: len(one.commands) > 0).commands
    (only,) = found
    assert (only.kind, only.name.raw, only.hint.raw) == ("prompt", "docs:Review", "file [depth]")
    assert content.asked == [("prompts", "docs")]
    bench.send(c.ReadOwnCommands(server="far"))
    names = [one.name.raw for one in bench.until(e.OwnCommandsRead, lambda one: len(one.commands) > 1).commands]
    assert names == ["docs:Review", "far:Review"]


def test_a_prompt_is_asked_for_its_arguments_and_filled(bench: Bench, content: Content) -> None:
    bench.start()
    bench.send(c.ReadServerPrompt(server="docs", prompt="review"))
    read = bench.until(e.ServerPromptRead)
    assert read.prompt == "Review" and [(one.name.raw, one.required) for one in read.arguments] == [
        ("file", True), ("depth", False),
    ]  # fmt: skip
    bench.send(c.FillServerPrompt(server="docs", prompt="Review", arguments={"file": "a.py"}))
    assert bench.until(e.ServerPromptFilled).text.raw == "Look at a.py."
    bench.send(c.ReadServerPrompt(server="docs", prompt="nothing"))
    assert bench.until(e.Refused).message == "docs lists no prompt nothing."


def test_a_prompt_is_a_command_that_opens_a_page() -> None:
    from jp_tui.conversation.text import Foreign
    from jp_tui.ui.pages import COMMANDS, PAGES

    one = server_prompt(Foreign("docs:Review"), Foreign("Review\x1b[8m it"), Foreign("file"), PAGES["prompt"])
    known = with_own(COMMANDS, [one])
    assert "\x1b" not in one.does and matching("/docs:", known) == (one,)
    assert parse("/docs:review", known) == RunAction(one, "") and parse("/docs:review x", known).known  # type: ignore[union-attr]
    assert with_own(known, []) == COMMANDS
    assert (server_named("docs"), server_named("a/b"), server_named("")) == ("docs", "", "")
