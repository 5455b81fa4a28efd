"""Own commands and skills on the disk: where they are looked for, and what each file says (context.md K50-K52).

Files are opened beneath the folder that they must not leave, never waited for, and bounded. A folder's file counts only
with exactly the content that is trusted. Each call of
`CommandReader.read` reads the files; unchanged content is parsed once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from jp_tui.settings.errors import SettingsProblem
from jp_tui.settings.layers import trust_store
from jp_tui.system.files import FileBytes, FileProblem, Root

MOST_BYTES = 64 * 1024
MOST_FILES = 200
"""Of each folder."""
MOST_FOLDERS = 4
"""Depth of a command's folders."""
LONGEST_DESCRIPTION = 1024
LONGEST_HINT = 100
SKILL = "SKILL.md"
Kind = Literal["command", "skill"]
State = Literal["ready", "untrusted", "changed", "broken"]
_NAME = r"\w[\w.-]{0,63}"


@dataclass(frozen=True, slots=True)
class CommandPlaces:
    """The user's folder of jp-tui, their home folder, the workspace, and the store of what is trusted. `built_in` gives
    the names that a file can't have, asked for only if there are files. `hides` names the ignore list that hides a
    file, given as an absolute path (AR41)."""

    config: Path
    home: Path | None
    workspace: Path
    store: Path
    built_in: Callable[[], frozenset[str]] = frozenset
    hides: Callable[[], Callable[[str], str] | None] = lambda: None


@dataclass(frozen=True, slots=True)
class CommandFile:
    """One file. `path` is absolute, `inside` its path from `base`, the folder that it must not leave. `own`: the
    user's, not the workspace's. `taken` says who has its name, empty where `/NAME` is this one.

    `state` `untrusted`: the folder's, and not trusted; `changed`: trusted with other content; `broken`: `why` says what
    is wrong, in line `line`. `by_user`: the model may not load it (a skill)."""

    kind: Kind
    name: str
    path: str
    base: str
    inside: str
    own: bool
    state: State = "ready"
    why: str = ""
    line: int = 1
    taken: str = ""
    description: str = ""
    hint: str = ""
    model: str = ""
    by_user: bool = False
    text: str = ""
    data: bytes = b""

    @property
    def is_skill(self) -> bool:
        return self.kind == "skill"

    @property
    def key(self) -> str:
        """The name to compare with what is typed."""
        return self.name.casefold()


@dataclass(frozen=True, slots=True)
class CommandFiles:
    """All that were found, in the order in which they count. `problems` are those of whole folders."""

    files: tuple[CommandFile, ...] = ()
    problems: tuple[SettingsProblem, ...] = ()

    def command(self, name: str) -> CommandFile | None:
        """Return the file that `/NAME` is; one that isn't used if it is the only one."""
        found = [one for one in self.files if one.key == name.casefold()]
        return next((one for one in found if not one.taken), found[0] if found else None)

    def skill(self, name: str) -> CommandFile | None:
        """Return the first skill of this name."""
        return next((one for one in self.files if one.kind == "skill" and one.key == name.casefold()), None)

    @property
    def named(self) -> tuple[CommandFile, ...]:
        """Those that have their name."""
        return tuple(one for one in self.files if not one.taken)

    @property
    def skills(self) -> tuple[CommandFile, ...]:
        """Skills that the model may load."""
        first = {one.key: one for one in reversed(self.files) if one.kind == "skill"}
        usable = (one for one in self.files if one.state == "ready" and not one.by_user)
        return tuple(one for one in usable if first.get(one.key) is one)

    def wrong(self) -> list[SettingsProblem]:
        """Everything that is wrong with them, for `config check`."""
        broken = (SettingsProblem(one.why, file=one.path, line=one.line) for one in self.files if one.state == "broken")
        return [*self.problems, *broken]

    def unused(self) -> list[SettingsProblem]:
        """Files whose name another has."""
        taken = (one for one in self.files if one.taken and one.state != "broken")
        return [SettingsProblem(f"/{one.name} isn't used: {one.taken}", file=one.path) for one in taken]


@dataclass(frozen=True, slots=True)
class _Folder:
    kind: Kind
    base: str
    inside: str
    own: bool


@dataclass(frozen=True, slots=True)
class _Parsed:
    text: str = ""
    description: str = ""
    hint: str = ""
    model: str = ""
    by_user: bool = False
    why: str = ""
    line: int = 1


class CommandReader:
    """Reads the files of these places."""

    def __init__(self, places: CommandPlaces) -> None:
        self.places = places

    def read(self) -> CommandFiles:
        """Return them as they are now."""
        hides = self.places.hides()
        found: list[CommandFile] = []
        problems: list[SettingsProblem] = []
        seen: set[str] = set()
        for folder in _folders(self.places):
            for one in _files(folder, None if folder.own else hides, problems):
                real = os.path.realpath(one.path)
                if real not in seen:
                    seen.add(real)
                    found.append(one)
        return CommandFiles(tuple(self._named(self._trusted(found))), tuple(problems))

    def _trusted(self, found: list[CommandFile]) -> list[CommandFile]:
        theirs = [one for one in found if not one.own and one.state == "ready"]
        if not theirs:
            return found
        states = trust_store.states(self.places.store, [(Path(one.path), one.data) for one in theirs])
        known = {one.path: state for one, state in zip(theirs, states, strict=True)}
        return [
            replace(one, state="ready" if (state := known.get(one.path, one.state)) == "trusted" else state)
            for one in found
        ]

    def _named(self, found: list[CommandFile]) -> Iterator[CommandFile]:
        """Give each name to the first that has it: built-in commands, then the user's files, then the folder's."""
        first: dict[str, str] = {}
        built_in = self.places.built_in() if found else frozenset[str]()
        for one in found:
            if one.key in built_in:
                yield replace(one, taken=f"/{one.key} is built in")
            elif one.key in first:
                yield replace(one, taken=f"{first[one.key]} comes first")
            else:
                first[one.key] = one.path
                yield one


def shared_folders(workspace: Path) -> list[str]:
    """Return the folders of a workspace in which its commands and skills are, absolute."""
    base = os.path.realpath(workspace)
    return [os.path.join(base, inside) for _, inside in _SHARED]


_SHARED: tuple[tuple[Kind, str], ...] = (
    ("command", ".jp-tui/commands"),
    ("command", ".claude/commands"),
    ("skill", ".jp-tui/skills"),
    ("skill", ".agents/skills"),
    ("skill", ".claude/skills"),
)


def _folders(places: CommandPlaces) -> Iterator[_Folder]:
    home = None if places.home is None else os.path.realpath(places.home)
    yield _own("command", places.config / "commands", home)
    yield _own("skill", places.config / "skills", home)
    if home is not None:
        yield _own("skill", Path(home, ".agents/skills"), home)
    base = os.path.realpath(places.workspace)
    for kind, inside in _SHARED:
        yield _Folder(kind, base, inside, own=False)


def _own(kind: Kind, folder: Path, home: str | None) -> _Folder:
    """The user's own: confined to the home folder, or to jp-tui's own folder where that is elsewhere (as K3)."""
    above = os.path.realpath(folder.parent)
    base = home if home is not None and Path(above).is_relative_to(home) else above
    return _Folder(kind, base, os.path.relpath(os.path.join(above, folder.name), base), own=True)


def _files(
    folder: _Folder, hides: Callable[[str], str] | None, problems: list[SettingsProblem]
) -> Iterator[CommandFile]:
    """The files of one folder by name; nothing where there is no such folder."""
    if not os.path.lexists(os.path.join(folder.base, folder.inside)):
        return
    try:
        with Root(folder.base, hidden=_hidden(folder, hides)) as root:
            depth = MOST_FOLDERS if folder.kind == "command" else 1
            listing = root.walk(folder.inside, skip=_skipped, limit=MOST_FILES * 4, depth=depth)
            start, count = root.stat(folder.inside).real, 0
            for entry in listing:
                if entry.kind == "other" or (name := _name(folder.kind, os.path.relpath(entry.path, start))) is None:
                    continue
                if count >= MOST_FILES:
                    problems.append(_of_folder(folder, f"only the first {MOST_FILES} files are read"))
                    return
                count += 1
                inside = os.path.relpath(entry.path, start)
                inside = os.path.join(folder.inside, inside, *([SKILL] if folder.kind == "skill" else []))
                if folder.kind == "command" or os.path.lexists(os.path.join(folder.base, inside)):
                    yield _file(root, folder, name, inside)
    except FileProblem as problem:
        problems.append(_of_folder(folder, problem.message))


def _hidden(folder: _Folder, hides: Callable[[str], str] | None) -> Callable[[str, bool], str] | None:
    if hides is None:
        return None
    return lambda inside, is_folder: "" if is_folder else hides(os.path.join(folder.base, inside))


def _skipped(path: str, is_folder: bool) -> bool:
    return os.path.basename(path).startswith(".")


def _of_folder(folder: _Folder, message: str) -> SettingsProblem:
    return SettingsProblem(message, file=os.path.join(folder.base, folder.inside))


def _name(kind: Kind, path: str) -> str | None:
    """The name of a command by its path in the folder, that of a skill by its own folder."""
    if kind == "skill":
        return None if "/" in path else path
    stem, end = os.path.splitext(path)
    return stem.replace("/", ":") if end.casefold() == ".md" else None


def _file(root: Root, folder: _Folder, name: str, inside: str) -> CommandFile:
    from unicodedata import normalize

    name = normalize("NFC", name)
    one = CommandFile(folder.kind, name, os.path.join(folder.base, inside), folder.base, inside, folder.own)
    if not all(re.fullmatch(_NAME, part) for part in name.split(":")):
        return replace(one, state="broken", why="the name can have letters, digits, `-`, `_` and `.` only")
    try:
        read: FileBytes = root.read(inside, MOST_BYTES)
    except FileProblem as problem:
        return replace(one, state="broken", why=problem.message)
    if read.truncated:
        return replace(one, state="broken", why=f"is larger than {MOST_BYTES // 1024} KiB")
    found = _parsed(read.data)
    if found.why:
        return replace(one, state="broken", why=found.why, line=found.line, data=read.data)
    return replace(
        one,
        text=found.text,
        description=found.description,
        hint=found.hint,
        model=found.model,
        by_user=found.by_user,
        data=read.data,
    )


@lru_cache(maxsize=512)
def _parsed(data: bytes) -> _Parsed:
    from jp_tui.settings.command_files.frontmatter import FrontmatterProblem, split  # only where there are files

    try:
        text = data.decode("utf-8-sig")
        if "\0" in text:
            return _Parsed(why="is not text")
        table, body = split(text.replace("\r\n", "\n"))
    except UnicodeDecodeError:
        return _Parsed(why="is not text")
    except FrontmatterProblem as problem:
        return _Parsed(why=str(problem), line=problem.line)
    if not body.strip():
        return _Parsed(why="is empty")
    said = _line(table, "description", LONGEST_DESCRIPTION) or _first_line(body)
    model = _line(table, "model", 200)
    return _Parsed(
        text=body.strip("\n"),
        description=said,
        hint=_line(table, "argument-hint", LONGEST_HINT),
        model="" if model == "inherit" else model,
        by_user=table.get("disable-model-invocation") is True,
    )


def _line(table: Mapping[str, Any], key: str, most: int) -> str:
    """A value as one line of text; empty for a table."""
    value = table.get(key)
    if isinstance(value, list) and key == "argument-hint":
        value = f"[{', '.join(map(str, value))}]"
    if value is None or isinstance(value, dict | list):
        return ""
    return " ".join(str(value).encode("utf-8", "replace").decode().split())[:most]


def _first_line(body: str) -> str:
    lines: Sequence[str] = [line.strip(" \t#>*-`") for line in body.split("\n")]
    return " ".join(next((line for line in lines if line), "").split())[:200]
