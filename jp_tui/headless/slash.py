"""Words of plain mode that begin with `/`: their requests to the engine, and the output of the replies.

Only requested data is printed: an automatic report of a changed ledger is stored and not printed. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jp_tui.headless.changes import ChangesWords
from jp_tui.headless.forms.steps import line, pick
from jp_tui.headless.inbox import InboxWords
from jp_tui.headless.lists.answer import result_text
from jp_tui.headless.lists.context import context_lines
from jp_tui.headless.lists.inquiries import listed
from jp_tui.headless.rules import RulesWords
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.view.pages import permissions as ledger
from jp_tui.view.wording.modes import USAGE, which

Answer = (
    e.LedgerRead
    | e.InquiriesListed
    | e.ChangesRead
    | e.ChangesUndone
    | e.OfferSettled
    | e.ClaimSettled
    | e.ContextRead
    | e.Compacted
    | e.RulesRead
    | e.WaitingListed
    | e.AgentsRead
)
"""Replies of the engine to a word."""


class SlashCommands:
    """`say` prints a line; `conversation` is set once it is open."""

    def __init__(self, link: Link, say: Callable[[str], None]) -> None:
        self._link, self._say = link, say
        self.conversation = ""
        self._rows: tuple[ledger.LedgerRow, ...] = ()
        self._reads = self._lists = 0
        self._offered: c.OfferAnswer | None = None
        self._claimed: c.OfferAnswer | None = None
        """The last answer, if another person looks at its question."""
        self.changes, self.rules, self.inbox = ChangesWords(link, say), RulesWords(link, say), InboxWords(link, say)

    @property
    def waits(self) -> bool:
        """True if a reply of the engine is pending."""
        return bool(self._reads or self._lists or self.changes.waits or self.rules.waits or self.inbox.waits)

    def run(self, name: str, argument: str) -> None:
        """Run a word that needs the engine."""
        match name:
            case "ledger":
                self._reads += 1
                self._link.send(c.ReadLedger(conversation=self.conversation))
            case "revoke":
                self._revoke(argument)
            case "inquiries":
                self._lists += 1
                self._link.send(c.ListInquiries(conversation=self.conversation))
            case "answer":
                self._answer(argument)
            case "claim":
                self._claim(argument)
            case "context":
                self._lists += 1
                self._link.send(c.ReadContext(conversation=self.conversation))
            case "plan":
                self._link.send(c.SetPlanMode(conversation=self.conversation, on=argument.casefold() != "off"))
            case "mode":
                if (mode := which(argument)) is None:
                    self._say(USAGE)
                else:
                    self._link.send(c.SetApprovalMode(conversation=self.conversation, mode=mode))
            case "diff":
                self.changes.diff(self.conversation, argument)
            case "compact":
                undo = argument.strip() == "undo"
                focus = "" if undo else argument.strip()
                self._link.send(c.CompactConversation(conversation=self.conversation, focus=focus, undo=undo))
            case "inbox":
                self.inbox.run(name, argument)
            case "agents":
                self.inbox.run(name)
            case "rules":
                self.rules.run(self.conversation, argument)
            case "undo":
                self.changes.undo(self.conversation, argument)
            case _:
                raise AssertionError(name)

    def _revoke(self, argument: str) -> None:
        number = pick(argument, len(self._rows))
        if number is None:
            self._say("Enter /revoke and a number from the list of /ledger.")
            return
        row = self._rows[number - 1]
        if not row.revocable:
            self._say(ledger.NOT_HERE.format(place=line(row.place)))
            return
        self._reads += 1
        self._link.send(c.RevokeEntry(conversation=self.conversation, key=row.key))

    def _answer(self, argument: str) -> None:
        inquiry, _, value = argument.partition(" ")
        if not inquiry or not value.strip():
            self._say("Enter /answer ID VALUE. /inquiries lists open questions.")
            return
        self._lists += 1
        offer = c.OfferAnswer(conversation=self.conversation, inquiry=inquiry, value=value.strip())
        again, self._offered = offer == self._claimed, offer
        self._link.send(offer.model_copy(update={"anyway": again}) if again else offer)

    def _claim(self, argument: str) -> None:
        inquiry, _, rest = argument.partition(" ")
        word, _, to = rest.strip().partition(" ")
        if not inquiry or (word, bool(to.strip())) not in (("", False), ("release", False), ("to", True)):
            self._say("Enter /claim ID, /claim ID release or /claim ID to WHO. /inbox lists open questions.")
            return
        self._lists += 1
        release = word == "release"
        self._link.send(c.ClaimInquiry(conversation=self.conversation, inquiry=inquiry, release=release, to=to.strip()))

    # --- replies ----------------------------------------------------------------------------------------------

    def handle(self, event: Answer) -> None:
        """Handle a reply of the engine."""
        match event:
            case e.LedgerRead():
                self.ledger(event)
            case e.InquiriesListed():
                self.inquiries(event)
            case e.OfferSettled():
                self.offered(event)
            case e.ClaimSettled():
                self._lists = max(0, self._lists - 1)
                self._say(line(event.message))
            case e.Compacted(message=message):
                if message:  # its event reports what was done
                    self._say(line(message))
            case e.ContextRead():
                self.context(event)
            case e.RulesRead():
                self.rules.handle(event)
            case e.WaitingListed() | e.AgentsRead():
                self.inbox.handle(event)
            case _:
                self.changes.handle(event)

    def ledger(self, event: e.LedgerRead) -> None:
        """Print the ledger on request; numbers refer to the list printed last."""
        if not self._reads:
            return
        self._reads -= 1
        self._rows = ledger.rows(event.entries)
        for text in _rows(self._rows):
            self._say(text)

    def inquiries(self, event: e.InquiriesListed) -> None:
        self._lists = max(0, self._lists - 1)
        for text in listed(event.inquiries):
            self._say(text)

    def offered(self, event: e.OfferSettled) -> None:
        self._lists = max(0, self._lists - 1)
        self._say(result_text(event))
        self._claimed = self._offered if event.status == "claimed" else None
        if self._claimed is not None:
            self._say("Enter the same line again to answer it all the same.")

    def context(self, event: e.ContextRead) -> None:
        self._lists = max(0, self._lists - 1)
        for text in context_lines(event):
            self._say(text)

    def refused(self, event: e.Refused) -> None:
        """Handle a word that failed."""
        if event.command in ("read_ledger", "revoke_entry"):
            self._reads = max(0, self._reads - 1)
        elif event.command in ("list_inquiries", "offer_answer", "claim_inquiry", "read_context"):
            self._lists = max(0, self._lists - 1)
        elif event.command in ("read_changes", "undo_changes"):
            self.changes.refused()
        elif event.command in ("read_rules", "revoke_rule", "take_suggestion"):
            self.rules.refused()
        elif event.command in ("watch_waiting", "read_agents"):
            self.inbox.refused()


def _rows(rows: tuple[ledger.LedgerRow, ...]) -> Iterator[str]:
    if not rows:
        yield ledger.EMPTY.split("\n", 1)[0]
        return
    for number, row in enumerate(rows, 1):
        yield f"  {number}  {line(row.what)}: {line(row.answer)}"
        if row.text:
            yield f"     {line(row.text)}"
        place = f" · {line(row.place)}" if row.place else ""
        yield f"     {row.about}{place}"
    yield "/revoke NUMBER revokes one."
