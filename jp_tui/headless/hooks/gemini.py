"""Gemini CLI: `BeforeTool`, and the notices of a session (intake.md N21). It knows a no only: a yes is silence."""

from __future__ import annotations

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.hooks.program import HookProgram, HookVerdict, Kind, ToolMeaning, edit, whole


def render(event: str, kind: Kind, verdict: HookVerdict) -> JsonObject:
    """Return the decision; a late answer is a no, since Gemini CLI has no prompt to fall back to here."""
    return {} if verdict.choice in ("open", "allow") else {"decision": "deny", "reason": verdict.reason}


PROGRAM = HookProgram(
    name="gemini",
    word="gemini",
    title="Gemini CLI",
    events={
        "BeforeTool": "before",
        "SessionStart": "notice",
        "BeforeAgent": "notice",
        "Notification": "notice",
        "AfterAgent": "notice",
        "SessionEnd": "notice",
    },
    notices={
        "SessionStart": "idle",
        "BeforeAgent": "works",
        "Notification": "waits",
        "AfterAgent": "idle",
        "SessionEnd": "left",
    },
    tools={
        "run_shell_command": ToolMeaning({"command": "command", "cwd": "dir_path"}),
        "read_file": ToolMeaning({"path": ("file_path",)}, writes=False),
        "list_directory": ToolMeaning({"path": ("dir_path",)}, writes=False),
        "glob": ToolMeaning({"path": ("dir_path",)}, writes=False),
        "grep_search": ToolMeaning({"path": ("dir_path",)}, writes=False),
        "replace": ToolMeaning({"path": ("file_path",)}, changes=edit("file_path", "old_string", "new_string")),
        "write_file": ToolMeaning({"path": ("file_path",)}, changes=whole("file_path", "content")),
    },
    render=render,
    limit=55.0,
)
