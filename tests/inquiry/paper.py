"""The form as a person fills it on paper, to compare with: a finger on a line, and pencil behind and before it.

Written from inquiries.md R171-R178 and asking.md E23 alone, by positions; it shares no idea of lists of answers with
what it is compared with, and it sees whole forms only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from jp_tui.conversation.strict_json import Json
from tests.inquiry.form import Form, same


@dataclass(slots=True)
class Paper:
    """`written` by line: (value, whether the person wrote it). Only what is above the finger counts. `furthest` is
    where the finger was before Back, as long as nothing was written since."""

    form: Form
    written: dict[int, tuple[Json, bool]] = field(default_factory=dict)
    finger: int = 0
    furthest: int | None = None

    def __post_init__(self) -> None:
        self._go_on()

    def _value(self, name: str) -> Json:
        line = next(number for number, item in enumerate(self.form) if item.id == name)
        return self.written[line][0] if line < self.finger and line in self.written else None

    def _go_on(self) -> None:
        """Down to the next line that is the person's to fill."""
        while self.finger < len(self.form):
            item = self.form[self.finger]
            if item.when is None or same(self._value(item.when[0]), item.when[1]):
                if not item.rule.has_answer:
                    return
                self.written[self.finger] = (item.rule.answer, False)
            self.finger += 1

    # --- what the person does -----------------------------------------------------------------------------

    def write(self, value: Json) -> None:
        self.written = {line: found for line, found in self.written.items() if line < self.finger}
        self.written[self.finger] = (value, True)
        self.furthest = None
        self.finger += 1
        self._go_on()

    def reachable(self) -> list[int]:
        return [line for line, (_, mine) in sorted(self.written.items()) if line < self.finger and mine]

    def back(self, line: int) -> None:
        if self.furthest is None:
            self.furthest = self.finger
        self.finger = line

    def undo(self) -> None:
        assert self.furthest is not None
        self.finger, self.furthest = self.furthest, None

    # --- what stands there --------------------------------------------------------------------------------

    @property
    def current(self) -> str:
        """The question under the finger; empty at the end."""
        return self.form[self.finger].id if self.finger < len(self.form) else ""

    @property
    def answers(self) -> dict[str, Json]:
        return {self.form[line].id: value for line, (value, _) in sorted(self.written.items()) if line < self.finger}

    @property
    def before(self) -> str:
        """Where Back goes."""
        lines = self.reachable()
        return self.form[lines[-1]].id if lines else ""

    @property
    def pencil(self) -> dict[str, Json]:
        """What undo would bring back, from the finger on."""
        if self.furthest is None:
            return {}
        lines = [line for line in sorted(self.written) if self.finger <= line < self.furthest]
        return {self.form[line].id: self.written[line][0] for line in lines}

    @property
    def result(self) -> dict[str, Json]:
        """R169: every line, null where nothing counts."""
        return {item.id: self.answers.get(item.id) for item in self.form}
