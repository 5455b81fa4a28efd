"""What was refused in a turn, and how often: it is decided by a person from then on (inquiries.md R247).

A refusal is of targets, whoever said it and whichever tool asked; of one intent, three are enough. A model's yes takes
none back, and a person's only the no that it overrules.
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
"""Rejections of one intent in a turn, after which the assistant is told to stop and ask."""


def by_model(model: str) -> str:
    """The words of a refusal by a reviewer, `model` as provider/model."""
    return f"{short(model) or 'the reviewing model'} said no to it"


def short(model: str) -> str:
    """A model's id without its provider (R142)."""
    provider, slash, rest = model.partition("/")
    return rest if slash and rest else provider


def written(targets: Iterable[str]) -> tuple[str, ...]:
    """Targets as the record can hold them: a path's bytes that are no text are compared as `?`."""
    return tuple(dict.fromkeys(target.encode("utf-8", "replace").decode() for target in targets))


def intent(tool: str, question: str, targets: Iterable[str]) -> str:
    """The key of Ledger.rejections: what is wanted, of which targets."""
    return "\n".join([f"{tool}.{question}", *sorted(written(targets))])


def meeting(refused: Iterable[str], targets: Iterable[str]) -> tuple[str, ...]:
    """Which refused targets these meet: equal, above or below as paths."""
    wanted = written(targets)
    return tuple(one for one in refused if any(_within(one, other) or _within(other, one) for other in wanted))


def _within(path: str, folder: str) -> bool:
    path, folder = path.rstrip("/"), folder.rstrip("/")
    return folder in ("", ".") or path == folder or path.startswith(f"{folder}/")


def standing(ledger: Ledger, question: Question, but: str = "") -> str:
    """Why a person has to decide it: who refused which target before; empty when nobody did. `but` are the words of the
    no that is just being put to them."""
    if not isinstance(question.answer_type, BooleanAnswer):
        return ""
    own = written(question.targets)
    found = meeting(ledger.refused, question.targets)
    return said(ledger, [one for one in found if not (but and one in own and ledger.refused[one] == but)])


def said(ledger: Ledger, found: Iterable[str]) -> str:
    """Who refused these, in words; the first of them stands for all."""
    names = list(found)
    if not names:
        return ""
    who = ledger.refused.get(names[0], "it was refused")
    more = f", and so with {len(names) - 1:,} more" if len(names) > 1 else ""
    shown = names[0] if names[0].isprintable() else repr(names[0])
    return f"{shown}: {who} in this turn{more}"


def resumed(state: State, given: TurnResumed) -> State:
    """What an earlier run of this turn was refused still is."""
    ledger = replace(
        state.ledger,
        refused=given.refused,
        rejections=given.rejections,
        rejected=MappingProxyType(dict(given.rejected)),
    )
    return replace(state, ledger=ledger)


# --- what an answer does ----------------------------------------------------------------------------------


def refuse(refused: Mapping[str, str], targets: Iterable[str], words: str) -> Mapping[str, str]:
    """With these refused, too; what a person refused is theirs, whatever a model says of it."""
    own = (BY_USER, PARTLY)
    for target in written(targets):
        if words in own or refused.get(target) not in own:
            refused = transitions.put(refused, target, words)
    return refused


def refuser(told: EscalationCause | None) -> str:
    """The words of the reviewer's no that is put to the human; empty when there was none (R148)."""
    if told is None:
        return ""
    if not told.failed:
        return by_model(told.model)
    return by_model(told.before[-1].model) if told.before else ""


def how(value: Json, kind: ResponderKind, model: str, *, partly: bool) -> str:
    """The words of what an answer refuses: a no, or a person's yes to a part; empty when it refuses nothing. What is
    remembered, set, or a default refuses nothing for good: it can be taken back."""
    if kind == "user":
        return BY_USER if value is False else PARTLY if partly else ""
    return by_model(model) if kind == "assistant" and value is False else ""


def after(
    refused: Mapping[str, str], targets: Iterable[str], value: Json, kind: ResponderKind, words: str, overruled: str
) -> Mapping[str, str]:
    """What is refused after the final answer to a boolean question: `words` as `how` gives them; `overruled` those of
    the no that a person's yes takes back."""
    targets = written(targets)
    if kind == "user" and value is True and overruled:
        for target in targets:
            if refused.get(target) == overruled:
                refused = transitions.drop(refused, target)
    return refuse(refused, targets, words) if words else refused


def answered(
    state: State, opened: OpenQuestion, value: Json, kind: ResponderKind, model: str, taken: Taken | None
) -> State:
    """A question has its final answer: what that refuses, and how often its intent is rejected now."""
    question = opened.question
    if not isinstance(question.answer_type, BooleanAnswer):
        return state
    ledger = state.ledger
    words = how(value, kind, model, partly=parts.partial(question, taken))
    refused = after(ledger.refused, question.targets, value, kind, words, refuser(opened.escalation))
    rejections = ledger.rejections
    if value is False and opened.source == "tool":
        key = intent(state.calls[opened.call].tool, question.id, question.targets)
        rejections = transitions.put(rejections, key, rejections.get(key, 0) + 1)
    return replace(state, ledger=replace(ledger, refused=refused, rejections=rejections))


def by_reviewer(state: State, opened: OpenQuestion, words: str) -> State:
    """A reviewer's no stands until the human overrules it; `words` as `by_model` gives them, or empty."""
    if not words or not isinstance(opened.question.answer_type, BooleanAnswer):
        return state
    refused = refuse(state.ledger.refused, opened.question.targets, words)
    return replace(state, ledger=replace(state.ledger, refused=refused))
