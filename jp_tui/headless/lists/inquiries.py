"""`jp-tui inquiries`: the record of questions and answers (surface S6, inquiries.md R201, R206; asking.md E42).

As text, a list: who asked what and when, the answer, who gave it and why. With JSON one object per line. A secret's
answer isn't in the log, so it can't be shown. Read-only; opens no conversation for work.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless import unanswered
from jp_tui.headless.forms.steps import line, quoted
from jp_tui.headless.lists.request import ask, lookup
from jp_tui.headless.output import TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import InquiryInfo
from jp_tui.view.pages.inquiries import inquiry
from jp_tui.view.questions import outcome_line

REDACTED = "<redacted>"
_FIELDS = ("outcome", "answer", "reason", "responder", "parts")


@lookup
def list_inquiries(
    link: Link, conversation: str, pending: bool, output: TextOutput, workspace: str = "", *, every: bool = False
) -> int:
    """Print them; return the exit status. Without `conversation`: all of them if `pending`, `every` also those that
    wait for others, else the latest (of `workspace`, if given). Raises OutputEnded."""
    if not conversation and not pending:
        latest = ask(link, c.ListConversations(workspace=workspace, limit=1), e.ConversationsListed, output)
        if not latest.conversations:
            if not output.as_json:
                output.print("No conversations yet. `jp-tui` starts one.")
            return 0
        conversation = latest.conversations[0].id
    wanted = c.ListInquiries(conversation=conversation, pending=pending, every=every)
    found = ask(link, wanted, e.InquiriesListed, output).inquiries
    if output.as_json:
        for info in found:
            output.line(unanswered.described(info) if pending else record(info))
    else:
        for text in listed(found, pending=pending):
            output.print(text)
    return 0


def record(info: InquiryInfo) -> JsonObject:
    """Return everything about one exchange: the fields of S6, then its response, if any."""
    response = info.response
    found: JsonObject = {**unanswered.described(info), "turn": info.turn, "call": info.call, "why": info.why}
    none = "open" if info.waits else "unanswered"  # its turn is over
    found["outcome"] = none if response is None else response.get("outcome", "answered")
    if response is not None:
        found["answered_at"] = info.answered_at
        found |= {key: response[key] for key in _FIELDS if key in response and key != "outcome"}
        if found["outcome"] == "redacted":
            found["answer"] = REDACTED
    return found


def listed(found: tuple[InquiryInfo, ...], *, pending: bool = False) -> Iterator[str]:
    """Yield the record as text, an exchange per paragraph. Untrusted text is neutralised."""
    if not found:
        yield "No open questions." if pending else "No questions in this conversation."
        return
    conversation = ""
    for call in _calls(found):
        if call[0].conversation != conversation:
            conversation = call[0].conversation
            yield f"conversation {conversation}"
        if asked := len({_bare(info) for info in call}) - 1:
            yield ""
            yield f"turn {call[0].turn}  {line(unanswered.asker(call[0]))} asked {asked + 1} questions in one call:"
        for info in call:
            yield from _paragraph(info)
    yield from unanswered.waiting_lines([unanswered.of_info(info) for info in found if info.waits])


def _calls(found: tuple[InquiryInfo, ...]) -> list[list[InquiryInfo]]:
    """Group the exchanges by call, at the place of the first; one without a known call is alone."""
    groups: dict[tuple[str, int, str], list[InquiryInfo]] = {}
    for info in found:
        groups.setdefault((info.conversation, info.turn, info.call or f"\n{info.id}"), []).append(info)
    return list(groups.values())


def _bare(info: InquiryInfo) -> str:
    """Return an exchange's question without its attempt number."""
    return info.id.rpartition(".")[0]


def _paragraph(info: InquiryInfo) -> Iterator[str]:
    asked = inquiry(info)
    end = outcome_line.outcome(asked)
    yield ""
    yield f"{info.asked_at[:19]}  turn {info.turn}  {line(unanswered.asker(info))} asked  ({line(info.id)})"
    yield quoted(asked.text)
    who = f" ({line(end.who)})" if end.who else ""
    took = f", {end.took}" if end.took else ""
    answer = REDACTED if asked.how == "redacted" else ""
    if asked.how == "answered" and isinstance(asked.answer, str) and "\n" in asked.answer:
        yield f"  answered{who}{took}:"
        yield quoted(asked.answer)
    else:
        yield f"  {line(answer or neutralise(end.word))}{who}{took}"
    if info.waits and info.claimed_by:
        yield f"  {line(info.claimed_by)} looks at it"
    for part in asked.parts:
        comment = f": {line(part.comment)}" if part.comment else ""
        yield f"  {'taken' if part.accepted else 'left'}  {line(part.title)}{comment}"
    if "\n" in (reason := asked.explanation.raw.strip()):
        yield "  reason:"
        yield quoted(reason)
    elif reason:
        yield f"  reason: {line(reason)}"
    if used := outcome_line.spent(asked):
        yield f"  {used}"
    if asked.why:
        yield f"  why: {line(asked.why)}"
