"""The process of an agent: lines in, lines out, one prompt at a time (N40, N42, N44).

Whatever the agent does, it is contained: a line and what waits have a size, what isn't understood is left out, a
request of it gets exactly one reply, and the process with all it started ends with us.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Literal

from jp_tui import __version__
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse
from jp_tui.system import children
from jp_tui.tools.agents import updates as u
from jp_tui.tools.agents.actions import AgentAction, AgentActions, Noted
from jp_tui.tools.agents.offers import AgentOffers

GONE = "The agent that asked for this is gone. Nothing was allowed."
CHANGED = "The agent changed its request while it waited. Nothing was allowed."
NO_EDIT = "An agent's arguments can't be edited. Nothing was allowed."
RUNS_ON = "Still running in the agent. Its result follows."
"""Results of calls."""
MOST_LINE = 16 << 20
"""Bytes of a message; an agent with a longer one is ended."""
MOST_WAITING = 64 << 20
"""Bytes of messages that wait to be read."""
MOST_ODD = 100
"""Limit of lines that aren't messages; the agent's own programs print some."""
START_SECONDS = 30.0
HOLD_SECONDS = 2.0
"""Time for which a call that runs waits for a permission request."""
STOP_SECONDS = 5.0
"""Time after a cancel before the process is ended."""
CLOSE_SECONDS = 2.0
"""The same where jp-tui ends: the user waits for it."""
_STDERR = 16_384
_PROTOCOL = 1
_UNKNOWN, _INVALID = -32601, -32602
_OFFERED = frozenset(
    {
        "fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output", "terminal/wait_for_exit",
        "terminal/kill", "terminal/release", "elicitation/create",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """An agent of the settings (N40). `env` is added to a small environment without keys of ours; `noted` gets its
    process and those of its terminals."""

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    mode: str = ""
    model: str = ""
    noted: Noted = field(default=lambda _: lambda: None, compare=False, repr=False)


class AgentProblem(Exception):
    """The agent failed; the message names it, `detail` is the end of its standard error."""

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


@dataclass(frozen=True, slots=True)
class AgentDone:
    """The end of a prompt: its stop reason, and tokens."""

    reason: str
    input: int = 0
    output: int = 0


Item = u.AgentText | u.AgentPlan | u.AgentWork | AgentAction | AgentDone | AgentProblem


class AgentConnection:
    """One agent process and its session in `folder`."""

    def __init__(self, program: AgentProgram, folder: str) -> None:
        self.program, self.folder = program, folder
        self.session = ""
        self.note = ""
        """A sentence for the user about how the session began, once."""
        self.images = False
        self.offers = AgentOffers()
        self.prompting = False
        self.items: deque[Item] = deque()
        self.works: dict[str, u.AgentWork] = {}
        self.actions = AgentActions(folder, self._send, self._news, program.noted)
        self._held: list[u.AgentWork] = []
        self._by_call: dict[str, u.AgentWork] = {}
        self._changed = asyncio.Event()
        self._replies: dict[int, asyncio.Future[JsonObject]] = {}
        self._number = self._calls = self._size = self._odd = 0
        self._rest = bytearray()
        self._silent = False
        self._end: AgentProblem | None = None
        self._ends = asyncio.Event()
        self._socket: socket.socket | None = None
        self._out: deque[bytes] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._process: asyncio.Task[children.ChildExit] | None = None
        self._tag = os.urandom(3).hex()

    # --- the process --------------------------------------------------------------------------------------------

    async def start(self, earlier: str) -> None:
        """Start it and open a session, the `earlier` one where it can. Raises AgentProblem."""
        await self._run(self._begin(earlier))

    async def probe(self) -> str:
        """Start it without a session; return its name and version. Raises AgentProblem."""
        told: list[JsonObject] = []

        async def ask() -> None:
            told.append(await self._hello())

        await self._run(ask())
        about = _object(told[0].get("agentInfo"))
        said = [about.get(key) for key in ("title", "version")]
        return " ".join(one for one in said if isinstance(one, str))[:100] or "starts"

    async def _run(self, work: Coroutine[object, object, None]) -> None:
        """Start it and do this first. Raises AgentProblem."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self._socket = ours
        self._process = asyncio.create_task(self._live(theirs))
        try:
            async with asyncio.timeout(START_SECONDS):
                await work
        except TimeoutError:
            await self.close()
            raise AgentProblem(f"{self.program.name} didn't answer within {START_SECONDS:g} s.", self._said()) from None
        except AgentProblem:
            await self.close()
            raise

    async def _live(self, theirs: socket.socket) -> children.ChildExit:
        """Run it to its end, which fails what waits."""
        name, gone = self.program.name, list[Callable[[], None]]()
        try:
            done = await children.run(
                self.program.command,
                cwd=self.folder,
                stdin=theirs,
                output_limit=_STDERR,
                flood=1 << 50,
                env_extra=self.program.env,
                cancel=self._ends,
                heard=self._heard,
                leashed=True,
                started=lambda pid: gone.append(self.program.noted(pid)),
            )
        except children.ChildProblem as problem:
            self._fail(AgentProblem(f"{name} didn't start: {problem}"))
            raise
        finally:
            theirs.close()
            for one in gone:
                one()
        how = f"with status {done.status}" if done.status is not None else f"by signal {done.signal}"
        said = done.stderr.decode("utf-8", "replace").strip()[-2000:]
        self._fail(AgentProblem(f"{name} ended {how}.", said))
        return done

    def _said(self) -> str:
        """Return the end of its standard error, once it has ended."""
        return self._end.detail if self._end is not None else ""

    async def close(self) -> None:
        """End the process, and everything it started; a prompt that runs is cancelled first."""
        if self.prompting:
            self.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._idle(CLOSE_SECONDS)
        self._ends.set()
        for task in self._tasks:
            task.cancel()
        if self._process is not None:
            with contextlib.suppress(children.ChildProblem, asyncio.CancelledError):
                await asyncio.shield(asyncio.wait_for(asyncio.shield(self._process), STOP_SECONDS))
            self._process.cancel()
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._fail(AgentProblem(f"{self.program.name} was closed."))

    @property
    def alive(self) -> bool:
        """True if it can be prompted."""
        return self._end is None and bool(self.session) and not self._silent

    @property
    def ended(self) -> bool:
        """True if nothing more comes from it."""
        return self._end is not None

    def _fail(self, problem: AgentProblem) -> None:
        if self._end is not None:
            return
        self._end = problem
        for reply in self._replies.values():
            if not reply.done():
                reply.set_exception(problem)
        self._replies.clear()
        for work in self.works.values():
            work.request = None
        self.actions.stop()
        if self.prompting:
            self.prompting = False
            self._add(problem)
        self._news()

    def _broke(self, words: str) -> None:
        """End an agent that doesn't keep to the bounds."""
        self._fail(AgentProblem(f"{self.program.name} {words}, and was ended."))
        self._ends.set()

    # --- the session --------------------------------------------------------------------------------------------

    async def _hello(self) -> JsonObject:
        """Return what it says of itself. Raises AgentProblem."""
        about: JsonObject = {"name": "jp-tui", "title": "jp-tui", "version": __version__}
        can: JsonObject = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
        can["elicitation"] = {"form": {}, "url": {}}
        params: JsonObject = {"protocolVersion": _PROTOCOL, "clientCapabilities": can, "clientInfo": about}
        return await self._request("initialize", params)

    async def _begin(self, earlier: str) -> None:
        told = await self._hello()
        able = _object(told.get("agentCapabilities"))
        self.images = _object(able.get("promptCapabilities")).get("image") is True
        where: JsonObject = {"cwd": self.folder, "mcpServers": []}
        if earlier:
            resumes = "resume" in _object(able.get("sessionCapabilities"))
            method = "session/resume" if resumes else "session/load" if able.get("loadSession") is True else ""
            if method and await self._again(method, {"sessionId": earlier, **where}):
                await self._wishes()
                return
            self.note = f"{self.program.name} can't resume its earlier session. It begins a new one."
        opened = await self._request("session/new", where)
        id_ = opened.get("sessionId")
        if not isinstance(id_, str) or not id_:
            raise AgentProblem(f"{self.program.name} opened no session.")
        self.session = id_
        self.offers.opened(opened)
        await self._wishes()

    async def turn_to(self, program: AgentProgram) -> None:
        """Go on with another model or mode of the same agent. Raises AgentProblem."""
        if program != self.program:
            self.program = program
            await self._wishes()

    async def _wishes(self) -> None:
        await self._wish("mode", self.program.mode)
        await self._wish("model", self.program.model)

    async def _again(self, method: str, params: JsonObject) -> bool:
        """Go on with an earlier session; what it was is in our own log, so its updates are left out."""
        self._silent = True
        self.session = str(params["sessionId"])
        try:
            self.offers.opened(await self._request(method, params))
        except AgentProblem:
            self.session = ""
            if self._end is not None:
                raise
            return False
        finally:
            self._silent = False
        return True

    async def _wish(self, kind: Literal["model", "mode"], value: str) -> None:
        """Select what was chosen; an agent that refuses goes on as it is, and the note says so."""
        if not value:
            return
        choice = self.offers.find(kind, value)
        method, params = choice.request()
        try:
            await self._request(method, {"sessionId": self.session, **params})
        except AgentProblem as problem:
            if self._end is not None:
                raise
            self.note = f"{self.program.name} doesn't take {value!r}: {problem}"
        else:
            self.offers.chosen(kind, value)

    def prompt(self, blocks: list[Json]) -> None:
        """Send a message; what comes of it is in `items`, ended by AgentDone or AgentProblem."""
        self.prompting = True
        self._keep(self._prompt(blocks))

    async def _prompt(self, blocks: list[Json]) -> None:
        try:
            done = await self._request("session/prompt", {"sessionId": self.session, "prompt": blocks})
        except AgentProblem as problem:
            if self.prompting:
                self._over(problem)
            return
        await self._settled()
        used = _object(done.get("usage"))
        self._over(AgentDone(str(done.get("stopReason")), _count(used, "inputTokens"), _count(used, "outputTokens")))

    async def _settled(self) -> None:
        """Terminals end with their turn, and their calls before it."""
        self.actions.stop()
        while running := self.actions.running():
            await asyncio.wait([one.task for one in running if one.task is not None])

    def _over(self, end: AgentDone | AgentProblem) -> None:
        self.prompting = False
        for work in self.works.values():
            if not work.over:
                work.status = "failed"
                self._passes(work)
        self._add(end)
        self._news()

    def cancel(self) -> None:
        """Cancel the prompt: every request is answered `cancelled`, and a process that goes on is ended (N44)."""
        if not self.prompting:
            return
        # First, so that an agent whose request is answered knows that its turn is over, and begins no other call.
        self._notify("session/cancel", {"sessionId": self.session})
        for work in self.works.values():
            if work.request is not None:
                self.choose(work, "")
        self.actions.stop()
        self._keep(self._stopped())

    async def _idle(self, seconds: float) -> None:
        """Wait for the end of the prompt, at most so long."""
        end = asyncio.get_running_loop().time() + seconds
        while self.prompting and (left := end - asyncio.get_running_loop().time()) > 0:
            await self.changed(left)

    async def _stopped(self) -> None:
        await self._idle(STOP_SECONDS)
        if self.prompting:
            self._broke(f"didn't stop within {STOP_SECONDS:g} s")

    def forget(self) -> None:
        """Drop what is left of the last prompt."""
        self.items.clear()
        self._held.clear()
        self.works.clear()
        self._by_call.clear()
        self.actions.forget()
        self._size = 0

    # --- calls --------------------------------------------------------------------------------------------------

    def work(self, call: str) -> u.AgentWork | None:
        """Return the agent's call with this id of ours."""
        return self._by_call.get(call)

    def waits_behind(self, work: u.AgentWork | AgentAction) -> bool:
        """True if the agent asks something else while this goes on."""
        return any(isinstance(one, u.AgentWork | AgentAction) and one is not work and one.waits for one in self.items)

    def take_shown(self, work: u.AgentWork) -> AgentAction | None:
        """Return what the agent asks us to do if this call's request showed exactly that, and was approved."""
        for one in list(self.items):
            if isinstance(one, AgentAction) and one.shown_by(work):
                self.items.remove(one)
                return one
        return None

    def returned(self, action: AgentAction) -> None:
        """Make an action a call of its own, because it has to be asked about."""
        action.apart = True
        self.items.appendleft(action)
        self._news()

    def choose(self, work: u.AgentWork, option: str) -> None:
        """Answer its permission request; empty: `cancelled`."""
        request, work.request = work.request, None
        if request is None:
            return
        work.allowed = bool(option) and option == request.one("allow_once")
        outcome: JsonObject = {"outcome": "selected", "optionId": option} if option else {"outcome": "cancelled"}
        self._send({"jsonrpc": "2.0", "id": request.id, "result": {"outcome": outcome}})

    async def changed(self, timeout: float | None = None) -> None:
        """Wait for news, at most `timeout` seconds."""
        event = self._changed
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), timeout)

    def _news(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    # --- lines --------------------------------------------------------------------------------------------------

    def _heard(self, data: bytes) -> None:
        if self.ended:
            return
        self._rest += data
        if b"\n" in data:
            *lines, rest = bytes(self._rest).split(b"\n")
            self._rest = bytearray(rest)
            for line in lines:
                self._line(line)
            self._news()
        if len(self._rest) > MOST_LINE:
            self._broke(f"sent a line of more than {MOST_LINE >> 20} MiB")

    def _line(self, line: bytes) -> None:
        if self.ended or not line.strip():
            return
        try:
            found = parse(line, max_bytes=MOST_LINE)
        except JsonProblem:
            found = None
        if not isinstance(found, dict) or found.get("jsonrpc") != "2.0":
            self._odd += 1
            if self._odd > MOST_ODD:
                self._broke("sends lines that aren't messages")
            return
        method, id_ = found.get("method"), found.get("id")
        params = _object(found.get("params"))
        if isinstance(method, str):
            if id_ is not None:
                self._asked(method, id_, params)
            elif method == "session/update":
                self._updated(params, len(line))
        elif isinstance(id_, int):
            self._replied(id_, found)

    def _replied(self, id_: int, found: JsonObject) -> None:
        """Take a reply; a second one to the same request is left out."""
        reply = self._replies.pop(id_, None)
        if reply is None or reply.done():
            return
        if "error" in found:
            error = _object(found["error"])
            data = error.get("data")
            reply.set_exception(AgentProblem(str(error.get("message"))[:2000], dump(data)[:2000] if data else ""))
        else:
            reply.set_result(_object(found.get("result")))

    def _updated(self, params: JsonObject, size: int) -> None:
        if self.session and params.get("sessionId") != self.session:
            return
        if self.offers.updated(_object(params.get("update"))):  # also while the session is opened
            return
        if self._silent or not self.prompting:
            return
        self._size += size
        if self._size > MOST_WAITING:
            self._broke(f"sent more than {MOST_WAITING >> 20} MiB in one turn")
            return
        update = _object(params.get("update"))
        kind, id_ = update.get("sessionUpdate"), update.get("toolCallId")
        if (piece := u.chunk(update)) is not None:
            last = self.items[-1] if self.items and not self._held else None
            if isinstance(last, u.AgentText) and last.kind == piece.kind:
                self.items[-1] = u.AgentText(piece.kind, last.text + piece.text)
            else:
                self._add(piece)
        elif isinstance(id_, str) and kind in ("tool_call", "tool_call_update"):
            if kind == "tool_call" or id_ in self.works:  # else it is about nothing
                self._work(id_, update)
        elif (plan := u.plan(update)) is not None:
            self._add(plan)

    def _work(self, id_: str, update: JsonObject) -> u.AgentWork:
        work = self.works.get(id_)
        if work is None:
            work = self.works[id_] = u.AgentWork(self._new_call())
            self._by_call[work.call] = work
        before = work.over
        work.update(update)
        self._passes(work)
        if work.over and not before and work.released:
            self._goes_on(work)
        return work

    def _passes(self, work: u.AgentWork) -> None:
        """Pass a call on once it is known whether the agent asks for it first. Some agents say that it runs before they
        ask: so one that runs is held for a moment, for the looks of the record only."""
        if work.passed or work in self.items:
            return
        if work.request is not None or work.over:
            self._add(work)
        elif work.status == "in_progress" and work not in self._held:
            self._held.append(work)
            asyncio.get_running_loop().call_later(HOLD_SECONDS, self._let_go, work)

    def _let_go(self, work: u.AgentWork) -> None:
        if work in self._held:
            self._add(work)
            self._news()

    def _add(self, item: Item) -> None:
        """Put what came into its place: after the calls that were held."""
        held, self._held = self._held, []
        self.items.extend(one for one in held if one is not item)
        self.items.append(item)

    def _goes_on(self, work: u.AgentWork) -> None:
        """Report more of a call that was passed on before, as one more call."""
        work.call = self._new_call()
        self._by_call[work.call] = work
        work.passed = work.released = False
        self._add(work)

    def goes_on(self, action: AgentAction) -> None:
        """Report more of a command that runs, as one more call."""
        action.call, action.begun = self._new_call(), True
        self.actions.named(action)
        action.passed = action.released = False
        self._add(action)
        self._news()

    def command_ended(self, action: AgentAction) -> None:
        """Tell the agent of the end of its command, and the log, if its call ended before."""
        self.actions.ended(action)
        if action.released and self.prompting:
            self.goes_on(action)

    def _new_call(self) -> str:
        self._calls += 1
        return f"{self.program.name}-{self._tag}-{self._calls}"

    # --- requests -----------------------------------------------------------------------------------------------

    def _asked(self, method: str, id_: Json, params: JsonObject) -> None:
        if method in _OFFERED:
            self._acts(method, id_, params)
            return
        if method != "session/request_permission":
            self.actions.error(id_, _UNKNOWN, f"{method[:80]} isn't offered here.")
            return
        told = _object(params.get("toolCall"))
        call, offered = told.get("toolCallId"), u.options(params)
        known = self.works.get(call) if isinstance(call, str) else None
        busy = known is not None and known.request is not None
        if (
            not self.prompting
            or not isinstance(call, str)
            or not offered
            or busy
            or params.get("sessionId") != self.session
        ):
            self._send({"jsonrpc": "2.0", "id": id_, "result": {"outcome": {"outcome": "cancelled"}}})
            return
        if known is not None and known.over:
            known.status = "pending"
        work = self._work(call, {key: value for key, value in told.items() if key != "status"})
        work.asks(u.AgentRequest(id_, offered), self.folder)
        if work.passed:
            self._goes_on(work)
        else:
            self._passes(work)

    def _acts(self, method: str, id_: Json, params: JsonObject) -> None:
        """Take a request for a file or a terminal. What was held stays so: it is about this, most likely."""
        if not self.prompting or params.get("sessionId") != self.session:
            self.actions.error(id_, _INVALID, "No prompt runs in this session.")
        elif (action := self.actions.asked(method, id_, params, self._new_call())) is not None:
            self.items.append(action)

    async def _request(self, method: str, params: JsonObject) -> JsonObject:
        """Raises AgentProblem."""
        if self._end is not None:
            raise self._end
        self._number += 1
        reply = self._replies[self._number] = asyncio.get_running_loop().create_future()
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        result: JsonObject = await reply
        return result

    def _notify(self, method: str, params: JsonObject) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _send(self, message: JsonObject) -> None:
        self._out.append(dump(message).encode() + b"\n")
        if len(self._out) == 1:
            self._keep(self._write())

    async def _write(self) -> None:
        """Write what waits; an agent that reads nothing is ended by its own deadlines."""
        loop = asyncio.get_running_loop()
        while self._out and self._socket is not None:
            try:
                await loop.sock_sendall(self._socket, self._out[0])
            except OSError:
                return
            self._out.popleft()

    def _keep(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _count(used: JsonObject, key: str) -> int:
    value = used.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
