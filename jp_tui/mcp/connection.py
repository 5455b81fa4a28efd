"""One server that runs: its listing, its open calls, and what it asks in them (mcp.md P24, P40, P47, P50).

Whatever the server does, a call ends with a step, and a start with a listing or a problem.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.mcp.host import HostProblem, McpHost, ServerChannel
from jp_tui.mcp.values import McpListing, McpOAuth, McpServer, McpTool
from jp_tui.mcp_host.frames import FrameProblem, packed, received

_CLOSED = "ended unexpectedly"
BAR = 8
"""Width of a bar of progress."""
ROUNDS = 100
"""Most rounds of a call (P47)."""


class McpProblem(Exception):
    """A server failed; the message names it. `log` has its last lines."""

    def __init__(self, message: str, log: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.log = log


@dataclass(frozen=True, slots=True)
class LoginSetup:
    """Login at a server (P60): its `oauth` table with the secret's value, the data folder in which logins are kept, and
    whether they may be in the keyring. `asks`: the user asked for a login when it starts, or whenever it wants one;
    `fresh`: in place of an earlier one."""

    folder: str
    keyring: bool
    oauth: McpOAuth
    secret: str = ""
    asks: Literal["", "start", "always"] = ""
    fresh: bool = False

    def message(self, name: str) -> JsonObject:
        """Return its part of the first message."""
        return {
            "name": name,
            "folder": self.folder,
            "keyring": self.keyring,
            "client_id": self.oauth.client_id,
            "client_secret": self.secret,
            "client_metadata_url": self.oauth.client_metadata_url,
            "scopes": list(self.oauth.scopes),
            "redirect_port": self.oauth.redirect_port,
            "asks": self.asks,
            "fresh": self.fresh,
        }


@dataclass(frozen=True, slots=True)
class KeptLogin:
    """Place of a login that was made or renewed while a server started: `place` is `keyring` or `file`, `note` why
    not in the keyring. With a `problem` it is kept nowhere, and ends with its process."""

    place: str = ""
    note: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Launch:
    """Start of a server's process: `environment` and `headers` are complete, `secrets` are blotted out of its
    log, `root` is the workspace as a file address. `sampling`: there is a model that it may ask, if its settings say
    so (P46)."""

    server: McpServer
    cwd: str
    environment: Mapping[str, str]
    headers: Mapping[str, str]
    log: str
    root: str
    version: str
    secrets: tuple[str, ...] = ()
    login: LoginSetup | None = None
    sampling: bool = True

    def message(self) -> JsonObject:
        """Return the first message of the channel."""
        server = self.server
        return {
            "do": "start",
            "command": server.command,
            "args": list(server.args),
            "cwd": self.cwd,
            "environment": dict(self.environment),
            "url": server.url,
            "headers": dict(self.headers),
            "protocol": server.protocol,
            "max_message_bytes": server.max_message_bytes,
            "sampling": self.sampling and server.sampling == "ask",
            "log": self.log,
            "root": self.root,
            "version": self.version,
            "secrets": list(self.secrets),
            "login": self.login.message(server.name) if self.login is not None else None,
        }


@dataclass(frozen=True, slots=True)
class ServerProgress:
    """Progress of a call: `total` is None if unknown or not a sane one."""

    done: float
    total: float | None
    text: str

    def line(self) -> str:
        """Return it as a line: a bar where the total is known, else a count."""
        if self.total is None:
            return f"{self.done:g} {self.text}".strip()
        full = int(self.done / self.total * BAR)
        return f"{'▰' * full}{'▱' * (BAR - full)} {self.done:g}/{self.total:g} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class StepDone:
    """The result of a call, as the protocol has it."""

    result: JsonObject


@dataclass(frozen=True, slots=True)
class StepAsked:
    """A request of the server in the middle of a call. `key` answers it, None for a page that the call needs before it
    is sent again; `of` calls are open, and this may belong to any."""

    key: str | None
    method: str
    params: JsonObject
    of: int = 1


@dataclass(frozen=True, slots=True)
class StepFailed:
    """The call failed; `error` is without the server's name. `code` and `data` are the protocol's."""

    error: str
    code: int = 0
    data: Json = None


Step = StepDone | StepAsked | StepFailed


@dataclass(slots=True)
class _Round:
    """The requests of an `InputRequiredResult`, and the answers so far."""

    state: str | None
    open: dict[str, JsonObject]
    answers: dict[str, Json] = field(default_factory=dict)


class OpenCall:
    """A call that runs at the server. `step` returns what comes next; `answer` answers what was asked."""

    def __init__(
        self,
        connection: Connection,
        number: int,
        tool: str,
        arguments: JsonObject,
        says: Callable[[ServerProgress], None],
    ) -> None:
        self._connection, self.number, self.tool, self.arguments = connection, number, tool, arguments
        self.says = says
        self._steps: asyncio.Queue[Step] = asyncio.Queue()
        self._moved = asyncio.Event()
        self._spent = 0.0
        self._round: _Round | None = None
        self._rounds = 0
        self._unanswered: dict[str, str] = {}
        self._withdrawn: set[str] = set()
        self._shared: set[str] = set()
        self.questions = 0
        self.over = False
        self._stands, self._stood = 0.0, 0.0

    def heard(self, step: Step | _Round) -> None:
        """Take what came from the server."""
        if isinstance(step, _Round):
            self._round = step
            self._offer()
        else:
            self.over = self.over or not isinstance(step, StepAsked)
            if isinstance(step, StepAsked) and step.key is not None:
                self._unanswered[step.key] = step.method
                self._shared |= {step.key} if step.of > 1 else set()
            self._steps.put_nowait(step)

    def withdraw(self, key: str) -> None:
        """The server waits for this answer no longer."""
        if self._unanswered.pop(key, None) is not None:
            self._withdrawn.add(key)

    def waits(self, key: str) -> bool:
        """Return whether the server still waits for this answer: one that may be for another call outlives this one."""
        return key not in self._withdrawn and (not self.over or key in self._shared)

    def stand(self, on: bool) -> None:
        """Stop the clocks while the user logs in, or let them go on."""
        if on and not self._stands:
            self._stands = time.monotonic()
        elif not on and self._stands:
            self._stood += time.monotonic() - self._stands
            self._stands = 0.0
        self._moved.set()

    def progressed(self, progress: ServerProgress) -> None:
        """Take a report of progress; the clock starts again."""
        self._moved.set()
        self.says(progress)

    async def step(self) -> Step:
        """Return the next step. The clocks run only meanwhile: they stand while a person is asked."""
        server = self._connection.server
        began, self._stood = time.monotonic(), 0.0
        try:
            while True:
                rest = server.max_call_secs - self._spent - (time.monotonic() - began - self._stood)
                left = None if self._stands else max(min(server.call_timeout_secs, rest), 0)
                self._moved.clear()
                got = asyncio.ensure_future(self._steps.get())
                moved = asyncio.ensure_future(self._moved.wait())
                try:
                    await asyncio.wait({got, moved}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                    if got.done():
                        found = got.result()
                        if isinstance(found, StepAsked) and found.key in self._withdrawn:
                            continue
                        return self._counted(found)
                    if not moved.done():
                        self.cancel()
                        limit = server.max_call_secs if rest <= server.call_timeout_secs else server.call_timeout_secs
                        return StepFailed(f"gave no result within {limit:g} s")
                finally:
                    got.cancel()
                    moved.cancel()
        finally:
            self._spent += time.monotonic() - began - self._stood

    def answer(self, key: str | None, reply: JsonObject) -> None:
        """Answer a request: `reply` has a `result` or an `error`."""
        if key is None:
            return
        if self._round is None:
            self._unanswered.pop(key, None)
            self._connection.send({"do": "answer", "question": int(key), **reply})
            return
        self._round.open.pop(key, None)
        if "error" in reply:
            error = reply["error"]
            told = str(error.get("message", "")).rstrip(".") if isinstance(error, dict) else ""
            self.over = True
            self._steps.put_nowait(StepFailed(f"was refused: {told}"))
            return
        self._round.answers[key] = reply["result"]
        self._offer()

    def resume(self, state: str, requests: Mapping[str, JsonObject], answers: Mapping[str, Json]) -> None:
        """Go on with a round of an earlier process instead of calling again (P43)."""
        self._round = _Round(state or None, dict(requests), dict(answers))
        self._offer()

    @property
    def round(self) -> _Round | None:
        """Return the open round on 2026-07-28."""
        return self._round

    def cancel(self) -> None:
        """Cancel the call at the server, without waiting. Its questions, which may be those of another call, are
        cancelled too."""
        over, self.over = self.over, True
        if self._round is None:
            for key, method in list(self._unanswered.items()):
                cancelled: JsonObject = {"result": {"action": "cancel"}}
                refused: JsonObject = {"error": {"code": -1, "message": "The user gave no answer."}}
                self.answer(key, cancelled if method == "elicitation/create" else refused)
        if not over:
            self._connection.send({"do": "cancel", "id": self.number})
        self._connection.drop(self.number)

    def _offer(self) -> None:
        """Ask the next request of the round; with all answers, call again."""
        given = self._round
        assert given is not None
        for key, request in given.open.items():
            params = request.get("params")
            self._steps.put_nowait(
                StepAsked(key, str(request.get("method")), params if isinstance(params, dict) else {})
            )
            return
        self._round = None
        self._rounds += 1
        if self._rounds > ROUNDS:
            self.cancel()
            self._steps.put_nowait(StepFailed(f"asked for {ROUNDS} rounds in one call"))
            return
        self._connection.call_again(self, given.answers, given.state)

    def _counted(self, step: Step) -> Step:
        if isinstance(step, StepAsked):
            self.questions += 1
            if self.questions > (most := self._connection.server.max_questions):
                self.cancel()
                return StepFailed(f"asked {most + 1} questions in one call")
        return step


class Connection:
    """A server's process. `changed` is called with each new listing, `ended` once when it ends."""

    def __init__(
        self, launch: Launch, changed: Callable[[McpListing], None], ended: Callable[[Connection], None]
    ) -> None:
        self.server = launch.server
        self._launch, self._changed, self._ended = launch, changed, ended
        self._channel: ServerChannel | None = None
        self._reading: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[McpListing] | None = None
        self._calls: dict[int, OpenCall] = {}
        self._replies: dict[int, asyncio.Future[JsonObject]] = {}
        self._number = 0
        self._end = ""
        self._shows: Callable[[str], None] = lambda _: None
        self._clock: asyncio.Timeout | None = None
        self._logged = 0
        self.listing: McpListing | None = None
        self.login: KeptLogin | None = None

    @property
    def alive(self) -> bool:
        """Return whether calls can be made."""
        return self.listing is not None and not self._end

    async def start(self, host: McpHost, shows: Callable[[str], None] = lambda _: None) -> McpListing:
        """Start the server and return its listing. `shows` gets the address of a login that the user began; its clock
        stands until the answer is there. Raises McpProblem."""
        self._shows = shows
        name, limit = self.server.name, self.server.start_timeout_secs
        try:
            self._channel = await host.channel()
        except HostProblem as problem:
            raise McpProblem(str(problem)) from problem
        self._ready = asyncio.get_running_loop().create_future()
        with contextlib.suppress(OSError):
            self._logged = os.stat(self._launch.log).st_size
        self.send(self._launch.message())
        self._reading = asyncio.create_task(self._read())
        try:
            async with asyncio.timeout(limit) as self._clock:
                return await asyncio.shield(self._ready)
        except TimeoutError:
            self._close(f"did not start within {limit:g} s")
            raise McpProblem(f"{name} did not start within {limit:g} s", self._log_lines()) from None
        except (McpProblem, asyncio.CancelledError):
            self._close(_CLOSED)
            raise

    def call(
        self, tool: str, arguments: JsonObject, says: Callable[[ServerProgress], None] = lambda _: None
    ) -> OpenCall:
        """Call a tool."""
        call = self.reserve(tool, arguments, says)
        self._send_call(call)
        return call

    def reserve(self, tool: str, arguments: JsonObject, says: Callable[[ServerProgress], None]) -> OpenCall:
        """Return a call of which nothing was sent yet, for `OpenCall.resume`."""
        self._number += 1
        call = self._calls[self._number] = OpenCall(self, self._number, tool, arguments, says)
        if self._end:
            call.heard(StepFailed(self._end))
        return call

    def call_again(self, call: OpenCall, answers: Mapping[str, Json], state: str | None) -> None:
        """Send the same call with the answers of a round."""
        self._send_call(call, {"responses": dict(answers), "state": state})

    async def ask(self, message: JsonObject) -> JsonObject:
        """Send a request other than a call and return its reply. Raises McpProblem."""
        self._number += 1
        number = self._number
        waiting: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._replies[number] = waiting
        self.send({**message, "id": number})
        if self._end and not waiting.done():
            waiting.set_result({"say": "error", "error": self._end})
        try:
            async with asyncio.timeout(self.server.call_timeout_secs):
                reply = await waiting
        except TimeoutError:
            raise McpProblem(f"{self.server.name} gave no result within {self.server.call_timeout_secs:g} s") from None
        finally:
            self._replies.pop(number, None)
        if reply.get("say") == "error":
            raise McpProblem(f"{self.server.name} {_words(reply)}")
        return reply

    def send(self, message: JsonObject) -> None:
        """Send a message; a server that is gone is noticed elsewhere."""
        if self._channel is None:
            return
        try:
            self._channel.writer.write(packed(message))
        except FrameProblem as problem:
            number = message.get("id")
            if isinstance(number, int) and (call := self._calls.get(number)) is not None:
                call.heard(StepFailed(f"can't be sent {problem}"))
        except OSError:
            return

    def drop(self, number: int) -> None:
        """Forget a call."""
        self._calls.pop(number, None)

    async def close(self) -> None:
        """End the server."""
        channel = self._channel
        self._close(_CLOSED, kill=False)
        if channel is not None:
            await channel.close()

    # --- what comes from it -----------------------------------------------------------------------------------

    def _send_call(self, call: OpenCall, more: JsonObject | None = None) -> None:
        head: JsonObject = {"do": "call", "id": call.number, "tool": call.tool, "arguments": call.arguments}
        self.send({**head, **(more or {})})

    async def _read(self) -> None:
        assert self._channel is not None
        why = _CLOSED
        try:
            while (message := await received(self._channel.reader)) is not None:
                if message.get("say") == "ended":
                    why = str(message.get("error"))
                self._take(message)
        except FrameProblem as problem:
            why = f"sent {problem}"
        except asyncio.CancelledError:
            raise
        except Exception as bug:  # it can send whatever it likes
            why = f"sent what can't be used ({type(bug).__name__})"
        self._close(why)

    def _take(self, message: dict[str, Any]) -> None:
        ready = self._ready
        assert ready is not None
        number = message.get("id")
        call = self._calls.get(number) if isinstance(number, int) else None
        match message.get("say"):
            case "login":
                self._stand(True)
                if url := str(message.get("url") or ""):
                    self._shows(url)
            case "login_over":
                self._stand(False)
            case "ready":
                kept = message.get("login")
                self.login = KeptLogin(**kept) if kept else None
                self.listing = _listing(self.server.name, message)
                if not ready.done():
                    ready.set_result(self.listing)
            case "failed" if not ready.done():
                log = tuple(map(str, message.get("log") or ()))
                ready.set_exception(McpProblem(f"{self.server.name} {message.get('error')}", log))
            case "listing":
                self.listing = _listing(self.server.name, message)
                self._changed(self.listing)
            case "progress" if call is not None:
                call.progressed(_progress(message))
            case "question" if call is not None:
                call.heard(StepAsked(str(message["question"]), message["method"], message["params"], message["of"]))
            case "withdrawn":
                for one in self._calls.values():
                    one.withdraw(str(message["question"]))
            case "question":
                self.send({"do": "answer", "question": message["question"], "error": {"code": -32600, "message": "No"}})
            case "required" if isinstance(number, int) and (asked := self._replies.get(number)) is not None:
                if not asked.done():
                    asked.set_result({"say": "error", "error": "asked a question outside a call"})
            case "required" if call is not None:
                call.heard(_Round(message.get("state"), message["requests"], dict(message.get("answered") or {})))
            case "result" | "error" if isinstance(number, int) and (waiting := self._replies.get(number)) is not None:
                if not waiting.done():
                    waiting.set_result(message)
            case "result" if call is not None:
                call.heard(StepDone(message["result"]))
                self.drop(call.number)
            case "error" if call is not None:
                code = message.get("code")
                call.heard(StepFailed(_words(message), code if isinstance(code, int) else 0, message.get("data")))
                self.drop(call.number)

    def _stand(self, on: bool) -> None:
        """Stop the clocks of the start and of all calls while the user logs in, or let them go on."""
        for call in self._calls.values():
            call.stand(on)
        if self._clock is not None and self._ready is not None and not self._ready.done():
            until = None if on else asyncio.get_running_loop().time() + self.server.start_timeout_secs
            with contextlib.suppress(RuntimeError):  # it is over already
                self._clock.reschedule(until)

    def _close(self, why: str, *, kill: bool = True) -> None:
        if self._end:
            return
        self._end = why
        channel, self._channel = self._channel, None
        if channel is not None and kill:
            channel.kill()
        if self._reading is not None and self._reading is not asyncio.current_task():
            self._reading.cancel()
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(McpProblem(f"{self.server.name} {why}"))
            with contextlib.suppress(BaseException):
                self._ready.exception()
        for call in list(self._calls.values()):
            call.heard(StepFailed(why))
        self._calls.clear()
        for waiting in self._replies.values():
            if not waiting.done():
                waiting.set_result({"say": "error", "error": why})
        self._ended(self)

    def _log_lines(self) -> tuple[str, ...]:
        """Return the last lines of the log that are of this start."""
        try:
            with open(self._launch.log, "rb") as file:
                if os.fstat(file.fileno()).st_size >= self._logged:  # else a new one was begun
                    file.seek(self._logged)
                return tuple(file.read().decode("utf-8", "replace").splitlines()[-20:])
        except OSError:
            return ()


def _words(message: Mapping[str, Any]) -> str:
    """Return an error of a request, to follow the server's name."""
    said = str(message.get("error")).rstrip(". ")  # the sentence ends with ours
    code = message.get("code")
    return f"answered with an error: {said}" if isinstance(code, int) and code else said


def _progress(message: Mapping[str, Any]) -> ServerProgress:
    done, total = message.get("progress"), message.get("total")
    sane = isinstance(total, int | float) and isinstance(done, int | float) and 0 <= done <= total and total > 0
    return ServerProgress(
        float(done or 0), float(total) if sane and total is not None else None, str(message.get("text", ""))
    )


def _listing(server: str, message: Mapping[str, Any]) -> McpListing:
    tools = [
        McpTool(
            one["name"],
            one.get("title") or "",
            one.get("description") or "",
            one.get("inputSchema") or {},
            one.get("outputSchema"),
            one.get("annotations"),
        )
        for one in message["tools"]
    ]
    return McpListing(
        server=server,
        protocol=message["protocol"],
        server_name=message["name"],
        version=message["version"],
        instructions=message["instructions"],
        tools=tuple(tools),
        resources=message["has_resources"],
        prompts=message["has_prompts"],
        ms=message["ms"],
        cut=message["cut"],
        off=message["off"],
    )
