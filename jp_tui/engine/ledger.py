"""All that is remembered or allowed now (asking.md E43): what the turn holds, and what the settings pin or let run.

Reads only; whatever is taken back is taken back where it stands, by the machine or in the settings' file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jp_tui.conversation.text import Foreign
from jp_tui.engine.secrets import Secrets
from jp_tui.engine.setup import ToolSetup
from jp_tui.inquiry import values as v
from jp_tui.protocol.values import LedgerEntry

TURN, SETTING = "turn:", "setting:"


def entries(remembered: v.Ledger | None, tools: Mapping[str, ToolSetup], secrets: Secrets) -> tuple[LedgerEntry, ...]:
    """The turn's first, then the settings', by tool."""
    found: list[LedgerEntry] = []
    if remembered is not None:
        found += (_held(key, held, "answer") for key, held in remembered.answers.items())
        found += (_held(key, held, "permission") for key, held in remembered.permissions.items())
    for name in sorted(tools):
        found += _settings(tools[name], secrets)
    return tuple(found)


def _held(key: str, held: v.Held, kind: str) -> LedgerEntry:
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


def _settings(tool: ToolSetup, secrets: Secrets) -> Iterator[LedgerEntry]:
    for question, rule in tool.rules.items():
        if rule.has_answer and not rule.slot:  # what falls back to a slot stands under the slot itself (R171)
            yield LedgerEntry(
                key=f"{SETTING}conversation.tools.{tool.name}.questions.{question}.answer",
                kind="pinned",
                scope="settings",
                tool=tool.name,
                question=question,
                value=secrets.json(rule.answer),
                place=rule.place,
            )
    if tool.run == "unattended" and tool.run_place:
        yield LedgerEntry(
            key=f"{SETTING}conversation.tools.{tool.name}.run",
            kind="unattended",
            scope="settings",
            tool=tool.name,
            place=tool.run_place,
        )
