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
# The configuration of jp-tui, begun by its first-run page (/setup). It is yours: change it, comments and order stay.
# What does not stand here has a default: `jp-tui config show` lists every key, `jp-tui config check` says what is
# wrong. No key of a provider belongs in this file; keys are read from environment variables.
"""
_MODEL = """
# The model that new conversations are held with, as provider/model. `jp-tui models` lists what there is;
# `jp-tui --model P/M` takes another one for a single run.
[assistant.model]
id = {model}
"""
_REVIEWER = """
# The model that looks first at changes to your files. What it rejects, or is not sure of, comes to you.
[conversation.inquiry.assistant.model]
id = {reviewer}
"""
_NO_REVIEWER = """
# Changes to your files are decided by you alone. With these two lines a model looks first, and what it rejects comes to
# you; "inherit" is the model of the conversation itself.
# [conversation.inquiry.assistant.model]
# id = "inherit"
"""


@dataclass(frozen=True, slots=True)
class SetupChoice:
    """User's selection; `server` is (name, wire, address, variable) of a server that isn't configured yet."""

    model: str
    reviewer: str = ""
    server: tuple[str, str, str, str] | None = None


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
        taken = [REVIEWER] if not choice.reviewer and get(toml.loads(text, str(file)), REVIEWER) is not None else []
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


def _pairs(choice: SetupChoice) -> Iterator[tuple[tuple[str, ...], str]]:
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
    text += _MODEL.format(model=toml_value(choice.model))
    return text + (_REVIEWER.format(reviewer=toml_value(choice.reviewer)) if choice.reviewer else _NO_REVIEWER)


def _server(name: str, wire: str, base_url: str, variable: str) -> str:
    lines = [
        "",
        f"# A model server of your own: its models are {name}/MODEL.",
        f"[{dotted(('providers', 'llm', name))}]",
        f"wire = {toml_value(wire)}  # what it speaks",
        f"base_url = {toml_value(base_url)}  # its address, up to /chat/completions or /v1/messages",
    ]
    if variable:
        lines.append(f"api_key_env = {toml_value(variable)}  # the variable that holds its key; never the key itself")
    return "\n".join(lines) + "\n"
