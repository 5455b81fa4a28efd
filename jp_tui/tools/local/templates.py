"""Templates of a local tool's command (inquiries.md R83).

The language is Jinja's, sandboxed, with `tool` {name, arguments, answers, digests, options} and `context` {action,
root, access, workspace_id, conversation_id}; values other than text are written as JSON. In a shell line each text
becomes one quoted word (`q` does so explicitly); `as_is` vouches for the template's own text, `{{ … | default('') }}`
handles missing values. Rendering runs in a separate process (`rendering.py`); Jinja is never imported here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.tools.files.workspace import ToolRefusal
from jp_tui.tools.local.spec import ProgramCommand
from jp_tui.tools.port import ToolCall
from jp_tui.tools.worker import WorkerTimeout, ask

_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Rendered:
    """The command and its input; either may contain a secret, so neither has a repr."""

    argv: tuple[str, ...] = field(repr=False)
    stdin: bytes | None = field(repr=False)


class BadTemplate(Exception):
    """Template that can't be rendered with these values; one sentence, without them."""


def values(name: str, action: str, arguments: JsonObject, access: Json, call: ToolCall) -> JsonObject:
    """Return the values for templates. `digests` has the question's digest of each answer (R235)."""
    return {
        "tool": {
            "name": name,
            "arguments": arguments,
            "answers": {key: given.value for key, given in call.answers.items()},
            "digests": {key: given.digest for key, given in call.answers.items()},
            "options": call.options,
        },
        "context": {
            "action": action,
            "root": str(call.root),
            "access": access,
            "workspace_id": call.workspace,
            "conversation_id": call.conversation,
        },
    }


async def rendered(command: ProgramCommand, values: JsonObject) -> Rendered:
    """Render the command. Raises BadTemplate. A program that begins with `~/` is below the home folder."""
    program = command.program
    if program.startswith("~/") and not command.shell:
        program = os.path.expanduser(program)  # noqa: ASYNC240  it reads a variable
    parts = (program, *command.args)
    templates = [(" ".join(parts), True)] if command.shell else [(part, False) for part in parts]
    if command.stdin is not None:
        templates.append((command.stdin, False))
    texts = await _texts(templates, values)
    stdin = texts.pop().encode() if command.stdin is not None else None
    return Rendered(("/bin/sh", "-c", *texts) if command.shell else tuple(texts), stdin)


async def _texts(templates: Sequence[tuple[str, bool]], values: JsonObject) -> list[str]:
    if not any("{" in text for text, _ in templates):
        return [text for text, _ in templates]  # nothing to render
    job = {"path": _libraries(), "values": values, "templates": [{"text": t, "shell": shell} for t, shell in templates]}
    try:
        answer = (await ask("render", job, seconds=_SECONDS))[0]
    except WorkerTimeout:
        raise BadTemplate("its templates take too long to render") from None
    except ToolRefusal as problem:
        raise BadTemplate(f"its templates cannot be rendered: {problem}") from None
    if "problem" in answer:
        raise BadTemplate(f"its template {answer['problem']}")
    return list(answer["texts"])


def _libraries() -> list[str]:
    """Return the folders of Jinja and its dependencies, for an interpreter without a search path."""
    found: dict[str, None] = {}
    for name in ("jinja2", "markupsafe"):
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise BadTemplate(f"{name} is not installed")
        found[str(Path(spec.origin).parents[1])] = None
    return list(found)
