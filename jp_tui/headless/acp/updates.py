"""Stored events as `session/update`s: the same for a live conversation and a loaded one (N50). Pure."""

from __future__ import annotations

import os
from collections.abc import Iterator

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import shortened
from jp_tui.questions.hunks import BadDiff, hunks
from jp_tui.view.wording.diff_lines import DiffReader, is_diff

MOST_OUTPUT = 60_000
"""Characters of a tool's result that an editor gets."""
LONGEST_TITLE = 200
_KINDS = {
    "fs_read_file": "read",
    "fs_list_files": "search",
    "fs_grep_files": "search",
    "fs_create_file": "edit",
    "fs_modify_file": "edit",
    "fs_move_file": "move",
    "fs_delete_file": "delete",
    "shell_run": "execute",
    "update_plan": "think",
    "submit_plan": "switch_mode",
}
"""The icon of a tool in an editor."""
_STATUSES = {"pending", "in_progress", "completed"}


def text_block(text: str) -> JsonObject:
    """Return text as a content block."""
    return {"type": "text", "text": text}


def message(text: str, part: str = "") -> JsonObject:
    """Return a piece of the assistant's message."""
    return _chunk("agent_message_chunk", text, part)


def thought(text: str, part: str = "") -> JsonObject:
    """Return a piece of its thoughts."""
    return _chunk("agent_thought_chunk", text, part)


def _chunk(kind: str, text: str, part: str = "") -> JsonObject:
    named: JsonObject = {"messageId": part} if part else {}
    return {"sessionUpdate": kind, "content": text_block(text), **named}


def kind(tool: str) -> str:
    """Return the kind of a tool; `other` for one that jp-tui doesn't come with."""
    return _KINDS.get(tool, "other")


def updates(stored: JsonObject, folder: str) -> Iterator[JsonObject]:
    """Yield what a stored event says; `folder` is the conversation's."""
    match read_event(stored):
        case ev.ChatRequest(content=content):
            yield _chunk("user_message_chunk", content)
        case ev.ChatResponse(kind="message", content=str() as text) if text:
            yield message(text)
        case ev.ChatResponse(kind="reasoning", content=str() as text) if text:
            yield thought(text)
        case ev.ToolCallRequest(id=id_, name=name, arguments=arguments):
            yield call(id_, name, arguments, folder)
        case ev.ToolCallResponse(id=id_, content=content, is_error=is_error):
            yield result(id_, content, is_error=is_error)
        case ev.Unknown(raw={"type": "plan", "steps": list() as steps}):
            yield {"sessionUpdate": "plan", "entries": list(_entries(steps))}
        case ev.Unknown(raw={"type": "mode", "mode": mode}):
            yield {"sessionUpdate": "current_mode_update", "currentModeId": "read-only" if mode == "plan" else "ask"}
        case _:
            pass


def call(id_: str, tool: str, arguments: JsonObject, folder: str) -> JsonObject:
    """Return a tool call that begins."""
    told: JsonObject = {"sessionUpdate": "tool_call", "toolCallId": id_, "title": title(tool, arguments)}
    told |= {"kind": kind(tool), "status": "pending", "rawInput": arguments}
    if places := _places(arguments, folder):
        told["locations"] = places
    return told


def title(tool: str, arguments: JsonObject) -> str:
    """Return the line that names a call: the tool and its first text argument."""
    given = next((value for value in arguments.values() if isinstance(value, str) and value.strip()), "")
    return shortened(f"{tool} {given}".strip().replace("\n", " "), LONGEST_TITLE)


def status(id_: str, state: str) -> JsonObject:
    """Return the new status of a call."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": id_, "status": state}


def result(id_: str, text: str, *, is_error: bool) -> JsonObject:
    """Return the end of a call."""
    told = status(id_, "failed" if is_error else "completed")
    if text:
        told["content"] = [content(shortened(text, MOST_OUTPUT))]
    return told


def content(text: str) -> JsonObject:
    """Return text as content of a call."""
    return {"type": "content", "content": text_block(text)}


def diffs(text: str, folder: str) -> tuple[str, list[Json]]:
    """Return what a text says beside its unified diffs, and their changes, one for each hunk; the text and none if it
    holds no diff that can be read."""
    if not is_diff(text):
        return text, []
    lines = text.split("\n")
    words: list[str] = []
    found: list[Json] = []
    path, at = "", 0
    while at < len(lines):
        if lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            path, at = _path(lines[at][4:], lines[at + 1][4:], folder), at + 2
        elif path and lines[at].startswith("@@ "):
            end = _end(lines, at)
            try:
                (piece,) = hunks("".join(f"{line}\n" for line in lines[at:end]))
            except (BadDiff, ValueError):
                return text, []
            before = "".join(piece.old)
            found.append({"type": "diff", "path": path, "oldText": before or None, "newText": "".join(piece.new)})
            at = end
        else:
            words.append(lines[at])
            at += 1
    return "\n".join(line for line in words if not line.startswith("```")).strip(), found


def _path(old: str, new: str, folder: str) -> str:
    """Return the absolute path of a file that a diff's two heads name."""
    name = old if new == "/dev/null" else new
    return os.path.join(folder, name.removeprefix("a/" if name is old else "b/"))


def _end(lines: list[str], at: int) -> int:
    """Return where the hunk at `at` ends, by the lines that its head counts."""
    reader = DiffReader()
    reader.line(lines[at])
    at += 1
    while at < len(lines) and (reader.inside or lines[at].startswith("\\ ")):
        reader.line(lines[at])
        at += 1
    return at


def _entries(steps: list[Json]) -> Iterator[Json]:
    for step in steps:
        if isinstance(step, dict) and isinstance(step.get("step"), str):
            state = step.get("status")
            yield {
                "content": step["step"],
                "priority": "medium",
                "status": state if state in _STATUSES else "pending",
            }


def _places(arguments: JsonObject, folder: str) -> list[Json]:
    """Return the files that the arguments name, as absolute paths."""
    found: list[Json] = []
    for name in ("path", "source", "target"):
        value = arguments.get(name)
        if isinstance(value, str) and value:
            found.append({"path": os.path.normpath(os.path.join(folder, value))})
    return found
