"""The words of `jp-tui ask`: a question of the command line, and its answer as output and exit status (intake.md
N10-N12). Loads little, so that a question that a setting answers is answered at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.headless.output import FAILED, TextOutput

if TYPE_CHECKING:
    from jp_tui.questions.types import AnswerType

DONE, USAGE, TIMED_OUT, DECLINED, NO, WITHDRAWN, SIGNALLED = 0, 2, 3, 4, 5, 6, 128
LEAST_SECS, MOST_SECS = 0.1, 31_536_000.0
_ENDS = {"declined": DECLINED, "timed_out": TIMED_OUT, "withdrawn": WITHDRAWN, "failed": FAILED}
_WORDS = {
    "declined": "Declined.",
    "timed_out": "No answer in time.",
    "withdrawn": "The question was withdrawn.",
    "failed": "The question could not be answered.",
}


class BadAsk(ValueError):
    """The command line asks nothing that can be asked; `str(error)` is for stderr (exit 2)."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Question of the command line, as its words; `context` and `schema` are already read."""

    text: str
    kind: str | None = None
    options: Sequence[str] = ()
    default: str | None = None
    context: str | None = None
    schema: JsonObject | None = None
    id: str = "answer"
    timeout: str | None = None
    to: str = ""

    @property
    def answer_type(self) -> str:
        """The type of the answer, unchecked."""
        return self.kind or ("schema" if self.schema is not None else "select" if self.options else "boolean")

    def question(self) -> JsonObject:
        """Return the question as in inquiries.md 10.2. Raises BadAsk."""
        from jp_tui.questions.types import KINDS

        kind = self.answer_type
        if kind not in KINDS:
            raise BadAsk(f"--type is one of {', '.join(KINDS)}; {kind} is none of them")
        found: JsonObject = {"id": self.id, "text": self.text, "answer_type": kind}
        if self.options:
            found["options"] = [_option(one) for one in self.options]
        if self.schema is not None:
            found["schema"] = self.schema
        if self.context is not None:
            found["context"] = self.context
        if self.default is not None:
            found["default"] = self._default(kind)
        return found

    def _default(self, kind: str) -> Json:
        from jp_tui.questions.bounds import BadQuestion
        from jp_tui.questions.options import Option
        from jp_tui.questions.types import KINDS, MultiSelectAnswer, SchemaAnswer, SelectAnswer

        if self.default is None:
            return None
        made: AnswerType
        if kind in ("select", "multi_select"):
            options = tuple(Option(str(_option(one)["value"])) for one in self.options)
            made = SelectAnswer(options) if kind == "select" else MultiSelectAnswer(options)
        else:
            made = SchemaAnswer(self.schema or {}) if kind == "schema" else KINDS[kind].read({}, bounded=True)
        try:
            return made.typed(self.default)
        except (ValueError, BadQuestion) as problem:
            raise BadAsk(f"--default: {problem}") from problem

    def addressee(self) -> str:
        """Return who is asked, empty as the settings say. Raises BadAsk."""
        from jp_tui.settings.schema.checks import BadValue
        from jp_tui.settings.schema.tools import to

        try:
            return str(to(self.to)) if self.to else ""
        except BadValue as problem:
            raise BadAsk(f"--to: {problem.message}") from problem

    def seconds(self) -> float | None:
        """Return the time limit. Raises BadAsk."""
        if self.timeout is None:
            return None
        try:
            seconds = float(self.timeout)
        except ValueError:
            seconds = 0.0
        if not LEAST_SECS <= seconds <= MOST_SECS:
            raise BadAsk(f"--timeout is a number of seconds from {LEAST_SECS} to {MOST_SECS:,.0f}, not {self.timeout}")
        return seconds


def _option(word: str) -> JsonObject:
    value, equals, label = word.partition("=")
    return {"value": value, "description": label} if equals and label else {"value": value}


@dataclass(frozen=True, slots=True)
class AskEnding:
    """Outcome of a question: `outcome` as in OutsideSettled, with its other fields."""

    outcome: str
    answer: object = None
    reason: str = ""
    responder: Mapping[str, object] = field(default_factory=dict)
    ms: int = 0
    approved_by: Sequence[str] = ()


def report(ending: AskEnding, asking: Ask, output: TextOutput) -> int:
    """Print an end (N11); return the exit status of N12. Raises OutputEnded."""
    answered = ending.outcome == "answered"
    if output.as_json:
        line: dict[str, object] = {"type": ending.outcome}
        if answered:
            line["answer"] = ending.answer
        if ending.reason:
            line["reason"] = ending.reason
        if answered:
            line |= {"responder": ending.responder, "ms": ending.ms}
            if ending.approved_by:
                line["approved_by"] = list(ending.approved_by)
        output.line(line)
    if answered:
        if not output.as_json:
            output.write(f"{shown(ending.answer, asking)}\n")
            if ending.reason:
                output.tell(ending.reason)
        return NO if ending.answer is False and asking.answer_type == "boolean" else DONE
    output.tell(f"jp-tui: {_WORDS[ending.outcome]}{f' {ending.reason}' if ending.reason else ''}")
    return _ENDS[ending.outcome]


def shown(answer: object, asking: Ask) -> str:
    """Return an answer as text on standard output (N11)."""
    kind = asking.answer_type
    if kind == "boolean":
        return "yes" if answer is True else "no"
    if kind == "multi_select" and isinstance(answer, list):
        return "\n".join(str(one) for one in answer)
    return dump(answer) if kind == "schema" else str(answer)
