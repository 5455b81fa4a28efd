"""`jp-tui rules why | suggest`, and the rules of `rules list` with their record (rules.md AR22, AR24, AR25, AR27).

The log is only read: no engine starts, no conversation is opened. Without a log there is no record.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from jp_tui.engine.base.dependencies import ApprovalRules, RuleFilesRead, ToolSetup
from jp_tui.engine.record.rules.listing import LEAST, listed, suggestions
from jp_tui.engine.record.rules.record import RuleRecord
from jp_tui.engine.record.rules.why import why
from jp_tui.journal.port import JournalError, JournalReading
from jp_tui.protocol.rules import RuleInfo, RuleSuggestion, RuleWhy
from jp_tui.startup.parts import RunLocation, stored_log


@contextmanager
def _log(place: RunLocation) -> Iterator[JournalReading | None]:
    """The log, None where there is none yet. Raises JournalError for one that can't be read."""
    with ExitStack() as opened:
        try:
            reader = opened.enter_context(stored_log(place))
        except JournalError as problem:
            if problem.kind != "missing":
                raise
            reader = None
        yield reader


def rules_here(place: RunLocation, files: RuleFilesRead) -> tuple[RuleInfo, ...]:
    """Return all rules of the files, with their record if the log can be read."""
    record = RuleRecord()
    readable = True
    try:
        with _log(place) as reader:
            if reader is not None and files.rules:
                asyncio.run(record.read(reader))
    except JournalError:
        readable = False
    return listed(files, record if readable else None, os.path.realpath(place.workspace), time.time())


def explained(place: RunLocation, files: RuleFilesRead, id_: str) -> list[RuleWhy]:
    """Return what files and log know under this id: a rule, calls, inquiries. Raises JournalError."""

    root = os.path.realpath(place.workspace)

    async def read(reader: JournalReading) -> list[RuleWhy]:
        record = RuleRecord()
        await record.read(reader)
        rules = listed(files, record, root, time.time())
        return await why(reader, record, rules, id_)

    with _log(place) as reader:
        if reader is not None:
            return asyncio.run(read(reader))
    rules = listed(files, None, root, time.time())
    return [RuleWhy(kind="rule", id=id_, rule=rule) for rule in rules if rule.id == id_]


def suggested(
    place: RunLocation, tools: Mapping[str, ToolSetup], rules: ApprovalRules, least: int | None
) -> tuple[RuleSuggestion, ...]:
    """Return what the record suggests here. Raises JournalError."""
    with _log(place) as reader:
        if reader is None:
            return ()
        found = suggestions(reader, tools, rules, place.workspace, datetime.now(UTC), least or LEAST)
        return asyncio.run(found)
