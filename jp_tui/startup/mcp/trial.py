"""`jp-tui mcp test` (mcp.md P11): start a server, list it, make the calls that were typed, end it.

The calls run as a turn does, on an engine with a store of its own that is removed afterwards; the model is a list.
"""

from __future__ import annotations

import asyncio
import io
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject, JsonProblem, dump, parse_object
from jp_tui.engine.base.context_settings import ContextSettings
from jp_tui.engine.base.dependencies import EngineDependencies, ModelSetup, ToolSetup, unchanged
from jp_tui.engine.hub import Engine
from jp_tui.headless.lists.mcp_test import Tried, TriedCall
from jp_tui.headless.output import TextOutput
from jp_tui.headless.query import DEFERRED, Query, QueryRun
from jp_tui.journal.store import open_journal
from jp_tui.link.local import LocalLink
from jp_tui.link.port import EngineEndpoint
from jp_tui.mcp.approval import fingerprint
from jp_tui.mcp.connection import McpProblem
from jp_tui.mcp.host import installed
from jp_tui.mcp.values import McpFailure, McpListing
from jp_tui.protocol import commands as c
from jp_tui.protocol.events import Event
from jp_tui.providers.catalogue import ListedModel
from jp_tui.providers.tool_names import wire_name
from jp_tui.settings import toolset
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.mcp.known import usable_server
from jp_tui.startup.mcp.logins import LoginPrompt
from jp_tui.startup.mcp.running import RunningServers
from jp_tui.startup.parts import Parts, RunLocation, parts
from jp_tui.startup.setup import setup
from jp_tui.startup.streams import terminal

Call = tuple[str, JsonObject]


def tried(arguments: CommandLine, settings: Settings, place: RunLocation, messages: TextOutput) -> tuple[Tried, int]:
    """Return what came of it, and the exit status. `messages` gets the address of a login. Raises UsageError,
    SettingsError, PathsError, JournalError."""
    server = usable_server(arguments.server or "", settings, place)
    calls = [_call(words) for words in arguments.call]
    made = parts(arguments, settings, place)
    running = _Trial(made, server.name)
    if arguments.login:
        running.prompt = LoginPrompt(server, messages, running.open_page)
    status = _run(running, made, calls) if calls else asyncio.run(_only_listed(running))
    state = running.state
    if not isinstance(state, McpListing):
        error, log = (state.error, state.log) if state is not None else (f"{server.name} did not start", ())
        return Tried(server.name, error=error, log=log), 1
    found = Tried(
        server.name,
        protocol=state.protocol,
        server_name=state.server_name,
        version=state.version,
        ms=state.ms,
        tools=[_shown(one) for one in running.toolbox().of(server.name)],
        resources=running.resources,
        prompts=running.prompts,
        calls=running.results,
    )
    return found, DEFERRED if status == DEFERRED else 0


def _call(words: Sequence[str]) -> Call:
    if len(words) > 2:
        raise UsageError("--call takes a tool and its arguments as one JSON object")
    try:
        return words[0], parse_object(words[1]) if len(words) > 1 else {}
    except JsonProblem as problem:
        raise UsageError(f"--call {words[0]}: {problem.message}") from problem


def _shown(one: Any) -> dict[str, Any]:
    tool = one.listed
    found: dict[str, Any] = {"name": tool.name, "wire": wire_name(one.name)}
    found |= {"title": tool.title} if tool.title else {}
    found |= {"description": tool.description, "input_schema": tool.input_schema}
    found |= {"output_schema": tool.output_schema} if tool.output_schema is not None else {}
    found |= {"annotations": tool.annotations} if tool.annotations is not None else {}
    found |= {"fingerprint": fingerprint(tool), "state": one.state}
    return found | ({"reason": one.reason} if one.reason else {})


async def _only_listed(running: _Trial) -> int:
    try:
        await running.ready()
    finally:
        await running.close()
    return 0


class _Trial(RunningServers):
    """The one server of a trial. Whoever types a call permits it: nothing else is asked but what the server asks."""

    def __init__(self, made: Parts, name: str) -> None:
        super().__init__(made, only=name)
        self._name = name
        self.results: list[TriedCall] = []
        self.resources: list[JsonObject] = []
        self.prompts: list[JsonObject] = []
        self.state: McpListing | McpFailure | None = None
        self.prompt: LoginPrompt | None = None

    async def ready(self) -> Sequence[str]:
        if self.prompt is not None and self.state is None and installed():
            await self.log_in(self._name, self.prompt.show, calls=True)
        lines = await super().ready()
        if self.state is None:
            self.state = self.servers().state(self._name)
            if isinstance(self.state, McpListing):
                self.resources = await self._listed("resources", self.state.resources)
                self.prompts = await self._listed("prompts", self.state.prompts)
        return [] if isinstance(self.state, McpFailure) else lines

    async def close(self) -> None:
        if self.prompt is not None:
            self.prompt.close()
        await super().close()

    async def _listed(self, what: str, has: bool) -> list[JsonObject]:
        if not has:
            return []
        try:
            connection = await self.servers().connection(self._name)
            found = (await connection.ask({"do": what})).get(what)
        except McpProblem:
            return []
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def tools(self, settings: Settings) -> dict[str, ToolSetup]:
        offers = {one.name: one for one in self.toolbox().of(self._name) if one.state != "off"}
        found = toolset.mcp_tools(settings, {self._name: [one.listed.name for one in offers.values()]})
        return {
            one.source: replace(
                self.toolbox().setup(settings, one, replace(offers[one.source], tool=offers[one.source].listed)),
                name=one.source,
                run="unattended",
                result="unattended",
                change=unchanged,
            )
            for one in found.values()
        }


def _run(running: _Trial, made: Parts, calls: Sequence[Call]) -> int:
    asked = terminal(True) if sys.stdin.isatty() else None
    written = io.StringIO()
    with tempfile.TemporaryDirectory(prefix="jp-tui-mcp-") as folder:
        journal = open_journal(Path(folder) / "conversations.db")

        def build(publish: Callable[[Event], None]) -> EngineEndpoint:
            made_of = setup(
                made, journal, client=asked is not None, command="jp-tui mcp test", via="plain" if asked else ""
            )
            return Engine(_trying(made_of, running, calls), publish)

        query = Query(c.OpenConversation(which="new"), "test", TextOutput(True, written, sys.stderr), asked)
        status = QueryRun(LocalLink(build), query).run()
    running.results = _results([json.loads(line) for line in written.getvalue().splitlines()])
    return status


def _trying(made_of: EngineDependencies, running: _Trial, calls: Sequence[Call]) -> EngineDependencies:
    model = ModelSetup("jp-tui/calls", "calls", _CallsInOrder([(f"mcp.{running.only}.{n}", a) for n, a in calls]))

    async def open_model(_: str) -> ModelSetup:
        return model

    def no_context() -> ContextSettings | None:
        return None

    return replace(
        made_of,
        tools={},
        open_model=open_model,
        reload_tools=lambda deltas: running.tools(running.settings),
        servers=running,
        tool_choice="auto",
        titles=False,
        reviewer=None,
        approval_rules=None,
        config_delta={},
        context=no_context,
        model_facts=None,
        plan=False,
    )


def _results(events: Sequence[Mapping[str, Any]]) -> list[TriedCall]:
    names = {one["id"]: one["name"] for one in events if one.get("type") == "tool_call_request"}
    return [
        TriedCall(
            names.get(one["id"], one["id"]).split(".", 2)[-1],
            one["is_error"],
            one["content"],
            one.get("metadata", {}).get("structured"),
            one.get("metadata", {}).get("ms"),
        )
        for one in events
        if one.get("type") == "tool_call_response"
    ]


@dataclass(slots=True)
class _CallsInOrder:
    """A provider whose model makes these calls one after the other, and says nothing."""

    calls: Sequence[Call]
    greeting: str | None = None
    sample: Path | None = None
    titles: bool = False
    reviews: None = None
    _made: int = field(default=0)

    async def stream(self, request: m.ModelRequest) -> AsyncIterator[m.Delta]:
        if self._made >= len(self.calls):
            yield m.Finished("end", m.Usage())
            return
        name, arguments = self.calls[self._made]
        self._made += 1
        yield m.PartOpened(0, "tool", f"call_{self._made}", name)
        yield m.PartGrew(0, dump(arguments))
        yield m.PartEnded(0, arguments)
        yield m.Finished("tools", m.Usage())

    async def models(self) -> tuple[ListedModel, ...]:
        return ()

    async def close(self) -> None:
        return
