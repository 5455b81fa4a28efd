"""Codex: `PreToolUse`, `PermissionRequest`, and the notices of a session (intake.md N21).

Before a tool it knows a no only: a yes is silence, and it has no prompt of its own to fall back to, so that a late
answer is a no there.
"""

from __future__ import annotations

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.hooks.program import HookProgram, HookVerdict, Kind, ToolMeaning, patched


def render(event: str, kind: Kind, verdict: HookVerdict) -> JsonObject:
    """Return the decision. It never has `updatedInput`, which Codex rejects."""
    own: JsonObject = {"hookEventName": event}
    if kind == "request":
        if verdict.choice in ("open", "late"):
            return {}
        decision: JsonObject = {"behavior": "allow"}
        if verdict.choice == "deny":
            decision = {"behavior": "deny", "message": verdict.reason}
        return {"hookSpecificOutput": {**own, "decision": decision}}
    if verdict.choice in ("open", "allow"):
        return {}
    own |= {"permissionDecision": "deny", "permissionDecisionReason": verdict.reason}
    return {"hookSpecificOutput": own}


PROGRAM = HookProgram(
    name="codex",
    word="codex",
    title="Codex",
    events={
        "PreToolUse": "before",
        "PermissionRequest": "request",
        "SessionStart": "notice",
        "UserPromptSubmit": "notice",
        "Stop": "notice",
    },
    notices={"SessionStart": "idle", "UserPromptSubmit": "works", "Stop": "idle"},
    tools={
        "Bash": ToolMeaning({"command": "command"}),
        "apply_patch": ToolMeaning(paths=patched("command")),
        "NetworkAccess": ToolMeaning(),
    },
    render=render,
    carries=True,
)
