"""Approval rules of the policy, the user and the folder, each with its record, and the suggestions from the record
(rules.md AR22, AR24, AR27).

It shows the engine's list. Revoking and adding edit the user's file, so each is confirmed by a second press of its key;
the page shows the reason if the engine refuses.
"""

from __future__ import annotations

from textual.binding import Binding
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import ReadRules, RevokeRule, TakeSuggestion
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing, Rows
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import foreign, join, ours
from jp_tui.view.pages import rules as say

_QUIET = "$muted-foreground"
_EFFECTS = {"allow": "$done-foreground", "ask": "$waiting-foreground", "deny": "$failed-foreground"}
_PROBLEMS = 3


def open_page(host: Host, _: str) -> RulesPage:
    """See `ui/pages.py`. Rules and record are of all conversations: none need be open."""
    return RulesPage(host)


class RulesPage(Listing):
    """A row for each rule or suggestion, by layer."""

    BINDINGS = [
        Binding("d,delete", "revoke", "revoke", id="rules.revoke", tooltip="Revoke it; press twice"),
        Binding("a", "add", "add", id="rules.add", tooltip="Add the suggested rule; press twice"),
    ]
    DEFAULT_CSS = """
    RulesPage {
        OptionList, OptionList:focus { max-height: 50vh; }
        #detail { max-height: 8; }
    }
    """
    title_words = "Rules"
    rows = Rows

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host = host
        self._rows: dict[str, say.RulesRow] = {}
        self._file = Foreign("")

    # -- the engine

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.confirmation.drop()
        self.post_message(CommandWanted(ReadRules(conversation=self._host.main.conversation)))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.RulesRead():
                self._read(event)
            case ev.Refused(message=message, advice=advice):
                self.confirmation.drop()
                self.show_refusal(message, advice)
            case _:
                pass

    def _read(self, told: ev.RulesRead) -> None:
        self.confirmation.drop()
        self._file = told.file
        self._rows = {row.key: row for row in say.rows(told)}
        self.show_state(*_state(told))
        self.show([_item(row) for row in self._rows.values()], ours(say.EMPTY))
        if told.done:
            done = say.ADDED if told.done == "added" else say.REVOKED
            self.show_message(ours(done, id=foreign(Foreign(told.changed), mode="line")))

    # -- changes by the user

    @property
    def _row(self) -> say.RulesRow | None:
        return self._rows.get(self.chosen.key) if self.chosen else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        row = self._row
        if action == "revoke":
            return row is not None and bool(row.id)
        if action == "add":
            return row is not None and bool(row.table)
        return True

    def action_revoke(self) -> None:
        row = self._row
        if row is None or not row.id:
            return
        if not row.revocable:
            self.show_message(ours(say.NOT_HERE, place=foreign(row.place, mode="line")))
            return
        id_, file = foreign(Foreign(row.id), mode="line"), foreign(self._file, mode="line")
        asks = ours(say.REVOKES_HERE, id=id_) if row.passes else ours(say.REVOKES, id=id_, file=file)
        if not self.confirmation.given(("d", "delete"), row.key, asks):
            return
        self.show_message(ours(say.REVOKING))
        self.post_message(CommandWanted(RevokeRule(conversation=self._host.main.conversation, id=row.id)))

    def action_add(self) -> None:
        row = self._row
        if row is None or not row.table:
            return
        if not self.confirmation.given(("a",), row.key, ours(say.ADDS, file=foreign(self._file, mode="line"))):
            return
        self.show_message(ours(say.ADDING))
        self.post_message(CommandWanted(TakeSuggestion(conversation=self._host.main.conversation, table=row.table)))


def _state(told: ev.RulesRead) -> list[Content]:
    """Return the policy in force and the faults of the files, shown above the list."""
    found = []
    if told.policy:
        files = join(*(foreign(one, mode="line", limit=80) for one in told.policy), sep=ours(", "))
        found.append(ours(say.POLICY, style=_QUIET, files=files))
    for problem in told.problems[:_PROBLEMS]:
        said = foreign(problem, mode="line", style="$failed-foreground", limit=300)
        found.append(ours(say.PROBLEM, problem=said))
    if len(told.problems) > _PROBLEMS:
        more = Foreign(str(len(told.problems) - _PROBLEMS))
        found.append(ours(say.MORE_PROBLEMS, style="$failed-foreground", n=more))
    return found


def _item(row: say.RulesRow) -> Item:
    mark = "+ " if row.table else ""
    effect = ours(
        "{mark}{effect}", style=f"bold {_EFFECTS[row.effect]}", mark=Foreign(mark), effect=Foreign(row.effect)
    )
    what = foreign(
        row.what, mode="approval", style="bold" if row.section in ("policy", "user", "folder") else "", limit=160
    )
    second = foreign(row.about, mode="line", style=_QUIET, limit=200)
    detail = join(*(foreign(line, mode="approval", limit=2_000) for line in row.told), sep=ours("\n"))
    return Item(row.key, (join(effect, what, sep=ours("  ")), second), detail)
