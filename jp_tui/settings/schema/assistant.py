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
                "parameters": Group(
                    {
                        "max_tokens": Leaf(checks.integer(1, 10_000_000), help="of one response"),
                        "temperature": Leaf(checks.number(0, 2), help="0 is the most likely word each time"),
                    },
                    named=FREE,
                ),
            }
        ),
        "system_prompt": Leaf(checks.text, help="what the model is told before the conversation"),
        "system_prompt_sections": Leaf(shapes.sections, help="more of it: texts, or tables of title and content"),
        "tool_choice": Leaf(
            checks.text,
            tightens=lambda old, new: new == "none",
            loosens=lambda old, new: old == "none",
            help="auto, none, required, or the name of a tool",
        ),
        "request": Group(
            {
                "max_retries": Leaf(checks.integer(0, 100), help="tries after one that failed in passing"),
                "base_backoff_ms": Leaf(checks.integer(0, 600_000), help="milliseconds before the first of them"),
                "max_backoff_secs": Leaf(checks.integer(0, 3_600), help="seconds before one of them at most"),
                "stream_idle_timeout_secs": Leaf(checks.integer(1, 86_400), help="seconds a server may say nothing"),
                "max_response_bytes": Leaf(checks.integer(1_024, 1 << 30), help="of one response, then it is cut off"),
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
