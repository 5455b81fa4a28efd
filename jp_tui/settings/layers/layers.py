"""Layers of the configuration, lowest to highest (inquiries.md R60): built-in → user's file → workspace's file →
environment → conversation → --cfg → flags.

Each layer is checked separately, so an error names its place even where a higher layer overrides it. Only the given
files and mapping are read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from jp_tui.settings.errors import SettingsError, SettingsProblem, printable
from jp_tui.settings.layers import toml, trust_rules
from jp_tui.settings.layers.merge import Flaw, check, get, leaves, merge, without
from jp_tui.settings.layers.toml import Path, Place, Table
from jp_tui.settings.schema.keys import CHANGEABLE, NO_VARIABLE, PREFIX, SCHEMA, dotted

LayerKind = Literal["built-in", "user", "workspace", "environment", "conversation", "--cfg", "flag"]

_NAMED = 12
"""Names per line of text; also the number of refused workspace keys that are named (S10)."""
MAX_PROBLEMS = 100
"""Problems reported per layer. A file with more isn't a configuration, and the list must stay readable."""
SHORT: Mapping[str, Path] = {"JP_TUI_STORE": ("store", "url")}
"""Variables with a name of their own, and the key that each sets (store.md D1)."""
RESERVED = frozenset({"JP_TUI_HOME", "JP_TUI_FIXTURES", "JP_TUI_DEBUG", "JP_TUI_POLICY"})


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a value. `name` is a file, a variable or a flag; files have a line."""

    layer: LayerKind
    name: str
    line: int | None = None
    column: int | None = None

    def words(self) -> str:
        """Return `FILE:LINE`, or the name alone, as one printable line."""
        place = printable(self.name)
        return f"{place}:{self.line}" if self.line is not None else place


@dataclass(frozen=True, slots=True)
class SettingsNotice:
    """Message about settings that were ignored, or apply and should be seen: `keys` dotted, `words` one printable
    line."""

    keys: tuple[str, ...]
    words: str


@dataclass(slots=True)
class Layer:
    """One layer: a checked tree, and the place of each path."""

    kind: LayerKind
    name: str
    tree: Table
    places: Mapping[Path, Place] = field(default_factory=dict)
    names: Mapping[Path, str] = field(default_factory=dict)  # variables and flags, one for each key

    def origin(self, path: Path) -> Origin:
        """Return the place of `path`, or of the nearest parent table."""
        for length in range(len(path), 0, -1):
            part = path[:length]
            if part in self.names:
                return Origin(self.kind, self.names[part])
            if part in self.places:
                return Origin(self.kind, self.name, *self.places[part])
        return Origin(self.kind, self.name)


class Settings:
    """Effective configuration: one tree, its layers, and notices about them."""

    def __init__(self, layers: Sequence[Layer], notices: Sequence[SettingsNotice] = ()) -> None:
        self.layers = tuple(layers)
        self.notices = tuple(notices)
        self.tree: Table = {}
        for layer in self.layers:
            self.tree = merge(self.tree, layer.tree, SCHEMA)

    def get(self, *path: str) -> Any:
        """Return the effective value at `path`, None if unset. The value is shared; don't change it."""
        return get(self.tree, path)

    def origin(self, *path: str | int) -> Origin | None:
        """Return the origin of the effective value at `path`, None if it is unset."""
        for layer in reversed(self.layers):
            if get(layer.tree, path) is not None:
                return layer.origin(path)
        return None

    def own(self, kind: LayerKind) -> Table:
        """Return the tree of the layer of this kind; empty if there is none."""
        return next((layer.tree for layer in self.layers if layer.kind == kind), {})

    def below(self, kind: LayerKind, *path: str) -> Any:
        """Return the value at `path` without the layer of this kind, None if it is unset then."""
        values = (get(layer.tree, path) for layer in reversed(self.layers) if layer.kind != kind)
        return next((value for value in values if value is not None), None)

    def problem(self, path: Path, message: str, allowed: Sequence[str] = (), nearest: str = "") -> SettingsProblem:
        """Build a problem for the effective value at `path`, with its origin."""
        origin = self.origin(*path) or Origin("built-in", "")
        return SettingsProblem(message, dotted(path), origin.name, origin.line, origin.column, tuple(allowed), nearest)


_ours: dict[str, tuple[tuple[int, int], Layer]] = {}


def builtin(file: str) -> Layer:
    """Return a layer of packaged data, cached because each starting sub-agent asks for it."""
    about = os.stat(file)
    stamp, known = (about.st_mtime_ns, about.st_size), _ours.get(file)
    if known is None or known[0] != stamp:
        known = _ours[file] = stamp, _builtin(file)
    return known[1]


def _builtin(file: str) -> Layer:
    """Build it without limit checks; lines are located on demand."""
    with open(file, encoding="utf-8") as stream:
        text = stream.read()
    tree, flaws = check(toml.loads(text, file), SCHEMA)
    layer = Layer("built-in", file, tree, _Lazily(text, file))
    _refuse(flaws, layer)
    return layer


def from_file(kind: LayerKind, file: str) -> Layer | None:
    """Return the layer of a file, None if the file doesn't exist. Raises SettingsError with all its problems."""
    document = toml.read(file)
    return None if document is None else checked(kind, file, document)


def from_text(kind: LayerKind, file: str, data: bytes) -> Layer:
    """Return the layer that `from_file` would return for a file containing `data`."""
    return checked(kind, file, toml.parse(data, file))


def checked(kind: LayerKind, file: str, document: toml.Document) -> Layer:
    """Return the layer of a parsed document. Raises SettingsError with all its problems."""
    tree, flaws = check(document.tree, SCHEMA)
    layer = Layer(kind, file, tree, document.places)
    _refuse(flaws, layer)
    return layer


def from_workspace(
    file: str, below: Settings, *, trusted: Callable[[bytes], bool]
) -> tuple[Layer | None, list[SettingsNotice]]:
    """Return the effective part of a workspace's file and one notice for the rest.

    `trusted` decides whether the user trusts exactly these bytes (S10). Invalid values of an untrusted file are left
    out and reported like forbidden ones: a cloned repository must neither change how jp-tui works nor prevent its
    start. Only a file that isn't TOML or exceeds the limits is an error.
    """
    document = toml.read(file)
    if document is None:
        return None, []
    return workspace_layer(document, file, below, trusted=trusted(document.data))


def workspace_layer(
    document: toml.Document, file: str, below: Settings, *, trusted: bool
) -> tuple[Layer, list[SettingsNotice]]:
    """As `from_workspace`, for a parsed document."""
    tree, flaws = check(document.tree, SCHEMA)
    admitted, left_out = trust_rules.admit(tree, below.tree, trusted=trusted)
    layer = Layer("workspace", file, admitted, document.places)
    if trusted:
        _refuse(flaws, layer)
    ignored = dict.fromkeys([*left_out, *(flaw.path for flaw in flaws)])
    if not ignored:
        return layer, []
    never, others = ([dotted(path) for path in each] for each in trust_rules.weighed(ignored, tree, below.tree))
    why = ", though it is trusted" if trusted else ": this workspace is not trusted"
    named = [printable(key) for key in [*never, *others[: max(0, _NAMED - len(never))]]]
    more = len(never) + len(others) - len(named)
    hint = "" if trusted else " (/trust or `jp-tui config trust` shows what it would do)"
    if trusted and more:
        hint = " (/trust shows all)"
    rest = f" … and {more} more" if more else ""
    words = f"{printable(file)} ignored{why}{hint}: {', '.join(named)}{rest}"
    return layer, [SettingsNotice((*never, *others), words)]


def from_environment(environment: Mapping[str, str], below: Settings) -> tuple[Layer, list[SettingsNotice]]:
    """S11: `JP_TUI_ASSISTANT__MODEL__ID`. An empty variable is unset. Invalid values are errors; unknown names are
    notices."""
    entries: list[tuple[Path, Any, str]] = []
    unknown: list[str] = []
    for name in sorted(environment):
        if not name.startswith(PREFIX) or name in RESERVED or not environment[name]:
            continue
        if name in SHORT:
            entries.append((SHORT[name], environment[name], name))
            continue
        path = tuple(name[len(PREFIX) :].lower().split("__"))
        odd = len(path) < 2 or not all(path) or len(path) > toml.MAX_KEY_PARTS
        if odd or path[:2] == NO_VARIABLE:
            unknown.append(name)
            continue
        entries.append((path, toml.parse_value(environment[name], name), name))
    layer, flaws = _assembled("environment", "environment", entries)
    unknown += [flaw.where for flaw in flaws if flaw.unknown]
    _refuse([flaw for flaw in flaws if not flaw.unknown], layer)
    notices = []
    if unknown:
        from jp_tui.settings.layers.suggestions import describe_unknown

        said = f"ignored variables that aren't keys: {_listed([describe_unknown(name) for name in unknown])}"
        notices.append(SettingsNotice(tuple(unknown), printable(said, 2_000)))
    if loose := [layer.origin(path).name for path in trust_rules.loosened(layer.tree, below.tree)]:
        notices.append(
            SettingsNotice(tuple(loose), printable(f"less strict by the environment: {_listed(loose)}", 1_000))
        )
    return layer, notices


def from_conversation(deltas: Iterable[Mapping[str, Any]], below: Table) -> tuple[Layer | None, list[SettingsNotice]]:
    """Return the settings changes of a conversation's log over the tree `below`, in log order (R60, R67).

    Only keys of `conversation` and `assistant` apply. A change with other or invalid content, or for a removed tool, is
    ignored as a whole with a notice, so that an old log still opens. These changes come from a log that jp-tui wrote;
    an importer of foreign logs must filter them first, like a workspace's file.
    """
    tree: Table = {}
    names: dict[Path, str] = {}
    notices: list[SettingsNotice] = []
    for number, delta in enumerate(deltas, 1):
        where = f"change {number} of this conversation"
        try:
            good, flaws = check(dict(delta), CHANGEABLE)
        except RecursionError:
            good, flaws = {}, [Flaw((), "is nested too deeply")]
        if flaws:
            notices.append(_ignored(where, flaws))
            continue
        if gone := [Flaw(path, "is no longer a tool") for path in _gone(good, below, tree)]:
            notices.append(_ignored(where, gone))  # the rest of it still fits
            for flaw in gone:
                good = without(good, flaw.path)
        tree = merge(tree, good, SCHEMA)
        names.update((path, where) for path, _, _ in leaves(good, SCHEMA))
    return (Layer("conversation", "this conversation", tree, names=names) if tree else None), notices


def _gone(good: Table, *known: Table) -> list[Path]:
    """Return tools that a change names and no layer defines. A tool defined only by its own change counts as
    undefined."""
    path: Path = ("conversation", "tools")
    own: Table = get(good, path) or {}
    return [
        (*path, name)
        for name, values in own.items()
        if name != "*"
        and not name.startswith("mcp.")  # listed by a server
        and "source" not in values
        and not any(get(tree, (*path, name, "source")) for tree in known)
    ]


def _ignored(where: str, flaws: Sequence[Flaw]) -> SettingsNotice:
    said = "; ".join(f"{dotted(flaw.path)} {flaw.message}".strip() for flaw in flaws[:3])
    return SettingsNotice(tuple(dotted(flaw.path) for flaw in flaws), printable(f"{where} is ignored: {said}", 1_000))


def from_assignments(assignments: Iterable[str]) -> Layer:
    """Return the layer of `--cfg KEY=VALUE`; later ones take precedence (S5)."""
    entries: list[tuple[Path, Any, str]] = []
    for number, assignment in enumerate(assignments, 1):
        key, equals, value = assignment.partition("=")
        where = "--cfg" if number == 1 else f"--cfg ({number})"
        if not equals:
            raise SettingsError(SettingsProblem(f"expected KEY=VALUE, found {assignment}", file=where))
        entries.append((toml.parse_key(key.strip(), where), toml.parse_value(value.strip(), where), where))
    layer, flaws = _assembled("--cfg", "--cfg", entries)
    _refuse(flaws, layer)
    return layer


def from_flags(values: Mapping[str, tuple[Path, str]]) -> Layer:
    """Return the layer of flags that set a key: flag → (path, value)."""
    entries = [(path, value, flag) for flag, (path, value) in values.items()]
    layer, flaws = _assembled("flag", "command line", entries)
    _refuse(flaws, layer)
    return layer


def _assembled(kind: LayerKind, name: str, entries: Sequence[tuple[Path, Any, str]]) -> tuple[Layer, list[Flaw]]:
    tree: Table = {}
    names: dict[Path, str] = {}
    flaws: list[Flaw] = []
    for path, value, where in entries:
        nested: Any = value
        for part in reversed(path):
            nested = {part: nested}
        good, wrong = check(nested, SCHEMA)
        tree = merge(tree, good, SCHEMA)
        names[path] = where
        for flaw in wrong:
            flaw.where = where
        flaws += wrong
    return Layer(kind, name, tree, names=names), flaws


def _refuse(flaws: Sequence[Flaw], layer: Layer) -> None:
    if not flaws:
        return
    problems = []
    for flaw in flaws[:MAX_PROBLEMS]:
        at = layer.origin(flaw.path)
        problems.append(
            SettingsProblem(
                flaw.message, dotted(flaw.path), flaw.where or at.name, at.line, at.column, flaw.allowed, flaw.nearest
            )
        )
    if len(flaws) > MAX_PROBLEMS:
        problems.append(SettingsProblem(f"and {len(flaws) - MAX_PROBLEMS} more", file=layer.name))
    raise SettingsError(problems)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


class _Lazily(Mapping[Path, Place]):
    """Places in a text, located on first use."""

    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file
        self._places: dict[Path, Place] | None = None

    def _all(self) -> dict[Path, Place]:
        if self._places is None:
            self._places = toml.locate(self._text, self._file)
        return self._places

    def __getitem__(self, path: Path) -> Place:
        return self._all()[path]

    def __iter__(self) -> Any:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())
