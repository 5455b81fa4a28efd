"""One server in a process of its own: the SDK's client on one side, the channel to the program on the other.

The program says what to do (`start`, or `end_login` alone; `call`, `answer`, `cancel`, `resources`, `read`, `prompts`,
`prompt`); each message has a `do`. What is sent back has a `say`: `ready`, `failed`, `listing`, `result`, `required`,
`error`, `question`, `withdrawn`, `progress`, `login`, `login_over`, `login_ended`. Texts in it are the server's, word
for word.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
import traceback
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from jp_tui.mcp_host.frames import FrameProblem, packed, received
from jp_tui.mcp_host.http import HttpServer, proxy_passwords, unreachable
from jp_tui.mcp_host.log_file import LogFile
from jp_tui.mcp_host.login import FAILED, Login, LoginProblem
from jp_tui.mcp_host.stdio import OURS, StdioServer

TOOLS, PAGES = 500, 100
_ROUNDS = 100
_REDRAW, _REDRAW_FLOODED = 0.1, 0.5
"""Seconds between two reports of progress of one call, and while its server sends too much."""
_RELIST, _RELIST_MOST = 0.5, 5.0
"""Seconds from a change of the listing to the next request for it, and the longest pause while it keeps changing."""
_SETTLE = 0.2
_NAME = 100
"""Characters of a server's own name and version."""
_ERROR, _ERROR_LINE = 4000, 500
"""Most characters of a request's error, and of the line about a failed start."""
_REFUSED = -32600
_STAND_INS = ("Server returned an error response", "Not Found", "Failed to parse ")
"""Beginnings of the SDK's words for a response without an answer."""
_SESSION_OVER = "ended its session"
_CALL = TypeAdapter[Any](types.CallToolResult | types.InputRequiredResult)
_READ = TypeAdapter[Any](types.ReadResourceResult | types.InputRequiredResult)
_PROMPT = TypeAdapter[Any](types.GetPromptResult | types.InputRequiredResult)


def serve(channel: int) -> None:
    """Serve the program over the socket with this descriptor until either side ends."""
    with socket.socket(fileno=channel) as made:
        made.setblocking(False)
        asyncio.run(_Worker(made).run())


@dataclass(slots=True)
class _Call:
    """A request of the program that runs; `shown` is when its progress was reported last."""

    number: int
    task: asyncio.Task[None] | None = None
    shown: float = 0.0
    later: asyncio.TimerHandle | None = None


class _Dropped(logging.Handler):
    """Tools that the SDK leaves out of a listing, with the reason."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.msg, str) and record.msg.startswith("dropping tool") and isinstance(record.args, tuple):
            self.found[str(record.args[0])] = str(record.args[-1])


class _Worker:
    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._calls: dict[int, _Call] = {}
        self._questions: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._asked = self._login_of = 0
        self._stale = False
        self._listing_again: asyncio.Task[None] | None = None
        self._dropped = _Dropped()
        self._jobs: set[asyncio.Task[None]] = set()
        self._told: dict[str, Any] = {}

    async def run(self) -> None:
        reader, self._writer = await asyncio.open_connection(sock=self._channel)
        start = await received(reader)
        if start is None or start.get("do") not in ("start", "end_login"):
            return
        self._start = start
        self._log = LogFile(start["log"], [*start["secrets"], *proxy_passwords()])
        logger = logging.getLogger("client")  # what the SDK names that of its sessions
        logging.getLogger().addHandler(logging.NullHandler())
        logger.addHandler(self._dropped)
        logger.propagate = False
        if start["do"] == "end_login":
            await self._end_login()
            return
        serving = asyncio.create_task(self._serve(reader))
        try:
            await self._live(serving)
        except FrameProblem as problem:
            self._log.write(f"ended: {problem}")
        finally:
            serving.cancel()
            self._log.close()
            with contextlib.suppress(Exception):
                self._writer.close()

    # --- the connection ---------------------------------------------------------------------------------------

    def _transport(self) -> StdioServer | HttpServer:
        at, most = self._start, self._start["max_message_bytes"]
        if at["command"]:
            return StdioServer([at["command"], *at["args"]], at["cwd"], at["environment"], most, self._log)
        return HttpServer(at["url"], at["headers"], most, self._log, self._login())

    async def _end_login(self) -> None:
        """End the login of a server at its authorization server, without asking anybody."""
        said: dict[str, Any] = {"say": "login_ended", "offered": True, "unread": False, "error": ""}
        try:
            server = self._transport()
            why = await server.end_login() if isinstance(server, HttpServer) else None
            said |= {"offered": why is not None, "error": self._log.clean(why or "")}
        except FrameProblem as problem:
            said["error"] = str(problem)
        except LoginProblem as problem:
            said |= {"unread": True, "error": str(problem)}
        with contextlib.suppress(FrameProblem):
            await self._send(said)

    def _login(self) -> Login | None:
        """Return the login of a server that gets no credentials by its table (P60)."""
        given = self._start["login"]
        if given is None:
            return None
        return Login(
            self._start["url"],
            given,
            may_ask=lambda: self._shows_logins() or (self._ready.is_set() and bool(self._calls)),
            ask=self._ask_to_log_in,
            asked=self._asked_to_log_in,
            hide=self._log.hide,
            log=self._log.write,
        )

    def _shows_logins(self) -> bool:
        """Return whether the user began this login."""
        asks = self._start["login"]["asks"]
        return bool(asks == "always" or (asks == "start" and not self._ready.is_set()))

    async def _ask_to_log_in(self, url: str) -> bool:
        """Show the address of a login: at once where the user began it, else as a question of the oldest call."""
        if not self._shows_logins():
            self._login_of = min(self._calls)
            params = {"mode": "url", "url": url, "message": "A login is needed before the call can go on."}
            reply = await self._ask("elicitation/create", params)
            if reply.get("result", {}).get("action") != "accept":
                return False
            url = ""
        await self._send({"say": "login", "url": url})
        return True

    async def _asked_to_log_in(self) -> None:
        self._login_of = 0
        await self._send({"say": "login_over"})

    async def _live(self, serving: asyncio.Task[None]) -> None:
        began = time.monotonic()
        self._ready, self._session_over = asyncio.Event(), asyncio.Event()
        try:
            self._server = self._transport()
            client = self._client = Client(
                self._server,
                mode=_mode(self._start["protocol"]),
                elicitation_callback=self._elicit,
                list_roots_callback=self._roots,
                sampling_callback=self._sample if self._start["sampling"] else None,
                logging_callback=self._logged,
                log_level="info",
                message_handler=self._heard,
                client_info=types.Implementation(name="jp-tui", version=self._start["version"]),
                cache=None,
            )
            async with client:
                wanted, spoken = self._start["protocol"], client.protocol_version
                if wanted in MODERN_PROTOCOL_VERSIONS and spoken != wanted:
                    raise FrameProblem(f"speaks {spoken}, not {wanted}")
                self._told = await self._listing()
                listing = dict(self._told)
                if isinstance(self._server, HttpServer):
                    self._server.started()
                    if self._server.login is not None:
                        listing["login"] = _kept(self._server.login)
                listing["ms"] = int((time.monotonic() - began) * 1000)
                await self._send({"say": "ready", **listing})
                self._ready.set()
                followed = asyncio.create_task(self._follow())
                watched = asyncio.create_task(self._ended())
                await asyncio.wait({serving, watched}, return_when=asyncio.FIRST_COMPLETED)
                for task in (followed, watched, *self._jobs):
                    task.cancel()
                await self._cancel_all()
        except BaseException as error:
            if not self._ready.is_set():
                why = " ".join(_cut(self._why(error), _ERROR_LINE).split())
                await self._send({"say": "failed", "error": why, "log": list(self._log.last)})
            else:
                self._log.write(f"ended: {_said(error)}")
            if isinstance(error, asyncio.CancelledError):
                raise

    async def _ended(self) -> None:
        """Return after the server ended and what it said last is delivered."""
        if isinstance(self._server, HttpServer):
            await self._session_over.wait()
        else:
            await self._server.ended.wait()
        await asyncio.sleep(_SETTLE)
        await self._send({"say": "ended", "error": self._end_words()})

    def _end_words(self) -> str:
        server = self._server
        if server.fault:
            return server.fault
        if isinstance(server, HttpServer):
            return _SESSION_OVER
        status = getattr(server, "status", None)
        return f"ended in the middle of the call (status {status})" if status is not None else "closed its output"

    def _why(self, error: BaseException) -> str:
        """Return why it did not start."""
        server, inner = getattr(self, "_server", None), _innermost(error)
        if server is not None and server.fault:
            return str(server.fault)
        if isinstance(inner, FrameProblem):
            return str(inner)
        if isinstance(server, StdioServer) and server.ended.is_set():
            last = f": {self._log.said[:300]}" if self._log.said else ""
            if server.status is None:
                return f"closed its output before it was ready{last}"
            return f"ended with status {server.status} before it was ready{last}"
        if isinstance(server, HttpServer):
            return self._log.clean(server.refusal) or (
                f"can't be reached: {self._log.clean(why)}" if (why := unreachable(inner)) else _said(error)
            )
        return _said(error)

    async def _serve(self, reader: asyncio.StreamReader) -> None:
        """Carry out what the program says, until it goes."""
        while (message := await received(reader)) is not None:
            match message.get("do"):
                case "call" | "read" | "prompt" | "resources" | "prompts":
                    call = _Call(message["id"])
                    self._calls[call.number] = call
                    call.task = asyncio.create_task(self._carry_out(call, message))
                case "cancel":
                    call_ = self._calls.get(message["id"])
                    if message["id"] == self._login_of and isinstance(self._server, HttpServer):
                        self._server.stop_login()
                    if call_ is not None and call_.task is not None:
                        call_.task.cancel()
                case "answer":
                    waiting = self._questions.pop(message["question"], None)
                    if waiting is not None and not waiting.done():
                        waiting.set_result(message)
                case _:
                    raise FrameProblem("a message of no known kind")

    async def _cancel_all(self) -> None:
        tasks = [call.task for call in self._calls.values() if call.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1)

    async def _send(self, message: dict[str, Any]) -> None:
        try:
            self._writer.write(packed(message))
            await self._writer.drain()
        except ConnectionError as gone:
            raise FrameProblem("the program is gone") from gone

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._jobs.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._jobs.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.write(f"a job failed: {_said(error)}")

    # --- listing ----------------------------------------------------------------------------------------------

    async def _listing(self) -> dict[str, Any]:
        client = self._client
        able, info = client.server_capabilities, client.server_info
        tools: list[Any] = []
        cut = ""
        self._dropped.found.clear()
        if able.tools is not None:
            tools, cut = await self._pages(lambda at: client.session.list_tools(params=at), "tools", TOOLS)
        return {
            "protocol": client.protocol_version,
            "name": info.name[:_NAME] if info else "",
            "version": info.version[:_NAME] if info else "",
            "instructions": client.instructions or "",
            "tools": [_plain(one) for one in tools],
            "off": dict(self._dropped.found),
            "cut": cut,
            "has_resources": able.resources is not None,
            "has_prompts": able.prompts is not None,
        }

    async def _pages(self, ask: Any, what: str, most: int) -> tuple[list[Any], str]:
        """Return the entries of all pages, within bounds, and what was left out."""
        found: list[Any] = []
        seen: set[str] = set()
        cursor: str | None = None
        for _ in range(PAGES):
            page = await ask(types.PaginatedRequestParams(cursor=cursor) if cursor is not None else None)
            found += getattr(page, what)
            cursor = page.next_cursor
            if len(found) > most:
                return found[:most], f"more than {most} {what}: the rest isn't offered"
            if cursor is None:
                return found, ""
            if cursor in seen:
                return found, "its pages repeat: the rest isn't offered"
            seen.add(cursor)
        return found, f"more than {PAGES} pages: the rest isn't offered"

    async def _follow(self) -> None:
        """Hear of changed tools on 2026-07-28, where the client has to ask for it."""
        able = self._client.server_capabilities.tools
        if self._client.protocol_version not in MODERN_PROTOCOL_VERSIONS or able is None or not able.list_changed:
            return
        try:
            async with self._client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    self._relist()
        except Exception as error:
            self._log.write(f"changes of its tools aren't followed: {_said(error)}")

    async def _heard(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification) and self._ready.is_set():
            self._relist()

    def _relist(self) -> None:
        """List again, once for all changes that come together."""
        self._stale = True
        if self._listing_again is None:
            self._listing_again = self._spawn(self._list_again())

    async def _list_again(self) -> None:
        """List until nothing changes meanwhile, after longer and longer pauses; send a listing only if it differs."""
        pause = _RELIST
        try:
            while self._stale:
                await asyncio.sleep(pause)
                self._stale, pause = False, min(2 * pause, _RELIST_MOST)
                if (found := await self._listing()) != self._told:
                    self._told = found
                    await self._send({"say": "listing", **found, "ms": 0})
        finally:
            self._listing_again = None

    async def _logged(self, params: Any) -> None:
        self._log.write(f"{params.level}: {params.data}")

    # --- requests ---------------------------------------------------------------------------------------------

    async def _carry_out(self, call: _Call, message: dict[str, Any]) -> None:
        failed: list[str] = []
        FAILED.set(failed)
        try:
            reply = await self._reply(call, message)
        except asyncio.CancelledError:
            return
        except MCPError as error:
            told = error.error
            if told.message == "Session terminated" and failed:  # the SDK's words for status 404
                failed.append(_SESSION_OVER)
                self._session_over.set()
            elif not told.message.startswith(_STAND_INS):
                failed.clear()
            code = 0 if told.data == OURS else told.code or types.INTERNAL_ERROR  # 0 is for our own words
            if told.message.startswith("Failed to parse ") and isinstance(self._server, HttpServer):
                failed[:] = failed or ["sent an answer that can't be read"]
            data = told.data if code == types.URL_ELICITATION_REQUIRED else None
            reply = {"say": "error", "code": code, "error": told.message, "data": data}
        except ValidationError as error:
            reply = {"say": "error", "code": 0, "error": f"sent a result that isn't valid: {_first(error)}"}
        except FrameProblem as problem:
            reply = {"say": "error", "code": 0, "error": str(problem)}
        except Exception as error:
            self._log.write("".join(traceback.format_exception(error))[-2000:])
            reply = {"say": "error", "code": 0, "error": _said(error)}
        finally:
            self._calls.pop(call.number, None)
            if call.later is not None:
                call.later.cancel()
        if self._server.fault:
            reply = {"say": "error", "code": 0, "error": self._server.fault}
        elif isinstance(self._server, HttpServer) and reply["say"] == "error" and failed:
            reply = {"say": "error", "code": 0, "error": self._log.clean(failed[-1])}
        elif isinstance(self._server, StdioServer) and self._server.ended.is_set() and reply["say"] == "error":
            reply = {"say": "error", "code": 0, "error": self._end_words(), "ended": True}
        if reply["say"] == "error":
            reply["error"] = _cut(reply["error"], _ERROR)
        try:
            await self._send({"id": call.number, **reply})
        except FrameProblem as problem:
            await self._send({"id": call.number, "say": "error", "code": 0, "error": f"sent {problem}"})

    async def _reply(self, call: _Call, message: dict[str, Any]) -> dict[str, Any]:
        session = self._client.session
        match message["do"]:
            case "call":
                return await self._call(call, message)
            case "resources":
                found, cut = await self._pages(lambda at: session.list_resources(params=at), "resources", TOOLS)
                return {"say": "result", "resources": [_plain(one) for one in found], "cut": cut}
            case "prompts":
                found, cut = await self._pages(lambda at: session.list_prompts(params=at), "prompts", TOOLS)
                return {"say": "result", "prompts": [_plain(one) for one in found], "cut": cut}
            case "read":
                params: Any = types.ReadResourceRequestParams(uri=message["uri"])
                return await self._once(types.ReadResourceRequest(params=params), _READ)
            case "prompt":
                params = types.GetPromptRequestParams(name=message["name"], arguments=message["arguments"])
                return await self._once(types.GetPromptRequest(params=params), _PROMPT)
            case _:
                raise FrameProblem("a message of no known kind")

    async def _once(self, request: Any, kind: TypeAdapter[Any]) -> dict[str, Any]:
        return _result(await self._client.session.send_request(request, kind))

    async def _call(self, call: _Call, message: dict[str, Any]) -> dict[str, Any]:
        """Call a tool. Rounds that only carry a state are made here; those that ask are the program's."""
        responses, state = message.get("responses"), message.get("state")
        listed_again = False
        for number in range(_ROUNDS):
            try:
                result = await self._leg(call, message, responses, state)
            except MCPError as error:
                if error.error.code != types.HEADER_MISMATCH or listed_again:
                    raise
                listed_again = True
                await self._listing()  # its headers come from the listing, which is out of date
                continue
            if not isinstance(result, types.InputRequiredResult) or result.input_requests:
                return await self._answered_here(result)
            responses, state = None, result.request_state
            await asyncio.sleep(min(0.05 * 2**number, 0.25))
        return {"say": "error", "code": 0, "error": f"asked for {_ROUNDS} rounds in one call"}

    async def _leg(self, call: _Call, message: dict[str, Any], responses: Any, state: str | None) -> Any:
        async def progressed(progress: float, total: float | None, text: str | None) -> None:
            await self._progress(call, progress, total, text)

        params = types.CallToolRequestParams(
            name=message["tool"],
            arguments=message["arguments"],
            input_responses=_responses(responses),
            request_state=state,
        )
        return await self._client.session.send_request(
            types.CallToolRequest(params=params), _CALL, progress_callback=progressed
        )

    async def _answered_here(self, result: Any) -> dict[str, Any]:
        """Return a result, and what is required, with the answers that need no person."""
        plain = _result(result)
        if plain["say"] != "required":
            return plain
        roots = [key for key, one in plain["requests"].items() if one.get("method") == "roots/list"]
        plain["answered"] = {key: _plain(await self._roots(None)) for key in roots}
        for key in roots:
            del plain["requests"][key]
        return plain

    async def _progress(self, call: _Call, progress: float, total: float | None, text: str | None) -> None:
        """Report progress at most ten times a second, twice in a flood; the latest always comes."""
        if call.number not in self._calls:
            return
        message = {"say": "progress", "id": call.number, "progress": _finite(progress), "total": _finite(total)}
        message["text"] = (text or "")[:500]
        now = time.monotonic()
        if call.later is not None:
            call.later.cancel()
            call.later = None
        pause = _REDRAW_FLOODED if self._server.floods else _REDRAW
        if now - call.shown >= pause:
            call.shown = now
            await self._send(message)
            return
        later = asyncio.get_running_loop().call_later
        call.later = later(pause, lambda: self._spawn(self._progress(call, progress, total, text)))

    # --- questions --------------------------------------------------------------------------------------------

    async def _elicit(self, context: Any, params: Any) -> Any:
        reply: Any = await self._ask("elicitation/create", params)
        return types.ErrorData(**reply["error"]) if "error" in reply else types.ElicitResult(**reply["result"])

    async def _sample(self, context: Any, params: Any) -> Any:
        reply = await self._ask("sampling/createMessage", params)
        if "error" in reply:
            return types.ErrorData(**reply["error"])
        return types.CreateMessageResult.model_validate(reply["result"])

    async def _ask(self, method: str, params: Any) -> dict[str, Any]:
        """Ask the program; a question belongs to the oldest open call."""
        if not self._calls:
            self._log.write(f"refused {method}: no call is open")
            return {"error": {"code": _REFUSED, "message": "No call is open that this could belong to."}}
        self._asked += 1
        number = self._asked
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._questions[number] = waiting
        message = {"say": "question", "question": number, "id": min(self._calls), "of": len(self._calls)}
        try:
            plain = params if isinstance(params, dict) else _plain(params)
            await self._send({**message, "method": method, "params": plain})
            return await waiting
        except asyncio.CancelledError:
            await self._send({"say": "withdrawn", "question": number})
            raise
        finally:
            self._questions.pop(number, None)

    async def _roots(self, context: Any) -> Any:
        return types.ListRootsResult(roots=[types.Root(uri=self._start["root"], name="workspace")])


def _mode(protocol: str) -> str:
    """Return the SDK's mode. It would take a modern version for granted, and never ask what the server can do."""
    return "legacy" if protocol in HANDSHAKE_PROTOCOL_VERSIONS else "auto"


def _kept(login: Login) -> dict[str, str] | None:
    """Return where a login that was made now is kept, or why it isn't; None if none was needed."""
    if login.unkept:
        return {"problem": login.unkept}
    return None if login.kept is None else {"place": login.kept.place, "note": login.kept.note}


def _plain(value: Any) -> Any:
    return value.model_dump(by_alias=True, mode="json", exclude_unset=True)


def _result(result: Any) -> dict[str, Any]:
    plain = _plain(result)
    if isinstance(result, types.InputRequiredResult):
        return {"say": "required", "requests": plain.get("inputRequests") or {}, "state": result.request_state}
    return {"say": "result", "result": plain}


def _responses(given: dict[str, Any] | None) -> Any:
    if given is None:
        return None
    made: dict[str, Any] = {}
    for key, one in given.items():
        kind = types.ListRootsResult if "roots" in one else types.ElicitResult
        made[key] = (types.CreateMessageResult if "model" in one else kind).model_validate(one)
    return made


def _finite(number: float | None) -> float | None:
    return number if number is not None and number == number and abs(number) != float("inf") else None


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _first(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    at = "/".join(map(str, found[0]["loc"])) if found else ""
    return f"{found[0]['msg']} at /{at}" if found else "it doesn't fit the protocol"


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def _said(error: BaseException) -> str:
    """Return the innermost reason of an error, as one line."""
    error = _innermost(error)
    if isinstance(error, MCPError):
        return error.error.message if error.error.data == OURS else f"said: {error.error.message}"
    if isinstance(error, ValidationError):
        return f"sent an answer that isn't valid: {_first(error)}"
    if isinstance(error, FileNotFoundError):
        return f"can't be run: {error.filename or error} isn't there"
    if isinstance(error, OSError) and error.strerror:
        return f"can't be run: {error.strerror}"
    line = " ".join(str(error).split())
    return f"failed: {line or type(error).__name__}"
