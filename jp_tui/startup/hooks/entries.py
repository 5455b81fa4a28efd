"""Our entries in the settings of other programs (intake.md N23, N25), as pure changes of a file's content."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object

DAY = 86_400
LIMIT = DAY - 10
"""Seconds that a question waits: shorter than what the program gives the hook."""
NOTICE_SECS = 10
OURS = re.compile(r"\bhook (claude|codex|gemini)( --limit [\d.]+)?$")
"""End of a command of ours."""
PLUGIN_MARK = "// Written by `jp-tui hook install opencode`."


class NotOurs(ValueError):
    """The file can't be changed; `str(error)` says why."""


@dataclass(frozen=True, slots=True)
class HookFile:
    """The file in which a program keeps its hooks: below the home folder, and below the folder of a project."""

    word: str
    title: str
    user: str
    project: str
    decisions: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    milliseconds: bool = False
    on_failure: bool = False
    after: str = ""


FILES: Mapping[str, HookFile] = {
    "claude": HookFile(
        "claude",
        "Claude Code",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ("PreToolUse", "PermissionRequest"),
        ("SessionStart", "UserPromptSubmit", "Notification", "Stop", "SessionEnd"),
        on_failure=True,
    ),
    "codex": HookFile(
        "codex",
        "Codex",
        ".codex/hooks.json",
        ".codex/hooks.json",
        ("PreToolUse", "PermissionRequest"),
        ("SessionStart", "UserPromptSubmit", "Stop"),
        after="Codex runs them once they are trusted there (/hooks). If one is killed, Codex's own rules decide.",
    ),
    "gemini": HookFile(
        "gemini",
        "Gemini CLI",
        ".gemini/settings.json",
        ".gemini/settings.json",
        ("BeforeTool",),
        ("SessionStart", "BeforeAgent", "Notification", "AfterAgent", "SessionEnd"),
        milliseconds=True,
        after="If a hook is killed, Gemini CLI's own rules decide: it has no switch for that.",
    ),
    "opencode": HookFile(
        "opencode", "OpenCode", ".config/opencode/plugin/jp-tui.js", ".opencode/plugin/jp-tui.js",
        after="OpenCode loads the plugin at its next start.",
    ),
}  # fmt: skip


def hooks_of(file: HookFile, command: str) -> JsonObject:
    """Return our entries by event; `command` runs jp-tui, quoted for a shell."""
    times = 1000 if file.milliseconds else 1
    decides: JsonObject = {
        "type": "command",
        "command": f"{command} hook {file.word} --limit {LIMIT}",
        "timeout": DAY * times,
    }
    tells: JsonObject = {"type": "command", "command": f"{command} hook {file.word}", "timeout": NOTICE_SECS * times}
    if file.on_failure:
        decides["onFailure"] = "block"
    found: JsonObject = {event: {"matcher": "*", "hooks": [decides]} for event in file.decisions}
    return found | {event: {"hooks": [tells]} for event in file.notices}


def with_ours(content: bytes | None, file: HookFile, command: str) -> bytes:
    """Return the content with our entries; None for no file. Raises NotOurs."""
    tree = _read(content)
    indent = _indent(content)
    _remove(tree)
    hooks = tree.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise NotOurs("its hooks aren't an object")
    for event, entry in hooks_of(file, command).items():
        entries = hooks.setdefault(event, [])
        if not isinstance(entries, list):
            raise NotOurs(f"its hooks of {event} aren't a list")
        entries.append(entry)
    return _written(tree, indent, content)


def without_ours(content: bytes) -> bytes:
    """Return the content without our entries. Raises NotOurs."""
    tree = _read(content)
    _remove(tree)
    return _written(tree, _indent(content), content)


def ours_in(content: bytes) -> dict[str, list[dict[str, Any]]]:
    """Return our commands by event. Raises NotOurs."""
    hooks = _read(content).get("hooks")
    found: dict[str, list[dict[str, Any]]] = {}
    for event, entries in hooks.items() if isinstance(hooks, dict) else ():
        for entry in entries if isinstance(entries, list) else ():
            inner = entry.get("hooks") if isinstance(entry, dict) else None
            for one in inner if isinstance(inner, list) else ():
                if isinstance(one, dict) and _is_ours(one):
                    found.setdefault(event, []).append(one)
    return found


def plugin(command: list[str]) -> str:
    """Return OpenCode's plugin. It throws unless a decision of ours says that the call may go on."""
    return _PLUGIN.replace("@COMMAND@", dump([*command, "hook", "opencode", "--limit", str(LIMIT)])).replace(
        "@NOTICE@", dump([*command, "hook", "opencode"])
    )


_PLUGIN = f"""{PLUGIN_MARK}
// `jp-tui hook uninstall opencode` removes it.
import {{ spawn }} from "node:child_process"

const DECIDE = @COMMAND@
const NOTICE = @NOTICE@

function run(words, payload, folder) {{
  return new Promise((resolve, reject) => {{
    const child = spawn(words[0], words.slice(1), {{ cwd: folder, stdio: ["pipe", "pipe", "pipe"] }})
    let out = "", err = ""
    child.stdout.on("data", (data) => (out += data))
    child.stderr.on("data", (data) => (err += data))
    child.stdin.on("error", () => {{}})
    child.on("error", reject)
    child.on("close", (code) => resolve({{ code, out, err }}))
    child.stdin.end(JSON.stringify(payload))
  }})
}}

const STATES = {{
  "session.created": "session.created",
  "session.idle": "session.idle",
  "session.deleted": "session.deleted",
  "permission.asked": "permission.asked",
}}

export const JpTui = async ({{ directory }}) => ({{
  "tool.execute.before": async (input, output) => {{
    const payload = {{
      hook_event_name: "tool.execute.before",
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: output.args ?? {{}},
    }}
    let found
    try {{
      found = await run(DECIDE, payload, directory)
    }} catch (error) {{
      throw new Error("jp-tui could not be asked, so this isn't allowed: " + error.message)
    }}
    let said = null
    try {{
      if (found.code === 0) said = JSON.parse(found.out)
    }} catch {{}}
    if (said === null || typeof said !== "object" || Array.isArray(said))
      throw new Error("jp-tui gave no decision, so this isn't allowed. " + found.err.trim().slice(0, 500))
    if (said.decision === "deny") throw new Error(said.reason || "Denied in jp-tui.")
    if (Object.keys(said).length !== 0) throw new Error("jp-tui gave an unknown decision, so this isn't allowed.")
  }},
  event: async ({{ event }}) => {{
    const busy = event.type === "session.status" && event.properties?.status?.type === "busy"
    const name = busy ? "session.busy" : STATES[event.type]
    if (!name) return
    const session = event.properties?.sessionID ?? event.properties?.info?.id ?? ""
    run(NOTICE, {{ hook_event_name: name, session_id: session, cwd: directory }}, directory).catch(() => {{}})
  }},
}})
"""


def _read(content: bytes | None) -> dict[str, Any]:
    if content is None or not content.strip():
        return {}
    try:
        return parse_object(content)
    except JsonProblem as problem:
        raise NotOurs(f"it isn't plain JSON: {problem.message}") from None


def _remove(tree: dict[str, Any]) -> None:
    """Take our commands out, and what is empty without them."""
    hooks = tree.get("hooks")
    if not isinstance(hooks, dict):
        return
    touched = False
    for event in list(hooks):
        entries = hooks[event]
        if not isinstance(entries, list):
            continue
        left = [kept for entry in entries if (kept := _kept(entry)) is not None]
        if left != entries:
            touched = True
            if left:
                hooks[event] = left
            else:
                del hooks[event]
    if touched and not hooks:
        del tree["hooks"]


def _kept(entry: Json) -> Json:
    inner = entry.get("hooks") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(inner, list):
        return entry
    left = [one for one in inner if not (isinstance(one, dict) and _is_ours(one))]
    if left == inner:
        return entry
    return {**entry, "hooks": left} if left else None


def _is_ours(one: Mapping[str, Any]) -> bool:
    command = one.get("command")
    return isinstance(command, str) and "jp" in command and OURS.search(command) is not None


def _indent(content: bytes | None) -> int | str:
    found = re.search(rb"\{\r?\n([ \t]+)\"", content or b"")
    if found is None:
        return 2
    return "\t" if found[1].startswith(b"\t") else len(found[1])


def _written(tree: dict[str, Any], indent: int | str, before: bytes | None) -> bytes:
    ends = b"" if before and not before.endswith(b"\n") else b"\n"
    return json.dumps(tree, indent=indent, ensure_ascii=False).encode() + ends
