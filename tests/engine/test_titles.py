"""Titles that the model makes: in the workspace only, in the background, once, never in the log (surface.md S4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from jp_tui.conversation import model as m
from jp_tui.engine.desks.titles import cleaned
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol import library as p
from tests.engine.cast import stored
from tests.engine.conftest import Bench
from tests.fakes.models import Item, Script, end, text


class Named(Script):
    """A model that keeps the requests for titles apart; `gate` holds them up."""

    def __init__(self, *titles: list[Item], gate: asyncio.Event | None = None) -> None:
        super().__init__(*([*text("Well, well."), *end()] for _ in range(3)))
        self.names = Script(*titles)
        self.gate, self.cancelled = gate, False

    async def stream(self, request: m.ModelRequest) -> AsyncIterator[m.Delta]:
        if request.inquiry != "title":
            async for delta in super().stream(request):
                yield delta
            return
        try:
            if self.gate is not None:
                self.names.requests.append(request)
                await self.gate.wait()
            async for delta in self.names.stream(request):
                yield delta
        except asyncio.CancelledError:
            self.cancelled = True
            raise


@pytest.fixture
def named(bench: Bench) -> Bench:
    bench.titles = True
    return bench


def title(bench: Bench) -> tuple[str, str]:
    bench.send(c.ListConversations())
    (info,) = bench.until(e.ConversationsListed).conversations
    return info.title.raw, info.titled


def test_the_model_names_a_conversation_after_its_first_turn(named: Bench) -> None:
    script = named.script = Named([*text('# "Zebras in Winter."\nand more'), *end()])
    named.start()
    named.say("Tell me about zebras " + "x" * 5000)
    named.turn()
    assert named.until(e.TitleChanged, lambda event: event.title.raw == "Zebras in Winter").conversation
    assert title(named) == ("Zebras in Winter", "model")
    (request,) = script.names.requests
    assert len(request.messages) == 1 and not request.tools and len(str(request.messages)) < 5000
    before = stored(named, named.conversation)
    assert all("Zebras in Winter" not in str(event) for event in before), "the log holds nothing of it"
    named.say("More")
    named.turn()
    named.send_and_wait()
    assert len(script.names.requests) == 1, "one small request"


def test_a_name_of_a_person_is_not_replaced(named: Bench) -> None:
    gate = asyncio.Event()
    named.script = script = Named([*text("By the model"), *end()], gate=gate)
    named.start()
    named.say("Zebras")
    named.turn()
    while not script.names.requests:
        named.send_and_wait()
    named.send(p.RenameConversation(conversation=named.conversation, title="Mine"))
    named.until(p.ConversationChanged)
    assert named._link is not None
    named._link._loop.call_soon_threadsafe(gate.set)  # type: ignore[attr-defined]
    while script.names.closed == 0:
        named.send_and_wait()
    named.send_and_wait()
    assert title(named) == ("Mine", "user")


def test_leaving_cancels_it(named: Bench) -> None:
    named.script = script = Named(gate=asyncio.Event())
    named.start()
    named.say("Zebras")
    named.turn()
    while not script.names.requests:
        named.send_and_wait()
    named.stop()
    assert script.cancelled
    named.titles = False
    named.run()
    assert title(named) == ("Zebras", "first_line")


@pytest.mark.parametrize("reply", [[m.ModelError("server", "No.")], [*text("  \n "), *end()]])
def test_what_fails_leaves_the_first_line(named: Bench, reply: list[Item]) -> None:
    named.script = script = Named(reply)
    named.start()
    named.say("Zebras")
    named.turn()
    while script.names.closed == 0:
        named.send_and_wait()
    assert title(named) == ("Zebras", "first_line")
    assert not [event for event in named.events if isinstance(event, e.EngineFailed | e.Refused)]


def test_nobody_asks_where_it_is_off_or_the_turn_failed(named: Bench) -> None:
    """S4: `query` and `rpc` have it off; so has `conversation.titles = "first_line"`."""
    script = named.script = Named()
    named.titles = False
    named.start()
    named.say("Zebras")
    named.turn()
    named.stop()
    named.titles = True
    failing = Script([m.ModelError("server", "No.")])
    named.script = failing
    named.start()
    named.say("Zebras")
    assert named.turn().outcome == "failed"
    named.send_and_wait()
    assert not script.names.requests and len(failing.requests) == 1


@pytest.mark.parametrize("client", [True, False])
@pytest.mark.parametrize("via", ["", "plain", "rpc"])
def test_only_the_workspace_has_it_on(tmp_path: Path, client: bool, via: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """S4, through what builds the engine."""
    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.startup.parts import RunLocation, journal, parts
    from jp_tui.startup.setup import setup

    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path))
    for value, expected in (("model", client and not via), ("first_line", False)):
        arguments = CommandLine(workspace=str(tmp_path), cfg=(f"conversation.titles={value}",))
        place = RunLocation(arguments)
        made = parts(arguments, place.sources.load(), place)
        log = journal(made)
        built = setup(made, log, client=client, command="a test", via=via)
        log.close()
        assert built.titles is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Zebras", "Zebras"), ('"Zebras."', "Zebras"), ("**Title: Zebras**", "Zebras"),
        ("\n\n # Zebras \nmore", "Zebras"),
        ("«Zébras»", "Zébras"), ("", ""), ("...", ""), ("a\tb  c", "a b c"), ("x" * 100, "x" * 79 + "…"),
    ],
)  # fmt: skip
def test_a_title_is_one_clean_line(said: str, expected: str) -> None:
    assert cleaned(said) == expected
