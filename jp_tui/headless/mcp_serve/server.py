"""The MCP server: its tools, what becomes of a call, and how it ends (intake.md N30).

Calls wait beside each other, each with progress every 15 seconds where the client asked for it. The end of input, a
cancelled request and a signal withdraw what is open.
"""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from jp_tui import __version__
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse_object
from jp_tui.headless.hooks.claude import PROGRAM
from jp_tui.headless.hooks.program import BadPayload, read_payload
from jp_tui.headless.hooks.run import permission, refusal
from jp_tui.headless.mcp_serve.calls import Calls, NotAsked
from jp_tui.headless.mcp_serve.streams import InputText, OutputText
from jp_tui.link.port import Link
from jp_tui.protocol.outside import (
    Asker,
    AskOutsideForm,
    Claimed,
    OutsideFormSettled,
    OutsideSettled,
    Waiter,
)

DONE, SIGNALLED = 0, 128
PROGRESS_SECONDS = 15.0
ASK_USER, APPROVE = "ask_user", "approve"
APPROVE_TEXT = (
    "Ask the user whether a tool call may run. For Claude Code's --permission-prompt-tool; models don't call it, and "
    "its answer permits nothing else."
)
APPROVE_INPUT: JsonObject = {
    "type": "object",
    "properties": {
        "tool_name": {"type": "string"},
        "input": {"type": "object"},
        "tool_use_id": {"type": "string"},
    },
    "required": ["tool_name", "input"],
}
INSTRUCTIONS = (
    "jp-tui brings questions to the user's inbox. Call ask_user when you need a decision or information from the user; "
    "it returns when they have answered, which may take a while."
)


@dataclass(frozen=True, slots=True)
class Served:
    """Values of a server: who started it and who waits, and the description and parameters of `ask_user`. `changed` is
    called with whether a call waits, `tell` prints a message."""

    asker: Asker
    waiter: Waiter
    description: str
    parameters: JsonObject
    changed: Callable[[bool], None]
    tell: Callable[[str], None]


class McpServe:
    """One client on two descriptors."""

    def __init__(self, link: Link, served: Served, reads: int = 0, writes: int = 1) -> None:
        self._served = served
        self._calls = Calls(link, served.changed, served.tell)
        self._reads, self._writes = reads, writes
        self._number = 0

    def run(self) -> int:
        """Serve to the end of input or a signal; return the exit status."""
        log = logging.getLogger("mcp")  # what a client sends is not printed raw
        log.addHandler(logging.NullHandler())
        log.propagate = False
        return asyncio.run(self._run())

    async def _run(self) -> int:
        serving = asyncio.create_task(self._serve(await self.open()))
        heard = self._listen(serving)
        try:
            await asyncio.wait((serving,))
        finally:
            for number in heard:
                asyncio.get_running_loop().remove_signal_handler(number)
            await self.close()
        if self._number:
            return SIGNALLED + self._number
        serving.result()
        return DONE

    def _listen(self, serving: asyncio.Task[None]) -> list[int]:
        """End on a signal; one that was ignored at the start stays ignored."""
        heard = [
            one for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) is not signal.SIG_IGN
        ]

        def came(number: int) -> None:
            self._number = self._number or number
            serving.cancel()

        for one in heard:
            asyncio.get_running_loop().add_signal_handler(one, came, one)
        return [int(one) for one in heard]

    async def open(self) -> Any:
        """Start the engine; return the server of the SDK, which answers by this object."""
        self._calls.start()
        return Server(
            "jp-tui",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def close(self) -> None:
        """Withdraw what is open and end the engine."""
        await self._calls.close()

    async def _serve(self, server: Any) -> None:
        async with stdio_server(InputText(self._reads), OutputText(self._writes)) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    # -- tools

    async def _list(self, _: Any, __: Any) -> Any:
        served = self._served
        asks = types.Tool(
            name=ASK_USER,
            title="Ask the user",
            description=served.description,
            input_schema=served.parameters,
            annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )
        approves = types.Tool(
            name=APPROVE,
            title="Ask for permission",
            description=APPROVE_TEXT,
            input_schema=APPROVE_INPUT,
            annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )
        return types.ListToolsResult(tools=[asks, approves])

    async def _call(self, context: Any, params: Any) -> Any:
        try:
            arguments = _strict(params.arguments or {})
            if params.name not in (ASK_USER, APPROVE):
                return _failed(f"There is no tool {params.name!r}.")
            async with ProgressReports(context):
                if params.name == APPROVE:
                    return await self._approve(arguments, _claimed(context))
                return await self._ask_user(arguments, _claimed(context))
        except (NotAsked, JsonProblem, BadPayload) as problem:
            return _denied(str(problem)) if params.name == APPROVE else _failed(str(problem))

    async def _ask_user(self, arguments: JsonObject, claimed: Claimed) -> Any:
        settled = await self._form(arguments, claimed)
        if settled.failed:
            return _failed(settled.text)
        words = [settled.text, *(f"The user adds: {one}" for one in settled.explained)]
        texts = [types.TextContent(type="text", text=one) for one in words]
        return types.CallToolResult(content=texts, structured_content=parse_object(settled.text))

    async def _form(self, arguments: JsonObject, claimed: Claimed) -> OutsideFormSettled:
        served, name = self._served, self._calls.name()
        command = AskOutsideForm(
            asking=name, asker=served.asker, waiter=served.waiter, arguments=arguments, claimed=claimed
        )
        settled = await self._calls.ask(name, command)
        assert isinstance(settled, OutsideFormSettled)
        return settled

    async def _approve(self, arguments: JsonObject, claimed: Claimed) -> Any:
        """Ask whether a tool of Claude Code may run; whatever isn't a yes denies it."""
        served, name = self._served, self._calls.name()
        payload = read_payload(PROGRAM, self._payload(arguments))
        if questions := PROGRAM.form(payload.tool, payload.arguments):
            return await self._filled(payload.arguments, questions, claimed)
        command = permission(PROGRAM, payload, asking=name, asker=served.asker, waiter=served.waiter, claimed=claimed)
        settled = await self._calls.ask(name, command)
        assert isinstance(settled, OutsideSettled)
        if settled.outcome == "answered" and settled.answer is True:
            taken = payload.arguments if settled.arguments is None else settled.arguments
            return _decision({"behavior": "allow", "updatedInput": taken})
        return _denied(refusal(settled))

    def _payload(self, arguments: JsonObject) -> bytes:
        """Return a call as its hook would describe it, which is checked in one place."""
        served = self._served
        found: JsonObject = {
            "hook_event_name": "PermissionRequest",
            "session_id": f"mcp {served.waiter.pid}",
            "cwd": served.asker.folder,
            "tool_name": arguments.get("tool_name"),
            "tool_input": arguments.get("input"),
        }
        return json.dumps(found).encode()

    async def _filled(self, given: JsonObject, questions: tuple[JsonObject, ...], claimed: Claimed) -> Any:
        """Ask what a tool asks the user, and allow it with the answers in its input (N21)."""
        asked: list[Json] = [{**one, "id": f"q{number}"} for number, one in enumerate(questions, 1)]
        settled = await self._form({"questions": asked}, claimed)
        if settled.failed:
            return _denied(settled.text or "The question could not be asked.")
        answers = parse_object(settled.text)
        if answers.get("cancelled") is True and "q1" not in answers:
            reply = str(answers.get("reply") or "")
            return _denied(f"The user declined to answer in jp-tui{f': {reply}' if reply else '.'}")
        return _decision({"behavior": "allow", "updatedInput": PROGRAM.filled(given, tuple(answers.values()))})


class ProgressReports:
    """Tells a client that asked for it that its call still waits."""

    def __init__(self, context: Any) -> None:
        self._session = context.session
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._report())

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _report(self) -> None:
        count = 0
        while True:
            await asyncio.sleep(PROGRESS_SECONDS)
            count += 1
            await self._session.report_progress(count, message="Waiting for the user's answer.")


def _claimed(context: Any) -> Claimed:
    """Return what the client says of itself."""
    params = context.session.client_params
    if params is None:
        return Claimed()
    info = params.client_info
    return Claimed(program=f"{info.name} {info.version}".strip(), title=info.title or "")


def _strict(arguments: Any) -> JsonObject:
    """Return what the SDK read, refused where our own parser refuses it. Raises JsonProblem."""
    try:
        return parse_object(json.dumps(arguments))
    except RecursionError:
        raise JsonProblem("the arguments are too deep") from None


def _failed(words: str) -> Any:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)], is_error=True)


def _denied(words: str) -> Any:
    return _decision({"behavior": "deny", "message": words})


def _decision(body: JsonObject) -> Any:
    text = json.dumps(body, ensure_ascii=False)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])
