"""Claude Code: `PreToolUse`, `PermissionRequest`, and the notices of a session (intake.md N21)."""

from __future__ import annotations

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.headless.hooks.program import (
    BadPayload,
    HookProgram,
    HookVerdict,
    Kind,
    ToolMeaning,
    edit,
    text,
    whole,
)
from jp_tui.protocol.outside import InputChange

QUESTIONS = "AskUserQuestion"


def render(event: str, kind: Kind, verdict: HookVerdict) -> JsonObject:
    """Return the decision. Without one of ours, or late at its own prompt, the program's rules go on."""
    if verdict.choice == "open" or (kind == "request" and verdict.choice == "late"):
        return {}
    own: JsonObject = {"hookEventName": event}
    if kind == "request":
        decision: JsonObject = {"behavior": "allow"}
        if verdict.choice == "deny":
            decision = {"behavior": "deny", "message": verdict.reason}
        elif verdict.input is not None:
            decision["updatedInput"] = verdict.input
        return {"hookSpecificOutput": {**own, "decision": decision}}
    choice = "ask" if verdict.choice == "late" else verdict.choice
    own |= {"permissionDecision": choice, "permissionDecisionReason": verdict.reason}
    if choice == "allow" and verdict.input is not None:
        own["updatedInput"] = verdict.input
    return {"hookSpecificOutput": own}


def _edits(arguments: JsonObject) -> tuple[InputChange, ...]:
    found = arguments.get("edits")
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadPayload("tool_input.edits isn't a list of objects")
    path = text(arguments, "file_path")
    return tuple(
        InputChange(path=path, after=text(one, "new_string"), before=text(one, "old_string"))
        for one in found
        if isinstance(one, dict)
    )


def _form(tool: str, arguments: JsonObject) -> tuple[JsonObject, ...]:
    """Return the questions of `AskUserQuestion` as selects."""
    if tool != QUESTIONS:
        return ()
    raw = arguments.get("questions")
    if not isinstance(raw, list) or not raw:
        raise BadPayload("tool_input.questions isn't a list")
    return tuple(_question(one) for one in raw)


def _question(raw: Json) -> JsonObject:
    if not isinstance(raw, dict) or not isinstance(options := raw.get("options"), list):
        raise BadPayload("a question has no options")
    asked = text(raw, "question")
    lines = [line.strip() for line in asked.splitlines() if line.strip()] or [""]
    choices: list[Json] = []
    for one in options:
        if not isinstance(one, dict):
            raise BadPayload("an option isn't an object")
        label, more = text(one, "label"), one.get("description")
        choices.append({"value": label, "description": more} if isinstance(more, str) and more else {"value": label})
    found: JsonObject = {
        "id": "answer",
        "text": lines[0],
        "answer_type": "multi_select" if raw.get("multiSelect") is True else "select",
        "options": choices,
    }
    return found if len(lines) == 1 else {**found, "context": asked}


def _filled(arguments: JsonObject, answers: tuple[Json, ...]) -> JsonObject:
    raw = arguments.get("questions")
    asked = [str(one.get("question")) for one in raw if isinstance(one, dict)] if isinstance(raw, list) else []
    said = [", ".join(map(str, one)) if isinstance(one, list) else str(one) for one in answers]
    return {**arguments, "answers": dict(zip(asked, said, strict=True))}


PROGRAM = HookProgram(
    name="claude-code",
    word="claude",
    title="Claude Code",
    events={
        "PreToolUse": "before",
        "PermissionRequest": "request",
        "SessionStart": "notice",
        "UserPromptSubmit": "notice",
        "Notification": "notice",
        "Stop": "notice",
        "SessionEnd": "notice",
    },
    notices={
        "SessionStart": "idle",
        "UserPromptSubmit": "works",
        "Notification": "waits",
        "Stop": "idle",
        "SessionEnd": "left",
    },
    tools={
        "Bash": ToolMeaning({"command": "command"}),
        "Read": ToolMeaning({"path": ("file_path",)}, writes=False),
        "Glob": ToolMeaning({"path": ("path",)}, writes=False),
        "Grep": ToolMeaning({"path": ("path",)}, writes=False),
        "LS": ToolMeaning({"path": ("path",)}, writes=False),
        "Edit": ToolMeaning({"path": ("file_path",)}, changes=edit("file_path", "old_string", "new_string")),
        "MultiEdit": ToolMeaning({"path": ("file_path",)}, changes=_edits),
        "Write": ToolMeaning({"path": ("file_path",)}, changes=whole("file_path", "content")),
        "NotebookEdit": ToolMeaning({"path": ("notebook_path",)}),
        "WebFetch": ToolMeaning({"host": ("url",)}),
    },
    render=render,
    edits=True,
    form=_form,
    filled=_filled,
)
