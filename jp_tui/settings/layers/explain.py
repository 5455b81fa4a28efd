"""Effective values with layer and place, as `config show` prints them (inquiries.md R72, S5).

Pure; works on loaded settings. Files and variables contain no credential, only the name of the variable with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jp_tui.settings import providers, reviewers, toolset
from jp_tui.settings.adjusted import Adjusted, adjusted
from jp_tui.settings.errors import UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.merge import check, get, leaves, merge
from jp_tui.settings.layers.toml import Path
from jp_tui.settings.questions import read_target, written_target
from jp_tui.settings.schema.keys import SCHEMA, Group, Leaf, dotted, node_at

ALL = (*toolset.TOOLS, "*")


@dataclass(frozen=True, slots=True)
class Shown:
    """One value. `layer` is `default` if no layer sets it; `place` is FILE:LINE, a variable or a flag; `why` explains a
    default; `adjusted` lists the values used instead of it or of its parts (Z4)."""

    path: Path
    value: Any
    layer: str
    place: str = ""
    why: str = ""
    adjusted: tuple[Adjusted, ...] = ()

    @property
    def key(self) -> str:
        return dotted(self.path)


def explained(settings: Settings, path: Path, environment: Mapping[str, str]) -> list[Shown]:
    """Return every set value at and under `path` (empty: all). Raises UsageError for an unknown key."""
    others: dict[Path, list[Adjusted]] = {}
    for one in adjusted(settings, environment):
        others.setdefault(one.leaf, []).append(one)
    return [_adjusted(each, others.get(each.path, ())) for each in _explained(settings, path, environment)]


def _adjusted(shown: Shown, others: Sequence[Adjusted]) -> Shown:
    """Add the text about each adjusted part to the value."""
    if not others:
        return shown
    named = (one.why if one.path == one.leaf else f"{one.key}: {one.why}" for one in others)
    return replace(shown, why="; ".join(part for part in (shown.why, *named) if part), adjusted=tuple(others))


def _explained(settings: Settings, path: Path, environment: Mapping[str, str]) -> list[Shown]:
    if path and (problem := unknown(path)):
        raise problem
    if isinstance(node_at(path), Leaf):
        inside = [_reviewed(settings, each, environment) for each in _inside(settings, path)]
        return inside or list(_defaults(settings, path, environment))
    found = [_shown(settings, each) for each, _, _ in leaves(_effective(settings, path), SCHEMA) if _under(each, path)]
    return [*(_reviewed(settings, each, environment) for each in found), *_defaults(settings, path, environment)]


def unknown(path: Path) -> UsageError | None:
    """Return the error for an unknown key, with the nearest known one; None if the key exists."""
    nested: Any = {}
    for part in reversed(path):
        nested = {part: nested}
    for flaw in check(nested, SCHEMA)[1]:
        if not flaw.unknown and 0 < len(flaw.path) < len(path):
            return UsageError(f"{dotted(path)} isn't a valid key: {dotted(flaw.path)} is a value")
        if flaw.unknown:
            allowed = f" (there are: {', '.join(flaw.allowed)})" if flaw.allowed else ""
            return UsageError(f"{dotted(flaw.path)} {flaw.message}{allowed}", flaw.nearest)
    return None if node_at(path) is not None else UsageError(f"{dotted(path)} isn't a valid key")


def _effective(settings: Settings, path: Path) -> dict[str, Any]:
    """Return the tree; for one tool, its values over those of all tools (R66)."""
    name = path[2] if path[:2] == toolset.TOOLS and len(path) > 2 else "*"
    own = settings.get(*toolset.TOOLS, str(name))
    if name == "*" or own is None:
        return settings.tree
    server = settings.get(*toolset.TOOLS, toolset.group_of(str(name))) or {}
    both = merge(settings.get(*ALL), merge(server, own, None), None)
    return merge(settings.tree, {"conversation": {"tools": {name: both}}}, SCHEMA)


def _reviewed(settings: Settings, shown: Shown, environment: Mapping[str, str]) -> Shown:
    """Add the reviewing model to a target other than the user (R72)."""
    path, value = shown.path, shown.value
    if path[:2] != toolset.TOOLS or path[3:4] != ("questions",) or path[5:] != ("target",) or value in ("user", None):
        return shown
    model = reviewers.reviewer_name(settings, environment, str(path[2]), str(path[4]), read_target(value)[1])
    return replace(shown, why="; ".join(part for part in (shown.why, model) if part))


def _inside(settings: Settings, path: Path) -> list[Shown]:
    value = get(_effective(settings, path), path)
    return [] if value is None else [_shown(settings, path)]


def _shown(settings: Settings, path: Path) -> Shown:
    places = [path]
    if path[:2] == toolset.TOOLS:
        server = toolset.group_of(str(path[2]))
        places += [(*toolset.TOOLS, name, *path[3:]) for name in (server, "*") if name]
    for each in places:
        origin = settings.origin(*each)
        if origin is not None:
            return Shown(path, get(settings.tree, each), origin.layer, origin.words())
    return Shown(path, None, "default")


def _defaults(settings: Settings, path: Path, environment: Mapping[str, str]) -> Iterable[Shown]:
    """Defaults that no layer sets."""
    model: Path = ("assistant", "model", "id")
    if _under(model, path) and settings.get(*map(str, model)) is None:
        chosen = providers.choose(settings, providers.providers(settings, environment), environment)
        yield Shown(model, str(chosen.id), "default", why=chosen.why)
    if path and path[:1] != ("conversation",):
        return
    for name, tool in toolset.tools(settings).items():
        where: Path = (*toolset.TOOLS, name)
        for id_, question in tool.questions.items():
            target: Path = (*where, "questions", id_, "target")
            if question.why and _under(target, path):
                said = written_target(question.target, question.overrides)
                place = "" if question.has_answer else question.place
                yield _reviewed(settings, Shown(target, said, "default", place, question.why), environment)
        derived: Path = (*where, "format")
        if path[:3] == where and _under(derived, path) and get(_effective(settings, path), derived) is None:
            yield Shown(derived, tool.format, "default", why=f"run is {tool.run}")


def _under(path: Path, start: Path) -> bool:
    return path[: len(start)] == start


def toml_value(value: Any) -> str:
    """Return a value as one line of TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_bare(str(key))} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return str(value)


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quoted(text: str) -> str:
    shown = "".join(_ESCAPES.get(c, c if c.isprintable() else f"\\U{ord(c):08X}") for c in text)
    return f'"{shown}"'


def _bare(key: str) -> str:
    return key if key.isascii() and key.replace("-", "").replace("_", "").isalnum() else _quoted(key)


def is_table(path: Path) -> bool:
    return isinstance(node_at(path), Group)
