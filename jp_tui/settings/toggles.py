"""`-t` and `-T`: tools switched on and off for one run, left to right (inquiries.md R73-R79, surface.md S7).

Pure. Only `state` ever changes, never what may change it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from jp_tui.settings.errors import UsageError, nearest
from jp_tui.settings.toolset import Enable, ToolSettings


@dataclass(frozen=True, slots=True)
class Toggle:
    """One `-t` (on) or `-T` (off); `name` None means all tools."""

    on: bool
    name: str | None = None


def apply(tools: Mapping[str, ToolSettings], toggles: Sequence[Toggle]) -> dict[str, ToolSettings]:
    """The tools after every directive. UsageError for a name that is no tool, before any takes effect (R74)."""
    for toggle in toggles:
        if toggle.name is not None and toggle.name not in tools:
            raise UsageError(f"no tool {toggle.name}", nearest(toggle.name, tools))
    changed = dict(tools)
    for toggle in toggles:
        for name in [toggle.name] if toggle.name is not None else changed:
            changed[name] = _toggled(changed[name], toggle)
    return changed


def _toggled(tool: ToolSettings, toggle: Toggle) -> ToolSettings:
    enable = tool.enable
    if enable.state == toggle.on:
        return tool
    if enable.accepts("bulk" if toggle.name is None else "named"):
        return replace(tool, enable=Enable(toggle.on, enable.allow_toggle))
    if toggle.name is None:
        return tool
    verb, lock = ("enable", "locked-off") if toggle.on else ("disable", "locked-on")
    raise UsageError(f"cannot {verb} `{tool.name}`: this tool is configured as {lock}")  # M24


def check_choice(tools: Mapping[str, ToolSettings], choice: str) -> None:
    """R78, R79: a forced tool has to be there and switched on; a tool that is locked off is never forced."""
    if choice in ("auto", "none", "required"):
        return
    tool = tools.get(choice)
    if tool is None:
        raise UsageError(f"no tool {choice} to use", nearest(choice, [*tools, "auto", "none", "required"]))
    if not tool.enable.state:
        locked = tool.enable.allow_toggle == "never"
        where = f"conversation.tools.{choice}.enable"
        raise UsageError(
            f"assistant.tool_choice wants {choice}, but {where} locks it off"
            if locked
            else f"tool {choice} is to be used, but is not enabled; add -t {choice}"
        )
