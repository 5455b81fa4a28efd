"""A stored event as plain text for people (inquiries.md R206). Foreign text comes back as it is: neutralise it."""

from __future__ import annotations

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.view.decisions import decisions, sentence


def plain(event: ev.Event) -> str:
    """What the event says, possibly over several lines; empty for what people need not read."""
    match event:
        case ev.ChatRequest(content=text):
            return f"You: {text}"
        case ev.ChatResponse(kind="message", content=str() as text, metadata=extra) if text:
            return f"Assistant: {text}{_incomplete(extra)}"
        case ev.ChatResponse(kind="reasoning", content=str() as text, metadata=extra):
            return f"Reasoning: {text}{_incomplete(extra)}" if text.strip() else ""
        case ev.ToolCallRequest(name=name, arguments=arguments):
            return f"Tool: {name} {dump(arguments)}"
        case ev.ToolCallResponse(content=text, is_error=failed, metadata=extra):
            return "\n".join([*_decided(extra), f"{'Error' if failed else 'Result'}: {text}"])
        case ev.InquiryRequest(question=question):
            return f"Question: {question.get('text', '')}"
        case ev.InquiryAnswered(answer=answer, explanation=reason):
            return f"Answer: {dump(answer)}" + (f"\nReason: {reason}" if reason else "")
        case ev.InquiryRedacted():
            return "Answer: <redacted>"
        case ev.InquiryCancelled(reason=reason):
            return f"Cancelled ({reason})"
        case ev.TurnOutcome(outcome=outcome, error=error):
            return _ending(outcome, error)
        case ev.ChatResponse(content=content):
            return "" if content is None or content == "" else f"Assistant: {dump(content)}"
        case ev.ConfigDelta(delta=delta):
            return f"Settings: {dump(delta)}"
        case ev.TurnStart():
            return ""
        case ev.Unknown(raw=raw, problem=problem):
            why = problem or raw.get("problem", "")
            return f"({raw.get('type', 'unknown event')}{f': {why}' if why else ''})"


def _decided(metadata: JsonObject) -> list[str]:
    """Who let the call run and its result be told, and what ran (inquiries.md 5.2, 5.3)."""
    names = {"permission": "Permission", "delivery": "Delivery"}
    found = [f"{names[one.about]}: {sentence(one)}" for one in decisions(metadata)]
    if isinstance(edited := metadata.get("edited_arguments"), dict):
        found.append(f"Ran with: {dump(edited)}")
    return found


def _incomplete(metadata: object) -> str:
    broken = isinstance(metadata, dict) and metadata.get("incomplete") is True
    return "\n(incomplete)" if broken else ""


def _ending(outcome: str, error: object) -> str:
    if outcome == "done":
        return ""
    said = f"Turn {outcome}"
    if isinstance(error, dict):
        words = [str(error.get(key, "")) for key in ("message", "advice")]
        said += ": " + " ".join(word for word in words if word)
    return said
