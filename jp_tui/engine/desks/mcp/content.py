"""Service for resources and prompts of MCP servers (mcp.md P48): what a message names is read and stored with it, and
a prompt's text goes to the composer. No model can ask for either."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jp_tui.conversation.patterns import later
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.server_content import ContentPrompt, ServerContent
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.model_context import RESOURCE
from jp_tui.protocol.mcp import FillServerPrompt, PromptArgument, ReadServerPrompt, ServerPromptFilled, ServerPromptRead
from jp_tui.protocol.own_commands import OwnCommand

MOST = 10
"""Resources per message."""
PATIENCE = 20.0
"""Seconds for which a message waits for its resources."""
_NAMED = later(r'(?:^|(?<=[\s(\[{,;:]))@(?:"(?P<quoted>[^"\n]+)"|(?P<bare>[^\s"@]+))')
_NAME = later(r"[A-Za-z0-9_.-]{1,128}")


def desk(context: DeskContext) -> Desk:
    """Serves prompts."""
    prompts = _Prompts(context)
    return Desk(beside={ReadServerPrompt: prompts.read, FillServerPrompt: prompts.fill})


class _Prompts:
    def __init__(self, context: DeskContext) -> None:
        self._context = context

    @property
    def _content(self) -> ServerContent:
        if self._context.setup.server_content is None:
            raise ValueError("MCP servers can't be used here.")
        return self._context.setup.server_content

    async def read(self, command: ReadServerPrompt) -> None:
        found = await self._content.prompts(command.server)
        one = next((one for one in found if one.name.casefold() == command.prompt.casefold()), None)
        if one is None:
            raise ValueError(f"{command.server} lists no prompt {command.prompt}.")
        arguments = tuple(
            PromptArgument(name=Foreign(each.name), description=Foreign(each.description), required=each.required)
            for each in one.arguments
        )
        said = Foreign(one.description)
        self._context.publish(
            ServerPromptRead(server=command.server, prompt=one.name, description=said, arguments=arguments)
        )

    async def fill(self, command: FillServerPrompt) -> None:
        text = await self._content.fill(command.server, command.prompt, command.arguments)
        if not text.strip():
            raise ValueError(f"{command.server} returned no text for {command.prompt}.")
        self._context.publish(ServerPromptFilled(server=command.server, prompt=command.prompt, text=Foreign(text)))


async def prompt_commands(content: ServerContent, server: str = "") -> list[OwnCommand]:
    """Return the prompts of the servers that run, as commands; `server` is started if it doesn't. A server that fails
    has none."""
    names = [one for one in content.names() if one == server or content.running(one)]
    found = await asyncio.gather(*(content.prompts(one) for one in names), return_exceptions=True)
    return [
        _command(name, one)
        for name, listed in zip(names, found, strict=True)
        if not isinstance(listed, BaseException)
        for one in listed
        if _NAME.fullmatch(one.name)
    ]


def _command(server: str, one: ContentPrompt) -> OwnCommand:
    hint = " ".join(each.name if each.required else f"[{each.name}]" for each in one.arguments)
    name = Foreign(f"{server}:{one.name}")
    return OwnCommand(
        name=name, kind="prompt", path=Foreign(""), description=Foreign(one.description), hint=Foreign(hint)
    )


async def resources(content: ServerContent | None, text: str) -> tuple[JsonObject, ...]:
    """Return the resources that a typed message names, in stored form. Raises ValueError with a message."""
    if content is None or "@" not in text:
        return ()
    wanted = list(dict.fromkeys(_wanted(content, text)))
    if len(wanted) > MOST:
        raise ValueError(f"A message can have at most {MOST} resources.")
    found: list[JsonObject] = []
    server = address = ""
    try:
        async with asyncio.timeout(PATIENCE):
            for server, address in wanted:
                read = storable(await content.read(server, address))
                found.append({"type": RESOURCE, "name": storable(f"{server}:{address}"), "text": read})
    except TimeoutError:
        raise ValueError(f"The message wasn't sent: its resources took more than {PATIENCE:g} s.") from None
    except ValueError as problem:
        raise ValueError(f"The message wasn't sent: {server}:{address} can't be read. {problem}") from problem
    return tuple(found)


def _wanted(content: ServerContent, text: str) -> Sequence[tuple[str, str]]:
    found = []
    for one in _NAMED.finditer(text):
        named = one["quoted"] if one["quoted"] is not None else one["bare"].rstrip(".,;:!?)]}'")
        server, colon, address = named.partition(":")
        if colon and address and server in content.names():
            found.append((server, address))
    return found
