"""Refused targets of a turn and rejection counts: from then on a person decides about them (inquiries.md R247).

A refusal covers targets, whoever gave it and whichever tool asked. Three rejections of one intent suffice. A model's
yes lifts no refusal; a person's yes lifts only the no that it overrules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from jp_tui.conversation.events import ResponderKind
from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import parts, transitions
from jp_tui.inquiry.inputs import TurnResumed
from jp_tui.inquiry.state import EscalationCause, Ledger, OpenQuestion, State
from jp_tui.questions.types import BooleanAnswer, Question, Taken

BY_USER = "you said no to it"
PARTLY = "you said no to a part of it"
STOPS = 3
"""Rejections of one intent in a turn after which the assistant must stop and ask (inquiries.md R247)."""


def by_model(model: str) -> str:
    """Return the text for a reviewer's refusal; `model` as provider/model."""
    return f"{short(model) or 'the reviewing model'} said no to it"


def short(model: str) -> str:
    """Return a model's id without its provider (R142)."""
    provider, slash, rest = model.partition("/")
    return rest if slash and rest else provider


def storable_targets(targets: Iterable[str]) -> tuple[str, ...]:
    """Return the targets in a form that JSON can store: undecodable path bytes become `?`."""
    return tuple(dict.fromkeys(target.encode("utf-8", "replace").decode() for target in targets))


def intent(tool: str, question: str, targets: Iterable[str]) -> str:
    """Return the key of `Ledger.rejections`: the question and its targets."""
    return "\n".join([f"{tool}.{question}", *sorted(storable_targets(targets))])


def matching_targets(refused: Iterable[str], targets: Iterable[str]) -> tuple[str, ...]:
    """Return the refused targets that these meet: equal to, above or below them as paths."""
    wanted = storable_targets(targets)
    return tuple(one for one in refused if any(_within(one, other) or _within(other, one) for other in wanted))


def _within(path: str, folder: str) -> bool:
    path, folder = path.rstrip("/"), folder.rstrip("/")
    return folder in ("", ".") or path == folder or path.startswith(f"{folder}/")


def refusal_reason(ledger: Ledger, question: Question, but: str = "") -> str:
    """Return why a person must decide: who refused which target. Empty if nothing was refused. `but` is the text of the
    no that the user is deciding about."""
    if not isinstance(question.answer_type, BooleanAnswer):
        return ""
    own = storable_targets(question.targets)
    found = matching_targets(ledger.refused, question.targets)
    return refused_by(ledger, [one for one in found if not (but and one in own and ledger.refused[one] == but)])


def refused_by(ledger: Ledger, found: Iterable[str]) -> str:
    """Return who refused these targets; the first refusal represents all."""
    names = list(found)
    if not names:
        return ""
    who = ledger.refused.get(names[0], "it was refused")
    more = f", and so with {len(names) - 1:,} more" if len(names) > 1 else ""
    shown = names[0] if names[0].isprintable() else repr(names[0])
    return f"{shown}: {who} in this turn{more}"


def resumed(state: State, given: TurnResumed) -> State:
    """Restore the refusals of an earlier run of this turn."""
    ledger = replace(
        state.ledger,
        refused=given.refused,
        rejections=given.rejections,
        rejected=MappingProxyType(dict(given.rejected)),
    )
    return replace(state, ledger=ledger)


# --- effects of an answer ---------------------------------------------------------------------------------


def refuse(refused: Mapping[str, str], targets: Iterable[str], words: str) -> Mapping[str, str]:
    """Add these refusals. A person's refusal is never replaced by a model's."""
    own = (BY_USER, PARTLY)
    for target in storable_targets(targets):
        if words in own or refused.get(target) not in own:
            refused = transitions.with_entry(refused, target, words)
    return refused


def refuser(told: EscalationCause | None) -> str:
    """Return the text of the reviewer's no that is escalated; empty if there was none (R148)."""
    if told is None:
        return ""
    if not told.failed:
        return by_model(told.model)
    return by_model(told.before[-1].model) if told.before else ""


def refusal_text(value: Json, kind: ResponderKind, model: str, *, partly: bool) -> str:
    """Return the text of the refusal in an answer: a no, or a person's yes to some parts. Empty if it refuses nothing.
    Remembered answers, settings and defaults record no refusal, because they can be revoked."""
    if kind == "user":
        return BY_USER if value is False else PARTLY if partly else ""
    return by_model(model) if kind == "assistant" and value is False else ""


def refusals_after(
    refused: Mapping[str, str], targets: Iterable[str], value: Json, kind: ResponderKind, words: str, overruled: str
) -> Mapping[str, str]:
    """Return the refusals after the final answer to a boolean question. `words` come from `refusal_text`; `overruled`
    is the text of the no that a person's yes lifts."""
    targets = storable_targets(targets)
    if kind == "user" and value is True and overruled:
        for target in targets:
            if refused.get(target) == overruled:
                refused = transitions.without_entry(refused, target)
    return refuse(refused, targets, words) if words else refused


def apply_answer(
    state: State, opened: OpenQuestion, value: Json, kind: ResponderKind, model: str, taken: Taken | None
) -> State:
    """Apply a final answer: its refusals, and the count of rejections of its intent."""
    question = opened.question
    if not isinstance(question.answer_type, BooleanAnswer):
        return state
    ledger = state.ledger
    words = refusal_text(value, kind, model, partly=parts.partial(question, taken))
    refused = refusals_after(ledger.refused, question.targets, value, kind, words, refuser(opened.escalation))
    rejections = ledger.rejections
    if value is False and opened.source == "tool":
        key = intent(state.calls[opened.call].tool, question.id, question.targets)
        rejections = transitions.with_entry(rejections, key, rejections.get(key, 0) + 1)
    return replace(state, ledger=replace(ledger, refused=refused, rejections=rejections))


def by_reviewer(state: State, opened: OpenQuestion, words: str) -> State:
    """Record a reviewer's no until the user overrules it. `words` come from `by_model` or are empty."""
    if not words or not isinstance(opened.question.answer_type, BooleanAnswer):
        return state
    refused = refuse(state.ledger.refused, opened.question.targets, words)
    return replace(state, ledger=replace(state.ledger, refused=refused))
