"""Decisions about a call and its result's delivery (inquiries.md 5.2, 5.3; E42), as values and text.

Read from `metadata.permission` and `metadata.delivery` of a call's result, tolerant of any content. An unknown decision
is left out, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.view.questions.inquiry import NOTHING, names_in, text_at
from jp_tui.view.questions.outcome_line import VIA

About = Literal["permission", "delivery", "stop"]
Tone = Literal["good", "bad", "quiet"]

_YOURS: dict[tuple[About, str], tuple[str, str, Tone]] = {
    ("permission", "run"): ("✓", "you ran it", "good"),
    ("permission", "edit"): ("✎", "arguments edited by you", "good"),
    ("permission", "skip"): ("↷", "skipped by you", "quiet"),
    ("permission", "cancel"): ("⊘", "cancelled by you", "quiet"),
    ("delivery", "deliver"): ("✓", "you delivered the result", "good"),
    ("delivery", "edit"): ("✎", "result edited by you", "good"),
    ("delivery", "skip"): ("↷", "result withheld by you", "quiet"),
    ("delivery", "cancel"): ("⊘", "result withheld: you cancelled the question", "quiet"),
}
_OTHERS: dict[tuple[About, str], tuple[str, str, Tone]] = {
    ("permission", "run"): ("✓", "ran without asking", "good"),
    ("permission", "edit"): ("✎", "ran with edited arguments", "good"),
    ("permission", "skip"): ("↷", "skipped without asking", "quiet"),
    ("permission", "cancel"): ("⊘", "cancelled", "quiet"),
    ("delivery", "deliver"): ("✓", "result delivered without asking", "good"),
    ("delivery", "edit"): ("✎", "edited result delivered", "good"),
    ("delivery", "skip"): ("↷", "result withheld without asking", "quiet"),
    ("delivery", "cancel"): ("⊘", "result withheld", "quiet"),
}
_DENIED: dict[About, tuple[str, str, Tone]] = {
    "permission": ("✗", "denied: no user available", "bad"),
    "delivery": ("✗", "result denied: no user available", "bad"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`choice` is run, skip, deliver, edit or cancel, for `stop` the number of rejections; `by` user, remembered, rule,
    mode, reviewer, policy or engine; `reason` the user's text; `made` are the rules that the answer made."""

    about: About
    choice: str
    by: str
    remember: bool = False
    reason: Foreign = NOTHING
    via: str = ""
    refused: str = ""
    rules: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    mode: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionText:
    """Decision in one line: a sign, its text, secondary text, the user's own reason."""

    sign: str
    words: str
    aside: str
    tone: Tone
    reason: Foreign


def decisions(metadata: JsonObject) -> tuple[Decision, ...]:
    """Return the decisions about a call, in order."""
    both = (_decision("permission", metadata.get("permission")), _decision("delivery", metadata.get("delivery")))
    return tuple(one for one in (*both, _stop(metadata.get("stop"))) if one is not None)


def _stop(raw: Json) -> Decision | None:
    """Return the instruction to stop and ask, after this many rejections of one intent."""
    times = raw.get("rejections") if isinstance(raw, dict) else None
    if not isinstance(times, int) or isinstance(times, bool):
        return None
    return Decision(about="stop", choice=str(times), by="policy")


def _decision(about: About, raw: Json) -> Decision | None:
    if not isinstance(raw, dict) or (about, raw.get("choice")) not in _YOURS:
        return None
    return Decision(
        about=about,
        choice=text_at(raw, "choice"),
        by=text_at(raw, "by"),
        remember=raw.get("remember") is True,
        reason=Foreign(text_at(raw, "reason")),
        via=text_at(raw, "via"),
        refused=_first(raw.get("refused")),
        rules=names_in(raw.get("rules")),
        made=names_in(raw.get("made_rules")),
        mode=text_at(raw, "mode"),
    )


def _first(found: Json) -> str:
    """Return the refused target that the call names; the first represents all."""
    return next(iter(names_in(found)), "")


def decision_text(decision: Decision) -> DecisionText:
    """Return the decision as text."""
    if decision.about == "stop":
        words = f"must stop and ask you: {decision.choice} rejections of one request"
        return DecisionText(sign="■", words=words, aside="", tone="bad", reason=NOTHING)
    yours = decision.by in ("user", "")
    if decision.by == "system":
        words = "not decided: client gone"
        return DecisionText(sign="⊘", words=words, aside="", tone="bad", reason=NOTHING)
    if decision.by == "engine":
        words = "refused without asking: rejected three times in this turn"
        return DecisionText(sign="⊘", words=words, aside="", tone="bad", reason=NOTHING)
    sign, words, tone = (_YOURS if yours else _OTHERS)[decision.about, decision.choice]
    if decision.by == "policy" and decision.choice == "skip":
        sign, words, tone = _DENIED[decision.about]
    after: list[str] = []
    if decision.by == "remembered":
        after.append("remembered")
    elif not yours:
        others = {"policy": "policy", "rule": _rules(decision), "mode": _mode(decision), "reviewer": "a reviewer's yes"}
        after.append(others.get(decision.by, "settings"))
    if via := VIA.get(decision.via):
        after.append(via)
    if decision.made:
        after.append(f"made {', '.join(map(first_line, decision.made))}")
    elif decision.remember:
        after.append("remembered for this turn")
    return DecisionText(sign=sign, words=words, aside=" · ".join(after), tone=tone, reason=decision.reason)


def _rules(decision: Decision) -> str:
    """The approval rules that decided, by their ids."""
    return f"rule {', '.join(map(first_line, decision.rules))}" if decision.rules else "rules"


def _mode(decision: Decision) -> str:
    return f"mode {first_line(decision.mode)}" if decision.mode else "mode"


def sentence(decision: Decision) -> str:
    """Return it as plain text: `you ran it · remembered for this turn`, `skipped by you: too wide`. Contains untrusted
    text."""
    one = decision_text(decision)
    words = f"{one.words}: {first_line(one.reason.raw)}" if one.reason else one.words
    return f"{words} · {one.aside}" if one.aside else words


def asked_reason(decision: Decision) -> str:
    """Return why the user was asked, or wasn't."""
    if decision.about == "stop":
        return "After 3 rejections of one request in a turn, the assistant must stop and ask you."
    what = "run this tool" if decision.about == "permission" else "deliver its result to the model"
    if decision.by == "remembered":
        return f"Why you weren't asked: earlier in this turn you chose to remember whether to {what}."
    if decision.by == "system":
        return f"Why it wasn't decided: the client went away before you chose whether to {what}."
    if decision.by == "engine":
        return "Why you weren't asked: this call was rejected 3 times in this turn. Your next message resets that."
    if decision.by == "policy":
        return f"Why you weren't asked: no user was available, so the policy decides whether to {what}."
    if decision.by == "rule":
        said = f"Why you weren't asked: {_rules(decision)} decides whether to {what}."
        return f"{said} /rules and `jp-tui rules why ID` show when it was made and how often it decided."
    if decision.by == "mode":
        return f"Why you weren't asked: the {_mode(decision)} lets this run. Shift+Tab or /mode changes it."
    if decision.by == "reviewer":
        return f"Why you weren't asked: a reviewer decides first whether to {what} (conversation.approval.target)."
    if decision.refused:
        return f"Why you were asked: the call names {first_line(decision.refused)}, which was rejected in this turn."
    return f"Why you were asked: your settings require asking before they {what}."
