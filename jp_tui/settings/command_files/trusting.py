"""Trust in a folder's commands and skills: each command, and each file of each skill, by content (context.md K52)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jp_tui.settings.command_files import skill_files
from jp_tui.settings.command_files.reading import CommandFile, CommandReader, shared_folders
from jp_tui.settings.layers import trust_store
from jp_tui.system.files import FileProblem

Change = Literal["same", "new", "changed"]


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file of the folder. `does` is its effect as a clause, `text` its content, `before` the content that was trusted
    (None if it wasn't, or is unknown)."""

    path: str
    name: str
    does: str
    text: str
    data: bytes
    state: Literal["trusted", "changed", "untrusted"]
    before: str | None = None

    @property
    def change(self) -> Change:
        return {"trusted": "same", "changed": "changed", "untrusted": "new"}[self.state]  # type: ignore[return-value]


def shared(reader: CommandReader) -> list[SharedFile]:
    """Return every file that trust would cover, in the order in which they count."""
    found: list[tuple[str, str, str, bytes]] = []
    for one in reader.read().files:
        if one.own or one.state == "broken":
            continue
        found.append((one.path, _title(one), _does(one), one.data))
        if one.kind == "skill":
            found += _beside(one)
    store = reader.places.store
    states = trust_store.states(store, [(Path(path), data) for path, _, _, data in found])
    made: list[SharedFile] = []
    for (path, name, does, data), state in zip(found, states, strict=True):
        before = trust_store.before(store, Path(path)) if state == "changed" else None
        made.append(SharedFile(path, name, does, _text(data), data, state, None if before is None else _text(before)))
    return made


def digest(files: Sequence[SharedFile]) -> str:
    """Return the fingerprint of these files with their content; empty for none."""
    if not files:
        return ""
    prints = sorted(trust_store.fingerprint(Path(one.path), one.data) for one in files)
    return hashlib.sha256("\n".join(prints).encode()).hexdigest()


def trust(reader: CommandReader, files: Sequence[SharedFile]) -> None:
    """Trust these files with their content. Raises SettingsError."""
    if files:
        trust_store.trust_files(reader.places.store, [(Path(one.path), one.data) for one in files])


def forget(reader: CommandReader) -> bool:
    """Revoke trust in all of the folder's commands and skills; return True if any was trusted. Raises SettingsError."""
    return trust_store.forget_below(reader.places.store, shared_folders(reader.places.workspace))


def _beside(one: CommandFile) -> list[tuple[str, str, str, bytes]]:
    found: list[tuple[str, str, str, bytes]] = []
    for path in skill_files.listed(one):
        try:
            file = skill_files.read(one, path)
        except FileProblem:
            continue
        name = f"{_title(one)}: {path}"
        found.append((skill_files.place(one, file.real), name, f"lets the model load {path} with it", file.data))
    return found


def _title(one: CommandFile) -> str:
    return f"skill {one.name}" if one.kind == "skill" else f"/{one.name}"


def _does(one: CommandFile) -> str:
    model = f", with the model {one.model}" if one.model else ""
    if one.kind == "command":
        return f"adds the command /{one.name}, which sends its text{model}"
    if one.by_user:
        return f"adds the skill /{one.name}, which sends its text{model}"
    return f"adds the skill {one.name}, which the model is told of and may load{model and f'; as /{one.name}{model}'}"


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    return f"(not text, {len(data):,} bytes, {hashlib.sha256(data).hexdigest()[:16]})" if "\0" in text else text


def relative(path: str, workspace: Path) -> str:
    """A path as people read it: from the workspace where it is in it."""
    base = os.path.realpath(workspace)
    inside = os.path.relpath(path, base)
    return path if inside.startswith("..") else inside
