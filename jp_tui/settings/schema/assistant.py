"""Keys of an assistant: the main one, and overrides for the one that answers questions (C38, R130).

One table serves three places: `assistant`, `conversation.inquiry.assistant`, and the table of a question's `target`,
where an unknown key is an error as well.
"""

from __future__ import annotations

from typing import Any

from jp_tui.settings.layers.merge import check
from jp_tui.settings.schema import checks, shapes
from jp_tui.settings.schema.checks import BadValue
from jp_tui.settings.schema.nodes import Group, Leaf

FREE = Leaf(checks.json_value, merges=True)

ASSISTANT = Group(
    {
        "model": Group(
            {
                "id": Leaf(checks.model_id, acts=True, help="provider/model, or an alias"),
                "effort": Leaf(checks.choice("low", "medium", "high", "default"), help="how much the model thinks"),
                "parameters": Group(
                    {
                        "max_tokens": Leaf(checks.integer(1, 10_000_000), help="maximum tokens of one response"),
                        "temperature": Leaf(
                            checks.number(0, 2), help="randomness; 0 always uses the most likely token"
                        ),
                    },
                    named=FREE,
                ),
            }
        ),
        "system_prompt": Leaf(checks.text, help="instructions sent before the conversation"),
        "system_prompt_sections": Leaf(
            shapes.sections, help="more instructions: texts, or tables of title and content"
        ),
        "tool_choice": Leaf(
            checks.text,
            tightens=lambda old, new: new == "none",
            loosens=lambda old, new: old == "none",
            help="auto, none, required, or the name of a tool",
        ),
        "request": Group(
            {
                "max_retries": Leaf(checks.integer(0, 100), help="retries after a temporary failure"),
                "base_backoff_ms": Leaf(checks.integer(0, 600_000), help="milliseconds before the first retry"),
                "max_backoff_secs": Leaf(checks.integer(0, 3_600), help="maximum seconds before a retry"),
                "stream_idle_timeout_secs": Leaf(checks.integer(1, 86_400), help="seconds without data before timeout"),
                "max_response_bytes": Leaf(checks.integer(1_024, 1 << 30), help="maximum bytes of one response"),
                "cache": Leaf(shapes.cache, help="how long a provider may keep the prompt: off, short, long, 1h"),
            }
        ),
    }
)


def target(value: Any) -> Any:
    """R52: a string, or a table of overrides for the answering assistant, with an optional `escalation`."""
    if not isinstance(value, dict):
        return checks.choice("user", "assistant", "assistant_with_escalation")(value)
    overrides = {key: item for key, item in value.items() if key != "escalation"}
    good, flaws = check(overrides, ASSISTANT)
    for flaw in flaws:
        raise BadValue(flaw.message, flaw.allowed, flaw.path, flaw.nearest.rpartition(".")[2])
    if "escalation" in value:
        good["escalation"] = checks.inside("escalation", checks.boolean, value["escalation"])
    return good
