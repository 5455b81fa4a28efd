"""Prompts as numbered lines on a terminal, for a front end without a screen (surface S4, inquiries.md R146, R147).

Shows one prompt at a time and reads its lines. Text typed before a prompt was shown isn't an answer (asking.md E11), a
secret isn't echoed, and all untrusted text is neutralised. Sends nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TextIO

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.forms.prompt import Prompt
from jp_tui.headless.forms.registry import prompt_in_lines
from jp_tui.headless.forms.steps import AskedAside, Back, Response, SentAlong, Step, TakesOver, Wish, Words, line
from jp_tui.headless.forms.wrapping import width_of, wrapped
from jp_tui.headless.input import Called, LineInput
from jp_tui.protocol.values import PromptRequest


class Lines:
    """Asks on `out`; lines come from `source`, or from a function that returns one without its line end, None at the
    end."""

    def __init__(self, out: TextIO, source: LineInput | Callable[[], str | None]) -> None:
        self._out = out
        self.source: LineInput = Called(source) if callable(source) else source
        self._prompt: Prompt | None = None
        self._step: Step | None = None
        self._hidden: contextlib.ExitStack | None = None
        self._typing = False

    @property
    def asking(self) -> bool:
        """True if a prompt is shown and its lines are read."""
        return self._step is not None

    def show(self, prompt: PromptRequest, others: int = 0) -> None:
        """Show a prompt, with `others` waiting behind it; earlier input is dropped. Raises OSError."""
        self._prompt = prompt_in_lines(prompt, others)
        self._print(*self._prompt.intro())
        self._enter(self._prompt.first(), settle=True)

    def take(self) -> Response | Wish | None:
        """Return the meaning of the received lines: a response, which closes the prompt; a request, after which the
        prompt continues with `resume`; or None. Raises OSError."""
        while self._step is not None and (burst := self.burst()) is not None:
            if isinstance(burst, Words):
                self._next_step(burst)
                continue
            found = self._step.feed(burst[0]) if len(burst) == 1 else self._step.pasted(burst)
            if isinstance(found, AskedAside | SentAlong | TakesOver):
                self._step = self._prompt
                return found
            if not isinstance(found, Words | Back | Step | None):
                self.leave()
                return found
            self._next_step(found)
        return None

    def menu(self) -> None:
        """Open the menu of Ctrl+C. Raises OSError.

        Input isn't dropped: the key itself did that, and the next may be a second Ctrl+C.
        """
        if self._prompt is not None:
            self._enter(self._prompt.menu(), forget=False)

    def checked(self, problems: Sequence[tuple[str, str]]) -> None:
        """Show the problems of a refused answer, by field. Raises OSError."""
        found = list(self._prompt.wrong(problems)) if self._prompt is not None else []
        if found and self._step is not None:
            self.show_text("\n".join(found))

    def again(self, reason: str) -> None:
        """Continue the prompt after a refused answer, with the reason. Raises OSError."""
        if self._prompt is not None:
            self._step = self._prompt
            self._next_step(Words(f"Not accepted: {reason}"))

    def leave(self, why: str = "") -> None:
        """Stop asking, and restore the terminal. `why` is shown."""
        self._step = None
        self._unhide()
        if why:
            with contextlib.suppress(OSError):
                self.show_text(why)

    def tell(self, *texts: str) -> None:
        """Show texts while no line is expected. Raises OSError."""
        self._print(*texts)

    def resume(self) -> None:
        """Expect a line again for the prompt that is shown. Raises OSError."""
        if self._step is not None:
            self._mark()

    def show_text(self, text: str) -> None:
        """Show a text beside the prompt. Raises OSError."""
        self._print(*(["", text] if self._typing else [text]))
        self._typing = False
        if self._step is not None:
            self._mark(forget=False)

    def burst(self) -> list[str] | Words | None:
        """Return the next line with those that arrived together with it, or why it can't be used; None for no line."""
        first = self.source.line()
        if first is None:
            return None
        if self._typing and not self.source.typed:
            self._out.write("\n")  # the Enter key isn't echoed here
        self._typing = False
        found = [first]
        while not first.wrong and self.source.more() and (another := self.source.line()) is not None:
            found.append(another)
        wrong = next((one.wrong for one in found if one.wrong), "")
        return Words(wrong) if wrong else [one.text for one in found]

    def wanted(self, mark: str) -> None:
        """Show the sign for a line that isn't an answer. Raises OSError."""
        self._out.write(mark)
        self._out.flush()
        self._typing = True

    # Steps

    def _next_step(self, found: Words | Back | Step | None) -> None:
        match found:
            case Words(text=text):
                self._print(text)
            case Back(text=text, quiet=quiet):
                if text:
                    self._print(text)
                assert self._prompt is not None
                if not quiet:
                    self._print(*self._prompt.intro())
                self._step = self._prompt
            case Step():
                self._enter(found)
                return
            case None:
                pass
        self._mark()

    def _enter(self, step: Step, *, forget: bool = True, settle: bool = False) -> None:
        self._step = step
        if step is not self._prompt:
            self._print(*step.intro())
        self._mark(forget=forget, settle=settle)

    def _mark(self, *, forget: bool = True, settle: bool = False) -> None:
        """Show the sign for a line. Earlier input is dropped, unless more lines belong together; `settle`: the question
        was just shown, and ignores keys at first (Z12)."""
        step = self._step
        assert step is not None
        if step.hidden != (self._hidden is not None):
            self._unhide()
            if step.hidden:
                self._hidden = contextlib.ExitStack()
                self._hidden.enter_context(self.source.hidden())
        if forget and not step.gathers:
            early = (self.source.forget_and_wait() if settle else self.source.forget()).strip()
            if early and not step.hidden:
                self._print(f"Ignored, because it was typed before the question appeared: {line(early)}")
        self._out.write(step.mark)
        self._out.flush()
        self._typing = True

    def _unhide(self) -> None:
        if self._hidden is not None:
            self._hidden.close()
            self._hidden = None

    def _print(self, *texts: str) -> None:
        for text in texts:
            self._out.write(f"{wrapped(neutralise(text, 'approval'), width_of(self._out))}\n")
        self._out.flush()
