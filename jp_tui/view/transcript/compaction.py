"""A compaction in the conversation: one line, and what models see in the place of what is left out (context.md K22)."""

from __future__ import annotations

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json, JsonProblem, parse_object, text_of
from jp_tui.view.wording.amounts import count

UNDONE = "Compaction undone: the model sees the older messages again"
FAILED = "The summary failed ({reason}); older messages were left out instead. The log is whole."


def headline(event: ev.Compaction) -> str:
    """What became of the conversation, in one line."""
    sizes = f"{count(max(event.before, 0))} → {count(max(event.after, 0))} tokens"
    if not event.leaves_out:
        return f"Compacted: long results shortened, {sizes}"
    messages = f"{event.messages:,} message{'s' if event.messages != 1 else ''}"
    answers = sum(_is_answer(entry) for entry in event.record)
    kept = f" · {answers:,} answer{'s' if answers != 1 else ''} word for word" if answers else ""
    return f"Compacted: {messages}, {sizes}{kept}"


def details(event: ev.Compaction) -> str:
    """What models see instead, and why it was done; empty where nothing is to be said."""
    parts: list[str] = []
    if event.error and event.leaves_out:
        parts.append(FAILED.format(reason=event.error))
    if event.focus:
        parts.append(f"Focus: {event.focus}")
    if event.summary:
        by = f" by {event.model}" if event.model else ""
        parts.append(f"Summary{by}, not checked by anybody:\n{event.summary}")
    if event.record:
        parts.append("\n".join(["Record, from the log:", *event.record]))
    if event.plan:
        steps = (f"[{text_of(step.get('status')) or 'pending'}] {text_of(step.get('step'))}" for step in event.plan)
        parts.append("\n".join(["Plan:", *steps]))
    if event.files:
        parts.append("\n".join(["Files:", *event.files]))
    return "\n\n".join(parts)


def _is_answer(entry: str) -> bool:
    """Whether a line of the record tells what somebody answered or refused."""
    try:
        kind: Json = parse_object(entry, max_bytes=1 << 30, max_depth=128).get("kind")
    except JsonProblem:
        return False
    return kind in ("answer", "refusal", "verdict", "cancelled")
