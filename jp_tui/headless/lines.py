"""Questions as numbered lines on a terminal, for a face without a screen (surface S4, inquiries.md R146, R147).

Reads only from the terminal itself, never from a redirected standard input. All foreign text is neutralised.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TextIO

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.strict_json import Json
from jp_tui.protocol.values import Answered, Cancelled, EndTurn, PromptRequest, Replied
from jp_tui.questions.types import BooleanAnswer, SelectAnswer, TextAnswer

Said = Answered | Cancelled | Replied | EndTurn


class Lines:
    """Asks on `out` and reads from `read`, which gives a line without its end, or None at the end of input."""

    def __init__(self, out: TextIO, read: Callable[[], str | None]) -> None:
        self._out, self._read = out, read

    def ask(self, prompt: PromptRequest) -> Said | None:
        """The human's answer; None at the end of input, or when the terminal went away."""
        try:
            return self._asked(prompt)
        except OSError:
            return None

    def _asked(self, prompt: PromptRequest) -> Said | None:
        self._show(prompt)
        while True:
            self._out.write("> ")
            self._out.flush()
            line = self._read()
            if line is None:
                return None
            said = self._understand(prompt, line)
            if not isinstance(said, str):
                return said
            self._say(said)

    def refused(self, reason: str) -> None:
        """An answer was not taken."""
        with contextlib.suppress(OSError):
            self._say(reason)

    def _say(self, text: str) -> None:
        self._out.write(f"{neutralise(text, 'approval')}\n")
        self._out.flush()

    def _show(self, prompt: PromptRequest) -> None:
        question = prompt.question
        self._say("")
        self._say(f"? {_asker(prompt)}")
        if question.context:
            self._say(question.context)
        self._say(question.text)
        keys: list[str] = []
        match question.answer_type:
            case BooleanAnswer():
                keys.append("y yes · n no")
                if "remember" in prompt.controls:
                    keys.append(f"Y N remember ({prompt.remember_covers})")
            case SelectAnswer(options=options):
                for number, option in enumerate(options, 1):
                    mark = "  (default)" if question.has_default and question.default == option.value else ""
                    told = f"  {option.description}" if option.description else ""
                    self._say(f"  {number}  {option.value}{told}{mark}")
                keys.append("a number")
            case _:
                keys.append("type the answer · `\\` at the end of a line goes on")
        keys.append(". reads it again")
        if "reply" in prompt.controls:
            keys.append(":r WORDS replies instead")
        if "cancel" in prompt.controls:
            keys.append(":c cancels")
        keys.append(":s ends the turn")
        self._say(" · ".join(keys))

    def _understand(self, prompt: PromptRequest, line: str) -> Said | str:
        """An answer, or why it is none."""
        word = line.strip()
        match word.partition(" "):
            case (".", _, ""):
                self._show(prompt)
                return ""
            case (":s", _, ""):
                return EndTurn()
            case (":c", _, "") if "cancel" in prompt.controls:
                return Cancelled()
            case (":r", _, words) if "reply" in prompt.controls:
                return Replied(text=words.strip() or None)
        question = prompt.question
        match question.answer_type:
            case BooleanAnswer():
                return _boolean(prompt, word)
            case SelectAnswer(options=options):
                return _choice([option.value for option in options], word, question.default)
            case TextAnswer():
                return self._text(line, question.default if question.has_default else None)
            case _:
                return "this kind of question cannot be answered here; :r replies in words, :s ends the turn"

    def _text(self, line: str, default: Json) -> Said | str:
        lines = [line]
        while lines[-1].endswith("\\"):
            lines[-1] = lines[-1][:-1]
            more = self._read()
            if more is None:
                break
            lines.append(more)
        text = "\n".join(lines)
        if not text:
            if isinstance(default, str):
                return Answered(value=default)
            return 'nothing typed; "" answers with an empty text'
        return Answered(value="" if text == '""' else text)


def _asker(prompt: PromptRequest) -> str:
    """Who asks, in one line."""
    who = prompt.label or prompt.tool
    subject = neutralise(prompt.subject, "line")
    return f"{who} · {subject} asks:" if subject else f"{who} asks:"


def _boolean(prompt: PromptRequest, word: str) -> Said | str:
    question = prompt.question
    if word in ("Y", "N") and "remember" in prompt.controls:
        return Answered(value=word == "Y", remember=True)
    if word.lower() in ("y", "yes", "true", "n", "no", "false"):
        return Answered(value=word.lower() in ("y", "yes", "true"))
    if not word and isinstance(question.default, bool) and not prompt.human_only:
        return Answered(value=question.default)
    return "y or n"


def _choice(values: list[str], word: str, default: Json) -> Said | str:
    if word.isdecimal() and 1 <= int(word) <= len(values):
        return Answered(value=values[int(word) - 1])
    if word in values:
        return Answered(value=word)
    if not word and isinstance(default, str) and default in values:
        return Answered(value=default)
    return f"a number from 1 to {len(values)}"
