"""Ctrl+C in plain mode, without a screen (inquiries.md R211, R215, R216, R233, R248).

At a question it opens the question's menu, twice within a second it ends the turn. While the model or its tools work
the first opens the interrupt menu and a second leaves; otherwise twice within a second leaves. Menus never stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jp_tui.headless.composer import InterruptLines
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.steps import Words
from jp_tui.headless.question_loop import QuestionLoop
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.view.questions.interrupt_menu import InterruptWishes

TWICE_SECONDS = 1.0


class InterruptHandler:
    """`say` prints a line; `clock` counts seconds."""

    def __init__(
        self,
        link: Link,
        interview: QuestionLoop,
        lines: Lines,
        say: Callable[[str], None],
        wishes: InterruptWishes,
        clock: Callable[[], float],
    ) -> None:
        self._link, self._interview, self._lines, self._say = link, interview, lines, say
        self._wishes, self._clock = wishes, clock
        self._menu: InterruptLines | None = None
        self._phase = ""
        self._at, self._count = 0.0, 0
        self.typed()

    @property
    def menu(self) -> bool:
        """True if the menu is open and expects lines."""
        return self._menu is not None

    def note(self) -> None:
        """Record a Ctrl+C; nothing more, since this runs in a signal handler."""
        self._count += 1

    def typed(self) -> None:
        """Record other input: the next Ctrl+C is a first one."""
        self._at = self._clock() - 2 * TWICE_SECONDS

    def came(self, running: str) -> bool:
        """React to a recorded Ctrl+C in the conversation `running` (empty: nothing runs); return True to leave."""
        if not self._count:
            return False
        count, self._count = self._count, 0
        now = self._clock()
        twice = count > 1 or now - self._at <= TWICE_SECONDS
        self._at = now
        if self._menu is not None:
            return True
        if self._interview.asking:
            self._at_question(twice)
            return False
        if twice:
            return True
        if running:
            self._open(running)
        else:
            self._say("Press Ctrl+C again within 1 second to quit, or enter /quit.")
        return False

    def _at_question(self, twice: bool) -> None:
        if twice:
            self._interview.end_turn()
        else:
            self._interview.aside.hide()
            self._say("Press Ctrl+C again within 1 second to end the turn.")
            self._lines.menu()

    def _open(self, conversation: str) -> None:
        wish = self._wishes.choice(self._phase)
        if wish is not None and not wish.words:
            self._say(f"{wish.label}: {wish.does}")
            self._act(conversation, wish.action, "")
            return
        self._menu = InterruptLines(self._phase)
        self._show()

    def _show(self) -> None:
        assert self._menu is not None
        for text in self._menu.intro():
            self._say(text)
        self._lines.wanted("> ")

    def feed(self, burst: Sequence[str], conversation: str) -> None:
        """Process a line for the menu."""
        assert self._menu is not None
        chosen = self._menu.feed(burst)
        if isinstance(chosen, Words):
            self._say(chosen.text)
            self._lines.wanted("> ")
            return
        self._menu = None
        self._act(conversation, *chosen)

    def _act(self, conversation: str, action: c.Interrupt | None, text: str) -> None:
        if action in ("stop", "abort"):
            self._interview.ends()
        if action is not None:
            self._link.send(c.InterruptTurn(conversation=conversation, action=action, text=text))

    def turned(self, phase: str) -> None:
        """Adapt the menu to the turn's new phase."""
        self._phase = phase
        if self._menu is not None and self._menu.turned(phase):
            self._show()

    def over(self) -> None:
        """End the menu with the turn."""
        if self._menu is not None:
            self._menu = None
            self._say("The turn has ended.")
