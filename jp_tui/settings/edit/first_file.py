"""Configuration written by the first run.

A new file explains each line; in an existing file only keys are set. The file is replaced atomically, and an invalid
result is never written. It contains no credential, only the name of a variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jp_tui.settings.edit import edit
from jp_tui.settings.edit.file_lock import locked
from jp_tui.settings.layers import toml
from jp_tui.settings.layers.explain import toml_value
from jp_tui.settings.layers.layers import from_text
from jp_tui.settings.layers.merge import get
from jp_tui.settings.questions import REVIEWER
from jp_tui.settings.schema.keys import dotted

MODEL = ("assistant", "model", "id")
_HEAD = """\
# Configuration of jp-tui, created by /setup. You can edit it: comments and order are kept.
# Keys that aren't here have a default. `jp-tui config show` lists all keys, `jp-tui config check` finds
# mistakes. Don't put a provider's key into this file; keys are read from environment variables.
"""
_MODEL = """
# The model of new conversations, as provider/model. `jp-tui models` lists available ones;
# `jp-tui --model P/M` selects another one for one run.
[assistant.model]
id = {model}
"""
_REVIEWER = """
# The model that reviews changes of your files first. You decide what it rejects or isn't sure about.
[conversation.inquiry.assistant.model]
id = {reviewer}
"""
_NO_REVIEWER = """
# Only you decide about changes of your files. With these two lines a model reviews them first and you decide what it
# rejects; "inherit" is the conversation's own model.
# [conversation.inquiry.assistant.model]
# id = "inherit"
"""


@dataclass(frozen=True, slots=True)
class SetupChoice:
    """User's selection; `server` is (name, wire, address, variable) of a server that isn't configured yet, `agent` the
    (name, command) of such an agent."""

    model: str
    reviewer: str = ""
    server: tuple[str, str, str, str] | None = None
    agent: tuple[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class SettingsWritten:
    """Keys set, as (key, TOML value); an empty value means removed. `created`: the file is new."""

    keys: tuple[tuple[str, str], ...]
    created: bool


def write(file: Path, choice: SetupChoice) -> SettingsWritten:
    """Write the choice to `file`. Raises SettingsError, without a change, if the file is broken or can't be written."""
    pairs = list(_pairs(choice))
    for path, value in pairs:
        edit.check_value(path, value)
    with locked(file, dotted(MODEL)):
        document = toml.read(str(file))
        text = document.text if document is not None else ""
        created = not text.strip()
        keeps = bool(choice.reviewer) or choice.agent is not None
        taken = [REVIEWER] if not keeps and get(toml.loads(text, str(file)), REVIEWER) is not None else []
        if created:
            text = fresh(choice)
        else:
            from_text("user", str(file), text.encode("utf-8"))  # report existing errors instead of overwriting them
            for path, value in pairs:
                text = edit.replaced(text, path, value)
            for path in taken:
                text = edit.removed(text, path)
        edit.store(file, MODEL, text)
    keys = [(dotted(path), toml_value(value)) for path, value in pairs] + [(dotted(path), "") for path in taken]
    return SettingsWritten(tuple(keys), created)


def _pairs(choice: SetupChoice) -> Iterator[tuple[tuple[str, ...], str | list[str]]]:
    if choice.agent is not None:
        yield ("agents", choice.agent[0], "command"), list(choice.agent[1])
    if choice.server is not None:
        name, wire, base_url, variable = choice.server
        at = ("providers", "llm", name)
        yield (*at, "wire"), wire
        yield (*at, "base_url"), base_url
        if variable:
            yield (*at, "api_key_env"), variable
    yield MODEL, choice.model
    if choice.reviewer:
        yield REVIEWER, choice.reviewer


def fresh(choice: SetupChoice) -> str:
    """Return a complete file with a comment on every line. Pure."""
    text = _HEAD
    if choice.server is not None:
        text += _server(*choice.server)
    if choice.agent is not None:
        name, command = choice.agent
        text += "\n# An agent of another maker. In a conversation with it, it takes the place of a model.\n"
        text += f"[{dotted(('agents', name))}]\ncommand = {toml_value(list(command))}\n"
    text += _MODEL.format(model=toml_value(choice.model))
    return text + (_REVIEWER.format(reviewer=toml_value(choice.reviewer)) if choice.reviewer else _NO_REVIEWER)


def _server(name: str, wire: str, base_url: str, variable: str) -> str:
    lines = [
        "",
        f"# Your own model server. Its models are {name}/MODEL.",
        f"[{dotted(('providers', 'llm', name))}]",
        f"wire = {toml_value(wire)}  # its protocol",
        f"base_url = {toml_value(base_url)}  # its address, up to /chat/completions or /v1/messages",
    ]
    if variable:
        lines.append(f"api_key_env = {toml_value(variable)}  # the variable that has its key; never the key itself")
    return "\n".join(lines) + "\n"
