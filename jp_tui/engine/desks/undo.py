"""Service for file changes and undo (issue 8, 7).

Undo uses the backups only; files changed since are left unless exactly that change may be overwritten. Only while no
turn runs, and only in the workspace. The result is logged, and the model reads it with the next turn.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.backups import BackupRecord, CopyStore
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.file_changes.change_list import MOST, FileRow, change, rows, why_not
from jp_tui.engine.file_changes.restore import RestoreTarget, restore
from jp_tui.engine.file_changes.undo_plan import turns
from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.model_context import UNDONE
from jp_tui.engine.recovery import repair_log
from jp_tui.engine.session.session import Session
from jp_tui.protocol.changes import ChangesRead, ChangesUndone, LeftFile, ReadChanges, UndoChanges, Way
from jp_tui.system.files import FileProblem
from jp_tui.system.problem import display_path
from jp_tui.system.restoring import RestoringRoot
from jp_tui.tools.port import commands

NAMED = 50
"""Files named to the model."""
LOOKED = 200
"""Turns searched for calls with unknown changes."""


def desk(context: DeskContext) -> Desk:
    """Serves the tools' changes."""
    undo = _Undo(context)
    return Desk(beside={ReadChanges: undo.read, UndoChanges: undo.undo})


class _Undo:
    def __init__(self, context: DeskContext) -> None:
        self._context = context

    def _session(self, conversation: str) -> Session:
        session = self._context.sessions.get(conversation)
        if session is None:
            raise ValueError(f"Conversation {conversation} is not open.")
        if session.log.agent is not None:
            raise ValueError("A sub-agent's changes are listed in its parent conversation.")
        return session

    @property
    def _store(self) -> CopyStore:
        if self._context.setup.copies is None:
            raise ValueError("Changes aren't recorded because undo.copies is off.")
        return self._context.setup.copies

    # --- display ----------------------------------------------------------------------------------------------

    async def read(self, command: ReadChanges) -> None:
        session, store = self._session(command.conversation), self._store
        every = store.records(command.conversation)
        records = _there(every)
        known = turns(records)
        turn = _turn(command, known)
        found = rows(records, turn, store.limits.file)
        workspace = str(session.log.setup.workspace)
        notes = _unknown(session.log, turn)
        if gone := {record.root for record in every} - {record.root for record in records}:
            notes.append(f"changes in {display_path(min(gone))} aren't listed: the folder no longer exists")
        if len(found) > MOST:
            notes = [*notes, f"{len(found) - MOST:,} more changed files aren't listed"]
        files = [await change(row, store, workspace) for row in found[:MOST]]
        self._context.publish(
            ChangesRead(
                conversation=command.conversation,
                scope=command.scope,
                turn=turn or 0,
                turns=known,
                files=tuple(files),
                notes=tuple(notes),
            )
        )

    # --- undo -------------------------------------------------------------------------------------------------

    async def undo(self, command: UndoChanges) -> None:
        session = self._session(command.conversation)
        self._may(session)
        records = _there(self._store.records(command.conversation))
        turn = _turn(command, turns(records))
        done, left = self._restored(command, records, turn, str(session.log.setup.workspace))
        if done:
            files = [path for row in done for path in _names(row)]
            await session.log.append([_undo_event(session.log, command.way, turn, files)])
        self._context.publish(
            ChangesUndone(
                conversation=command.conversation,
                scope=command.scope,
                turn=turn or 0,
                way=command.way,
                done=tuple(Foreign(storable(row.unit.head.path)) for row in done),
                left=tuple(left),
            )
        )

    def _may(self, session: Session) -> None:
        """Raises ValueError if a turn runs or another process owns the conversation."""
        if session.held_by:
            raise ValueError(f"This conversation is being written by {session.held_by}.")
        if session.busy:
            raise ValueError("The model is still working. Wait for the turn to end, or press Esc to interrupt it.")
        if repair_log.resumable(session.log) is not None:
            raise ValueError("A question of the last turn is open. Answer it first.")

    def _restored(
        self, command: UndoChanges, records: Sequence[BackupRecord], turn: int | None, workspace: str
    ) -> tuple[list[FileRow], list[LeftFile]]:
        """Return what was restored and what was left. Nothing is awaited in between, so no turn can begin."""
        store, done, left = self._store, list[FileRow](), list[LeftFile]()
        for row in rows(records, turn, store.limits.file):
            if command.keys and row.key not in command.keys:
                continue
            why, asks = self._why(row, command, workspace)
            if not why:
                try:
                    self._restore(row, command.way, turn, command.conversation)
                    done.append(row)
                    continue
                except FileProblem as problem:
                    why = problem.message
            if why != _ALREADY or command.keys:
                path = Foreign(storable(row.unit.head.path))
                left.append(LeftFile(key=row.key, path=path, why=why, asks=asks, digest=row.digest if asks else ""))
        return done, left

    def _why(self, row: FileRow, command: UndoChanges, workspace: str) -> tuple[str, bool]:
        """Return why a unit is left, and True if the user may allow overwriting it."""
        if row.state == ("taken_back" if command.way == "back" else "made"):
            return _ALREADY, False
        if why := why_not(row, self._store, workspace, command.way):
            return why, False
        if row.state in ("changed", "later") and command.overwrite.get(row.key) != row.digest:
            who = "a later turn" if row.state == "later" else "somebody else"
            return f"{who} changed it since", True
        return "", False

    def _restore(self, row: FileRow, way: Way, turn: int | None, conversation: str) -> None:
        """Raises FileProblem."""
        goals = [
            RestoreTarget(chain.path, row.disk[chain.path], chain.base if way == "back" else chain.made)
            for chain in row.unit.chains
        ]
        last = turn or row.unit.head.turns[-1]
        with RestoringRoot(row.unit.head.root) as root:
            restore(root, self._store, conversation, last, goals, "undo" if way == "back" else "redo")


_ALREADY = "it is already so"


def _there(records: Sequence[BackupRecord]) -> list[BackupRecord]:
    """Return those whose folder still exists: a tour's walk deletes its sample."""
    return [record for record in records if os.path.isdir(record.root)]


def _turn(command: ReadChanges | UndoChanges, known: Sequence[int]) -> int | None:
    """Return the requested turn, None for all; 0 if none changed a file."""
    if command.scope == "conversation":
        return None
    return command.turn or (known[-1] if known else 0)


def _names(row: FileRow) -> list[str]:
    """Return the paths of a unit, each with the effect on it."""
    return [chain.path for chain in row.unit.chains]


def _undo_event(log: Log, way: Way, turn: int | None, files: Sequence[str]) -> ev.Unknown:
    """Build the event, with the model's text."""
    whose = f"in turn {turn} of this conversation" if turn else "in this conversation"
    names = "\n".join(f"- {display_path(storable(path))}" for path in files[:NAMED])
    more = f"\n- and {len(files) - NAMED:,} more" if len(files) > NAMED else ""
    did = (
        f"I took back changes that your tools made {whose}. These files are again what they were before"
        if way == "back"
        else f"I brought back changes of your tools {whose} that I had taken back. These files were changed"
    )
    return ev.Unknown(
        {
            "timestamp": timestamp(log.setup.now()),
            "type": UNDONE,
            "way": way,
            "turn": turn or 0,
            "files": [storable(path) for path in files],
            "told": f"{did}; look at them before you go on:\n{names}{more}",
        }
    )


def _unknown(log: Log, turn: int | None) -> list[str]:
    """Return what ran in the scope and may have changed files without a backup."""
    every = range(max(1, log.turn - LOOKED + 1), log.turn + 1) if turn is None else [turn] if turn else []
    names: dict[str, None] = {}
    for one in every:
        for event in log.turn_so_far(one):
            setup = log.setup.tools.get(event.name) if isinstance(event, ev.ToolCallRequest) else None
            if setup is not None and (setup.kind != "built-in" or (setup.tool is not None and commands(setup.tool))):
                names[setup.name] = None
    if not names:
        return []
    told = ", ".join(names)
    return [f"what {told} changed isn't recorded and can't be undone: only file tools keep copies"]
