"""Files, terminals and forms that an agent asks us for (N42, N43): requests as values, replies, terminals.

Nothing is read, written or run here: a request becomes a call of `client_tools.py`, which goes the way of every call.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from jp_tui.conversation.strict_json import Json, JsonObject, integer_of
from jp_tui.system.children import ChildExit
from jp_tui.tools.agents.late import ASK, READ, TERMINAL, WRITE
from jp_tui.tools.agents.updates import AgentDiff, AgentWork, inside
from jp_tui.tools.port import Cancel, Outcome

MOST_OPEN = 64
"""Limit of requests that wait for a reply."""
MOST_TERMINALS = 16
MOST_OUTPUT = 1 << 20
"""Bytes of output that a terminal keeps: its last ones."""
SECONDS = 3_600
"""Time limit of a terminal."""
CANCELLED = "It was cancelled."
_INVALID, _REFUSED, _MISSING = -32602, -32000, -32002

Send = Callable[[JsonObject], None]
Noted = Callable[[int], Callable[[], None]]
"""Gets the id of a process of the agent (N5), and returns what is called when it has ended."""


class AgentTerminal:
    """A command that runs for the agent. `began` is called when it really starts, `noted` gets its process."""

    def __init__(self, name: str, limit: int, began: Callable[[], None], noted: Noted) -> None:
        self.name = name
        self.cancel = Cancel()
        self.exit: JsonObject | None = None
        self.waiting: list[Json] = []
        """Ids of requests that wait for its end."""
        self._limit, self._began, self._noted = limit, began, noted
        self._gone: Callable[[], None] | None = None
        self._kept, self._cut = bytearray(), False

    def begins(self) -> None:
        """The command starts."""
        self._began()

    def started(self, pid: int) -> None:
        """It runs, as a child of ours."""
        self._gone = self._noted(pid)

    def gone(self) -> None:
        """No process of it is left."""
        if self._gone is not None:
            self._gone()
            self._gone = None

    def adds(self, data: bytes) -> None:
        """Add output."""
        self._kept += data
        if (over := len(self._kept) - self._limit) > 0:
            del self._kept[:over]
            self._cut = True

    def cancel_now(self) -> None:
        """End the command."""
        if not self.cancel.called:
            self.cancel.called = True

    def ends(self, done: ChildExit) -> None:
        """The command has ended."""
        self.exit = {"exitCode": done.status, "signal": None if done.signal is None else str(done.signal)}

    @property
    def text(self) -> str:
        """Its output; a character that was cut in two is left out."""
        return bytes(self._kept).decode("utf-8", "ignore" if self._cut else "replace")

    def state(self) -> JsonObject:
        """Return the reply of `terminal/output`."""
        return {"output": self.text, "truncated": self._cut, **({"exitStatus": self.exit} if self.exit else {})}


@dataclass(slots=True, eq=False)
class AgentAction:
    """One request for a file or a terminal. `call` is its id here, `arguments` are those of our tool; `open`: it has no
    reply yet; `passed`: the engine knows it; `begun`: it was permitted and goes on; `released`: its call here ended
    before it did; `apart`: it has to be asked about, whatever a request showed."""

    call: str
    kind: str
    arguments: JsonObject
    id: Json
    limit: int = MOST_OUTPUT
    open: bool = True
    passed: bool = False
    begun: bool = False
    released: bool = False
    apart: bool = False
    terminal: AgentTerminal | None = None
    task: asyncio.Task[Outcome] | None = field(default=None, repr=False)

    @property
    def waits(self) -> bool:
        """True if the agent can't go on without it."""
        return self.open

    def shown_by(self, work: AgentWork) -> bool:
        """True if the request that was approved showed exactly this (N43)."""
        shown = work.shown
        if shown is None or not work.allowed or self.apart:
            return False
        if self.kind == WRITE:
            return self.change(work) is not None
        if self.kind == TERMINAL and not work.ran:
            said, folders = shown.command()
            argv = self.arguments.get("argv")
            if said is None or self.arguments.get("cwd", ".") not in (".", *folders):
                return False
            return said in (self.arguments.get("command"), argv, _joined(argv))
        return False

    def change(self, work: AgentWork) -> AgentDiff | None:
        """Return the change of the call's request that is exactly this writing."""
        diffs = work.shown.diffs if work.shown is not None and work.shown.kind == "edit" else ()
        wanted = self.arguments["path"], self.arguments["content"]
        return next((one for one in diffs if (one.path, one.new) == wanted), None)


class AgentActions:
    """The files and terminals of one agent in `folder`. `send` sends a message, `news` says that something changed,
    `noted` gets the processes of terminals."""

    def __init__(self, folder: str, send: Send, news: Callable[[], None], noted: Noted) -> None:
        self.folder, self._noted = folder, noted
        self._send, self._news = send, news
        self._by_call: dict[str, AgentAction] = {}
        self._terminals: dict[str, AgentTerminal] = {}
        self._number = 0

    def __iter__(self) -> Iterator[AgentAction]:
        return iter(list(self._by_call.values()))

    def of(self, call: str) -> AgentAction | None:
        """Return the action of a call of ours."""
        return self._by_call.get(call)

    def named(self, action: AgentAction) -> None:
        """Know an action by its call."""
        self._by_call[action.call] = action

    def asked(self, method: str, id_: Json, params: JsonObject, call: str) -> AgentAction | None:
        """Return a request as a call with this id; None for one that has its reply already."""
        try:
            action = self._read(method, id_, params, call)
        except ValueError as problem:
            self.error(id_, _INVALID, str(problem))
            return None
        if action is None:
            return None
        if sum(one.open for one in self._by_call.values()) >= MOST_OPEN:
            self.error(id_, _REFUSED, f"Too many requests wait ({MOST_OPEN}).")
            return None
        if action.kind == TERMINAL and len(self._terminals) >= MOST_TERMINALS:
            self.error(id_, _REFUSED, f"Too many terminals are open ({MOST_TERMINALS}).")
            return None
        self.named(action)
        return action

    def _read(self, method: str, id_: Json, params: JsonObject, call: str) -> AgentAction | None:
        """Raises ValueError."""
        if method == "fs/read_text_file":
            found: JsonObject = {"path": inside(_text(params, "path"), self.folder)}
            for name in ("line", "limit"):
                if params.get(name) is not None:
                    if (value := integer_of(params[name])) is None or value < 0:
                        raise ValueError(f"`{name}` must be a whole number.")
                    found[name] = max(value, 1)
            return AgentAction(call, READ, found, id_)
        if method == "fs/write_text_file":
            path, content = inside(_text(params, "path"), self.folder), params.get("content")
            if not isinstance(content, str):
                raise ValueError("`content` must be text.")
            return AgentAction(call, WRITE, {"path": path, "content": content}, id_)
        if method == "terminal/create":
            limit = integer_of(params.get("outputByteLimit"))
            limit = MOST_OUTPUT if limit is None or limit < 0 else limit
            return AgentAction(call, TERMINAL, _command(params, self.folder), id_, min(limit, MOST_OUTPUT))
        if method == "elicitation/create":
            kept: JsonObject = {
                key: params[key] for key in ("mode", "message", "requestedSchema", "url") if key in params
            }
            if kept.get("mode") not in ("form", "url"):
                raise ValueError("`mode` must be form or url.")
            return AgentAction(call, ASK, kept, id_)
        self._terminal(method, id_, params)
        return None

    def _terminal(self, method: str, id_: Json, params: JsonObject) -> None:
        """Answer a request about a terminal. Raises ValueError."""
        terminal = self._terminals.get(_text(params, "terminalId"))
        if terminal is None:
            self.error(id_, _MISSING, "There is no such terminal.")
            return
        match method:
            case "terminal/output":
                self._reply(id_, terminal.state())
            case "terminal/wait_for_exit":
                if terminal.exit is not None:
                    self._reply(id_, terminal.exit)
                else:
                    terminal.waiting.append(id_)
            case "terminal/kill":
                terminal.cancel_now()
                self._reply(id_, {})
            case _:
                terminal.cancel_now()
                del self._terminals[terminal.name]
                self._reply(id_, {})

    def opened(self, action: AgentAction) -> AgentTerminal:
        """Return a new terminal for an action; the agent learns of it when its command starts."""
        self._number += 1
        name = f"term-{self._number}"

        def began() -> None:
            self._terminals[name] = terminal
            self.done(action, {"terminalId": name})

        terminal = action.terminal = AgentTerminal(name, action.limit, began, self._noted)
        return terminal

    def ended(self, action: AgentAction) -> None:
        """The command of an action has ended, however."""
        terminal = action.terminal
        if terminal is None:
            return
        terminal.gone()
        terminal.exit = terminal.exit or {"exitCode": None, "signal": "KILL"}
        for id_ in terminal.waiting:
            self._reply(id_, terminal.exit)
        terminal.waiting.clear()
        self._news()

    def output(self, content: list[Json]) -> str:
        """Return the output of the terminals that a call of the agent shows."""
        names = [one.get("terminalId") for one in content if isinstance(one, dict) and one.get("type") == "terminal"]
        known = {one.terminal.name: one.terminal.text for one in self._by_call.values() if one.terminal is not None}
        return "\n".join(known[name] for name in names if isinstance(name, str) and name in known)

    def running(self) -> list[AgentAction]:
        """Return those whose commands run."""
        return [one for one in self._by_call.values() if one.task is not None and not one.task.done()]

    def stop(self) -> None:
        """End the terminals, and refuse what has no reply."""
        for action in self:
            if action.terminal is not None:
                action.terminal.cancel_now()
            self.refuse(action, CANCELLED)

    def forget(self) -> None:
        """Drop what is left of the last prompt."""
        self.stop()
        self._by_call.clear()
        self._terminals.clear()

    # --- replies ------------------------------------------------------------------------------------------------

    def done(self, action: AgentAction, result: JsonObject) -> None:
        """Give the agent what it asked for."""
        if action.open:
            action.open = False
            self._reply(action.id, result)

    def refuse(self, action: AgentAction, words: str) -> None:
        """Refuse it, unless it has its reply. A form is cancelled."""
        if action.open and action.kind == ASK:
            self.done(action, {"action": "cancel"})
        elif action.open:
            action.open = False
            self.error(action.id, _REFUSED, words)

    def error(self, id_: Json, code: int, words: str) -> None:
        """Answer a request with an error."""
        self._send({"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": words[:2000]}})

    def _reply(self, id_: Json, result: JsonObject) -> None:
        self._send({"jsonrpc": "2.0", "id": id_, "result": result})


def _command(params: JsonObject, folder: str) -> JsonObject:
    """Return a command as arguments of our runner. Its variables become part of it, so that they are shown. Raises
    ValueError."""
    words, args = _text(params, "command"), params.get("args")
    variables = list(_variables(params.get("env")))
    found: JsonObject = {"timeout_secs": SECONDS}
    if args:
        if not isinstance(args, list) or not all(isinstance(one, str) for one in args):
            raise ValueError("`args` must be a list of texts.")
        given: list[Json] = ["env", *variables] if variables else []
        found["argv"] = [*given, words, *args]
    else:
        found["command"] = "".join(f"export {shlex.quote(one)}; " for one in variables) + words
    if (cwd := params.get("cwd")) is not None:
        found["cwd"] = inside(_text(params, "cwd"), folder)
        if found["cwd"] == "." or not cwd:
            del found["cwd"]
    return found


def _variables(env: Json) -> Iterator[str]:
    """Yield NAME=VALUE. Raises ValueError."""
    for one in env if isinstance(env, list) else ():
        name, value = (one.get("name"), one.get("value")) if isinstance(one, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(value, str) or not name.isidentifier():
            raise ValueError("`env` must be a list of names and values.")
        yield f"{name}={value}"


def _text(params: JsonObject, name: str) -> str:
    """Raises ValueError."""
    value = params.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(f"`{name}` is required.")
    return value


def _joined(argv: Json) -> str | None:
    return shlex.join(map(str, argv)) if isinstance(argv, list) else None
