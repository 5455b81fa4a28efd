"""`jp-tui ask` and `answer`: the words of the command line, the files they name, and who runs them (intake.md N4, N5,
N8, N10)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import JsonProblem, parse_object
from jp_tui.headless.ask_words import Ask
from jp_tui.journal.port import JournalError
from jp_tui.protocol.outside import Asker, Waiter
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.startup.parts import StoredLog, log_of_file
from jp_tui.startup.streams import print_message
from jp_tui.system import processes
from jp_tui.system.paths import Paths, PathsError, because

if TYPE_CHECKING:
    from jp_tui.headless.lists.answer import AnswerWords
    from jp_tui.headless.mcp_serve.server import Served
    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.startup.parts import Parts
    from jp_tui.system.agents.presence import Way

STANDARD_INPUT = "-"
MAX_ANSWER = 1 << 20
"""Bytes of an answer on standard input."""


def asked(arguments: CommandLine) -> Ask:
    """Return what is asked. Raises UsageError."""
    schema = None
    if arguments.schema_file is not None:
        try:
            schema = parse_object(_file(arguments.schema_file, "--schema"))
        except JsonProblem as problem:
            raise UsageError(f"--schema {arguments.schema_file}: {problem.message}") from problem
    return Ask(
        text=arguments.text or "",
        kind=arguments.kind,
        options=arguments.option,
        default=arguments.default,
        context=None if arguments.context is None else _file(arguments.context, "--context"),
        schema=schema,
        id=arguments.id or "answer",
        timeout=arguments.timeout,
        to=arguments.to or "",
    )


def given_answer(arguments: CommandLine) -> AnswerWords:
    """Return the answer of the command line. Raises UsageError."""
    from jp_tui.headless.lists.answer import AnswerWords

    value, hidden = arguments.value, False
    if arguments.decline and value is not None:
        raise UsageError("answer takes a VALUE or --decline, not both")
    if value == STANDARD_INPUT:
        value, hidden = _read(sys.stdin.buffer.read(MAX_ANSWER + 1), "standard input", MAX_ANSWER), True
        value = value.removesuffix("\n").removesuffix("\r")
    return AnswerWords(
        inquiry=arguments.inquiry or "",
        value=value or "",
        comments=arguments.comment,
        reason=arguments.reason or "",
        decline=arguments.decline,
        hidden=hidden,
        remember=arguments.remember,
    )


def _file(name: str, option: str) -> str:
    """Return the text of a file, or of standard input. Raises UsageError."""
    from jp_tui.questions.bounds import MAX_CONTEXT

    try:
        if name == STANDARD_INPUT:
            return _read(sys.stdin.buffer.read(MAX_CONTEXT + 1), "standard input", MAX_CONTEXT)
        with open(name, "rb") as file:
            return _read(file.read(MAX_CONTEXT + 1), name, MAX_CONTEXT)
    except OSError as problem:
        raise UsageError(f"{option} {name}: {because(problem)}") from problem


def _read(data: bytes, what: str, most: int) -> str:
    if len(data) > most:
        raise UsageError(f"{what} is larger than {most >> 10} KiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise UsageError(f"{what} isn't valid UTF-8 (at byte {problem.start})") from problem


def asker() -> Asker:
    """Return the process that started this one, as measured (N4)."""
    found = processes.asker()
    if found is None:
        return Asker(program="unknown", pid=0, started="", host=processes.host(), uid=os.getuid())
    return Asker(
        program=found.program,
        exe=_plain(found.exe),
        script=_plain(found.script),
        pid=found.pid,
        started=found.started,
        user=processes.user(found.uid),
        uid=found.uid,
        folder=_plain(found.folder),
        host=processes.host(),
        terminal=found.terminal,
    )


def waiter() -> Waiter:
    """Return this process, which waits for the answer."""
    me = processes.process(os.getpid())
    started = me.started if me is not None else ""
    return Waiter(pid=os.getpid(), started=started, host=processes.host(), boot=processes.boot())


def _plain(path: str) -> str:
    """Return a path in a form that can be stored."""
    return os.fsencode(path).decode("utf-8", "replace")


AGENTS = frozenset((
    "aider", "amp", "auggie", "claude", "claude-code", "codex", "copilot", "crush",
    "cursor-agent", "droid", "gemini", "gemini-cli", "goose", "kimi", "opencode", "opencode-ai", "qwen", "vibe",
))  # fmt: skip
"""Names of agents: of their program, or of their package where an interpreter runs it."""


def _is_agent(process: Asker | processes.ProcessInfo) -> bool:
    """True for a known agent. A script, `make` or a person may ask and answer in the same shell."""
    parts = (process.script or process.exe).split("/")
    packages = parts[:-1] if "node_modules" in parts else []
    return process.program in AGENTS or parts[-1].split(".")[0] in AGENTS or not AGENTS.isdisjoint(packages)


def refuse_agent(paths: Paths, log: StoredLog | None = None) -> bool:
    """Print why and return True if an agent that waits for an answer, or that has a session with jp-tui, started this
    command (N5). Call it while this process doesn't have the store open; `log` opens it, by
    default the file."""
    before = list(processes.ancestors(os.getpid()))
    if words := _has_session(paths, before) or _asked(log or partial(log_of_file, paths), before):
        print_message(f"jp-tui: {words} also started this command; an agent does not answer for itself.")
    return bool(words)


def _has_session(paths: Paths, before: Sequence[processes.ProcessInfo]) -> str:
    from jp_tui.system.agents.presence import folder_of, sessions

    known = {one.pid: one for one in sessions(folder_of(paths)) if one.way != "ask" and one.host == processes.host()}
    for process in before:
        one = known.get(process.pid)
        if one is not None and processes.same_start(one.started, process.started):
            return f"{one.program} (pid {one.pid}) has a session with jp-tui and"
    return ""


def _asked(log: StoredLog, before: Sequence[processes.ProcessInfo]) -> str:
    agents = [process for process in before if _is_agent(process)]
    if not agents:
        return ""  # the log needs no look
    from jp_tui.engine.record.inquiries import asker_of, waiting

    with suppress(JournalError, SettingsError):
        with log() as reader:
            askers = [asks for _, request in waiting(reader, None) if (asks := asker_of(request)) is not None]
        programs = {one.pid: one for one in askers if one.host == processes.host()}
        for process in agents:
            one = programs.get(process.pid)
            if one is not None and processes.same_start(one.started, process.started):
                return f"{one.program} (pid {one.pid}) asked this and"
    return ""


def served(made: Parts, asks: Asker, changed: Callable[[bool], None]) -> Served:
    """Return the values of `mcp serve` (N30): the other program's model reads what ours reads about `ask_user`."""
    from jp_tui.headless.mcp_serve.server import ASK_USER, Served
    from jp_tui.startup.tools import tool_setups

    spec = tool_setups(made.settings, {ASK_USER: made.tools[ASK_USER]})[ASK_USER].spec
    return Served(asks, waiter(), spec.description, dict(spec.parameters), changed, print_message)


def note_agent(paths: Paths, program: str, pid: int, folder: str) -> Callable[[], None]:
    """Note that an agent which holds a conversation here runs, or a command of it (N5): nothing that it starts answers
    for it. Return what removes the note; without it, it goes once its process has ended."""
    from jp_tui.system.agents.presence import AgentSession, folder_of, leave, note

    found = processes.process(pid)
    if found is None:
        return lambda: None
    one = AgentSession(
        program=program,
        pid=pid,
        started=found.started,
        host=processes.host(),
        boot=processes.boot(),
        folder=folder,
        way="acp",
        since=timestamp(datetime.now(UTC)),
    )
    with suppress(PathsError):
        note(folder_of(paths), one)
    return lambda: leave(folder_of(paths), one)


@contextmanager
def session_note(paths: Paths, asks: Asker, way: Way) -> Iterator[Callable[[bool], None]]:
    """Note that a program has a session with us as long as this runs (N5). What is yielded says whether it waits for an
    answer."""
    from jp_tui.system.agents.presence import AgentSession, folder_of, leave, note

    here = waiter()
    one = AgentSession(
        program=asks.program,
        pid=asks.pid,
        started=asks.started,
        host=asks.host,
        boot=here.boot,
        folder=asks.folder,
        way=way,
        session=str(here.pid),
    )

    def changed(waits: bool) -> None:
        since = timestamp(datetime.now(UTC))
        with suppress(PathsError):
            note(folder_of(paths), replace(one, doing="waits" if waits else "works", since=since))

    changed(False)
    try:
        yield changed
    finally:
        leave(folder_of(paths), one)
