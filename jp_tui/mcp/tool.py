"""A server's tool as a tool of ours: calls, what the server asks in them, results (mcp.md P24, P40-P47).

Unlike other tools it isn't run from scratch with an answer: the call stays open at the server, and the answer goes
there. After a restart the call goes on with the server's own state where there is one, else from the start.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.model import ModelError
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object
from jp_tui.conversation.text import first_line
from jp_tui.mcp import questions, results, sampling
from jp_tui.mcp.connection import McpProblem, OpenCall, ServerProgress, StepAsked, StepDone, StepFailed
from jp_tui.mcp.sampling import NotSent, Sampling
from jp_tui.mcp.servers import McpServers
from jp_tui.mcp.values import McpTool
from jp_tui.questions.types import Question
from jp_tui.questions.wire import digest
from jp_tui.tools.port import GivenAnswer, NeedsInput, Outcome, ToolCall

MAX_STATE = 64 << 10
"""Longest state of a server that is kept, in bytes (P43)."""
_TITLE = 200
LATE = "[{server} no longer waited for the user's answer, and didn't get it.]"
CallKey = tuple[str, str]
"""Ids of the conversation and the call."""


@dataclass(slots=True)
class _Running:
    """A call that is open at its server. `asked` is the request that waits for an answer; `given` are answers of an
    earlier run that no question took yet; `pages` are addresses that are still to be asked before the call is sent
    again (-32042). `resumed`: it goes on with a state that the server may refuse. `sampling` is what a yes to the
    question sends to the model, `samplings` how many such requests came. `declined` are digests of questions declined
    before this process ran. `late`: an answer came when the server no longer waited for it."""

    call: OpenCall
    arguments: JsonObject
    asked: tuple[str | None, Question] | None = None
    given: dict[str, GivenAnswer] = field(default_factory=dict)
    pages: list[JsonObject] | None = None
    sent_again: bool = False
    resumed: bool = False
    sampling: Sampling | None = None
    samplings: int = 0
    declined: set[str] = field(default_factory=set)
    late: bool = False


class OpenCalls:
    """The calls of a run that are open at servers, and the folder in which their states outlive the program."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[CallKey, _Running] = {}

    def get(self, key: CallKey) -> _Running | None:
        """Return an open call."""
        return self._running.get(key)

    def put(self, key: CallKey, running: _Running) -> None:
        """Keep an open call."""
        self._running[key] = running

    def end(self, key: CallKey) -> None:
        """Forget a call that has its result."""
        self._running.pop(key, None)
        with contextlib.suppress(OSError):
            self._file(key).unlink()

    def leave(self, key: CallKey) -> None:
        """Cancel a call at its server; a kept state stays for a resumed turn."""
        running = self._running.pop(key, None)
        if running is not None:
            running.call.cancel()

    def keep(self, key: CallKey, tool: str, running: _Running) -> None:
        """Keep the state of a call that waits for an answer (P43). A disk that fails leaves it unkept."""
        round_ = running.call.round
        if round_ is None or round_.state is None or len(round_.state.encode("utf-8", "replace")) > MAX_STATE:
            return
        kept: JsonObject = {
            "tool": tool,
            "arguments": _digest(running.arguments),
            "state": round_.state,
            "requests": dict(round_.open),
            "answers": dict(round_.answers),
        }
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(self._file(key), flags, 0o600), "w", encoding="utf-8") as file:
                file.write(json.dumps(kept))

    def kept(self, key: CallKey, tool: str, arguments: JsonObject) -> JsonObject | None:
        """Return the state of the same call from an earlier process."""
        try:
            found = parse_object(self._file(key).read_bytes(), max_bytes=16 << 20)
        except (OSError, JsonProblem):
            return None
        same = found.get("tool") == tool and found.get("arguments") == _digest(arguments)
        return found if same and isinstance(found.get("state"), str) else None

    def _file(self, key: CallKey) -> Path:
        return self._folder / f"{sha256(repr(key).encode()).hexdigest()[:32]}.json"


class McpToolAdapter:
    """The tool `tool` of the server `server`, `name` here; see `jp_tui.tools.port.Tool`. `opens` opens an address in
    the user's browser."""

    serves = True

    def __init__(
        self,
        servers: McpServers,
        open_calls: OpenCalls,
        server: str,
        tool: McpTool,
        name: str,
        opens: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._servers, self._open, self.server, self.tool, self.name = servers, open_calls, server, tool, name
        self._opens = opens

    @property
    def source(self) -> SourceKind:
        return "tool"

    @property
    def input_schema(self) -> JsonObject:
        """Return the schema that arguments are checked against before anybody is asked (P22)."""
        return self.tool.input_schema

    def title(self, arguments: JsonObject) -> str:
        """Return the first argument that is a text."""
        return first_line(results.first_text(arguments))[:_TITLE]

    def released(self, conversation: str, call: str) -> None:
        """The call ends, or waits for a later start, without another run."""
        self._open.leave((conversation, call))

    async def run(self, call: ToolCall) -> Outcome:
        key = (call.conversation, call.id)
        try:
            running = await self._running(key, call)
            return await self._until(key, call, running)
        except McpProblem as problem:
            return Failure(f"{problem}.")
        except asyncio.CancelledError:
            self._open.leave(key)
            raise

    async def _running(self, key: CallKey, call: ToolCall) -> _Running:
        """Return the open call with the answer delivered, or begin it. Raises McpProblem."""
        running = self._open.get(key)
        if running is not None and running.arguments == call.arguments and running.asked is not None:
            asked, running.asked = running.asked, None
            await self._answer(running, *asked, call)
            return running
        self._open.leave(key)
        connection = await self._servers.connection(self.server)
        kept = self._open.kept(key, self.tool.name, call.arguments)

        def says(progress: ServerProgress) -> None:
            call.progress(progress.line())

        if kept is not None and connection.listing is not None:
            made = connection.reserve(self.tool.name, call.arguments, says)
            running = _Running(made, call.arguments, given=dict(call.answers), resumed=True)
            requests, answers = kept["requests"], kept["answers"]
            assert isinstance(requests, dict) and isinstance(answers, dict)
            made.resume(str(kept["state"]), {k: v for k, v in requests.items() if isinstance(v, dict)}, answers)
        else:
            made = connection.call(self.tool.name, call.arguments, says)
            running = _Running(made, call.arguments, given=dict(call.answers))
        running.declined = set(call.declined)
        self._open.put(key, running)
        return running

    async def _until(self, key: CallKey, call: ToolCall, running: _Running) -> Outcome:
        """Return the result, or the next question."""
        while True:
            if running.pages:
                page = {"mode": "url", **running.pages.pop(0)}
                outcome = await self._asked(key, call, running, StepAsked(None, questions.ELICIT, page))
                if outcome is not None:
                    return outcome
                continue
            if running.pages is not None and not running.sent_again:
                running.sent_again, running.pages = True, None
                await self._send_again(running, call)
            step = await running.call.step()
            if isinstance(step, StepAsked):
                if (outcome := await self._asked(key, call, running, step)) is not None:
                    return outcome
                continue
            if isinstance(step, StepFailed):
                if running.resumed and step.code:  # from the start, up to the same question (P43)
                    running.resumed, running.given = False, dict(call.answers)
                    await self._send_again(running, call)
                    continue
                if step.code == questions.URL_REQUIRED and not running.sent_again:
                    running.pages = questions.addresses(step.data)
                    if running.pages:
                        continue
                self._open.end(key)
                return Failure(f"{self.server} {step.error}.")
            self._open.end(key)
            return await self._result(call, step, running)

    async def _send_again(self, running: _Running, call: ToolCall) -> None:
        with contextlib.suppress(McpProblem):
            connection = await self._servers.connection(self.server)
            running.call = connection.call(self.tool.name, running.arguments, running.call.says)

    async def _asked(self, key: CallKey, call: ToolCall, running: _Running, step: StepAsked) -> Outcome | None:
        """Return the question to ask; None where the server has its answer already."""
        if step.method == questions.SAMPLE:
            try:
                running.sampling = self._sampling(call, running, step)
            except NotSent as problem:
                call.progress(f"request to the model refused: {problem}")
                running.call.answer(step.key, sampling.refusal(str(problem)))
                return None
            made: Question | questions.UnaskedRequest = running.sampling.question
        elif step.method == questions.ELICIT:
            made = questions.asks(step.method, step.params, host=self._servers.server(self.server).host, of=step.of)
        else:
            running.call.answer(step.key, sampling.refusal("Not supported here."))
            return None
        if isinstance(made, questions.UnaskedRequest):
            call.progress(f"{made.action}: {made.words}")
            self._reply(running, step.key, questions.ended(made.action))
            return None
        if (shown := digest(made)) in running.declined:
            running.declined.discard(shown)
            self._end(running, step.key, made, "decline")
            return None
        given = running.given.pop(made.id, None)
        if given is not None and given.digest == shown:
            await self._deliver(running, step.key, made, given, call)
            return None
        running.asked = (step.key, made)
        self._open.keep(key, self.tool.name, running)
        return NeedsInput(made)

    def _sampling(self, call: ToolCall, running: _Running, step: StepAsked) -> Sampling:
        """Raises NotSent."""
        server, before = self._servers.server(self.server), running.samplings
        running.samplings += 1
        if call.sampler is None or server.sampling != "ask":
            raise NotSent("Not supported here.")
        return sampling.sampling(step.params, server, call.sampler, before)

    async def _answer(self, running: _Running, key: str | None, question: Question, call: ToolCall) -> None:
        given = call.answers.get(question.id)
        if not call.ended and given is not None:
            await self._deliver(running, key, question, given, call)
        else:
            self._end(running, key, question, "decline" if call.ended == "decline" else "cancel")

    def _end(self, running: _Running, key: str | None, question: Question, end: questions.End) -> None:
        if question.id == questions.SAMPLING:
            running.call.answer(key, sampling.refusal())
        else:
            self._reply(running, key, questions.ended(end))

    async def _deliver(
        self, running: _Running, key: str | None, question: Question, given: GivenAnswer, call: ToolCall
    ) -> None:
        if key is not None and not running.call.waits(key):
            running.late = True
            return
        if question.id == questions.SAMPLING:
            running.call.answer(key, await self._sample(running, call) if given.value is True else sampling.refusal())
            return
        result = questions.accepted(question, given.value)
        self._reply(running, key, result)
        if question.id == questions.URL and result["action"] == "accept":
            self._opens((question.context or "").split("\n", 1)[0])

    async def _sample(self, running: _Running, call: ToolCall) -> JsonObject:
        """Ask the model what the user allowed, and return the server's reply."""
        asks, running.sampling = running.sampling, None
        if asks is None or call.sampler is None:
            return sampling.refusal()
        call.progress(f"waiting for {call.sampler.model}")
        try:
            reply = await call.sampler.sample(asks.request)
        except ModelError as problem:
            return sampling.failure(f"The user's model failed: {problem}")
        return {"result": asks.result(call.sampler.model, reply)}

    def _reply(self, running: _Running, key: str | None, result: JsonObject) -> None:
        if key is not None:
            running.call.answer(key, {"result": result})
        elif result["action"] != "accept":  # a page that the call needs: it isn't sent again
            running.pages = None
            running.call.heard(StepFailed("needs a page that you didn't open"))

    async def _result(self, call: ToolCall, step: StepDone, running: _Running) -> Outcome:
        result = step.result
        text = results.result_text(result, self._servers.server(self.server).max_result_bytes)
        if running.late:
            text = f"{LATE.format(server=self.server)}\n\n{text}"
        if result.get("isError") is True:
            return Failure(text or "The tool failed and gave no reason.")
        schema, structured = self.tool.output_schema, result.get("structuredContent")
        if schema is not None:
            if "structuredContent" not in result:
                found = [("", "it is missing")]
            else:
                found = await call.problems(schema, structured)
            if found:
                return Failure(results.structured_problem(self.name, found))
        sees = call.sampler is not None and call.sampler.images is True
        return Success(text, structured=structured, images=results.images(result) if sees else ())


def _digest(arguments: Mapping[str, Json]) -> str:
    return sha256(dump(dict(arguments)).encode("utf-8", "replace")).hexdigest()
