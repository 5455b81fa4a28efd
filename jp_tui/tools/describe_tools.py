"""`describe_tools`: long descriptions and examples of tools, on demand (inquiries.md R81, surface.md S40).

All text comes from the configuration. Treats all tools the same and asks nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.questions.bounds import short
from jp_tui.tools.documentation import Documentation, Documented
from jp_tui.tools.files.workspace import CallArguments, ToolRefusal
from jp_tui.tools.port import Outcome, ToolCall

_DEPTH = 8


class DescribeTools:
    """The tool; see `jp_tui.tools.port.Tool`."""

    def __init__(self, documentation: Documentation) -> None:
        self._known = documentation

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        """Return the requested names."""
        names = arguments.get("tools")
        return ", ".join(name for name in names if isinstance(name, str))[:200] if isinstance(names, list) else ""

    async def run(self, call: ToolCall) -> Outcome:
        arguments = CallArguments("describe_tools", call.arguments, frozenset({"tools"}))
        names = tuple(dict.fromkeys(arguments.texts("tools")))
        if call.arguments.get("tools") in (None, []):
            arguments.problem("`tools` is required: the names of the tools to describe.")
        try:
            arguments.check()
        except ToolRefusal as problem:
            return Failure(str(problem))
        unknown = [name for name in names if name not in self._known]
        known = {name: self._known[name] for name in names if name in self._known}
        if not known:
            return Failure(_unknown(unknown, self._known))
        parts = [_section(name, tool) for name, tool in known.items() if _more(tool)]
        if plain := [name for name, tool in known.items() if not _more(tool)]:
            parts.append(f"No more documentation than you have already: {', '.join(plain)}.")
        if unknown:
            parts.append(_unknown(unknown, self._known))
        return Success("\n\n---\n\n".join(parts))


def _unknown(names: list[str], known: Documentation) -> str:
    said = ", ".join(map(short, names[:20]))
    return f"There is no tool with this name: {said}. Tools are: {', '.join(known)}."


def _more(tool: Documented) -> bool:
    """True if the tool has documentation that the model wasn't shown with the tool itself (R80)."""
    return bool((tool.summary and tool.description) or tool.examples or _deep(tool.parameters))


def _deep(parameters: Mapping[str, Json]) -> bool:
    rules = [rule for rule in parameters.values() if isinstance(rule, dict)]
    return any(
        (rule.get("summary") and rule.get("description")) or rule.get("examples") or _deep(_inner(rule))
        for rule in rules
    )


def _inner(rule: JsonObject) -> JsonObject:
    """Return the nested parameters: properties, or those of the items."""
    items = rule.get("items")
    properties = items.get("properties") if isinstance(items, dict) else rule.get("properties")
    return properties if isinstance(properties, dict) else {}


def _section(name: str, tool: Documented) -> str:
    parts = [f"# {name}", *(text.strip() for text in (tool.summary, tool.description) if text.strip())]
    if tool.parameters:
        parts.append("## Parameters\n\n" + "\n".join(_parameters(tool.parameters, 0)))
    if tool.examples.strip():
        parts.append(f"## Examples\n\n{tool.examples.strip()}")
    return "\n\n".join(parts)


def _parameters(parameters: Mapping[str, Json], deep: int) -> Iterator[str]:
    """One item per parameter, nested ones indented below."""
    indent = "  " * deep
    for name, one in parameters.items():
        rule = one if isinstance(one, dict) else {}
        facts = [_kind(rule), "required" if rule.get("required") is True else ""]
        facts += [f"default {dump(rule['default'])}"] if "default" in rule else []
        enum = rule.get("enum")
        facts += [f"one of {', '.join(map(dump, enum))}"] if isinstance(enum, list) else []
        yield f"{indent}- `{name}` ({', '.join(filter(None, facts))})"
        for key in ("summary", "description", "examples"):
            text = rule.get(key)
            if isinstance(text, list):
                text = "For example: " + ", ".join(map(dump, text))
            if isinstance(text, str):
                yield from (f"{indent}  {line}" for line in text.strip().splitlines())
        if deep < _DEPTH:
            yield from _parameters(_inner(rule), deep + 1)


def _kind(rule: JsonObject) -> str:
    kind, items, either = rule.get("type"), rule.get("items"), rule.get("anyOf")
    if isinstance(either, list) and kind is None:
        kind = [_kind(one) for one in either if isinstance(one, dict)]
    said = " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind or "any")
    return f"{said} of {_kind(items)}" if isinstance(items, dict) else said
