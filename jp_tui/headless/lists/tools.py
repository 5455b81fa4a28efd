"""`jp-tui tools`: the tools with their settings, and the route of every configured question (surface S2).

A table of 80 columns, or one JSON object per line. Starts no engine and asks nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.output import TextOutput
from jp_tui.settings.layers.explain import toml_value
from jp_tui.settings.overview import QuestionRow, ToolRow

COLUMNS = 80
_NAME = 28
_TOGGLES = {
    ("any", True): "on",
    ("any", False): "off",
    ("never", True): "on, locked",
    ("never", False): "off, locked",
    ("if_named", True): "on, by name",
    ("if_named", False): "off, by name",
    ("if_named_or_group", True): "on, by name",
    ("if_named_or_group", False): "off, by name",
}
_TARGETS = {
    "user": "you",
    "assistant": "a reviewer",
    "assistant_with_escalation": "a reviewer; you decide what it rejects",
}


def list_tools(rows: Sequence[ToolRow], output: TextOutput) -> int:
    """Print all tools; return the exit status. Raises OutputEnded."""
    if output.as_json:
        for row in rows:
            output.line(row.json())
        return 0
    width = min(_NAME, max((len(row.tool.name) for row in rows), default=4))
    output.print(_line(width, "TOOL", "SOURCE", "ENABLED", "RUN", "RESULT"))
    for row in rows:
        tool = row.tool
        source = "built-in" if tool.source == "builtin" else "mcp" if tool.source == tool.name else tool.source
        enabled = _TOGGLES[tool.enable.allow_toggle, tool.enable.state]
        output.print(_line(width, tool.name, source, enabled, tool.run, tool.result))
        for words in _details(row):
            for line in _folded(words):
                output.print(line)
    output.print()
    output.print("locked: -t and -T can't change it · by name: only -t NAME and -T NAME can")
    return 0


def _line(width: int, name: str, source: str, enabled: str, run: str, result: str) -> str:
    return f"{name:<{width}}  {source:<9}  {enabled:<12}  {run:<10}  {result}".rstrip()


def _details(row: ToolRow) -> Iterator[str]:
    for question in row.questions:
        yield f"{question.id}: {_route(question)}"
    if row.policies:
        kinds = ", ".join(f"{kind} {policy}" for kind, policy in row.policies.items())
        yield f"without a user: {kinds}"


def _route(row: QuestionRow) -> str:
    """Describe who answers, and the setting's place."""
    question = row.question
    parts = []
    if question.has_answer:
        parts.append(f"always {_short(toml_value(question.answer))}")
    else:
        parts.append(f"answered by {_TARGETS[question.target]}")
    if question.overrides:
        parts.append(f"reviewer with {_short(toml_value(question.overrides))}")
    if question.exclusive is not None:
        parts.append("only the user may answer" if question.exclusive else "not only the user may answer")
    if question.deadline_secs is not None:
        parts.append(f"within {question.deadline_secs} s")
    if question.prompt_label is not None:
        parts.append(f"asked as {_short(toml_value(question.prompt_label))}")
    if question.why:
        parts.append(question.why)
    if question.place:
        parts.append(f"({question.place})")
    return ", ".join(parts).replace(", (", " (")


def _short(text: str) -> str:
    shown = neutralise(text, "line")
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def _folded(words: str) -> Iterator[str]:
    """Yield a detail under its tool, wrapped between words; paths are never broken."""
    indent, line = "    ", ""
    for word in words.split(" "):
        if line and len(indent) + len(line) + 1 + len(word) > COLUMNS:
            yield indent + line
            indent, line = "      ", word
        else:
            line = f"{line} {word}" if line else word
    yield indent + line
