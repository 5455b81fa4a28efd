"""Questions with something to choose from, as numbered lines (R8, R113, R183, R184, R192, R198, R226, R238).

Enter takes a default only where there is one, and never in a yes or no that is the human's own; it takes what was
answered before Back anywhere (R176). Other words are a reply, an answer, or none, and which is said before they are
typed (E20). A misfit is told in one line and asked again; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jp_tui.conversation.strict_json import Json
from jp_tui.headless.forms.question import QuestionPrompt
from jp_tui.headless.forms.steps import Gathered, Outcome, Response, Words, line, pick, quoted
from jp_tui.protocol.values import PromptRequest, Replied
from jp_tui.questions.types import Option
from jp_tui.view.wording import questions as w

LETTERS = frozenset("bursew")


class Boolean(QuestionPrompt):
    """y and n, and where it may be remembered Y and N, which say what they cover (R113, R198, R236)."""

    letters = LETTERS

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
        for number, (key, words, value, remember) in enumerate(self._entries(), 1):
            yield f"  {number}  {key}  {words}{self._beside(value, remember)}"
        yield from self._covers()

    def _beside(self, value: bool, remember: bool) -> str:
        offered = self._prompt.prefill or self._prompt.preselect
        return f"  ({self._mark})" if offered and not remember and any(one is value for one in self._offered) else ""

    def _covers(self) -> Iterator[str]:
        if "remember" in self._prompt.controls:
            scope = self._prompt.remember_covers
            yield w.COVERS.format(scope=line(scope)) if scope else w.COVERS_UNKNOWN.format(tool=line(self._prompt.tool))

    def _keys(self) -> Iterator[tuple[str, str]]:
        yield "y", "yes"
        yield "n", "no"
        if self._taken is not None:
            yield self._enter()

    @property
    def _taken(self) -> bool | None:
        """What Enter answers; nothing in a decision that is the human's own, unless it was made before."""
        offered = next((one for one in self._offered if isinstance(one, bool)), None)
        chosen = self._prompt.prefill or (self._prompt.preselect and not self._prompt.human_only)
        return offered if chosen else None

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
        if not typed and self._taken is not None:
            return self._said(self._taken)
        if not typed and (self._prompt.human_only or not self._prompt.preselect):
            return Words("this one is yours to decide: y or n")
        return Words("y or n")


def _listed(options: Sequence[Option], offered: Sequence[Json], mark: str) -> Iterator[str]:
    for number, option in enumerate(options, 1):
        marks = [w.RECOMMENDED] if option.recommended else []
        marks += [f"({mark})"] if option.value in offered else []
        yield "  ".join((f"  {number}", line(option.value), *marks))
        if option.description:
            yield f"     {line(option.description)}"
    if any(option.preview for option in options):
        yield "`:p NUMBER` shows more of a choice."


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


class _Choices(QuestionPrompt):
    """What one and several of a list have in common."""

    letters = LETTERS

    def __init__(self, prompt: PromptRequest, options: Sequence[Option], others: int = 0) -> None:
        super().__init__(prompt, others)
        self._asked_order = [option.value for option in options]
        self._options = sorted(options, key=lambda option: not option.recommended)  # E22, as on the screen

    def _is_answer(self, typed: str) -> bool:
        return any(option.value == typed for option in self._options)

    def _word(self, word: str, rest: str) -> Outcome:
        if word != ":p":
            return super()._word(word, rest)
        number = pick(rest, len(self._options))
        if number is None:
            return Words(f":p and a number from 1 to {len(self._options)}")
        return Words(quoted(self._options[number - 1].preview or "there is no more of this one"))

    @property
    def _replies(self) -> bool:
        """Whether other words are a way to reply (R238): where the assistant asks, who was promised one of these."""
        return self._prompt.source == "assistant" and "reply" in self._prompt.controls

    def _others_keys(self) -> Iterator[tuple[str, str]]:
        if self._replies:
            yield "other words", w.ELSE_DOES
        elif "reply" in self._prompt.controls:
            yield ":r WORDS", "something else, in words"

    def _in_words(self, typed: str, wanted: str) -> Outcome:
        """Words that name no choice. What looks like a slip of the finger is none: a reply leaves the question."""
        if not self._replies or len(typed) < 2 or typed[0] in "=#" or not any(one.isalpha() for one in typed):
            return Words(wanted)
        near = next((one.value for one in self._options if one.value.casefold() == typed.casefold()), None)
        if near is not None:
            return Words(f"did you mean {line(near)}? Type it so, or its number; `:r WORDS` replies")
        return Replied(text=typed)


class Select(_Choices):
    """One of a list, by number or by its text; where that is promised, any other text too (R226)."""

    def __init__(
        self, prompt: PromptRequest, options: Sequence[Option], others: int = 0, *, other: bool = False
    ) -> None:
        super().__init__(prompt, options, others)
        self._other = other

    @property
    def _default(self) -> str | None:
        known = [option.value for option in self._options]
        return next((one for one in self._offered if isinstance(one, str) and (self._other or one in known)), None)

    def _choices(self) -> Iterator[str]:
        yield from _listed(self._options, [self._default], self._mark)
        if self._default is not None and not self._is_answer(self._default):
            yield f"{self._mark}:"
            yield quoted(self._default or w.EMPTY_OPTION)

    def _keys(self) -> Iterator[tuple[str, str]]:
        yield "a number", "chooses"
        if self._default is not None:
            yield self._enter()
        if self._other:
            yield "other words", w.OTHER_DOES
        else:
            yield from self._others_keys()

    def _answer(self, line: str) -> Outcome:
        typed = line.strip()
        if not typed:
            return self._said(self._default) if self._default is not None else Words(self._wanted())
        found = _chosen(self._options, typed)
        if isinstance(found, int):
            return self._said(self._options[found].value)
        if self._other:
            return self._own(typed, found)
        return self._in_words(typed, found)

    def _own(self, typed: str, wanted: str) -> Outcome:
        """One's own words as the answer; `=` before what could be a number or a word of ours makes it text."""
        if typed.startswith("="):
            return self._said(typed[1:]) if typed[1:].strip() else Words(wanted)
        if typed.isdecimal() or typed.startswith("#"):
            return Words(f"{wanted}; ={line(typed)} answers with that text")
        return self._said(typed)

    def pasted(self, lines: Sequence[str]) -> Outcome:
        return Gathered(lines, self._said) if self._other else super().pasted(lines)

    def _wanted(self) -> str:
        return f"a number from 1 to {len(self._options)}"


class MultiSelect(_Choices):
    """Several of a list: numbers with commas or blanks, `all`, `none`; the answer is in the order of the list (R8)."""

    @property
    def _default(self) -> list[Json] | None:
        known = [option.value for option in self._options]
        return next((one for one in self._offered if isinstance(one, list) and all(x in known for x in one)), None)

    def _choices(self) -> Iterator[str]:
        yield from _listed(self._options, self._default or [], self._mark)
        if self._default == []:
            yield f"  none  ({self._mark})"

    def _keys(self) -> Iterator[tuple[str, str]]:
        yield "numbers with commas", "choose"
        yield "all", "chooses all"
        yield "none", "chooses none"
        if self._default is not None:
            yield self._enter()
        if self._replies:
            yield from self._others_keys()

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
        return self._each(typed)

    def _each(self, typed: str) -> Outcome:
        """The choices one by one; words of which none is a choice are words."""
        named = [(word, _chosen(self._options, word)) for word in typed.replace(",", " ").split()]
        wrong = next(((word, found) for word, found in named if isinstance(found, str)), None)
        if not named or (wrong and not any(isinstance(found, int) for _, found in named)):
            if len(named) == 1 and typed[0] in "=#":
                return Words(str(named[0][1]))
            return self._in_words(typed, f"{named[0][0]}: {self._wanted()}" if len(named) > 1 else self._wanted())
        if wrong is not None:
            word, found = wrong
            return Words(str(found) if word.startswith(("=", "#")) else f"{word}: {self._wanted()}")
        return self._in_order({found for _, found in named if isinstance(found, int)})

    def _in_order(self, places: set[int]) -> Response:
        taken = {self._options[at].value for at in places}
        return self._said([value for value in self._asked_order if value in taken])

    def _wanted(self) -> str:
        return f"numbers from 1 to {len(self._options)} with commas between, `all` or `none`"
