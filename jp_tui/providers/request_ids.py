"""Adapt a request to servers that are strict about ids and names (inquiries.md R29, R180). Pure.

A log may contain data of other servers, programs and imported files: repeated, empty or huge ids, invalid names. They
are rewritten in the request and never in the log, identically on both sides of a call. Valid ones stay unchanged.
"""

from __future__ import annotations

import re
from dataclasses import replace

from jp_tui.conversation.model import Call, Message, ModelRequest, Part, Result

LONGEST_NAME = 64
LONGEST_ID = 40  # the shortest limit of the known APIs
NO_WORDS = "(no output)"
"""Placeholder for an empty error, which some servers refuse."""
_FITS = re.compile(r"[a-zA-Z0-9_-]+")


def fitting(request: ModelRequest) -> ModelRequest:
    """Return the request with a unique id for each call and its result, and valid names."""
    ids = _Ids(request)
    messages = tuple(_message(message, ids) for message in request.messages)
    return request if messages == request.messages else replace(request, messages=messages)


def in_call_order(request: ModelRequest) -> ModelRequest:
    """Return the request with results in the order of their calls, for servers that pair them without ids: one that was
    waited for is in the log behind others."""
    found: list[Message] = []
    order: dict[str, int] = {}
    for message in request.messages:
        if message.role == "assistant":
            order = {part.id: at for at, part in enumerate(message.parts) if isinstance(part, Call)}
        elif sum(isinstance(part, Result) for part in message.parts) > 1:
            parts = sorted(message.parts, key=lambda part, order=order: _place(part, order))  # type: ignore[misc]
            message = replace(message, parts=tuple(parts))
        found.append(message)
    return replace(request, messages=tuple(found))


def _place(part: Part, order: dict[str, int]) -> tuple[bool, int]:
    """Results first, each where its call is."""
    return not isinstance(part, Result), order.get(part.id, len(order)) if isinstance(part, Result) else 0


class _Ids:
    """Ids in order of occurrence; a valid one keeps its form at its first occurrence."""

    def __init__(self, request: ModelRequest) -> None:
        calls = (part.id for message in request.messages for part in message.parts if isinstance(part, Call))
        self._kept = {id_ for id_ in calls if len(id_) <= LONGEST_ID and _FITS.fullmatch(id_)}
        self._used: set[str] = set()
        self._now: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def of_call(self, id_: str) -> str:
        """Return a new id."""
        found = id_
        if id_ not in self._kept or id_ in self._used:
            found = stem = _plain(id_, LONGEST_ID - 8) or "call"
            while found in self._used or found in self._kept:
                number = self._numbers[stem] = self._numbers.get(stem, 1) + 1
                found = f"{stem}_{number}"
        self._used.add(found)
        self._now[id_] = found
        return found

    def of_result(self, id_: str) -> str:
        """Return the id of the preceding call."""
        return self._now.get(id_) or _plain(id_, LONGEST_ID) or "call"


def _message(message: Message, ids: _Ids) -> Message:
    parts = tuple(_part(part, ids) for part in message.parts)
    return message if parts == message.parts else replace(message, parts=parts)


def _part(part: Part, ids: _Ids) -> Part:
    match part:
        case Call(id_, name):
            id_, name = ids.of_call(id_), _name(name)
            return part if (id_, name) == (part.id, part.name) else replace(part, id=id_, name=name)
        case Result(id_, name, content, failed):
            id_, name, content = ids.of_result(id_), _name(name), content or (NO_WORDS if failed else "")
            same = (id_, name, content) == (part.id, part.name, part.content)
            return part if same else replace(part, id=id_, name=name, content=content)
        case _:
            return part


def _name(name: str) -> str:
    fits = len(name) <= LONGEST_NAME and _FITS.fullmatch(name)
    return name if fits else _plain(name, LONGEST_NAME) or "unnamed"


def _plain(text: str, most: int) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", text[:most])
