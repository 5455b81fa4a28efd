"""A compaction in the conversation: one line, and what models see in the place of what is left out (context.md K22)."""

from __future__ import annotations

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json, JsonProblem, parse_object, text_of
from jp_tui.view.wording.amounts import count

UNDONE = "Compaction undone: the model sees the older messages again"
FAILED = "The summary failed ({reason}); older messages were left out instead. The log is whole."


def headline(event: ev.Compaction) -> str:
    """Return the effect on the conversation, in one line."""
    sizes = f"{count(max(event.before, 0))} → {count(max(event.after, 0))} tokens"
    if not event.leaves_out:
        return f"Compacted: long results shortened, {sizes}"
    messages = f"{event.messages:,} message{'s' if event.messages != 1 else ''}"
    answers = sum(_is_answer(entry) for entry in event.record)
    kept = f" · {answers:,} answer{'s' if answers != 1 else ''} word for word" if answers else ""
    return f"Compacted: {messages}, {sizes}{kept}"


def failed(event: ev.Compaction) -> str:
    """That there is no summary, and why; empty where that was not wanted."""
    return FAILED.format(reason=event.error) if event.error and event.leaves_out else ""


def details(event: ev.Compaction) -> str:
    """Return what models read instead; empty if there is nothing to report."""
    parts: list[str] = []
    if event.focus:
        parts.append(f"Focus: {event.focus}")
    if event.summary:
        by = f" by {event.model}" if event.model else ""
        parts.append(f"Summary{by}, not checked by anybody:\n{event.summary}")
    if event.record:
        parts.append("\n".join(["Record, from the log:", *event.record]))
    if event.said:
        parts.append("\n".join(["You wrote, the latest first:", *event.said]))
    if event.plan:
        steps = (f"[{text_of(step.get('status')) or 'pending'}] {text_of(step.get('step'))}" for step in event.plan)
        parts.append("\n".join(["Plan:", *steps]))
    if event.files:
        parts.append("\n".join(["Files:", *event.files]))
    return "\n\n".join(parts)


def _is_answer(entry: str) -> bool:
    """True if a line of the record is a user's answer or refusal."""
    try:
        kind: Json = parse_object(entry, max_bytes=1 << 30, max_depth=128).get("kind")
    except JsonProblem:
        return False
    return kind in ("answer", "refusal", "verdict", "cancelled")
