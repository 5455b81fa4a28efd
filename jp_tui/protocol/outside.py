"""Questions of other programs (intake.md N1-N12): commands, events, and who asks.

Words of other programs are foreign; who asks is measured, never taken from what a program says.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model, Wire
from jp_tui.protocol.people import Approvals

ASKER, CLAIMED, WAITER = "asker", "claimed", "waiter"
"""Metadata of a stored request: the process outside that asks, what it says of itself (N4), and the one that waits."""


class Asker(Model):
    """The process that asks, as it was measured (N4). `started` is UTC, as 2026-12-01T00:00:00Z; `script` is the file
    that an interpreter runs."""

    program: str
    exe: str = ""
    script: str = ""
    pid: int
    started: str
    user: str = ""
    uid: int = -1
    folder: str = ""
    host: str
    terminal: str = ""


class Claimed(Model):
    """Claims of a program about itself (N4): shown as such, and used for nothing. `program`: name and version."""

    program: str = ""
    session: str = ""
    model: str = ""
    title: str = ""


class Waiter(Model):
    """The process that waits for the answer; its end withdraws the question (N6)."""

    pid: int
    started: str
    host: str
    boot: str = ""


def measured(one: Asker | Waiter) -> Wire:
    """Return a process as it is stored, without what is unknown, as pydantic would: its import costs as much as all the
    rest of an `ask` that a setting answers."""
    fields = type(one).model_fields.items()
    return {name: value for name, field in fields if (value := getattr(one, name)) != field.default}


class AskOutside(Model):
    """Ask a question of another program (N1); answered by OutsideAsked once it is durable, then by OutsideSettled, or
    by Refused where the question breaks a rule. `question` holds `id`, `text`, `answer_type`, `options`, `schema`,
    `context` and `default` as in inquiries.md 10.2, secrets allowed; `timeout_secs` None waits for ever. `asking` names
    it in its events, where one process asks several at once. `to` is the person or `role:GROUP` who is asked, empty as
    the settings say (store.md D14)."""

    type: Literal["ask_outside"] = "ask_outside"
    asking: str = ""
    asker: Asker
    waiter: Waiter
    question: Wire
    timeout_secs: float | None = None
    claimed: Claimed = field(default_factory=Claimed)
    to: str = ""


class AskOutsideForm(Model):
    """Ask what `ask_user` asks, for another program (N30): `arguments` are any of the shapes of inquiries.md 10.2, its
    questions are asked one after the other. Answered by OutsideAsked for each, then by OutsideFormSettled."""

    type: Literal["ask_outside_form"] = "ask_outside_form"
    asking: str
    asker: Asker
    waiter: Waiter
    arguments: Wire
    claimed: Claimed = field(default_factory=Claimed)


class InputChange(Model):
    """A change of a file in the input of a call, shown as a diff. `before` None: the present content of the file."""

    path: str
    after: str
    before: str | None = None


class PermitOutside(Model):
    """May another program's tool run (N3)? Answered as AskOutside, with True or False; by `failed` where it can't be
    asked, by `open` where `named` is set and no rule, setting or earlier answer names the call.

    `program` is set by the code path alone; `session` is the program's own id of its session, `tool` its name there,
    `arguments` the whole input. `covers` says which of them are command, paths and hosts (AR3), as in the settings;
    `paths` are files that no single argument names, `writes` is False for a tool that only reads, `folder` where the
    call runs, if the program says so. `carries`: a person's yes to the same call with `named` counts for this one
    as well, once: the program takes no yes there. `edits`: the program takes other arguments with a yes.
    """

    type: Literal["permit_outside"] = "permit_outside"
    asking: str = ""
    asker: Asker
    waiter: Waiter
    program: str
    session: str = ""
    tool: str
    arguments: Wire
    covers: Wire = field(default_factory=dict)
    changes: tuple[InputChange, ...] = ()
    paths: tuple[str, ...] = ()
    writes: bool = True
    folder: str = ""
    named: bool = False
    carries: bool = False
    edits: bool = False
    timeout_secs: float | None = None
    claimed: Claimed = field(default_factory=Claimed)


class WithdrawOutside(Model):
    """The asker ends: close its question as withdrawn. Answered by OutsideSettled."""

    type: Literal["withdraw_outside"] = "withdraw_outside"
    asking: str = ""


class OutsideAsked(Model):
    """It is durable. It comes again, with another `inquiry`, where a reviewer's no goes to a person. `secret`: only
    standard input or the workspace takes the answer (N8). `to`, `approvals` and `why` where other people than the
    conversation's owner are asked (store.md D14, D15)."""

    type: Literal["outside_asked"] = "outside_asked"
    asking: str = ""
    conversation: str
    inquiry: str
    digest: str
    secret: bool = False
    to: str = ""
    approvals: Approvals | None = None
    why: str = ""


class OutsideSettled(Model):
    """The end of the question. `reason` is the responder's own text, or why there is no answer; `responder` as stored;
    `ms` since it was asked. `open`: nothing was asked (PermitOutside). `arguments` of a yes to a call that was
    edited. `approved_by`: whose approvals it took, if several had to approve it."""

    type: Literal["outside_settled"] = "outside_settled"
    asking: str = ""
    outcome: Literal["answered", "declined", "timed_out", "withdrawn", "failed", "open"]
    conversation: str = ""
    answer: Any = field(default=None, repr=False)
    reason: str = ""
    responder: Wire = field(default_factory=dict)
    ms: int = 0
    arguments: Wire | None = None
    approved_by: tuple[str, ...] = ()


class OutsideFormSettled(Model):
    """The end of a form. `text` is the result of `ask_user` (R167, R169, R179), or with `failed` why there is none;
    `explained` are the responders' own texts beside their answers."""

    type: Literal["outside_form_settled"] = "outside_form_settled"
    asking: str
    text: str = ""
    failed: bool = False
    explained: tuple[str, ...] = ()


class ReadAgents(Model):
    """List who works here: conversations of ours, and programs of other makers. Answered by AgentsRead."""

    type: Literal["read_agents"] = "read_agents"


class WorkingConversation(Model):
    """A conversation that a process of ours has open; `held_by` names another process than this one. `doing` is `open`
    where only its process knows more."""

    conversation: str
    title: Foreign
    doing: Literal["works", "waits", "idle", "open"]
    held_by: str = ""


class WorkingProgram(Model):
    """A program that waits for an answer, or has a session with us (N5, N24): measured, and apart from it what it
    claims. `open` counts its open questions; `since` is when it began to do what it does (R58), perhaps empty."""

    asker: Asker
    way: Literal["ask", "hook", "mcp", "acp"]
    doing: Literal["works", "waits", "idle"]
    since: str = ""
    open: int = 0
    claimed: Claimed = field(default_factory=Claimed)


class AgentsRead(Model):
    """The answer to ReadAgents, those that wait first. `worker` describes a worker that resumes answered turns of this
    folder (store.md D20), empty if there is none."""

    type: Literal["agents_read"] = "agents_read"
    conversations: tuple[WorkingConversation, ...] = ()
    programs: tuple[WorkingProgram, ...] = ()
    worker: str = ""
