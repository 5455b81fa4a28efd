"""Parts of a request with their sizes (context.md K12). Sends nothing and records nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from jp_tui.conversation.model import Call, Message, Picture, Result, TextPart, ToolSpec
from jp_tui.conversation.strict_json import dump
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.dependencies import ModelFacts
from jp_tui.engine.context.brief import place_of
from jp_tui.engine.context.environment import changed, environment_text, look
from jp_tui.engine.context.instruction_files import InstructionFile, read_all
from jp_tui.engine.context.own_commands import HEAD, SkillLine, skill_lines
from jp_tui.engine.context.system_text import SERVER_BYTES, block, server_block
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.overlay import head
from jp_tui.protocol.context import ContextPart, ContextRead, PartName

BYTES_A_TOKEN = 3
"""Until a server has counted (K21)."""


async def read_context(log: Log, model: ModelFacts) -> ContextRead:
    """For the next request of this conversation. Raises JournalError."""
    settings = log.setup.context()
    messages = await log.model_messages()
    blocks, said = _split(messages)
    parts: list[ContextPart] = [_part("system", model.system)]
    tools = log.offered()
    if settings is not None:
        parts += [_file(one) for one in read_all(log.setup.workspace, settings)]
        skills = skill_lines(log.setup.own_commands)
        first = next((one for one in skills if one.line), None)
        tools = log.offered(first is not None)
        parts += [_skill(one, HEAD if one is first else "") for one in skills]
        if log.setup.servers is not None:
            parts += [_server(*one) for one in log.setup.servers.instructions().items()]
        if settings.environment:
            new = changed((await log.facts()).environment, await look(log.setup.workspace, log.setup.now()))
            blocks += [environment_text(new, first=not blocks)] if new else []
            parts.append(_part("environment", "".join([place_of(log, settings, len(tools)), *blocks])))
    specs = [tool.spec for tool in tools]
    parts.append(_part("tools", "".join(_spec(one) for one in specs)))
    if (base := log.overlay.base) is not None:
        said.remove(head(base))
        parts.append(_part("summary", head(replace(base, record=()))))
        parts.append(_part("record", "\n".join(base.record)))
    parts.append(_part("messages", "".join(said)))
    window, at = log.setup.windows.get(model.id, model.window), log.setup.compaction.at
    return ContextRead(
        conversation=log.id,
        parts=tuple(parts),
        tokens=sum(one.tokens for one in parts),
        window=window,
        compact_at=int(window * at) if window is not None and at is not None else None,
        model=model.id,
    )


def tokens_of(size: int) -> int:
    """An estimate for so many bytes."""
    return -(-size // BYTES_A_TOKEN)


def _part(name: PartName, text: str) -> ContextPart:
    size = len(text.encode("utf-8", "replace"))
    return ContextPart(part=name, bytes=size, tokens=tokens_of(size))


def _file(one: InstructionFile) -> ContextPart:
    sent = len(block(one).encode("utf-8", "replace")) if one.text else 0
    hidden = f"{one.hidden:,} invisible character{'s' if one.hidden != 1 else ''} left out" if one.hidden else ""
    why = "; ".join(part for part in (one.why, hidden, *one.left_out) if part)
    return ContextPart(
        part="instructions",
        path=Foreign(one.path),
        trusted=one.trusted,
        state=one.state,
        why=Foreign(why),
        bytes=one.size,
        tokens=tokens_of(sent),
    )


def _skill(one: SkillLine, head: str) -> ContextPart:
    """The first one that is sent has the text before the list."""
    sent = len((f"{head}\n{one.line}" if head else one.line).encode("utf-8", "replace")) if one.line else 0
    return ContextPart(
        part="skills",
        path=Foreign(one.path),
        trusted=True if one.own or one.line else None,
        state="sent" if one.line else "not_sent",
        why=Foreign(one.why),
        bytes=sent,
        tokens=tokens_of(sent),
    )


def _server(name: str, text: str) -> ContextPart:
    """An MCP server's words about itself."""
    size, sent = len(text.encode("utf-8", "replace")), len(server_block(name, text).encode("utf-8", "replace"))
    path = Foreign(f"MCP server {name}")
    why = Foreign(f"only the first {SERVER_BYTES >> 10} KiB are sent") if size > SERVER_BYTES else Foreign("")
    state: Literal["sent", "cut"] = "cut" if size > SERVER_BYTES else "sent"
    return ContextPart(part="instructions", path=path, state=state, why=why, bytes=size, tokens=tokens_of(sent))


def _spec(tool: ToolSpec) -> str:
    return dump({"name": tool.name, "description": tool.description, "parameters": tool.parameters})


def _split(messages: Iterable[Message]) -> tuple[list[str], list[str]]:
    """The blocks of the environment, and everything else that is said."""
    blocks: list[str] = []
    said: list[str] = []
    for message in messages:
        for text in _texts(message):
            is_block = text.startswith("<environment>\n") and text.endswith("\n</environment>")
            (blocks if is_block and message.role == "user" else said).append(text)
    return blocks, said


def _texts(message: Message) -> Iterator[str]:
    for part in message.parts:
        match part:
            case TextPart(text):
                yield text
            case Call(_, name, arguments):
                yield name + dump(arguments)
            case Result(_, _, content, _):
                yield content
            case Picture():
                pass  # servers count these by their size in pixels
            case _:
                yield part.text
