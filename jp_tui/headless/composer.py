"""Input of plain mode beside questions: prompts, words that begin with `/`, the interrupt menu. Pure: lines in, a value
out.

A paste is sent only after confirmation; a line that ends in a backslash continues. Sends nothing and accesses no
terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from jp_tui.headless.forms.steps import Words, pick
from jp_tui.protocol.commands import Interrupt
from jp_tui.view.composer.commands import SlashCommand
from jp_tui.view.questions.interrupt_menu import CONTINUE, TITLE, InterruptChoice, menu

COMMANDS = (
    SlashCommand(name="help", title="Help", does="lists these commands"),
    SlashCommand(name="quit", title="Quit", does="quits; open questions stay open"),
    SlashCommand(name="ledger", title="Ledger", does="lists remembered answers and permissions"),
    SlashCommand(name="revoke", title="Revoke", does="revokes an entry of that list", argument="NUMBER"),
    SlashCommand(
        name="rules",
        title="Rules",
        does="lists approval rules and suggestions; revoke NUMBER, add NUMBER",
        argument="revoke",
    ),
    SlashCommand(name="context", title="Context", does="lists what goes to the model, with sizes"),
    SlashCommand(name="plan", title="Plan", does="lets the model only read until you accept a plan", argument="off"),
    SlashCommand(name="mode", title="Mode", does="changes what runs without asking", argument="ask|edits|unattended"),
    SlashCommand(name="inquiries", title="Inquiries", does="lists questions and answers of this conversation"),
    SlashCommand(
        name="inbox",
        title="Inbox",
        does="lists questions of other programs and conversations",
        argument="mine|roles|asked",
    ),
    SlashCommand(name="agents", title="Agents", does="lists who works here: conversations and other programs"),
    SlashCommand(name="answer", title="Answer", does="answers a question of another process", argument="ID VALUE"),
    SlashCommand(
        name="claim",
        title="Claim",
        does="shows others that you look at a question of a shared store, or hands it over",
        argument="ID release|to WHO",
    ),
    SlashCommand(
        name="diff", title="Changes", does="shows file changes of the last turn, or of all turns", argument="all"
    ),
    SlashCommand(name="undo", title="Undo", does="lists changes to files and undoes them", argument="NUMBER"),
    SlashCommand(
        name="compact",
        title="Compact",
        does="summarises older messages for the model; /compact undo undoes that",
        argument="FOCUS",
    ),
    SlashCommand(name="why", title="Why", does="explains why the last question was asked or not"),
    SlashCommand(name="drop", title="Drop", does="discards the unsent text"),
)


def helped(commands: Sequence[SlashCommand] = COMMANDS) -> Iterator[str]:
    """Yield the words and the keys."""
    for one in commands:
        needs = f" · needs {one.needs}" if one.needs else ""
        yield f"  /{one.name}{f' {one.argument}' if one.argument else ''}  {one.does}{needs}"
    yield "  //  starts a prompt that begins with /"
    yield "  \\ at the end of a line continues on the next"
    yield "  Ctrl+C interrupts. Twice within 1 second it quits; at a question it ends the turn"
    yield "  Ctrl+D quits"


@dataclass(slots=True)
class LineComposer:
    """A prompt being typed."""

    lines: list[str] = field(default_factory=list)
    pasted: bool = False

    @property
    def mark(self) -> str:
        return "… " if self.lines else "you> "

    def feed(self, burst: Sequence[str]) -> str | Words | None:
        """Return the prompt once complete; text to show; None if more is expected."""
        if len(burst) > 1 or self.pasted:
            return self._paste(burst)
        (line,) = burst
        if line.endswith("\\") and not line.endswith("\\\\"):
            self.lines.append(line[:-1])
            return None
        self.lines.append(line)
        return self.take()

    def _paste(self, burst: Sequence[str]) -> str | Words | None:
        if len(burst) == 1:
            if not burst[0]:
                return self.take()
            if burst[0].strip() == "/drop":
                self.take()
                return Words("Forgotten.")
        self.pasted = True
        self.lines += burst
        return Words(f"{len(self.lines)} lines so far. An empty line sends them, /drop discards them.")

    def take(self) -> str:
        """Return the text so far, and clear it."""
        text = "\n".join(self.lines)
        self.lines.clear()
        self.pasted = False
        return text


class InterruptLines:
    """The menu of R211 in lines; a choice may ask for a message."""

    def __init__(self, phase: str) -> None:
        self._choices = menu(phase)
        self._words: InterruptChoice | None = None

    def intro(self) -> Iterator[str]:
        yield f"{TITLE}. Press Ctrl+C again to quit."
        for number, choice in enumerate(self._choices, 1):
            yield f"  {number}  {choice.label}: {choice.does}"

    def turned(self, phase: str) -> bool:
        """Adapt to a new phase; return True if there is another menu to show. A pending message stays expected."""
        choices = menu(phase)
        if choices is self._choices:
            return False
        self._choices = choices
        if self._words is not None:
            self._words = next(choice for choice in choices if choice.words)
            return False
        return True

    def feed(self, burst: Sequence[str]) -> Words | tuple[Interrupt | None, str]:
        """Return text to show, or an action (None: continue) with its message."""
        text = "\n".join(burst)
        if (chosen := self._words) is not None:
            return (chosen.action, text) if text.strip() else (CONTINUE.action, "")
        number = pick(text.strip() or "1", len(self._choices))
        if number is None:
            return Words(f"Enter a number from 1 to {len(self._choices)}.")
        choice = self._choices[number - 1]
        if choice.words:
            self._words = choice
            return Words("Enter your message in one line. An empty line continues the turn.")
        return choice.action, ""
