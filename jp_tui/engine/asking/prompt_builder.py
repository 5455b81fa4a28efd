"""Build prompts for the front ends: a question, permission to run a call, permission to deliver its result (R189, R42).

Built from the machine's decision and the call's state; it names who asks and what is possible. The only text is what
remembering would cover; front ends have the rest.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.neutral import first_line
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.dependencies import ToolSetup
from jp_tui.engine.record.log import Log
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import on_subagent
from jp_tui.inquiry import values as v
from jp_tui.inquiry.refusals import refuser
from jp_tui.protocol.people import Approvals
from jp_tui.protocol.values import AgentInfo, Control, Escalation, PromptRequest, RuleOffer, Verdict
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.tools.port import by_agent

ASSISTANT = "Assistant"
"""M41, the default label."""
Ask = s.AskHuman | s.AskPermission | s.AskDelivery | s.AskReview


@dataclass(frozen=True, slots=True)
class PromptContext:
    """Facts about a call for its prompts. `result` is what would be delivered, `agent` its sub-agent, `asked_by` the
    sub-agent that owns the call, if its parent shows it. `scopes` are the rules that the answer may make; None where
    rules have no part in it."""

    setup: ToolSetup
    subject: str
    arguments: JsonObject
    rendered: str = ""
    result: str = ""
    is_error: bool = False
    agent: AgentInfo | None = None
    asked_by: AgentInfo | None = None
    scopes: tuple[RuleOffer, ...] | None = None

    @property
    def tool(self) -> str:
        return self.setup.name

    def about(self, result: str, is_error: bool) -> PromptContext:
        """Return the same call with its result."""
        return replace(self, result=result, is_error=is_error)


def prompt(log: Log, ask: Ask, call: PromptContext, *, yours: bool = True) -> PromptRequest:
    """Build the prompt for all front ends. `yours`: the user of this process may answer it."""
    opened = ask.open
    common: dict[str, Any] = {
        "conversation": log.id,
        "inquiry": opened.inquiry,
        "call": opened.call,
        "tool": call.tool,
        "turn": log.turn,
        "digest": opened.digest,
        "subject": Foreign(call.subject),
        "arguments": Foreign(json.dumps(call.arguments, ensure_ascii=False, indent=2)),
        "rendered": Foreign(call.rendered),
        "tool_kind": call.setup.kind,
        "server": call.setup.server,
        "why": "" if isinstance(ask, s.AskReview) else ask.why,
        "asked_at": timestamp(log.setup.now()),
        "agent": call.asked_by or log.agent,
    }
    match ask:
        case s.AskHuman():
            return PromptRequest(**common, **_question(ask, call, yours=yours))
        case s.AskPermission(open=asked):
            return PromptRequest(**common, **_permission(asked, call))
        case s.AskDelivery(open=asked):
            return PromptRequest(**common, **_delivery(asked, call))
        case s.AskReview(open=done, back=back):
            return PromptRequest(**common, **_review(done, back, call))


def people_shown(opened: v.OpenQuestion, *, yours: bool) -> dict[str, Any]:
    """Return which people are asked, as a prompt says it (store.md D14, D15); empty in a store of one person."""
    asked = opened.asked
    if asked.anyone:
        return {} if yours else {"yours": False}
    approvals = Approvals(needed=asked.needed, by=tuple(one.who for one in opened.votes)) if asked.needed > 1 else None
    return {"to": asked.to, "approvals": approvals, "yours": yours}


def _question(ask: s.AskHuman, call: PromptContext, *, yours: bool) -> dict[str, Any]:
    opened = ask.open
    controls: set[Control] = {"reply", "end_turn"}
    if (opened.asked_as or opened.source) != "assistant":
        controls |= {"cancel", "edit"}
    if by_agent(call.setup.tool):  # it runs its own arguments
        controls.discard("edit")
    if opened.question.serves:
        controls |= {"decline"}
    if opened.back:
        controls.add("back")
    covers = ""
    if ask.remember and opened.asked.needed == 1:
        controls.add("remember")
        covers = f"until this turn ends, every `{opened.question.id}` of {call.tool}, without showing it"
        if opened.question.exact:
            covers = "until this turn ends, exactly what is shown here, and nothing else"
        if call.scopes is not None:
            covers = ""
            if not call.scopes:
                controls.discard("remember")
    verdict = opened.escalation
    return {
        **_asker(opened, ask.label, call),
        "question": opened.question,
        "human_only": opened.human_only,
        "preselect": _preselects(opened, call),
        "controls": frozenset(controls),
        "remember_covers": covers,
        "scopes": call.scopes or () if ask.remember and opened.asked.needed == 1 else (),
        **people_shown(opened, yours=yours),
        "deadline_secs": opened.rule.deadline_secs,
        "form": opened.form,
        "progress": None if opened.form is None else opened.form.progress,
        "back": opened.back,
        "prefill": opened.prefill,
        "undo": opened.undo,
        "escalation": None if verdict is None else _escalation(verdict),
    }


def _preselects(opened: v.OpenQuestion, call: PromptContext) -> bool:
    """False if Enter alone must not answer (Z11): a yes changes, runs or sends something, or a reviewer said no. The
    effect of a yes is unknown for tools that aren't built in, so theirs is never preselected."""
    question = opened.question
    if question.acts or refuser(opened.escalation):
        return False
    unknown = call.setup.kind != "built-in" and isinstance(question.answer_type, BooleanAnswer)
    return not (unknown and question.default is True)


def _asker(opened: v.OpenQuestion | v.OpenReview, label: str | None, call: PromptContext) -> dict[str, Any]:
    """Return who asks (R190); the label of a sub-agent's question, or of its tool's, names it (R222, Z8)."""
    if call.asked_by is None:
        return {"source": opened.source, "label": label}
    who = call.asked_by
    said = first_line(who.name) or first_line(who.task) or who.conversation
    tool = isinstance(opened, v.OpenQuestion) and opened.asked_as == "tool"
    named = f"{ASSISTANT if tool else label or ASSISTANT} › {said}"
    source = "tool" if tool else "assistant"
    return {"source": source, "source_name": on_subagent.source(who.conversation), "label": named}


def _escalation(told: v.EscalationCause) -> Escalation:
    return Escalation(
        model=told.model,
        reason=Foreign(told.reason),
        failed=told.failed,
        ms=told.ms,
        cause=told.cause,
        before=tuple(Verdict(model=one.model, reason=Foreign(one.reason), ms=one.ms) for one in told.before),
        saw=told.saw,
    )


def _permission(asked: v.OpenPermission, call: PromptContext) -> dict[str, Any]:
    controls: set[Control] = {"edit", "end_turn"}
    covers = ""
    once = asked.floor or asked.insists == "always"  # permitted for one call only (R247, AR9)
    if not once and call.scopes != ():
        controls.add("remember")
        covers = asked.covers if call.scopes is None else ""
    return {
        "kind": "permission",
        "source": "tool",
        "question": Question(v.PERMISSION, "", BooleanAnswer(), persistence="turn"),
        "human_only": True,
        "preselect": False,
        "edit_first": asked.edit,
        "controls": frozenset(controls),
        "remember_covers": covers,
        "scopes": () if once else call.scopes or (),
    }


def _delivery(asked: v.OpenDelivery, call: PromptContext) -> dict[str, Any]:
    controls: frozenset[Control] = frozenset({"edit", "cancel", "end_turn"})
    return {
        "kind": "delivery",
        "source": "tool",
        "question": Question(v.DELIVERY, "", BooleanAnswer(), persistence="none"),
        "human_only": True,
        "preselect": False,
        "edit_first": asked.edit,
        "result": Foreign(call.result),
        "is_error": call.is_error,
        "controls": controls,
    }


def _review(asked: v.OpenReview, back: str, call: PromptContext) -> dict[str, Any]:
    """Build the review of a whole form; front ends have the text, the label is that of its questions (R182b, R190)."""
    controls: set[Control] = {"reply", "end_turn"}
    if back:
        controls.add("back")
    rules = [call.setup.rules.get(place.id, v.Rule()) for place in asked.form.places]
    return {
        "kind": "review",
        **_asker(asked, next((rule.prompt_label for rule in rules if rule.prompt_label), None), call),
        "question": Question(v.REVIEW, "", BooleanAnswer(), exclusive=True, persistence="none"),
        "human_only": True,
        "form": asked.form,
        "back": back,
        "controls": frozenset(controls),
    }
