"""`jp-tui context`: what goes to the model, part by part (context.md K12). Nothing is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jp_tui.headless.forms.steps import line
from jp_tui.headless.lists.request import ask, lookup
from jp_tui.headless.output import TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.context import ContextPart
from jp_tui.view.pages import context as words


@lookup
def list_context(link: Link, conversation: str | None, latest: bool, output: TextOutput) -> int:
    """Of a stored conversation or a new one; the exit status. Raises OutputEnded."""
    which = "id" if conversation is not None else "latest" if latest else "new"
    command = c.ReadContext.model_validate({"which": which, "conversation": conversation or ""})
    found = ask(link, command, e.ContextRead, output)
    if output.as_json:
        for one in found.parts:
            output.line(_object(one))
        total: dict[str, Any] = {"part": "total", "tokens": found.tokens, "window": found.window}
        output.line({**total, "compact_at": found.compact_at, "model": found.model})
    else:
        for text in context_lines(found):
            output.print(text)
    return 0


def _object(one: ContextPart) -> dict[str, Any]:
    """The exact form of K12."""
    about: dict[str, Any] = {"part": one.part}
    if one.path is not None:
        about["path"] = one.path.raw
    if one.trusted is not None:
        about["trusted"] = one.trusted
    about["state"] = one.state
    if one.why.raw:
        about["why"] = one.why.raw
    return {**about, "bytes": one.bytes, "tokens": one.tokens}


def context_lines(read: e.ContextRead) -> Iterator[str]:
    """A line a part, then the sum."""
    for amount, name, about, why in words.lines(read):
        more = "; ".join(part for part in (about, line(why)) if part)
        yield f"{amount:>12}  {line(name)}" + (f" ({more})" if more else "")
    yield f"{words.total(read)} · {line(read.model)}"
