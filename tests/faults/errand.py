"""A piece of work that writes everything jp-tui writes, done in a process in which I/O fails.

A conversation with a change of a file that is approved, a program that runs after leave, an answer, drafts, a setting
that is written, an export and a crash report. It tells what a user would have been told; it judges nothing.

`python -m tests.faults.errand` serves: one job a line (`{"folder", "fault", "number"}`), one report a line. Each job is
done in a fork, so that only the first pays for the imports.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

from tests import limits
from tests.faults.failing import FAULTS, Arm

OLD, NEW = "tea at four\n", "coffee at four\n"
DRAFT, LAST = "half a thought", "the last words before leaving"
CONFIG = """\
# mine, and it stays
[ui]
sidebar = "hide"  # so
"""
LIMIT = limits.LIMIT / 2
"""Seconds after which an errand hangs."""
CALLS = (
    ("fs_modify_file", {"path": "notes.txt", "patterns": [{"old": "tea", "new": "coffee"}]}),
    ("stamp", {}),
    ("ask_user", {"question": "Which name shall it have?"}),
)


def prepared(folder: Path) -> None:
    """What is there before the errand: a workspace, a configuration, a script for the model."""
    work, home = folder / "desk", folder / "home" / "config"
    for one in (work, home):
        one.mkdir(parents=True)
    (work / "notes.txt").write_text(OLD)
    (home / "config.toml").write_text(CONFIG)
    turns = [
        f'[[turns]]\ntext = "Working."\ncalls = [{{name = "{name}", arguments = {_toml(given)}}}]\n'
        for name, given in CALLS
    ]
    (folder / "script.toml").write_text("\n".join([*turns, '[[turns]]\ntext = "All done."\n']))


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def options(folder: Path) -> list[str]:
    """The command line of the errand."""
    tool = "conversation.tools.stamp"
    stamp = f'{{program = "/bin/sh", args = ["-c", "echo ran >> {folder}/desk/ran.log"]}}'
    cfg = {f"{tool}.source": '"local"', f"{tool}.run": '"ask"', f"{tool}.command": stamp}
    chosen = [word for key, value in cfg.items() for word in ("--cfg", f"{key}={value}")]
    return [*chosen, "--model", f"demo/{folder}/script.toml", "--workspace", f"{folder}/desk"]


class Errand:
    """`told` is what a user would have read, `facts` what was shown as done (number, stored form)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[str] = []
        self.facts: list[tuple[int, dict[str, Any]]] = []
        self.done: list[str] = []
        self.conversation = self.bug = ""
        self.until = time.monotonic() + LIMIT

    def run(self) -> None:
        """All of it, as far as it goes."""
        from jp_tui.journal.port import JournalError
        from jp_tui.settings.errors import SettingsError, UsageError
        from jp_tui.system.paths import PathsError

        try:
            self._talk()
            self._command("conversations", "export", self.conversation, "--output", f"{self.folder}/desk/talk.md")
            self._command("config", "set", "ui.theme", "jp-day")
            self._crash()
        except (JournalError, SettingsError, UsageError, PathsError) as problem:  # said on stderr, status 2
            self.told.append(str(problem))

    # -- the conversation

    def _talk(self) -> None:
        from jp_tui.protocol import commands as c
        from jp_tui.settings.cli.arguments import CommandLine, parse
        from jp_tui.startup.engine import link
        from jp_tui.startup.parts import RunLocation, journal, opening, parts

        arguments = parse(options(self.folder))
        assert isinstance(arguments, CommandLine)
        place = RunLocation(arguments)
        made = parts(arguments, place.sources.load(), place)
        self.link = link(made, journal(made), client=True, command="jp-tui", greet=True)
        self.link.start(lambda: None)
        try:
            self.link.send(opening(arguments))
            if self._until("conversation_opened"):
                self._draft("composer", DRAFT)
                self.link.send(c.StartTurn(conversation=self.conversation, text="begin"))
                if self._until("turn_completed"):
                    self._draft("composer", LAST)
                    self.link.send(c.SetSetting(key="ui.sidebar", value="show"))
                    self._until("setting_changed")
        finally:
            if not self.link.close(LIMIT):
                self.bug = "the engine did not end"
            self._collect()

    def _draft(self, key: str, text: str) -> None:
        from jp_tui.protocol import commands as c

        self.link.send(c.SaveDraft(conversation=self.conversation, key=key, text=text))

    def _until(self, kind: str) -> bool:
        """Whether an event of this kind came; False when something else ends the wait for it."""
        while time.monotonic() < self.until:
            kinds = self._collect()
            if kind in kinds:
                return True
            if kinds & {"refused", "engine_failed", "stopped"}:
                return False
            self.link.wait(0.5)
        self.bug = f"{kind} never came"
        return False

    def _collect(self) -> set[str]:
        found = self.link.collect()
        for event in found:
            self._take(event)
        return {event.type for event in found}

    def _take(self, event: Any) -> None:
        match event.type:
            case "conversation_opened":
                self.conversation = event.conversation
            case "event_appended":
                self.facts.append((event.stored.seq, event.stored.event))
                if event.stored.event.get("is_error"):  # a tool says what went wrong, and the user sees it
                    self.told.append(event.stored.event["content"])
            case "question_asked":
                self._answer(event.prompt)
            case "refused" | "storage_failed":
                self.told.append(f"{event.message} {event.advice}")
            case "answer_refused":
                self.told.append(event.reason)
            case "turn_completed":
                self.done.append(f"turn {event.outcome}")
                if event.error is not None:
                    self.told.append(event.error.message)
            case "setting_changed":
                self.done.append("setting")
            case "engine_failed":
                self.bug = f"{event.message}\n{event.report}"
            case _:
                pass

    def _answer(self, prompt: Any) -> None:
        from jp_tui.protocol import commands as c
        from jp_tui.protocol.values import Answered, Permitted

        kind = type(prompt.question.answer_type).__name__
        if prompt.kind == "permission":
            given: Any = Permitted(run=True)
        elif kind == "BooleanAnswer":
            given = Answered(value=True)
        else:
            self._draft(prompt.inquiry, "a na")
            given = Answered(value="a name")
        one = {"conversation": self.conversation, "inquiry": prompt.inquiry, "digest": prompt.digest}
        self.link.send(c.AnswerQuestion(**one, response=given))

    # -- what is written beside it

    def _command(self, *words: str) -> None:
        """A command of the program, in this process; its words and status as a user sees them."""
        from jp_tui.startup.front import run

        said, went = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(went):
            status = run([*words, "--workspace", f"{self.folder}/desk"])
        if status:
            self.told.append(said.getvalue() or f"(status {status})")
        else:
            self.done.append(words[0])

    def _crash(self) -> None:
        """What the program does with a bug of its own."""
        from jp_tui.ui.failures.crash_report import short_message

        message = short_message(ValueError("made up"), Path(os.environ["JP_TUI_HOME"], "state"))
        (self.told if "report couldn't" in message else self.done).append(message)


def do(folder: Path, fault: int, number: int, arm: Arm) -> dict[str, Any]:
    """The errand with the fault; what came of it."""
    os.environ["JP_TUI_HOME"] = str(folder / "home")
    os.chdir(folder / "desk")
    errand = Errand(folder)
    arm(folder, FAULTS[fault], number)
    try:
        errand.run()
    except Exception:
        import traceback

        errand.bug = traceback.format_exc()
    arm.disarm()
    told = {"told": errand.told, "facts": errand.facts, "done": errand.done, "bug": errand.bug}
    return {**told, "counted": arm.counted, "hit": arm.hit, "conversation": errand.conversation}


def forked(job: dict[str, Any], arm: Arm) -> dict[str, Any]:
    """One errand in a process of its own; `largest` bytes is all that a file may have, where it is given."""
    there, here = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(there)
        try:
            if largest := job.get("largest"):
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
            report = do(Path(job["folder"]), job["fault"], job["number"], arm)
            with open(here, "w") as to:
                json.dump(report, to)
        finally:
            os._exit(0)
    os.close(here)
    read, until = b"", time.monotonic() + 2 * LIMIT
    while select.select([there], [], [], max(0, until - time.monotonic()))[0] and (more := os.read(there, 1 << 16)):
        read += more
    os.close(there)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    try:
        return json.loads(read)  # type: ignore[no-any-return]
    except ValueError:
        return {
            "bug": "it ended or hung without a report",
            "told": [],
            "facts": [],
            "done": [],
            "hit": "",
            "counted": 0,
        }


def imported() -> None:
    """Load what an errand needs, before the first fork."""
    import gc
    import importlib

    for name in (
        "startup.parts", "startup.commands", "startup.library", "startup.setup", "engine.hub", "headless.lists.export",
        "headless.lists.config", "link.local", "ui.failures.crash_report", "tools.fs_modify_file", "tools.ask_user",
        "providers.scripted.provider", "settings.edit.edit", "journal.store", "engine.turn.turn", "tools.local.tool",
        "settings.cli.parsers",
    ):  # fmt: skip
        importlib.import_module(f"jp_tui.{name}")
    importlib.import_module("tomlkit")
    gc.freeze()


def _serve() -> None:
    imported()
    arm = Arm()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(forked(json.loads(line), arm)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
