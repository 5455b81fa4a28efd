"""Values of a decision about a call: rules, the call, its situation, and the result (rules.md AR1-AR9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

Effect: TypeAlias = Literal["allow", "ask", "deny"]
LayerName: TypeAlias = Literal["policy", "user", "folder"]
Mode: TypeAlias = Literal["ask", "edits", "unattended"]
MODES: tuple[Mode, ...] = ("ask", "edits", "unattended")
"""From strict to loose."""
CALL = "__approval__"
"""Question of whether a call may run, as a reviewer gets it (AR31)."""
Choice: TypeAlias = Literal["run", "ask", "skip"]
By: TypeAlias = Literal["rule", "policy", "mode", "setting", "danger", "guard", "not_understood", "nothing", "engine"]
RunSetting: TypeAlias = Literal["ask", "edit", "unattended", "skip"]
Words: TypeAlias = tuple[str | None, ...]
"""A command's words as the shell passes them on; None for an open one."""


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """At most one of `command`, `path`, `host`, `arguments` (canonical JSON) is given; none: the whole tool.

    `tool` may hold `*` in an ask or a deny rule. `folder` is an absolute path, empty for everywhere; `expires` in
    seconds since 1970, None for never; `place` is the rule's FILE:LINE, for people. `created` (seconds since 1970) and
    `made_by` are when and by what the rule was made, if its file has that.
    """

    id: str
    effect: Effect
    tool: str
    command: tuple[tuple[str, ...], ...] | None = None
    exact: bool = False
    path: str | None = None
    host: str | None = None
    arguments: str | None = None
    folder: str = ""
    expires: float | None = None
    reason: str = ""
    place: str = ""
    created: float | None = None
    made_by: str = ""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """A call as rules see it. `line` is a shell's line, `argv` a program with its words; both None for a call that runs
    no command. `paths` are real, relative to the workspace; `commands`: the tool runs commands; `edits`: it only
    changes unguarded files, each with an undo copy; `cwd` is absolute and real."""

    tool: str
    arguments: str
    cwd: str
    line: str | None = None
    argv: tuple[str, ...] | None = None
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    commands: bool = False
    edits: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """The conditions of the call. `root` is the workspace, absolute and real; `walls`: in a sandbox, `network`: with
    the network in it; `refused`: it names something that was refused in this turn, or that is guarded (R247)."""

    root: str
    walls: bool = False
    network: bool = False
    refused: bool = False
    now: float = 0.0


class Places(Protocol):
    """Look-ups on the disk for a command. Every path returned is absolute and real."""

    def folder(self, path: str) -> str | None:
        """Return the folder at this absolute path after links; None when there is none."""

    def real(self, path: str) -> str:
        """Return the path after links, as far as it exists."""

    def program(self, name: str, cwd: str) -> str | None:
        """Return the file that would be run, None when there is none."""

    def kept_from(self, path: str, *, writes: bool) -> bool:
        """Return True if the file is on an ignore list, holds secrets or, where `writes`, is one that programs obey
        (R247)."""


class Nowhere:
    """A disk without facts: every folder exists, no file is special, and programs are the system's."""

    def folder(self, path: str) -> str | None:
        return path

    def real(self, path: str) -> str:
        return path

    def program(self, name: str, cwd: str) -> str | None:
        return name if name.startswith("/") else f"{cwd}/{name}" if "/" in name else f"/usr/bin/{name}"

    def kept_from(self, path: str, *, writes: bool) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class PartDecision:
    """The decision about one simple command, or about a call without parts. `rules` are the ids that decided."""

    words: Words
    choice: Choice
    by: By
    rules: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class CallDecision:
    """The decision about a call. `reason` is the deny rule's; `once`: no rule may be made of an answer (AR18)."""

    choice: Choice
    by: By
    rules: tuple[str, ...] = ()
    parts: tuple[PartDecision, ...] = ()
    why: str = ""
    reason: str = ""
    once: bool = False
