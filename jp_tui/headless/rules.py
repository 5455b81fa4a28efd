"""`/rules` of plain mode: the rules with their record, revoking one, adding a suggested one (rules.md AR24).

Numbers refer to the list printed last. A change is confirmed by entering it a second time.
"""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.headless.forms.steps import line, pick
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.view.pages import rules as words


class RulesWords:
    """`say` prints a line; `waits` counts replies of the engine that are pending."""

    def __init__(self, link: Link, say: Callable[[str], None]) -> None:
        self._link, self._say = link, say
        self.waits = 0
        self._rows: tuple[words.RulesRow, ...] = ()
        self._file = ""
        self._sure = ""

    def run(self, conversation: str, argument: str) -> None:
        """List the rules, or change one: `revoke NUMBER`, `add NUMBER`."""
        if not argument.strip():
            self._send(c.ReadRules(conversation=conversation))
            return
        verb, _, rest = argument.strip().partition(" ")
        number = pick(rest, len(self._rows))
        row = self._rows[number - 1] if number is not None else None
        if verb not in ("revoke", "add") or row is None:
            self._say("Enter /rules, /rules revoke NUMBER or /rules add NUMBER, with a number from the list of /rules.")
        elif verb == "revoke" and not row.revocable:
            self._say(words.NOT_HERE.format(place=line(row.place)) if row.id else words.NO_RULE)
        elif verb == "add" and not row.table:
            self._say(words.NO_SUGGESTION)
        elif self._sure != argument:
            self._sure = argument
            question = words.REVOKES_PLAIN if verb == "revoke" else words.ADDS_PLAIN
            self._say(question.format(id=line(row.id), file=line(self._file)))
        elif verb == "revoke":
            self._send(c.RevokeRule(conversation=conversation, id=row.id))
        else:
            self._send(c.TakeSuggestion(conversation=conversation, table=row.table))

    def _send(self, command: c.Command) -> None:
        self._sure = ""
        self.waits += 1
        self._link.send(command)

    def refused(self) -> None:
        """Handle a request that failed; the reason is already printed."""
        self.waits = max(0, self.waits - 1)

    def handle(self, event: e.RulesRead) -> None:
        """Print the rules on request."""
        if not self.waits:
            return
        self.waits -= 1
        self._rows, self._file = words.rows(event), event.file.raw
        if event.done:
            done = words.ADDED if event.done == "added" else words.REVOKED
            self._say(done.format(id=line(event.changed)))
            return
        for problem in (*event.policy, *event.problems):
            said = words.POLICY.format(files=line(problem)) if problem in event.policy else line(problem)
            self._say(said)
        if not self._rows:
            self._say(words.EMPTY.split("\n", 1)[0])
            return
        for number, row in enumerate(self._rows, 1):
            self._say(f"  {number}  {'+ ' if row.table else ''}{row.effect}  {line(row.what)}")
            self._say(f"     {line(row.about)}")
            for told in row.told:
                self._say(f"     {line(told)}")
        self._say("/rules revoke NUMBER revokes one, /rules add NUMBER adds a suggested one.")
