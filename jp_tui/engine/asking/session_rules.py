"""Approval rules of an open conversation: those of the files, its mode, and those made from answers (rules.md AR1, AR4,
AR7, AR21, AR30).

It owns the mode, which lasts as long as the conversation is open here, and the rules for a turn or for the
conversation, which are events of its log. A sub-agent's has its parent's mode and rules of its own (R249).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.asking.call_decision import Walls
from jp_tui.engine.asking.rules_here import RULE
from jp_tui.engine.base.dependencies import ApprovalRules, EngineDependencies, RuleBook
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.rules.listing import scope_of
from jp_tui.engine.record.rules.record import ADDED, REVOKED, rule_added, rule_revoked
from jp_tui.protocol.mode import ApprovalMode
from jp_tui.protocol.values import LedgerEntry, RuleOffer
from jp_tui.rules.texts import scope_text
from jp_tui.tools.port import ToolCall

if TYPE_CHECKING:
    from jp_tui.rules.danger import Danger
    from jp_tui.rules.decide import RuleLayers
    from jp_tui.rules.values import ApprovalRule, Places

_UNTIL = {
    "turn": "until this turn ends",
    "conversation": "in this conversation",
    "folder": "in this folder",
}


@dataclass(frozen=True, slots=True)
class MadeRule:
    """A rule for a turn or a conversation, as its event tells it."""

    rule: ApprovalRule
    lifetime: str
    turn: int


class SessionRules:
    """See `ApprovalRules`. `files` are the rules of this run, `parent` those of the conversation that started this."""

    def __init__(self, log: Log, files: ApprovalRules, parent: SessionRules | None = None) -> None:
        self._log, self._files, self._parent = log, files, parent
        self._folder_asks = log.setup.mode.folder_asks
        self._mode: ApprovalMode = log.setup.mode.mode
        self._made: dict[str, MadeRule] | None = None
        self._known: tuple[object, RuleLayers] | None = None
        self._making = asyncio.Lock()

    @classmethod
    def of(cls, log: Log) -> SessionRules | None:
        """Return the rules of this conversation; None where there are no rules."""
        rules = log.setup.approval_rules
        if isinstance(rules, SessionRules):
            return cls(log, rules._files, rules)
        return None if rules is None else cls(log, rules)

    @property
    def mode(self) -> ApprovalMode:
        """The mode that the user chose; `holding` is the one that counts. A sub-agent's is its parent's."""
        return self._mode if self._parent is None else self._parent.mode

    @mode.setter
    def mode(self, mode: ApprovalMode) -> None:
        if self._parent is not None:
            self._parent.mode = mode
        self._mode = mode

    def layers(self) -> RuleLayers:
        from jp_tui.rules.matching import RuleIndex  # with the first call, not at the start

        found = self._files.layers()
        own = tuple(made.rule for made in self.standing())
        stamp = (found, own, self.mode)
        if self._known is None or self._known[0] != stamp:
            user = replace(found.user, mode=self.mode)
            if own:
                user = replace(user, rules=RuleIndex((*user.rules.rules, *own)))
            folder = replace(found.folder, mode="ask" if self._folder_asks else None)
            self._known = stamp, replace(found, user=user, folder=folder)
        return self._known[1]

    def dangers(self) -> tuple[Danger, ...]:
        return self._files.dangers()

    def places(self, root: str, secrets: Sequence[str] | None) -> Places:
        return self._files.places(root, secrets)

    def holding(self) -> tuple[ApprovalMode, str]:
        """Return the mode that counts, and why that isn't the chosen one, as a sentence; empty if it is."""
        layers = self.layers()
        mode = layers.mode
        if mode == self.mode:
            return mode, ""
        if self._folder_asks:
            return mode, "This folder's settings allow only the mode ask."
        return mode, f"A policy allows modes up to {layers.max_mode}."

    # --- rules made from answers ------------------------------------------------------------------------------

    def standing(self) -> tuple[MadeRule, ...]:
        """Return the rules of this conversation that count now; at first they are read from its log (AR21). Raises
        JournalError."""
        every = self.made().values()
        return tuple(made for made in every if made.lifetime != "turn" or made.turn == self._log.turn)

    def made(self) -> dict[str, MadeRule]:
        """Return all rules of the log that were not revoked, by their ids. Raises JournalError."""
        if self._made is None:
            self._made = self._read()
        return self._made

    def _read(self) -> dict[str, MadeRule]:
        found: dict[str, MadeRule] = {}
        journal, after = self._log.setup.journal, 0
        while self._log.exists and (rows := journal.of_kinds(self._log.id, (ADDED, REVOKED), "", after)):
            for row in rows:
                _follow(found, stored_event(row).event, row.entry.turn)
            after = rows[-1].seq
        return found

    async def make(
        self, offer: RuleOffer, lifetime: str, *, run: bool, reason: str, inquiry: str, call: str
    ) -> tuple[str, ...]:
        """Make the rules of an offer, and return their ids once they are durable; one that stands already isn't made
        again. Raises ValueError with a message, and JournalError; then none of them stands."""
        async with self._making:  # one answer may go to several identical questions at once
            return await self._make(offer, lifetime, run=run, reason=reason, inquiry=inquiry, call=call)

    async def _make(
        self, offer: RuleOffer, lifetime: str, *, run: bool, reason: str, inquiry: str, call: str
    ) -> tuple[str, ...]:
        log, book = self._log, self._log.setup.rule_book
        made = self.made()
        at = timestamp(log.setup.now())
        tables: list[dict[str, Any]] = []
        ids: list[str] = []
        for scope in offer.rules:
            if stands := self._standing_as({**scope, "effect": "allow" if run else "deny"}, lifetime):
                ids.append(stands)
                continue
            id_ = book.new_id() if book is not None else f"rule-{log.setup.new_id()}"
            table = {"id": id_, **scope, "effect": "allow" if run else "deny"}
            if not run:
                table["reason"] = reason or f"the user said no to this {_UNTIL[lifetime]}"
            tables.append(table)
            ids.append(id_)
        if lifetime == "folder" and book is None:
            raise ValueError("A rule for this folder can't be kept here.")
        events = [rule_added(at, dict(one), lifetime=lifetime, inquiry=inquiry, call=call) for one in tables]
        if events:
            await log.append(events)
        for event in events:
            _follow(made, event.raw, log.turn)
        if lifetime == "folder" and book is not None:
            await self._write(book, tables, tuple(str(one["id"]) for one in tables))
        return tuple(ids)

    def _standing_as(self, table: JsonObject, lifetime: str) -> str:
        """Return the id of a rule that says the same and lasts as long; empty if there is none."""
        wanted = _rule({"id": "same", **table})
        if wanted is None:
            return ""
        if lifetime == "folder":
            rules = self._files.layers().user.rules.rules
        else:
            rules = tuple(made.rule for made in self.standing() if made.lifetime == lifetime)
        return next((one.id for one in rules if one.expires is None and _scope(one) == _scope(wanted)), "")

    async def _write(self, book: RuleBook, tables: Sequence[Mapping[str, Any]], ids: tuple[str, ...]) -> None:
        try:
            for table in tables:
                book.add({**table, "made_by": "answer"})
        except ValueError:
            with suppress(ValueError):
                book.revoke(ids)
            at = timestamp(self._log.setup.now())
            await self._log.append([rule_revoked(at, id_) for id_ in ids])
            raise

    def entries(self) -> tuple[LedgerEntry, ...]:
        """Return the rules that count now as entries of the ledger (E43)."""
        found = []
        for made in self.standing():
            rule = made.rule
            found.append(
                LedgerEntry(
                    key=f"{RULE}{rule.id}",
                    kind="rule",
                    scope="rules",
                    tool=rule.tool,
                    text=Foreign(scope_text(*scope_of(rule))),
                    value=rule.effect,
                    place="this turn" if made.lifetime == "turn" else "this conversation",
                )
            )
        return tuple(found)

    async def revoke(self, id_: str) -> bool:
        """Revoke a rule for this turn or conversation; return False if there is none with this id. Raises
        JournalError."""
        if self.made().pop(id_, None) is None:
            return False
        await self._log.append([rule_revoked(timestamp(self._log.setup.now()), id_)])
        return True


def _scope(rule: ApprovalRule) -> ApprovalRule:
    """Return what a rule decides, without who made it and why."""
    return replace(rule, id="", reason="", place="", created=None, made_by="")


def _follow(found: dict[str, MadeRule], event: JsonObject, turn: int) -> None:
    if event.get("type") == REVOKED:
        found.pop(str(event.get("id")), None)
        return
    table, lifetime = event.get("rule"), event.get("lifetime")
    rule = _rule(table) if isinstance(table, dict) else None
    if rule is not None and lifetime in ("turn", "conversation"):
        found[rule.id] = MadeRule(rule, str(lifetime), turn)


def _rule(table: JsonObject) -> ApprovalRule | None:
    """A rule as its event tells it; None for one that can't be read."""
    from jp_tui.settings.approval_rules import checked_rule

    known = {name: value for name, value in table.items() if name not in ("created", "expires")}
    return checked_rule(known, lambda *_: None, place="this conversation")


async def without_walls(setup: EngineDependencies) -> str:
    """Return why commands ask in the mode `unattended` as well, as a sentence; empty if they run in a sandbox."""
    for tool in setup.tools.values():
        if tool.tool is None or not hasattr(tool.tool, "walls"):
            continue
        call = ToolCall(arguments={}, root=setup.workspace, options=tool.options)
        sandboxed, network = await cast(Walls, tool.tool).walls(call)
        if not sandboxed:
            return "There's no sandbox here, so commands still ask."
        return "The sandbox has network, so commands still ask." if network else ""
    return "No tool that runs sandboxed commands is on."
