"""Parse a client's answer as a response to the prompt, or return why it isn't one (inquiries.md R241, R242). Pure.

Invalid answers are never adapted. The engine validates values against the answer type; only the contract's text is
converted to a value here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse
from jp_tui.headless.forms.steps import Response
from jp_tui.headless.rpc.question_text import Stage
from jp_tui.protocol.values import (
    Answered,
    Cancelled,
    ChosenRule,
    Delivered,
    Edited,
    EndTurn,
    PartsTaken,
    Permitted,
    PromptRequest,
    Replied,
    WentBack,
)
from jp_tui.questions.types import (
    BooleanAnswer,
    MultiSelectAnswer,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)
from jp_tui.view.wording import questions as w

_WORDS = {"yes": True, "no": False, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class InvalidAnswer:
    """Invalid answer: the reason, without a final full stop."""

    why: str


@dataclass(frozen=True, slots=True)
class Asks:
    """Undecided: the next request asks for this; `arguments`: with the call's arguments as JSON."""

    stage: Stage
    arguments: bool = False


Outcome = Response | InvalidAnswer | Asks


def parse_response(prompt: PromptRequest, stage: Stage, result: Json) -> Outcome:
    """Interpret a result: `control`, else `value`, else `answer`."""
    if not isinstance(result, dict):
        return InvalidAnswer("the result must be an object with `answer`")
    answer = result.get("answer")
    if result.get("control") is not None:
        return _control(stage, result["control"], answer if isinstance(answer, str) else None)
    if result.get("value") is not None or ("value" in result and answer is None):
        found = _value(prompt, result["value"])
    elif isinstance(answer, str):
        found = _answer(prompt, stage, answer)
    elif stage == "ask" and _takes_any_text(prompt):
        found = Answered(value=dump(result))
    else:
        found = InvalidAnswer("`answer` must be text")
    return _beside(prompt, result, found)


def _takes_any_text(prompt: PromptRequest) -> bool:
    """A text question, or shape (c) (R242)."""
    kind = prompt.question.answer_type
    free = isinstance(kind, TextAnswer) or (isinstance(kind, SelectAnswer) and kind.allow_other)
    return prompt.kind == "question" and free


def _control(stage: Stage, control: Json, words: str | None) -> Outcome:
    if control == "cancel" and stage != "ask":
        return _LEFT[stage]
    match control:
        case "back":
            return WentBack()
        case "reply":
            return Replied(text=words)
        case "end_turn":
            return EndTurn()
        case "cancel":
            return Cancelled()
        case "decline":
            return Cancelled(declined=True)
        case _:
            return InvalidAnswer("`control` must be back, reply, end_turn, cancel or decline")


def _value(prompt: PromptRequest, value: Json) -> Outcome:
    """Parse the typed answer."""
    if prompt.kind == "question":
        return Answered(value=value)
    if isinstance(value, bool):
        return Permitted(run=value) if prompt.kind == "permission" else Delivered(deliver=value)
    if prompt.kind == "permission" and isinstance(value, dict):
        return Edited(arguments=value)
    if prompt.kind == "delivery" and isinstance(value, str):
        return Delivered(deliver=True, text=value)
    return InvalidAnswer(
        "`value` must be true, false or the edited " + ("object" if prompt.kind == "permission" else "text")
    )


# --- the contract's text ----------------------------------------------------------------------------------------


def _answer(prompt: PromptRequest, stage: Stage, answer: str) -> Outcome:
    match stage:
        case "reason":
            return Permitted(run=False, reason=answer) if answer.strip() else Asks("ask")
        case "result":
            return Delivered(deliver=True, text=answer) if answer.strip() else Asks("ask")  # Enter isn't consent (Z11)
        case "arguments":
            return _arguments(answer)
        case "ask":
            pass
    if prompt.kind == "permission":
        return _chosen(_RUN, answer)
    if prompt.kind == "delivery":
        return _chosen(_DELIVER, answer)
    return _typed(prompt, answer)


_RUN: Mapping[str, Outcome] = {
    w.RUN: Permitted(run=True),
    w.SKIP: Permitted(run=False),
    w.PRINT_ARGUMENTS: Asks("ask", arguments=True),
    w.SKIP_REPLY: Asks("reason"),
    w.EDIT_ARGUMENTS: Asks("arguments"),
}
_LEFT: Mapping[Stage, Outcome] = {
    "reason": Asks("ask"),
    "arguments": Permitted(run=False, reason=w.EDIT_CANCELLED),
    "result": Delivered(deliver=True),
}
"""Meaning of a cancelled edit (R87, R93)."""
_DELIVER: Mapping[str, Outcome] = {
    w.DELIVER: Delivered(deliver=True),
    w.SKIP_DELIVERY: Delivered(deliver=False),
    w.EDIT_RESULT: Asks("result"),
}


def _chosen(known: Mapping[str, Outcome], answer: str) -> Outcome:
    wanted = answer.strip().casefold()
    found = [outcome for label, outcome in known.items() if label.casefold() == wanted]
    return found[0] if found else InvalidAnswer("it is none of the choices")


def _arguments(answer: str) -> Outcome:
    if not answer.strip():
        return Asks("ask")
    found = _json(answer)
    if isinstance(found, InvalidAnswer):
        return found
    value = found[0]
    return Edited(arguments=value) if isinstance(value, dict) else InvalidAnswer("arguments are one JSON object")


def _typed(prompt: PromptRequest, answer: str) -> Outcome:
    match prompt.question.answer_type:
        case BooleanAnswer():
            word = answer.strip().casefold()
            return Answered(value=_WORDS[word]) if word in _WORDS else InvalidAnswer("expected yes or no")
        case MultiSelectAnswer() as kind:
            return _several(answer, {option.value for option in kind.options})
        case SchemaAnswer():
            found = _json(answer) if answer.strip() else InvalidAnswer("expected JSON")
            return found if isinstance(found, InvalidAnswer) else Answered(value=found[0])
        case SelectAnswer(options=options, allow_other=other):
            fits = other or any(option.value == answer for option in options)
            return Answered(value=answer) if fits else InvalidAnswer("it is none of the choices")
        case SecretAnswer():
            return Answered(value=answer)
        case kind:
            try:
                return Answered(value=kind.typed(answer))
            except ValueError as problem:
                return InvalidAnswer(str(problem))


def _several(answer: str, known: set[str]) -> Outcome:
    """Parse a JSON array, or one value per line; lines that are options take precedence over an invalid array."""
    lines = [line if line in known else line.strip() for line in answer.split("\n")]
    lines = [line for line in lines if line]
    if lines and known.issuperset(lines):
        return Answered(value=list(lines))
    found = _json(answer)
    if not isinstance(found, InvalidAnswer) and isinstance(found[0], list):
        return Answered(value=found[0])
    return InvalidAnswer("expected a JSON array of choices, or one of them a line; [] is none of them")


def _json(answer: str) -> tuple[Json] | InvalidAnswer:
    try:
        return (parse(answer),)
    except JsonProblem as problem:
        where = f" (line {problem.line}, column {problem.column})" if problem.line is not None else ""
        return InvalidAnswer(f"expected JSON: {problem.message}{where}")


# --- additions --------------------------------------------------------------------------------------------------


def _beside(prompt: PromptRequest, result: JsonObject, found: Outcome) -> Outcome:
    """Add `remember`, `note` and `parts`, if the answer can carry them."""
    remember, note = result.get("remember", False), result.get("note", "")
    if not isinstance(remember, bool) or not isinstance(note, str):
        return InvalidAnswer("`remember` is true or false, `note` is text")
    if remember and "remember" not in prompt.controls:
        return InvalidAnswer("this cannot be remembered")
    rule = _rule(prompt, result.get("rule"))
    if isinstance(rule, InvalidAnswer):
        return rule
    if isinstance(found, Permitted):
        return found.model_copy(update={"remember": remember, "rule": rule})
    if not isinstance(found, Answered):
        return found
    parts = _parts(result.get("parts"))
    if isinstance(parts, InvalidAnswer):
        return parts
    return found.model_copy(update={"remember": remember, "note": note, "parts": parts, "rule": rule})


def _rule(prompt: PromptRequest, raw: Json) -> ChosenRule | InvalidAnswer | None:
    """AR20: a scope that was offered, with one of its lifetimes."""
    if raw is None:
        return None
    known = {one.scope: one.lifetimes for one in prompt.scopes}
    scope = raw.get("scope") if isinstance(raw, dict) else None
    lifetime = raw.get("lifetime", "turn") if isinstance(raw, dict) else None
    if not isinstance(scope, str) or scope not in known or lifetime not in known[scope]:
        return InvalidAnswer("`rule` is {scope, lifetime} of one of the inquiry's `scopes`")
    return ChosenRule.model_validate({"scope": scope, "lifetime": lifetime})


def _parts(raw: Json) -> PartsTaken | InvalidAnswer | None:
    if raw is None:
        return None
    accepted = raw.get("accepted") if isinstance(raw, dict) else None
    comments = raw.get("comments", {}) if isinstance(raw, dict) else None
    texts = isinstance(accepted, list) and all(isinstance(one, str) for one in accepted)
    if not texts or not isinstance(comments, dict) or not all(isinstance(one, str) for one in comments.values()):
        return InvalidAnswer("`parts` is {accepted: [ids], comments: {id: text}}")
    return PartsTaken.model_validate({"accepted": accepted, "comments": comments})
