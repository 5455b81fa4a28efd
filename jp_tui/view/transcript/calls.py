"""One tool call as a block, from everything known about it: its request, result, questions, live states.

The log takes precedence, so that a reloaded call looks like a live one. A call with the assistant's own questions, or
hidden by its tool, is shown as question and answer only (inquiries.md R160); no tool is special.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast, get_args

from jp_tui.conversation import events as stored
from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.events import CallChanged
from jp_tui.protocol.values import CallEnd, CallState
from jp_tui.view.questions.approval_text import decisions
from jp_tui.view.questions.forms import form, reply_in
from jp_tui.view.questions.inquiry import NOTHING, InquiryView, text_at
from jp_tui.view.questions.side_questions import SideExchangeView
from jp_tui.view.transcript.blocks import LIVE, ToolBlock, live_key


@dataclass(slots=True)
class CallRecord:
    """Everything known about one call, from events of several pages.

    `seen` are their numbers. `asked` are its questions' ids by event number, since pages arrive in any order.
    """

    name: str = ""
    place: int = LIVE
    part: str = ""
    request: stored.ToolCallRequest | None = None
    response: stored.ToolCallResponse | None = None
    live: CallChanged | None = None
    asked: dict[int, str] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def drop_events(self, first: int, last: int) -> bool:
        """Drop these events; return True if nothing of the call is left."""
        left = {at for at in self.seen if not first <= at <= last}
        gone, self.seen = len(left) < len(self.seen) and not left, left
        return gone


def tool_block(
    known: CallRecord,
    call: str,
    asked: tuple[InquiryView, ...],
    *,
    over: bool,
    held: bool = False,
    deferred: bool = False,
    asides: tuple[SideExchangeView, ...] = (),
    asks: bool = False,
    in_sheet: bool = False,
) -> ToolBlock | None:
    """Return the block of a call and its questions, None if there is nothing to show.

    `over`: its turn has ended. `asks`: its sub-agent waits for the user. `in_sheet`: its question is
    open as a sheet. `held`: another process runs it, so an open
    question waits there. `deferred`: the turn was ended to wait for answers (R230).
    """
    request, response = known.request, known.response
    arguments: JsonObject = request.arguments if request else {}
    said: JsonObject = {**(request.metadata if request else {}), **(response.metadata if response else {})}
    if deferred and response is None:
        asked = tuple(replace(one, how="deferred") if one.how == "open" else one for one in asked)
    hidden = said.get("hidden") is True or (known.live is not None and known.live.hidden)
    dialogue = any(one.assistant for one in asked)
    failed = response is not None and response.is_error
    if hidden and not asked and not failed:
        return None
    waits = any(one.how in ("open", "deferred") for one in asked)
    state, end = _state(known, waits, over, held, deferred)
    state = "awaiting_input" if asks and state == "running" else state
    ms = said.get("ms") if response else known.live.ms if known.live else None
    edited = said.get("edited_arguments")
    whole, reply = None, NOTHING
    if dialogue:
        result = response.content if response is not None else None
        ran = edited if isinstance(edited, dict) else arguments
        awaits, goes_on = state == "awaiting_input", state != "completed"
        whole = form(ran, asked, result=result, awaits=awaits, over=not goes_on, broken=end not in ("ok", None))
        if result is not None and any(one.tag.raw == "user_reply" for one in asked):
            reply = reply_in(result, set()) or NOTHING
    return ToolBlock(
        key=f"e{known.place}" if request else live_key(known.part),
        place=(known.place, 0),
        call=call,
        name=Foreign(known.name),
        title=Foreign(_title(known, said) or subject(arguments)),
        state=state,
        end=end,
        ms=ms if isinstance(ms, int) and not isinstance(ms, bool) else None,
        arguments=_pairs(arguments),
        output=Foreign(response.content if response else ""),
        asked=asked,
        decided=decisions(said),
        edited=_pairs(edited),
        dialogue=dialogue and not (failed and not asked),
        form=whole,
        reply=reply,
        asides=asides,
        problem=Foreign(text_at(said, "refused")),
        in_sheet=in_sheet and state != "completed",
    )


def _state(known: CallRecord, waits: bool, over: bool, held: bool, deferred: bool) -> tuple[CallState, CallEnd | None]:
    if known.response is not None:
        said = known.response.metadata.get("end")
        if said in get_args(CallEnd):
            return "completed", cast(CallEnd, said)
        return "completed", "error" if known.response.is_error else "ok"
    live = known.live
    if live is not None and (live.state in ("completed", "awaiting_input") or not over):
        return live.state, live.end
    if waits and (deferred or (held and not over)):
        return "awaiting_input", None
    if waits or over:
        return "completed", "cancelled"  # of an earlier run: its answer isn't awaited any more
    return ("queued" if known.request else "receiving_arguments"), None


def subject(arguments: JsonObject) -> str:
    """Return a call's default subject: its path, source, pattern, command or task, else its first short text."""
    named = (arguments.get(key) for key in ("path", "source", "pattern", "command", "task"))
    for value in (*named, *arguments.values()):
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = " ".join(map(str, value))  # argv, paths
        if isinstance(value, str):
            line = next((line.strip() for line in value.split("\n") if line.strip()), "")
            if line:
                return line[:200]
    return ""


def _title(known: CallRecord, said: JsonObject) -> str:
    """Return its title, the same during and after the run; for a sub-agent its name and task."""
    agent = known.live.agent if known.live is not None else None
    told = said.get("agent") or (agent.model_dump(mode="json") if agent is not None else None)
    return agent_words(told) or text_at(said, "title")


def agent_words(found: object) -> str:
    """Return a sub-agent of an event as `name: task`, as far as present; empty for anything else."""
    if not isinstance(found, dict):
        return ""
    words = (found.get("name"), found.get("task"))
    return ": ".join(first_line(str(part)) for part in words if part)


def _pairs(arguments: Json) -> tuple[tuple[Foreign, Foreign], ...]:
    if not isinstance(arguments, dict):
        return ()
    return tuple((Foreign(name), Foreign(_shown(value))) for name, value in arguments.items())


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else dump(value)
