"""Outcome of a question as a sign, a word and a name: the same in every front end (E42, E60; R21-R25).

A sign always has a word beside it, since meaning must not depend on a glyph or a colour alone. Independent of width and
widgets; why a question was asked is in `why.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.strict_json import Json, dump
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.people import Approvals
from jp_tui.view.questions import people
from jp_tui.view.questions.inquiry import NOTHING, Handed, InquiryView
from jp_tui.view.questions.partial_approval import summary
from jp_tui.view.wording.amounts import count, duration, money, short_model

Role = Literal[
    "heading", "turn", "good", "bad", "waiting", "running", "reviewer", "quiet", "question", "reason",
    "take_over", "agent", "put_off", "inbox", "blank",
]  # fmt: skip

SUB_AGENT = "sub_agent:"
"""Prefix of a source name that is a sub-agent (R222)."""
RESPONDERS = {
    "user": "you",
    "assistant": "reviewer",
    "static": "pinned setting",
    "remembered": "remembered",
    "default": "default",
    "policy": "policy",
    "system": "jp-tui",
}
VIA = {"process": "from another process", "rpc": "over RPC", "acp": "in an editor", "plain": "in plain mode"}
HANDED: dict[Handed, str] = {
    "rejected": "escalated to you",
    "failed": "reviewer failed: you decide",
    "too_long": "too long for the reviewer: you decide",
    "taken_over": "taken over by you",
}
TAGS: dict[str, tuple[str, str, Role, str]] = {
    "user": ("⊘", "cancelled", "quiet", "you"),
    "user_back": ("↶", "went back", "quiet", "you"),
    "user_reply": ("»", "replied with text", "quiet", "you"),
    "user_edit": ("✎", "arguments edited instead", "quiet", "you"),
    "user_decline": ("✗", "declined", "quiet", "you"),
    "secret_refused": ("⊘", "not asked: it wants a secret", "quiet", "jp-tui"),
    "timed_out": ("◷", "timed out", "waiting", "your time limit"),
    "client gone": ("⊘", "closed: client gone", "quiet", ""),
    "backend_error": ("✗", "reviewer failed", "bad", ""),
    "too_long": ("✗", "not reviewed: too long", "bad", ""),
    "no_prompt_backend": ("✗", "denied: no user available", "bad", "policy"),
    "assistant_routing_denied": ("✗", "denied: only the user may answer", "bad", "policy"),
    "invalid_static_answer": ("✗", "pinned answer isn't valid", "bad", "pinned setting"),
    "invalid_approvals": ("✗", "approvals are for yes or no only", "bad", "setting"),
}
"""A sign, a word, a role, and the default responder, by cancellation reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryOutcome:
    """`word` may be untrusted text (an answer, another program's tag), `who` names a model or is jp-tui's text."""

    role: Role
    sign: str
    word: Foreign
    who: Foreign = NOTHING
    took: str = ""


def outcome(asked: InquiryView, *, waits: bool = True, reviewed: bool = False) -> InquiryOutcome:
    """Return a question's outcome; while it is open, `waits` says that it can still be answered, `reviewed` that a
    model is deciding."""
    who = responder(asked)
    took = duration(asked.ms) if asked.ms is not None and asked.by != "user" else ""
    if asked.dollars:
        took = " · ".join(part for part in (took, money(asked.dollars)) if part)
    match asked.how:
        case "open" if reviewed:
            word = "reviewer" if asked.reviewer else "reviewer decides"
            return InquiryOutcome(
                role="reviewer", sign="◇", word=Foreign(word), who=Foreign(short_model(asked.reviewer.raw))
            )
        case "open" if waits and asked.handed:
            return InquiryOutcome(role="waiting", sign="▲", word=Foreign(HANDED[asked.handed]))
        case "open" if waits:
            return InquiryOutcome(role="waiting", sign="◐", word=Foreign(approvals(asked) or asked_whom(asked)))
        case "open":
            return InquiryOutcome(role="quiet", sign="⊘", word=Foreign("not answered"))
        case "deferred":
            return InquiryOutcome(role="waiting", sign="◔", word=Foreign("deferred: waiting for an answer"))
        case "answered":
            no = asked.answer is False
            sign, role = ("✗", "bad") if no else ("✓", "good")
            word = answer_line(asked.answer).raw
            if len(asked.approved) > 1:
                word, who = f"{word}, approved by {people.named(asked.approved)}", NOTHING
            if some := summary(asked.parts):
                word = f"{word} to {some}" if " of " in some else f"{word}, {some}"
            return InquiryOutcome(role=role, sign=sign, word=Foreign(word), who=who, took=took)  # type: ignore[arg-type]
        case "redacted" if asked.lost:
            word = "answered, but lost when jp-tui ended: secrets are never stored. It is asked again"
            return InquiryOutcome(role="quiet", sign="↻", word=Foreign(word), who=who)
        case "redacted":
            return InquiryOutcome(role="good", sign="✱", word=Foreign("answered, kept secret"), who=who, took=took)
        case "withdrawn":
            return InquiryOutcome(role="quiet", sign="⊘", word=Foreign("withdrawn"), who=who)
        case "cancelled":
            tag = asked.tag.raw or "user"
            sign, word, role, known = TAGS.get(tag, ("⊘", tag, "quiet", ""))
            named = Foreign(known) if asked.by in ("", "system") and known else who
            return InquiryOutcome(role=role, sign=sign, word=Foreign(word), who=named, took=took)


def responder(asked: InquiryView) -> Foreign:
    """Return who answered: `you`, `reviewer haiku-4-5`, `pinned setting`, `remembered`, `default`, `policy`."""
    who = RESPONDERS.get(asked.by, "")
    if asked.answered_by:
        name = asked.answered_by.raw
        return Foreign(f"{name} for {asked.stands_for.raw}" if asked.stands_for else name)
    if asked.by == "assistant" and asked.model:
        who = f"{who} {short_model(asked.model.raw)}"
    if who and asked.via in VIA:
        who = f"{who}, {VIA[asked.via]}"
    if who and asked.escalated and asked.by == "user" and asked.how == "answered":
        who = f"{who}, over the reviewer's no" if asked.answer is True else f"{who}, after the reviewer's no"
    return Foreign(who)


def asked_whom(asked: InquiryView) -> str:
    """Return `asked`, with the person or group if it isn't the owner's (store.md D14)."""
    return f"asked {people.addressee(asked.to.raw)}" if asked.to else "asked"


def approvals(asked: InquiryView) -> str:
    """Return how many of several people approved it; empty if one is enough (store.md D15)."""
    return people.approvals_text(Approvals(needed=asked.needed, by=asked.approved)) if asked.needed > 1 else ""


def declined(asked: Sequence[InquiryView]) -> str:
    """Return the text for a call that a "no" ended, an outcome and not a failure (Z15): `declined by you`, or by whom.
    The name of a model in it is untrusted."""
    no = next((one for one in reversed(asked) if one.how == "answered" and one.answer is False), None)
    who = responder(no).raw if no is not None else ""
    return f"declined by {who}" if who else "declined"


def spent(asked: InquiryView) -> str:
    """Return `8.1k tokens in, 90 out`; empty if it used none."""
    into, out = asked.tokens
    return f"{count(into)} tokens in, {count(out)} out" if into or out else ""


def reviewed(asked: InquiryView) -> Foreign:
    """Return a model's usage and what it was shown, as text; empty for any other responder."""
    saw = f"it read {asked.saw.raw}" if asked.saw else ""
    return Foreign(" · ".join(part for part in (spent(asked), saw) if part))


def elsewhere(by: str) -> str:
    """Return who answered a question that was still shown here: a kind of responder, or text unchanged."""
    return {"user": "you, elsewhere", "assistant": "a reviewer", "static": "a setting"}.get(by, by)


def asker(asked: InquiryView) -> Foreign:
    """Return who asked, in a word; for a sub-agent the record has only an id (R222)."""
    if asked.asker.raw.startswith(SUB_AGENT):
        return Foreign("a sub-agent")
    return Foreign("assistant") if asked.assistant else asked.asker or Foreign("a tool")


def answer_line(answer: Json) -> Foreign:
    """Return an answer in one line: yes, no, the text, the selected ones, else its JSON."""
    if isinstance(answer, bool):
        return Foreign("yes" if answer else "no")
    if isinstance(answer, str):
        return Foreign(first_line(answer) or "empty on purpose")
    if isinstance(answer, list) and all(isinstance(one, str) for one in answer):
        return Foreign(", ".join(str(one) for one in answer) or "none")
    return Foreign(dump(answer))
