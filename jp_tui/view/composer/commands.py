"""Parse `/` in the composer, pure: a command, a text, or an unknown name (issue 4, 6).

`//` begins a text that starts with a slash. An unknown name is never sent as text: it is returned with the nearest one,
so that a typo doesn't reach a model. The front end supplies the commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
    found = next((one for one in commands if one.name == name.casefold()), None)
    if found is None:
        return UnknownCommand(name, _advice(name, commands))
    if argument and not found.argument:
        return UnknownCommand(name, f"/{found.name} takes no argument. Start with // to send it as text.", True)
    return RunAction(found, argument)


def matching(text: str, commands: Sequence[SlashCommand]) -> tuple[SlashCommand, ...]:
    """Return the commands that the text may become: a slash and the start of a name, or a name and the start of a
    choice; without a choice yet, the bare command comes first."""
    if not text.startswith("/") or text.startswith("//"):
        return ()
    name, blank, argument = text[1:].partition(" ")
    if not blank:
        begun = name.casefold()
        fits = text == "/" or name.isalnum()
        return tuple(one for one in commands if one.name.startswith(begun)) if fits else ()
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


def _advice(name: str, commands: Sequence[SlashCommand]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.casefold(), [one.name for one in commands], 1, 0.4)
    means = f"Did you mean /{near[0]}?" if near else "/help lists all."
    return f"{means} Start with // to send it as text."
