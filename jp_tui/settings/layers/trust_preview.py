"""Preview of a workspace's file for the trust decision: the effect of each key, and the changes since the file was last
trusted (surface S10).

The list is complete, keys that run or send something come first, and each is explained. The preview itself grants no
trust.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any, Literal

from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import layers, toml, trust_rules
from jp_tui.settings.layers import trust_store as trusted
from jp_tui.settings.layers.explain import toml_value
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.merge import check, leaves
from jp_tui.settings.layers.toml import Path, Table
from jp_tui.settings.schema.keys import SCHEMA, Leaf, dotted, node_at

Counts = Literal["waits", "never", "always"]
"""Condition for a key to apply: only with trust; never; already now."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """One key: its value as TOML, its line (None: removed), its effect as text. `before` is its value in the content
    trusted before, None if that had no such key."""

    key: str
    value: str
    line: int | None
    does: str
    counts: Counts
    acts: bool
    before: str | None = None

    @property
    def change(self) -> Literal["same", "new", "changed", "gone"]:
        if self.line is None:
            return "gone"
        return "new" if self.before is None else "same" if self.before == self.value else "changed"


def content_before(store: File, file: File) -> toml.Document | None:
    """Return the content that was trusted before; None if it isn't known."""
    data = trusted.before(store, file)
    if data is not None:
        with suppress(SettingsError):
            return toml.parse(data, "what was trusted")
    return None


def proposed(document: toml.Document, file: str, below: Settings, before: toml.Document | None) -> list[Proposed]:
    """Return every key of the file and those only the earlier content had. Raises SettingsError for invalid values."""
    layer = layers.checked("workspace", file, document)
    never = set(trust_rules.admit(layer.tree, below.tree, trusted=True)[1])
    waits = set(trust_rules.admit(layer.tree, below.tree, trusted=False)[1]) - never
    was = dict(_written(check(before.tree, SCHEMA)[0])) if before is not None else {}
    found = []
    for path, value in _written(layer.tree):
        node = node_at(path)
        counts: Counts = "never" if path in never else "waits" if path in waits else "always"
        acts = isinstance(node, Leaf) and (node.acts or node.never is not None)
        old = toml_value(was[path]) if path in was else None
        line = layer.origin(path).line or 1
        found.append(Proposed(dotted(path), toml_value(value), line, does(path, value), counts, acts, old))
    here = {path for path, _ in _written(layer.tree)}
    for path, value in was.items():
        if path not in here:
            found.append(Proposed(dotted(path), "", None, "is no longer set", "always", False, toml_value(value)))
    order = ("waits", "never", "always")
    return sorted(found, key=lambda one: (order.index(one.counts), one.line is None, not one.acts))


def _written(tree: Table) -> list[tuple[Path, Any]]:
    """Return every value with its path; keys that don't count in a table come as values of their own."""
    found: list[tuple[Path, Any]] = []
    for path, leaf, value in leaves(tree, SCHEMA):
        apart = [key for key in leaf.not_from_folder if isinstance(value, dict) and key in value]
        kept = {key: item for key, item in value.items() if key not in apart} if apart else value
        found += [(path, kept), *(((*path, key), value[key]) for key in apart)]
    return found


def does(path: Path, value: Any) -> str:
    """Return the effect of a key as a clause: "runs …", "sends …"."""
    named = [str(part) for part in path]
    said = toml_value(value) if not isinstance(value, str) else value
    match named:
        case ["conversation", "tools", tool, *rest]:
            which = "every tool" if tool == "*" else tool
            return _tool(which, rest, said)
        case ["providers", "llm", "aliases", name]:
            return f"makes {name} an alias of the model {said}"
        case ["providers", "llm", name, *rest]:
            words = _PROVIDER.get(rest[0])
            return words.format(name=name, said=said) if words else _help(path)
        case ["providers", "mcp", name]:
            return _server(name, value)
        case ["providers", "mcp", name, key]:
            return f"{key} of the server {name} never counts from a folder's file"
        case ["notify", "command"]:
            return f"runs {said} whenever a question is waiting"
        case ["assistant", "model", "id"]:
            return f"uses {said} instead of the model you chose"
        case ["assistant", "system_prompt" | "system_prompt_sections"]:
            return "sends this to the model before your first message"
        case ["conversation", "inquiry", "assistant", "model", "id"]:
            return f"lets {said} answer for you as the reviewer"
        case _:
            return _help(path)


_PROVIDER = {
    "base_url": "sends conversations with models of {name} to {said}",
    "api_key_env": "sends the key in ${said} to the server of {name}",
    "headers": "sends this header to the server of {name}",
    "wire": "adds or changes the server {name}",
    "default_model": "uses {said} where only {name} is named",
}


def _server(name: str, value: dict[str, Any]) -> str:
    """Return what a server's table starts or connects to: the program, every argument, the names in `env`."""
    if value.get("enabled") is False:
        return f"adds the MCP server {name}, switched off"
    if url := value.get("url"):
        named = ", ".join(value.get("headers", {}))
        return f"connects to the MCP server {url}" + (f" with the headers {named}" if named else "")
    said = " ".join(toml_value(word) for word in (value.get("command", ""), *value.get("args", ())))
    where = f" in {toml_value(value['cwd'])}" if "cwd" in value else ""
    named = ", ".join(value.get("env", {}))
    return f"runs the program {said}{where} as the MCP server {name}" + (f", with {named} set" if named else "")


def _tool(tool: str, rest: list[str], said: str) -> str:
    match rest:
        case ["command"]:
            return f"makes {tool} run {said}"
        case ["source"]:
            return f"defines the tool {tool}: {said}" if said.startswith("local") else f"makes {tool} {said}"
        case ["enable", "state"]:
            return f"offers {tool} to the model" if said == "true" else f"withholds {tool} from the model"
        case ["enable", "allow_toggle"]:
            return f"sets how {tool} can be switched: {said}"
        case ["run"]:
            return f"runs {tool} without asking you" if said == "unattended" else f"before {tool} runs: {said}"
        case ["result"]:
            return (
                f"sends results of {tool} to the model without asking"
                if said == "unattended"
                else f"its result: {said}"
            )
        case ["format"]:
            return f"lets {tool} run its own command to show a call before you are asked"
        case ["style", "parameters"] if said not in ("json", "function_call", "off"):
            return f"runs {said} to show calls of {tool}"
        case ["questions", question, "answer"]:
            return f"answers {question} of {tool} for you"
        case ["questions", question, "target"]:
            return f"lets {said} decide {question} of {tool}" if said != "user" else f"asks you {question} of {tool}"
        case ["questions", question, "exclusive"] if said == "false":
            return f"lets {question} of {tool} be answered by others than you"
        case ["detached", *_]:
            return f"decides when no user is available: {said}"
        case ["options", "sandbox", "mode"]:
            return f"runs {tool} without a sandbox" if said == "off" else f"runs {tool} in a sandbox ({said})"
        case ["options", "sandbox", "network"] if said == "true":
            return f"allows network access in {tool}"
        case ["options", "sandbox", "visible"]:
            return f"lets {tool} read {said}"
        case ["description" | "summary" | "examples" | "parameters", *_]:
            return f"sends the model this about {tool}"
        case _:
            return f"changes how {tool} works"


def _help(path: Path) -> str:
    node = node_at(path)
    return (node.help if isinstance(node, Leaf) else "") or "changes this setting"
