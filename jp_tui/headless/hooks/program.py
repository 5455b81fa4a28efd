"""A program whose hooks call us: its events, what the arguments of its tools mean, and the form of its decisions. Pure.

What a payload says is untrusted. One that doesn't fit is refused as a whole (N22): nothing of it is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse_object
from jp_tui.protocol.outside import InputChange
from jp_tui.questions.bounds import beyond

MAX_BYTES = 8 << 20
MAX_DEPTH = 64
_MOST_NAME, _MOST_SESSION, _MOST_PATH = 1_000, 16_384, 16_384
Kind = Literal["before", "request", "notice", "other"]
Doing = Literal["works", "waits", "idle", "left"]
Choice = Literal["allow", "deny", "open", "late"]


class BadPayload(ValueError):
    """A payload that doesn't fit; `str(error)` is one line."""


@dataclass(frozen=True, slots=True)
class HookVerdict:
    """A decision: `open` says nothing, `late` is the program's own prompt where it has one (N23). `reason` is what
    that program's model reads; `input` replaces the call's arguments."""

    choice: Choice
    reason: str = ""
    input: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class ToolMeaning:
    """Meaning of the arguments of a tool. `covers` as in the settings (AR3), for texts only; `writes` False: it only
    reads; `paths` returns files that no single argument names."""

    covers: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    writes: bool = True
    changes: Callable[[JsonObject], tuple[InputChange, ...]] = lambda arguments: ()
    paths: Callable[[JsonObject], tuple[str, ...]] | None = None


UNKNOWN_TOOL = ToolMeaning()


@dataclass(frozen=True, slots=True)
class HookProgram:
    """A program. `name` is its name in settings and rules (N3), `word` that of the command line, `title` that for
    people. `events` by name, `notices` what the program then does (N24); `limit` in seconds, without `--limit`;
    `render` makes a decision about an event of the program; `carries`: its hook before a tool can't say yes, so that a
    yes given there counts for its prompt; `edits`: it takes other arguments with a yes; `form` returns the questions of
    a tool that asks the user, `filled` the tool's input with their answers."""

    name: str
    word: str
    title: str
    events: Mapping[str, Kind]
    notices: Mapping[str, Doing]
    tools: Mapping[str, ToolMeaning]
    render: Callable[[str, Kind, HookVerdict], JsonObject]
    limit: float = 590.0
    carries: bool = False
    edits: bool = False
    form: Callable[[str, JsonObject], tuple[JsonObject, ...]] = lambda tool, arguments: ()
    filled: Callable[[JsonObject, tuple[Json, ...]], JsonObject] = lambda arguments, answers: arguments


@dataclass(frozen=True, slots=True)
class Payload:
    """One payload. `tool` and `arguments` only for a call; `session`, `folder` and `model` as the program says."""

    event: str
    kind: Kind
    session: str = ""
    folder: str = ""
    model: str = ""
    doing: Doing = "idle"
    tool: str = ""
    arguments: JsonObject = field(default_factory=dict)
    meaning: ToolMeaning = UNKNOWN_TOOL
    changes: tuple[InputChange, ...] = ()
    paths: tuple[str, ...] = ()


def read_payload(program: HookProgram, data: bytes) -> Payload:
    """Return the payload. Raises BadPayload."""
    if len(data) > MAX_BYTES:
        raise BadPayload(f"the payload is larger than {MAX_BYTES >> 20} MiB")
    try:
        raw = parse_object(data, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    except JsonProblem as problem:
        raise BadPayload(f"the payload isn't valid: {problem.message}") from None
    event = _text(raw, "hook_event_name", most=_MOST_NAME, needed=True)
    kind = program.events.get(event, "other")
    if kind == "other":
        return Payload(event, kind)
    if kind == "notice":
        session, folder, model = (_said(raw, key) for key in ("session_id", "cwd", "model"))
        return Payload(event, kind, session, folder, model, _doing(program, event, raw))
    tool, arguments = _text(raw, "tool_name", most=_MOST_NAME, needed=True), raw.get("tool_input")
    if not isinstance(arguments, dict):
        raise BadPayload("tool_input isn't an object")
    if (wrong := beyond(arguments, "the arguments", max_bytes=MAX_BYTES)) is not None:
        raise BadPayload(wrong[2].rstrip("."))
    meaning = program.tools.get(tool, UNKNOWN_TOOL)
    check_arguments(meaning, arguments)
    return Payload(
        event,
        kind,
        _text(raw, "session_id", most=_MOST_SESSION, needed=True),
        _text(raw, "cwd", most=_MOST_PATH),
        _text(raw, "model", most=_MOST_NAME),
        "works",
        tool,
        arguments,
        meaning,
        meaning.changes(arguments),
        () if meaning.paths is None else meaning.paths(arguments),
    )


def _text(raw: JsonObject, key: str, *, most: int, needed: bool = False) -> str:
    value = raw.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value):
        raise BadPayload(f"{key} isn't a text")
    if len(value) > most:
        raise BadPayload(f"{key} has more than {most:,} characters")
    return value


def _said(raw: JsonObject, key: str) -> str:
    """Return a text of a notice, empty for anything else: a notice is never refused."""
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def check_arguments(meaning: ToolMeaning, arguments: JsonObject) -> None:
    """Refuse a call of a known tool whose command, paths or addresses are of another type. Raises BadPayload."""
    for name, places in meaning.covers.items():
        for place in (places,) if isinstance(places, str) else places:
            value = arguments.get(place)
            if value is None and not (name == "command" or (meaning.writes and name == "path")):
                continue
            if not isinstance(value, str) or not value:
                raise BadPayload(f"tool_input.{place} isn't a text")


def _doing(program: HookProgram, event: str, raw: JsonObject) -> Doing:
    if raw.get("notification_type") == "idle_prompt":
        return "idle"
    return program.notices.get(event, "idle")


def text(arguments: JsonObject, key: str) -> str:
    """Return a text among the arguments of a call. Raises BadPayload."""
    value = arguments.get(key)
    if not isinstance(value, str):
        raise BadPayload(f"tool_input.{key} isn't a text")
    return value


def edit(path: str, before: str, after: str) -> Callable[[JsonObject], tuple[InputChange, ...]]:
    """Return a reader of a change that replaces a text; the arguments are names of keys."""
    return lambda arguments: (
        InputChange(path=text(arguments, path), after=text(arguments, after), before=text(arguments, before)),
    )


def whole(path: str, after: str) -> Callable[[JsonObject], tuple[InputChange, ...]]:
    """Return a reader of a change that writes a whole file; the arguments are names of keys."""
    return lambda arguments: (InputChange(path=text(arguments, path), after=text(arguments, after)),)


_PATCH = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def patched(key: str) -> Callable[[JsonObject], tuple[str, ...]]:
    """Return a reader of the files that a patch names; one that names none counts as any file."""

    def paths(arguments: JsonObject) -> tuple[str, ...]:
        lines = text(arguments, key).splitlines()
        found = [line.removeprefix(mark).strip() for line in lines for mark in _PATCH if line.startswith(mark)]
        return tuple(found) or ("",)

    return paths
