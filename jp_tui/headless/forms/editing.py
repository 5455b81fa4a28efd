"""Editing JSON and long texts in lines (inquiries.md R87, R93, R186): steps within a prompt.

A mistake is shown with its line and column, and the lines before it are kept. The engine validates against a schema.
What doesn't parse is never sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from jp_tui.conversation.strict_json import Json, JsonProblem, parse
from jp_tui.headless.forms.steps import Back, Outcome, Response, Step, Words, line, quoted
from jp_tui.protocol.values import Delivered, Edited, Permitted, PromptRequest
from jp_tui.view.wording import questions as w


class JsonLines:
    """A JSON value over several lines: it is complete as soon as it parses."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._broken = False

    def clear(self) -> None:
        """Drop all lines."""
        self.lines.clear()
        self._broken = False

    @property
    def mark(self) -> str:
        return f"{len(self.lines) + 1}> " if self.lines else "> "

    def add(self, lines: Sequence[str]) -> tuple[Json] | Words | None:
        """Return the value in a tuple, what is wrong, or None while it is incomplete. A blank line ends it."""
        if self._broken and self._is_replacement(lines):
            self.lines.clear()
        self.lines += lines
        asked = bool(lines) and not lines[-1].strip()
        text = "\n".join(self.lines)
        try:
            found = parse(text)
        except JsonProblem as problem:
            if self._open(problem) and not asked:
                return None
            self._broken = True
            return self._wrong(problem)
        self.clear()
        return (found,)

    def _is_replacement(self, lines: Sequence[str]) -> bool:
        """Return True if, after a mistake, these lines are a complete value of the same kind."""
        text = "\n".join(lines).strip()
        if not self.lines or text[:1] not in "{[" or text[:1] != "\n".join(self.lines).strip()[:1]:
            return False
        try:
            parse(text)
        except JsonProblem:
            return False
        return True

    def _open(self, problem: JsonProblem) -> bool:
        """Return True if more lines could fix it: the mistake is where the text ends."""
        if problem.line is None or problem.column is None:
            return False
        before = self.lines[: problem.line - 1]
        after = "\n".join(self.lines[problem.line - 1 :])[problem.column - 1 :]
        return len(before) < len(self.lines) and not after.strip()

    def _wrong(self, problem: JsonProblem) -> Words:
        if problem.line is None:
            self.lines.clear()
            return Words(f"The JSON isn't valid: {line(problem.message)}. Start again.")
        where = f"line {problem.line}, column {problem.column}: {line(problem.message)}"
        while self.lines and (len(self.lines) >= problem.line or not self.lines[-1].strip()):
            self.lines.pop()
        kept = len(self.lines)
        if not kept:
            return Words(f"{where}. Start again.")
        lines = "line 1 is" if kept == 1 else f"lines 1 to {kept} are"
        return Words(f"{where}. Your {lines} kept: continue with line {kept + 1}, or enter `:x` to start again.")


class ArgumentsEditor(Step):
    """Editor of a call's arguments as JSON (R87, R97b): always an object. `help` describes the effect of leaving."""

    gathers = True

    def __init__(self, prompt: PromptRequest, left: Callable[[], Outcome], help: str) -> None:
        self._prompt, self._left, self._help = prompt, left, help
        self._json = JsonLines()

    @property
    def mark(self) -> str:
        return self._json.mark

    def intro(self) -> Iterator[str]:
        yield "Current arguments:"
        yield quoted(self._prompt.arguments)
        yield f"Enter the new arguments as one JSON object, on one or more lines. {self._help}"

    def feed(self, line: str) -> Outcome:
        return self.pasted([line])

    def pasted(self, lines: Sequence[str]) -> Outcome:
        first = lines[0].strip()
        if first == ":c" and len(lines) == 1:
            return self._left()
        if first == ":x" and len(lines) == 1:
            self._json.clear()
            return Words("Start again.")
        if not self._json.lines and not any(one.strip() for one in lines):
            return Back("No changes.")
        found = self._json.add(lines)
        if not isinstance(found, tuple):
            return found
        if not isinstance(found[0], dict):
            return Words("Arguments must be a JSON object in braces. Start again.")
        return Edited(arguments=found[0])


def edit_call(prompt: PromptRequest) -> ArgumentsEditor:
    """Return the editor at a permission prompt, where cancelling skips the call (R87)."""

    def left() -> Outcome:
        return Permitted(run=False, reason=w.EDIT_CANCELLED)

    help = "The call then runs with them. An empty line goes back; `:c` skips the call."
    return ArgumentsEditor(prompt, left, help)


def edit_asked(prompt: PromptRequest) -> ArgumentsEditor:
    """Return the editor at a tool's own question (R97b)."""
    help = "The tool then starts again with them, without its answers so far. An empty line or `:c` goes back."
    return ArgumentsEditor(prompt, lambda: Back("No changes."), help)


class ResultEditor(Step):
    """Editor of a result before its delivery; emptied or cancelled, the original is delivered (R93)."""

    gathers = True
    mark = "… "

    def __init__(self) -> None:
        self._lines: list[str] = []

    def intro(self) -> Iterator[str]:
        yield "Enter the text to deliver instead, on one or more lines. `:end` on its own line ends it."
        yield "`:b` goes back. `:c`, or no text before `:end`, delivers the original."

    def feed(self, line: str) -> Outcome:
        match line.strip():
            case ":end":
                text = "\n".join(self._lines)
                return Delivered(deliver=True, text=text if text.strip() else None)
            case ":b":
                return Back("No changes.")
            case ":c":
                return Delivered(deliver=True)
            case _:
                self._lines.append(line)
                return None

    def pasted(self, lines: Sequence[str]) -> Outcome:
        *first, last = lines
        self._lines += first
        return self.feed(last)


def schema_answer(found: tuple[Json] | Words | None, then: Callable[[Json], Response]) -> Outcome:
    """Convert the result of `JsonLines.add` for a schema question."""
    return then(found[0]) if isinstance(found, tuple) else found
