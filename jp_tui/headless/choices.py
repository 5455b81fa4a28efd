"""Questions with something to choose from, as numbered lines (inquiries.md R8, R113, R183, R184, R192, R198).

Enter takes a default only where there is one, and never in a yes or no that is the human's own. A misfit is told in
one line and asked again; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jp_tui.conversation.strict_json import Json
from jp_tui.headless.asking import Outcome, Response, Words, line, pick, quoted
from jp_tui.headless.question import QuestionPrompt
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import Option
from jp_tui.view import wording as w


class Boolean(QuestionPrompt):
    """y and n, and where it may be remembered Y and N, which say what they cover (R113, R198, R236)."""

    def _entries(self) -> list[tuple[str, str, bool, bool]]:
        """(key, words of M33, value, remember)."""
        if "remember" not in self._prompt.controls:
            return [("y", w.YES, True, False), ("n", w.NO, False, False)]
        return [
            ("y", w.YES_ONCE, True, False),
            ("Y", w.YES_TURN, True, True),
            ("n", w.NO_ONCE, False, False),
            ("N", w.NO_TURN, False, True),
        ]

    def _choices(self) -> Iterator[str]:
        default = self._question.default if self._question.has_default else None
        for number, (key, words, value, remember) in enumerate(self._entries(), 1):
            mark = f"  ({w.DEFAULT})" if default is value and not remember else ""
            yield f"  {number}  {key}  {words}{mark}"
        if "remember" in self._prompt.controls:
            scope = self._prompt.remember_covers
            yield w.COVERS.format(scope=line(scope)) if scope else w.COVERS_UNKNOWN.format(tool=line(self._prompt.tool))

    def _keys(self) -> Iterator[tuple[str, str]]:
        yield "y", "yes"
        yield "n", "no"
        if self._takes_enter:
            yield "Enter", "takes the default"

    @property
    def _takes_enter(self) -> bool:
        return self._question.has_default and isinstance(self._question.default, bool) and not self._prompt.human_only

    def _answer(self, line: str) -> Outcome:
        typed = line.strip()
        entries = self._entries()
        number = pick(typed, len(entries))
        for at, (key, _, value, remember) in enumerate(entries, 1):
            if typed == key or at == number:
                return self._said(value, remember=remember)
        if typed.lower() in ("y", "yes", "true", "n", "no", "false") and typed not in ("Y", "N"):
            return self._said(typed.lower() in ("y", "yes", "true"))
        if typed in ("Y", "N"):
            return Words(f"nothing is remembered here: {typed.lower()} answers this once")
        if not typed and self._takes_enter:
            return self._said(self._question.default)
        if not typed and self._prompt.human_only:
            return Words("this one is yours to decide: y or n")
        return Words("y or n")


def _listed(options: Sequence[Option], defaults: Sequence[Json]) -> Iterator[str]:
    for number, option in enumerate(options, 1):
        marks = [w.RECOMMENDED] if option.recommended else []
        marks += [f"({w.DEFAULT})"] if option.value in defaults else []
        yield "  ".join((f"  {number}", line(option.value), *marks))
        if option.description:
            yield f"     {line(option.description)}"
    if any(option.preview for option in options):
        yield "`:p NUMBER` shows more of a choice."


def _preview(options: Sequence[Option], rest: str) -> Words:
    number = pick(rest, len(options))
    if number is None:
        return Words(f":p and a number from 1 to {len(options)}")
    return Words(quoted(options[number - 1].preview or "there is no more of this one"))


def _chosen(options: Sequence[Option], typed: str) -> int | str:
    """The place of one choice, or why it is none. A number that is the text of another choice is asked about."""
    values = [option.value for option in options]
    if typed.startswith("="):
        return values.index(typed[1:]) if typed[1:] in values else f"no choice reads {line(typed[1:])}"
    number = pick(typed.removeprefix("#"), len(options))
    if number is not None:
        if not typed.startswith("#") and typed in values and values.index(typed) != number - 1:
            return f"{typed} is the number of one choice and the text of another: #{typed} or ={typed}"
        return number - 1
    return values.index(typed) if typed in values else f"a number from 1 to {len(options)}"


class Select(QuestionPrompt):
    """One of a list, by number or by its text."""

    def __init__(self, prompt: PromptRequest, options: Sequence[Option], others: int = 0) -> None:
        super().__init__(prompt, others)
        self._options = options

    @property
    def _default(self) -> Json:
        default = self._question.default if self._question.has_default else None
        return default if any(option.value == default for option in self._options) else None

    def _choices(self) -> Iterator[str]:
        yield from _listed(self._options, [self._default])

    def _keys(self) -> Iterator[tuple[str, str]]:
        yield "a number", "chooses"
        if self._default is not None:
            yield "Enter", "takes the default"
        if "reply" in self._prompt.controls:
            yield ":r WORDS", "something else, in words"

    def _word(self, word: str, rest: str) -> Outcome:
        return _preview(self._options, rest) if word == ":p" else super()._word(word, rest)

    def _answer(self, line: str) -> Outcome:
        typed = line.strip()
        if not typed:
            return self._said(self._default) if self._default is not None else Words(self._wanted())
        found = _chosen(self._options, typed)
        return Words(found) if isinstance(found, str) else self._said(self._options[found].value)

    def _wanted(self) -> str:
        return f"a number from 1 to {len(self._options)}"


class MultiSelect(QuestionPrompt):
    """Several of a list: numbers with commas or blanks, `all`, `none`; the answer is in the order of the list (R8)."""

    def __init__(self, prompt: PromptRequest, options: Sequence[Option], others: int = 0) -> None:
        super().__init__(prompt, others)
        self._options = options

    @property
    def _default(self) -> list[Json] | None:
        default = self._question.default if self._question.has_default else None
        known = [option.value for option in self._options]
        fits = isinstance(default, list) and all(one in known for one in default)
        return default if isinstance(default, list) and fits else None

    def _choices(self) -> Iterator[str]:
        yield from _listed(self._options, self._default or [])

    def _keys(self) -> Iterator[tuple[str, str]]:
        yield "numbers with commas", "choose"
        yield "all", "chooses all"
        yield "none", "chooses none"
        if self._default is not None:
            yield "Enter", "takes the default"

    def _word(self, word: str, rest: str) -> Outcome:
        return _preview(self._options, rest) if word == ":p" else super()._word(word, rest)

    def _answer(self, line: str) -> Outcome:
        typed = line.strip()
        everything = range(len(self._options))
        if not typed:
            if self._default is None:
                return Words(f"{self._wanted()}; `none` if you want none")
            return self._in_order({at for at in everything if self._options[at].value in self._default})
        if typed in ("all", "none") and typed not in [option.value for option in self._options]:
            return self._in_order(set(everything) if typed == "all" else set())
        whole = _chosen(self._options, typed)
        if isinstance(whole, int):
            return self._in_order({whole})
        found: set[int] = set()
        for word in typed.replace(",", " ").split():
            one = _chosen(self._options, word)
            if isinstance(one, str):
                return Words(one if word.startswith(("=", "#")) or word == typed else f"{word}: {self._wanted()}")
            found.add(one)
        return self._in_order(found) if found else Words(self._wanted())

    def _in_order(self, places: set[int]) -> Response:
        return self._said([option.value for at, option in enumerate(self._options) if at in places])

    def _wanted(self) -> str:
        return f"numbers from 1 to {len(self._options)} with commas between, `all` or `none`"
