"""Service for approval rules (rules.md AR22, AR24, AR27): lists them with their record, revokes one, makes a suggested
one.

Only rules of the user's file are changed, and only rules are made that the record suggests now. The open conversation's
log gets the fact before the file is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.text import Foreign
from jp_tui.engine.asking.session_rules import SessionRules
from jp_tui.engine.base.dependencies import RuleBook, RuleFilesRead
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.record.rules.listing import listed, matches, rule_info, shown_time, suggestions
from jp_tui.engine.record.rules.record import RuleRecord, rule_added, rule_revoked
from jp_tui.engine.session.session_memory import forget, kept_answers
from jp_tui.protocol.rules import ReadRules, RevokeRule, RuleInfo, RulesRead, RuleSuggestion, TakeSuggestion


def desk(context: DeskContext) -> Desk:
    """Serves the files of rules and the record of all conversations."""
    rules = _Rules(context)
    return Desk(beside={ReadRules: rules.read, RevokeRule: rules.revoke, TakeSuggestion: rules.take})


class _Rules:
    def __init__(self, context: DeskContext) -> None:
        self._context = context
        self._record = RuleRecord()

    @property
    def _book(self) -> RuleBook:
        if self._context.setup.rule_book is None:
            raise ValueError("No approval rules are kept here.")
        return self._context.setup.rule_book

    @property
    def _now(self) -> str:
        return timestamp(self._context.setup.now())

    async def read(self, command: ReadRules) -> None:
        await self._publish(command.conversation)

    def _made(self, conversation: str) -> SessionRules | None:
        """Return the rules of an open conversation."""
        session = self._context.sessions.get(conversation)
        rules = session.log.setup.approval_rules if session is not None else None
        return rules if isinstance(rules, SessionRules) else None

    def _standing(self, conversation: str, root: str, now: float) -> tuple[RuleInfo, ...]:
        made = self._made(conversation)
        return tuple(
            rule_info(
                replace(one.rule, place=f"conversation {conversation}"),
                "user",
                self._record,
                root,
                now,
                "turn" if one.lifetime == "turn" else "conversation",
            )
            for one in (made.standing() if made is not None else ())
        )

    def _of_sessions(self, root: str, now: float) -> Iterator[RuleInfo]:
        """Yield what sessions of other programs remember (intake.md N3)."""
        for kept in kept_answers(self._context.setup):
            place = f"session of {kept.session.program} (pid {kept.session.pid})"
            if kept.rule is not None:
                # how often it decided is in no conversation that the record reads
                yield rule_info(replace(kept.rule, place=place), "user", None, root, now, "session")
                continue
            yield RuleInfo(
                id=kept.name, effect="allow" if kept.value else "deny", tool=kept.tool, scope="call", match=kept.covers,
                lifetime="session", layer="user", place=place, created=shown_time(kept.since), made_by="answer",
            )  # fmt: skip

    async def _publish(self, conversation: str, done: str = "", changed: str = "") -> None:
        setup = self._context.setup
        files = self._book.read()
        await self._record.read(setup.journal)
        root = os.path.realpath(setup.workspace)  # noqa: ASYNC240, one look at a path that is known to be there
        now = setup.now().timestamp()
        told = {
            "rules": (
                *self._standing(conversation, root, now),
                *self._of_sessions(root, now),
                *listed(files, self._record, root, now),
            ),
            "suggestions": await self._suggested(files),
            "file": Foreign(files.file),
            "problems": tuple(map(Foreign, files.problems)),
            "policy": tuple(map(Foreign, files.policy)),
            "done": done,
            "changed": changed,
        }
        self._context.publish(RulesRead.model_validate(told))

    async def _suggested(self, files: RuleFilesRead) -> tuple[RuleSuggestion, ...]:
        """None while a file has something wrong in it: nothing could be added."""
        setup = self._context.setup
        if setup.approval_rules is None or files.problems:
            return ()
        return await suggestions(setup.journal, setup.tools, setup.approval_rules, setup.workspace, setup.now())

    async def revoke(self, command: RevokeRule) -> None:
        made = self._made(command.conversation)
        if made is not None and await made.revoke(command.id):
            await self._context.settings_changed()
            await self._publish(command.conversation, "revoked", command.id)
            return
        kept = next((one for one in kept_answers(self._context.setup) if one.name == command.id), None)
        if kept is not None:
            await forget(self._context.setup, kept)
            await self._publish(command.conversation, "revoked", command.id)
            return
        known = {rule.id: layer for layer, rule in self._book.read().rules}
        if command.id not in known:
            raise ValueError(f"There is no rule {command.id} any more.")
        if known[command.id] != "user":
            owner = "policy's" if known[command.id] == "policy" else "folder's"
            raise ValueError(f"This rule is the {owner}. Only rules of your own rules.toml can be revoked here.")
        await self._log(command.conversation, [rule_revoked(self._now, command.id)])
        self._book.revoke([command.id])
        await self._context.settings_changed()
        await self._publish(command.conversation, "revoked", command.id)

    async def take(self, command: TakeSuggestion) -> None:
        if not any(matches(one, command.table) for one in await self._suggested(self._book.read())):
            raise ValueError("The record doesn't suggest this rule any more.")
        table = {"id": self._book.new_id(), **command.table}
        await self._log(command.conversation, [rule_added(self._now, table, lifetime="folder", made_by="suggestion")])
        rule = self._book.add({**table, "made_by": "suggestion"})
        await self._context.settings_changed()
        await self._publish(command.conversation, "added", rule.id)

    async def _log(self, conversation: str, facts: Sequence[ev.Event]) -> None:
        """Log them in the open conversation, if there is one that this process writes."""
        session = self._context.sessions.get(conversation)
        if session is not None and session.log.exists and not session.held_by:
            await session.log.append(facts)
