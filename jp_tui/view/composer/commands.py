"""Parse `/` in the composer, pure: a command, a text, or an unknown name (issue 4, 6).

`//` begins a text that starts with a slash. An unknown name is never sent as text: it is returned with the nearest one,
so that a typo doesn't reach a model. The front end supplies the commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class SlashCommand:
    """`name` as typed, `title` for lists of commands, `argument` the placeholder, empty for none; `choices` are its
    known values; `needs` is what the command requires."""

    name: str
    title: str
    does: str
    argument: str = ""
    choices: tuple[str, ...] = ()
    needs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value(SlashCommand):
    """Command with one of its choices."""

    of: SlashCommand
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSlash(SlashCommand):
    """Command from a file of the user or the folder (context.md K50), sent as typed. Its texts are neutralised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPrompt(Value):
    """`/SERVER:PROMPT` of an MCP server (mcp.md P48): a page asks its arguments, and its text goes to the composer."""


@dataclass(frozen=True, slots=True)
class SendText:
    """Text to send to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class RunAction:
    """Command to run."""

    command: SlashCommand
    argument: str


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """Unknown name, or a command without argument that got one; `advice` says which."""

    name: str
    advice: str
    known: bool = False


def parse(text: str, commands: Sequence[SlashCommand]) -> SendText | RunAction | UnknownCommand:
    """Parse a submitted text."""
    if not text.startswith("/"):
        return SendText(text)
    if text.startswith("//"):
        return SendText(text[1:])
    name, _, argument = text[1:].strip().partition(" ")
    argument = argument.strip()
    found = next((one for one in commands if one.name.casefold() == name.casefold()), None)
    if found is None and (own := own_command(text, commands)) is not None:
        return own
    if found is None:
        return UnknownCommand(name, _advice(name, commands))
    if argument and not isinstance(found, OwnSlash) and (isinstance(found, ServerPrompt) or not found.argument):
        return UnknownCommand(name, f"/{found.name} takes no argument. // sends it as text.", True)
    return RunAction(found, argument)


def matching(text: str, commands: Sequence[SlashCommand]) -> tuple[SlashCommand, ...]:
    """Return the commands that the text may become: a slash and the start of a name, or a name and the start of a
    choice; without a choice yet, the bare command comes first."""
    if not text.startswith("/") or text.startswith("//"):
        return ()
    name, blank, argument = text[1:].partition(" ")
    if not blank:
        begun = name.casefold()
        fits = text == "/" or all(sign.isalnum() or sign in "-_.:" for sign in name)
        begins = [one for one in commands if one.name.casefold().startswith(begun)] if fits else []
        return tuple(sorted(begins, key=lambda one: one.name.casefold() != begun))  # the whole name first
    found = next((one for one in commands if one.name == name.casefold()), None)
    wanted = argument.strip().casefold()
    if found is None or not found.choices or "\n" in argument:
        return ()
    values = (choice for choice in found.choices if wanted in choice.casefold() and wanted != choice.casefold())
    listed = sorted(values, key=lambda choice: not choice.casefold().startswith(wanted))
    bare: tuple[SlashCommand, ...] = () if wanted else (found,)
    return (
        *bare,
        *(Value(name=f"{found.name} {one}", title=found.title, does="", of=found, value=one) for one in listed),
    )


def own_command(text: str, commands: Sequence[SlashCommand]) -> RunAction | None:
    """Return the own command that a text begins with, and everything after its name; None for any other text."""
    parts = text[1:].split(None, 1) if text.startswith("/") and not text[1:2].isspace() else []
    own = (one for one in commands if isinstance(one, OwnSlash))
    found = next((one for one in own if parts and one.name == parts[0].casefold()), None)
    return None if found is None else RunAction(found, parts[1] if len(parts) > 1 else "")


def own_slash(name: Foreign, description: Foreign, hint: Foreign, *, trusted: bool) -> OwnSlash:
    """Return the command for a file."""
    shown = neutralise(name, "line").casefold()
    return OwnSlash(
        name=shown,
        title=shown,
        does=neutralise(description, "line"),
        argument=neutralise(hint, "line"),
        needs="" if trusted else "your trust: /trust",
    )


def server_prompt(name: Foreign, description: Foreign, hint: Foreign, page: SlashCommand) -> ServerPrompt:
    """Return the command for a server's prompt, which `page` opens."""
    shown = neutralise(name, "line")
    return ServerPrompt(
        name=shown,
        title=shown,
        does=neutralise(description, "line"),
        argument=neutralise(hint, "line"),
        of=page,
        value=shown,
    )


def server_named(text: str) -> str:
    """Return a text that can be the name of an MCP server, empty otherwise."""
    plain = text.isascii() and text.replace("-", "").isalnum() and text == text.casefold() and len(text) <= 24
    return text if plain else ""


def with_own(commands: Sequence[SlashCommand], own: Sequence[SlashCommand]) -> tuple[SlashCommand, ...]:
    """Return the built-in commands, then these; the former keep their names."""
    built_in = tuple(one for one in commands if not isinstance(one, OwnSlash | ServerPrompt))
    taken = {one.name for one in built_in}
    return (*built_in, *(one for one in own if one.name not in taken))


def _advice(name: str, commands: Sequence[SlashCommand]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.casefold(), [one.name for one in commands], 1, 0.4)
    means = f"Did you mean /{near[0]}?" if near else "/help lists all."
    return f"{means} // sends it as text."
