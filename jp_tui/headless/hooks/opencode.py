"""OpenCode: `tool.execute.before` of the plugin that `hook install` writes, and the notices of a session (intake.md
N21). The plugin throws the reason of a no, which the model reads; it also throws where no decision comes."""

from __future__ import annotations

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.hooks.program import HookProgram, HookVerdict, Kind, ToolMeaning, edit, patched, whole


def render(event: str, kind: Kind, verdict: HookVerdict) -> JsonObject:
    """Return the decision for the plugin; a late answer is a no."""
    return {} if verdict.choice in ("open", "allow") else {"decision": "deny", "reason": verdict.reason}


PROGRAM = HookProgram(
    name="opencode",
    word="opencode",
    title="OpenCode",
    events={
        "tool.execute.before": "before",
        "session.created": "notice",
        "session.busy": "notice",
        "permission.asked": "notice",
        "session.idle": "notice",
        "session.deleted": "notice",
    },
    notices={
        "session.created": "idle",
        "session.busy": "works",
        "permission.asked": "waits",
        "session.idle": "idle",
        "session.deleted": "left",
    },
    tools={
        "bash": ToolMeaning({"command": "command", "cwd": "workdir"}),
        "read": ToolMeaning({"path": ("filePath",)}, writes=False),
        "list": ToolMeaning({"path": ("path",)}, writes=False),
        "glob": ToolMeaning({"path": ("path",)}, writes=False),
        "grep": ToolMeaning({"path": ("path",)}, writes=False),
        "edit": ToolMeaning({"path": ("filePath",)}, changes=edit("filePath", "oldString", "newString")),
        "write": ToolMeaning({"path": ("filePath",)}, changes=whole("filePath", "content")),
        "apply_patch": ToolMeaning(paths=patched("patchText")),
        "webfetch": ToolMeaning({"host": ("url",)}),
    },
    render=render,
)
