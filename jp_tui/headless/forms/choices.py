"""Questions with choices, as numbered lines (R8, R113, R183, R184, R192, R198, R226, R238).

Enter accepts a default only if there is one, and never for a yes/no that only the user may decide; it always accepts
the answer from before Back (R176). Other text is a reply, an answer, or neither, and the prompt says which (E20). Input
that fits nothing is explained in one line and asked again; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from jp_tui.conversation.strict_json import Json
from jp_tui.headless.forms.answer import LETTERS, AnswerLines
from jp_tui.headless.forms.question import AskedQuestion
from jp_tui.headless.forms.steps import PASTED, Gathered, Outcome, Response, Words, line, pick, quoted
from jp_tui.protocol.values import PromptRequest, Replied
from jp_tui.questions.types import Option
from jp_tui.view.questions.rule_choice import KEYS
from jp_tui.view.wording import questions as w


class BooleanLines(AnswerLines):
    """y and n, and if it can be remembered Y and N, with their scope (R113, R198, R236)."""

    letters = LETTERS

    def __init__(self, question: AskedQuestion, decide: Callable[[bool, bool], Outcome] | None = None) -> None:
        """`decide` makes the outcome of a value and whether it is remembered; without it, that is an answer."""
        self._question, self._prompt = question, question.prompt
        self._decide = decide or (lambda value, remember: question.answered(value, remember=remember))

    def _entries(self) -> list[tuple[str, str, bool, bool]]:
        """Return (key, text of M33, value, remember)."""
        if "remember" not in self._prompt.controls:
            return [("y", w.YES, True, False), ("n", w.NO, False, False)]
        return [
            ("y", w.YES_ONCE, True, False),
            ("Y", w.YES_TURN, True, True),
            ("n", w.NO_ONCE, False, False),
            ("N", w.NO_TURN, False, True),
        ]

    def body(self) -> Iterator[str]:
        for number, row in enumerate(self.rows(), 1):
            yield f"  {number}  {row}"
        yield from self.covers()

    def rows(self) -> Iterator[str]:
        """Yield each answer with its key and mark."""
        for key, words, value, remember in self._entries():
            yield f"{key}  {words}{self._beside(value, remember)}"

    def _beside(self, value: bool, remember: bool) -> str:
        offered = self._prompt.prefill or self._prompt.preselect
        marked = offered and not remember and any(one is value for one in self._question.offered)
        return f"  ({self._question.mark})" if marked else ""

    def covers(self) -> Iterator[str]:
        """Yield the scope of a remembered answer."""
        if (choice := self._question.choice) is not None:
            yield line(choice.sentence())
            yield KEYS
        elif "remember" in self._prompt.controls:
            scope = self._prompt.remember_covers
            yield w.COVERS.format(scope=line(scope)) if scope else w.COVERS_UNKNOWN.format(tool=line(self._prompt.tool))

    def keys(self) -> Iterator[tuple[str, str]]:
        yield "y", "yes"
        yield "n", "no"
        if self._default is not None:
            yield self._question.enter()

    @property
    def _default(self) -> bool | None:
        """Return the answer of Enter; None for a decision that is only the user's, unless it was made before."""
        offered = next((one for one in self._question.offered if isinstance(one, bool)), None)
        chosen = self._prompt.prefill or (self._prompt.preselect and not self._prompt.human_only)
        return offered if chosen else None

    def answer(self, line: str) -> Outcome:
        typed = line.strip()
        if (words := self._question.chosen_otherwise(typed)) is not None:
            return words
        entries = self._entries()
        number = pick(typed, len(entries))
        for at, (key, _, value, remember) in enumerate(entries, 1):
            if typed == key or at == number:
                return self._decide(value, remember)
        if typed.lower() in ("y", "yes", "true", "n", "no", "false") and typed not in ("Y", "N"):
            return self._decide(typed.lower() in ("y", "yes", "true"), False)
        if typed in ("Y", "N"):
            return Words(f"This answer can't be remembered. Enter {typed.lower()} to answer once.")
        if not typed and self._default is not None:
            return self._decide(self._default, False)
        if not typed and (self._prompt.human_only or not self._prompt.preselect):
            return Words("Enter y or n; there is no default.")
        return Words("y or n")


class OptionChoices:
    """Options of a question, as numbered lines."""

    def __init__(self, prompt: PromptRequest, options: Sequence[Option]) -> None:
        self._prompt = prompt
        self.asked_order = [option.value for option in options]
        self.options = sorted(options, key=lambda option: not option.recommended)  # E22, as on the screen

    @property
    def values(self) -> list[str]:
        """Return the options as texts, in the order of the lines."""
        return [option.value for option in self.options]

    def listed(self, offered: Sequence[Json], mark: str) -> Iterator[str]:
        """Yield a line for each option; those `offered` get a mark."""
        for number, option in enumerate(self.options, 1):
            marks = [w.RECOMMENDED] if option.recommended else []
            marks += [f"({mark})"] if option.value in offered else []
            yield "  ".join((f"  {number}", line(option.value), *marks))
            if option.description:
                yield f"     {line(option.description)}"
        if any(option.preview for option in self.options):
            yield "`:p NUMBER` shows more of an option."

    def find(self, typed: str) -> int | str:
        """Return the index of one option, or why there is none. A number that is also another option's text is
        ambiguous and asked about."""
        values = self.values
        if typed.startswith("="):
            return values.index(typed[1:]) if typed[1:] in values else f"No option is called {line(typed[1:])}."
        number = pick(typed.removeprefix("#"), len(values))
        if number is not None:
            if not typed.startswith("#") and typed in values and values.index(typed) != number - 1:
                return f"{typed} is both a number and an option. Enter #{typed} for the number, ={typed} for the text."
            return number - 1
        return values.index(typed) if typed in values else f"Enter a number from 1 to {len(values)}."

    def preview(self, word: str, rest: str) -> Outcome:
        """Return more of the option with a number, if the word asks for it."""
        if word != ":p":
            return None
        number = pick(rest, len(self.options))
        if number is None:
            return Words(f"Enter :p and a number from 1 to {len(self.options)}.")
        return Words(quoted(self.options[number - 1].preview or "There is no more of this option."))

    @property
    def replies(self) -> bool:
        """True if other text is a reply (R238): for the assistant's questions, where it expects one of the options."""
        return self._prompt.source == "assistant" and "reply" in self._prompt.controls

    def reply_keys(self) -> Iterator[tuple[str, str]]:
        """Yield the way to reply instead."""
        if self.replies:
            yield "other text", w.ELSE_DOES
        elif "reply" in self._prompt.controls:
            yield ":r TEXT", "reply with text"

    def reply(self, typed: str, problem: str) -> Outcome:
        """Return the meaning of text that names no option. A likely typo isn't a reply, because a reply closes the
        question."""
        if not self.replies or len(typed) < 2 or typed[0] in "=#" or not any(one.isalpha() for one in typed):
            return Words(problem)
        near = next((one for one in self.values if one.casefold() == typed.casefold()), None)
        if near is not None:
            return Words(f"Did you mean {line(near)}? Enter it or its number, or `:r TEXT` to reply.")
        return Replied(text=typed)


class SelectLines(AnswerLines):
    """One of several options, by number or text; if allowed, any other text too (R226)."""

    letters = LETTERS

    def __init__(self, question: AskedQuestion, options: Sequence[Option], *, other: bool) -> None:
        """`other`: any other text is an answer as well."""
        self._question, self._other = question, other
        self._choices = OptionChoices(question.prompt, options)

    @property
    def _default(self) -> str | None:
        known = self._choices.values
        offered = (one for one in self._question.offered if isinstance(one, str))
        return next((one for one in offered if self._other or one in known), None)

    def body(self) -> Iterator[str]:
        yield from self._choices.listed([self._default], self._question.mark)
        if self._default is not None and not self.is_answer(self._default):
            yield f"{self._question.mark}:"
            yield quoted(self._default or w.EMPTY_OPTION)

    def keys(self) -> Iterator[tuple[str, str]]:
        yield "number", "chooses"
        if self._default is not None:
            yield self._question.enter()
        if self._other:
            yield "other text", w.OTHER_DOES
        else:
            yield from self._choices.reply_keys()

    def is_answer(self, typed: str) -> bool:
        return typed in self._choices.values

    def word(self, word: str, rest: str) -> Outcome:
        return self._choices.preview(word, rest)

    def answer(self, line: str) -> Outcome:
        typed = line.strip()
        if not typed:
            if self._default is not None:
                return self._question.answered(self._default)
            return Words(f"Enter a number from 1 to {len(self._choices.options)}.")
        found = self._choices.find(typed)
        if isinstance(found, int):
            return self._question.answered(self._choices.values[found])
        if self._other:
            return self._own_words(typed, found)
        return self._choices.reply(typed, found)

    def _own_words(self, typed: str, problem: str) -> Outcome:
        """Return the user's own text as the answer; `=` marks text that could be a number."""
        if typed.startswith("="):
            return self._question.answered(typed[1:]) if typed[1:].strip() else Words(problem)
        if typed.isdecimal() or typed.startswith("#"):
            return Words(f"{problem} Enter ={line(typed)} to answer with that text.")
        return self._question.answered(typed)

    def pasted(self, lines: Sequence[str]) -> Outcome:
        return Gathered(lines, self._question.answered) if self._other else Words(PASTED)


class MultiSelectLines(AnswerLines):
    """Several options: numbers with commas or blanks, `all`, `none`; the answer is in the order of the list (R8)."""

    letters = LETTERS

    def __init__(self, question: AskedQuestion, options: Sequence[Option]) -> None:
        self._question = question
        self._choices = OptionChoices(question.prompt, options)

    @property
    def _default(self) -> list[Json] | None:
        known = self._choices.values
        offered = (one for one in self._question.offered if isinstance(one, list))
        return next((one for one in offered if all(value in known for value in one)), None)

    def body(self) -> Iterator[str]:
        yield from self._choices.listed(self._default or [], self._question.mark)
        if self._default == []:
            yield f"  none  ({self._question.mark})"

    def keys(self) -> Iterator[tuple[str, str]]:
        yield "numbers separated by commas", "choose"
        yield "all", "selects all"
        yield "none", "selects none"
        if self._default is not None:
            yield self._question.enter()
        if self._choices.replies:
            yield from self._choices.reply_keys()

    def is_answer(self, typed: str) -> bool:
        return typed in self._choices.values

    def word(self, word: str, rest: str) -> Outcome:
        return self._choices.preview(word, rest)

    def answer(self, line: str) -> Outcome:
        typed = line.strip()
        values = self._choices.values
        if not typed:
            if self._default is None:
                return Words(f"{self._range()} Enter `none` for no options.")
            return self._in_order({at for at, value in enumerate(values) if value in self._default})
        if typed in ("all", "none") and typed not in values:
            return self._in_order(set(range(len(values))) if typed == "all" else set())
        whole = self._choices.find(typed)
        if isinstance(whole, int):
            return self._in_order({whole})
        return self._each(typed)

    def _each(self, typed: str) -> Outcome:
        """Return the options named individually; text without any option is a reply."""
        named = [(word, self._choices.find(word)) for word in typed.replace(",", " ").split()]
        wrong = next(((word, found) for word, found in named if isinstance(found, str)), None)
        if not named or (wrong and not any(isinstance(found, int) for _, found in named)):
            if len(named) == 1 and typed[0] in "=#":
                return Words(str(named[0][1]))
            problem = f"{named[0][0]}: {self._range()}" if len(named) > 1 else self._range()
            return self._choices.reply(typed, problem)
        if wrong is not None:
            word, found = wrong
            return Words(str(found) if word.startswith(("=", "#")) else f"{word}: {self._range()}")
        return self._in_order({found for _, found in named if isinstance(found, int)})

    def _in_order(self, places: set[int]) -> Response:
        chosen = {self._choices.values[at] for at in places}
        return self._question.answered([value for value in self._choices.asked_order if value in chosen])

    def _range(self) -> str:
        return f"Enter numbers from 1 to {len(self._choices.options)} separated by commas, `all` or `none`."
