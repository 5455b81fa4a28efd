"""Everything remembered or allowed now (asking.md E43): the turn's entries, and pinned or permitting settings.

Read-only; the machine or the settings' file revokes an entry.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.dependencies import ToolSetup
from jp_tui.engine.record.secret_redaction import Secrets
from jp_tui.inquiry import values as v
from jp_tui.protocol.values import LedgerEntry

TURN, SETTING = "turn:", "setting:"


def pinned(tool: str, question: str) -> str:
    """Return the key of a pinned answer; `question` is the id it is set for."""
    plain = question.isascii() and question.replace("-", "").replace("_", "").isalnum()
    part = question if plain else json.dumps(question, ensure_ascii=False)  # a quoted key of TOML
    return f"{SETTING}conversation.tools.{tool}.questions.{part}.answer"


def unattended(tool: str) -> str:
    """Return the key of a tool that runs without permission."""
    return f"{SETTING}conversation.tools.{tool}.run"


def entries(
    remembered: v.Ledger | None, tools: Mapping[str, ToolSetup], secrets: Secrets, uses: Mapping[str, int]
) -> tuple[LedgerEntry, ...]:
    """Return the turn's entries, then the settings', by tool; `uses` counts the uses of the latter, by key."""
    found: list[LedgerEntry] = []
    if remembered is not None:
        found += (_held(key, held, "answer") for key, held in remembered.answers.items())
        found += (_held(key, held, "permission") for key, held in remembered.permissions.items())
    for name in sorted(tools):
        found += _settings(tools[name], secrets, uses)
    return tuple(found)


def _held(key: str, held: v.RememberedAnswer, kind: str) -> LedgerEntry:
    return LedgerEntry.model_validate(
        {
            "key": TURN + key,
            "kind": kind,
            "scope": "turn",
            "tool": held.tool,
            "question": held.question if kind == "answer" else "",
            "text": Foreign(held.text),
            "value": held.value,
            "since": held.since,
            "uses": held.uses,
        }
    )


def _settings(tool: ToolSetup, secrets: Secrets, uses: Mapping[str, int]) -> Iterator[LedgerEntry]:
    for question, rule in tool.rules.items():
        if rule.has_answer and not rule.slot:  # an answer from a slot is listed under the slot itself (R171)
            yield LedgerEntry(
                key=(key := pinned(tool.name, question)),
                kind="pinned",
                scope="settings",
                tool=tool.name,
                question=question,
                value=secrets.json(rule.answer),
                place=rule.place,
                uses=uses.get(key, 0),
            )
    if tool.run == "unattended" and tool.run_place:
        yield LedgerEntry(
            key=(key := unattended(tool.name)),
            kind="unattended",
            scope="settings",
            tool=tool.name,
            place=tool.run_place,
            uses=uses.get(key, 0),
        )
