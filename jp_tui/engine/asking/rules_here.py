"""Approval rules of the files as entries of the ledger and as reasons of a question (rules.md AR22, AR24, asking.md
E43)."""

from __future__ import annotations

import os
from collections.abc import Iterable

from jp_tui.conversation.text import Foreign
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.rules.listing import listed
from jp_tui.protocol.rules import RuleInfo
from jp_tui.protocol.values import LedgerEntry
from jp_tui.rules.texts import making_text, scope_text, use_text

RULE = "rule:"
"""Prefix of the keys of these entries; the rule's id follows."""


async def rules_here(log: Log) -> tuple[RuleInfo, ...]:
    """Return the rules of the files that count here, with their record. Raises ValueError for a bad policy,
    JournalError."""
    setup = log.setup
    files = setup.rule_book.read() if setup.rule_book is not None else None
    if files is None or not files.rules:
        return ()
    await log.rules.read(setup.journal)
    root = os.path.realpath(setup.workspace)  # noqa: ASYNC240, one look at a path that is known to be there
    every = listed(files, log.rules, root, setup.now().timestamp())
    return tuple(rule for rule in every if rule.active)


def ledger_entries(rules: Iterable[RuleInfo]) -> tuple[LedgerEntry, ...]:
    """Return them as entries of the ledger; those of a policy or of the folder can't be revoked."""
    return tuple(
        LedgerEntry(
            key=f"{RULE}{rule.id}",
            kind="rule",
            scope="rules",
            tool=rule.tool,
            text=Foreign(scope_text(rule.scope, rule.match)),
            value=rule.effect,
            since=rule.created or "",
            place=rule.place,
            uses=rule.hits or 0,
            revocable=rule.layer == "user",
        )
        for rule in rules
    )


async def record_text(log: Log, ids: Iterable[str]) -> str:
    """Return what the record says of these rules, one sentence each; empty for rules of no file."""
    wanted = set(ids)
    found = []
    for rule in await rules_here(log):
        if rule.id in wanted:
            facts = (
                making_text(rule.created, rule.made_by),
                use_text(rule.hits, rule.last_hit),
                rule.reason,
                rule.place,
            )
            found.append(f"{rule.id}: {', '.join(fact for fact in facts if fact)}.")
    return " ".join(found)
