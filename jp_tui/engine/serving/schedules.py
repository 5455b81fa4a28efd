"""Due times of schedules, as one worker sees them (store.md D23).

A conversation's id is made of its schedule's name and due time, and only one process holds it: so each due time begins
once, however many workers look. What is due follows from the conversations that are there; nothing else is stored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from urllib.parse import quote

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import read_timestamp
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.journal.port import ConversationRow, Journal
from jp_tui.settings.schedules import ScheduledPrompt

FIRST_RETRY, LAST_RETRY = 30.0, 1800.0
"""Seconds until what couldn't begin or be resumed is tried again."""
LATE = timedelta(minutes=1)
"""A due time that no worker saw for longer was missed."""
_FORM = "%Y%m%dT%H%M%SZ"
CAUGHT_UP = timedelta(days=7)
"""Nothing older begins: the conversation of a due time is kept for as long, even if it was deleted at once."""


@dataclass(frozen=True, slots=True)
class DueTime:
    """One due time of a schedule, in UTC; `role` of the worker in a store of several people, whose schedules may have
    the same name."""

    schedule: ScheduledPrompt
    at: datetime
    role: str = ""

    @property
    def conversation(self) -> str:
        """Return the id of its conversation."""
        return f"{_prefix(self.schedule, self.role)}{self.at.astimezone(UTC).strftime(_FORM)}"

    @property
    def title(self) -> str:
        seconds = ":%S" if self.schedule.cron.seconds else ""
        return f"{self.schedule.name}, {self._local.strftime(f'%Y-%m-%d %H:%M{seconds}')}"

    @property
    def about(self) -> JsonObject:
        """Return what is stored about it: the time with the offset of its time zone."""
        return {"name": self.schedule.name, "due": self._local.isoformat()}

    @property
    def _local(self) -> datetime:
        return self.at.astimezone(self.schedule.cron.zone)


def _prefix(schedule: ScheduledPrompt, role: str) -> str:
    return f"{schedule.name}@{quote(role, safe='')}." if role else f"{schedule.name}."


@dataclass(slots=True)
class _State:
    """One schedule: `seen` is the moment up to which due times are known, `next` the first one after it (None: not
    looked for yet, or never), `waiting` those that have not begun. `again` is when to try after a failure."""

    schedule: ScheduledPrompt
    seen: datetime | None = None
    next: datetime | None = None
    waiting: deque[datetime] = field(default_factory=deque)
    again: float = 0.0
    failures: int = 0


class Schedules:
    """`say` reports a line for the user; `holder` describes the process that has a conversation, empty if none has."""

    def __init__(
        self,
        journal: Journal,
        schedules: Sequence[ScheduledPrompt],
        holder: Callable[[str], str],
        say: Callable[[str], None],
    ) -> None:
        self._journal, self._holder, self._say = journal, holder, say
        self._states = {one.name: _State(one) for one in schedules}
        self._gone: set[str] = set()

    def look(self, now: datetime) -> bool:
        """Note what is due by now; return True if something is due that wasn't before. Raises JournalError."""
        new = [state for state in self._states.values() if self._note(state, now)]
        return bool(new)

    def _note(self, state: _State, now: datetime) -> bool:
        cron, missed = state.schedule.cron, state.schedule.missed
        if state.seen is None:
            state.seen = self._seen_before(state.schedule, now)
        elif now < state.seen:  # the clock was put back; what has begun doesn't begin again
            state.seen, state.next = now, None
        if state.next is None:
            state.next = next(cron.after(state.seen), None)
        if state.next is None or state.next > now:
            return False
        since, late = state.seen, now - LATE
        if state.next <= late:
            last = cron.latest(max(since, now - CAUGHT_UP), late)
            if last is not None and missed == "once":
                state.waiting.append(last)
            elif last is not None:
                self._say(f"{self._named(state.schedule, last)}, is left out: no worker ran.")
            since = max(since, late)
        state.waiting.extend(takewhile(lambda due: due <= now, cron.after(since)))
        state.seen, state.next = now, next(cron.after(now), None)
        self._collapse(state)
        return bool(state.waiting)

    def _collapse(self, state: _State) -> None:
        """Keep only the last of all that wait, or none: a time that can't begin is missed, too."""
        if state.failures and state.waiting:
            last = state.waiting[-1]
            state.waiting.clear()
            if state.schedule.missed == "once":
                state.waiting.append(last)

    def _seen_before(self, schedule: ScheduledPrompt, now: datetime) -> datetime:
        """Return up to when some worker saw due times: until now for a schedule that never ran. What came while its
        last run hadn't ended was left out on purpose, unless it queues."""
        row = self._newest(schedule)
        try:
            due = datetime.strptime(row.id.rpartition(".")[2], _FORM).replace(tzinfo=UTC) if row is not None else now
        except ValueError:  # another program's
            return now
        if row is None:
            return now
        if not row.turns:  # its worker died before it began
            return min(due - timedelta(seconds=1), now)
        return min(due if schedule.overlap == "queue" else max(due, self._end(row) or now), now)

    def _newest(self, schedule: ScheduledPrompt) -> ConversationRow | None:
        return self._journal.newest_of(_prefix(schedule, self._journal.me()))

    def _end(self, row: ConversationRow) -> datetime | None:
        """Return when the scheduled turn ended; None if it hasn't."""
        turn = [read_event(stored_event(item).event) for item in self._journal.turn_events(row.id, 1)]
        ends = [event.timestamp for event in turn if isinstance(event, ev.TurnOutcome)]
        return read_timestamp(ends[-1]) if ends else None

    def ready(self, now: float, later: Callable[[float], None], held_secs: float) -> Iterator[DueTime]:
        """Yield what can begin, the longest due first; a schedule at most once. `now` counts seconds; `later` gets the
        time of another look. Raises JournalError."""
        waiting = [state for state in self._states.values() if state.waiting]
        for state in sorted(waiting, key=lambda one: one.waiting[0]):
            while state.waiting:
                due = DueTime(state.schedule, state.waiting[0], self._journal.me())
                if state.again > now:
                    later(state.again)
                    break
                if self._has_begun(due):
                    state.waiting.popleft()
                    continue
                if self._holder(due.conversation):  # another worker begins it, or was killed
                    later(now + held_secs)
                    break
                running = self._running(due)
                if running is not None and state.schedule.overlap == "skip":
                    state.waiting.popleft()
                    named = self._named(state.schedule, due.at)
                    self._say(f"{named}, is left out: {running.title}, hasn't ended.")
                    continue
                if running is None and self._is_there(state.schedule):
                    yield due
                elif running is None:
                    self.failed(due, now, later)
                break

    def _has_begun(self, due: DueTime) -> bool:
        row = self._journal.conversation(due.conversation)
        return bool(row is not None and row.turns) or (
            self._journal.conversation(due.conversation, deleted=True) is not None
        )

    def _running(self, due: DueTime) -> ConversationRow | None:
        """Return the schedule's last run if it hasn't ended."""
        row = self._newest(due.schedule)
        if row is None or row.id == due.conversation or not row.turns or row.deleted:
            return None
        return row if self._end(row) is None else None

    def _is_there(self, schedule: ScheduledPrompt) -> bool:
        if Path(schedule.workspace).is_dir():
            self._gone.discard(schedule.name)
            return True
        if schedule.name not in self._gone:
            self._gone.add(schedule.name)
            self._say(f"schedule.{schedule.name} waits: the folder {schedule.workspace} is gone.")
        return False

    def _named(self, schedule: ScheduledPrompt, at: datetime) -> str:
        return f"schedule.{DueTime(schedule, at).title}"

    def failed(self, due: DueTime, now: float, later: Callable[[float], None]) -> None:
        """It could not begin: try again later."""
        state = self._states[due.schedule.name]
        state.again = now + min(FIRST_RETRY * 2**state.failures, LAST_RETRY)
        state.failures += 1
        later(state.again)

    def began(self, due: DueTime) -> None:
        """It began here."""
        self._states[due.schedule.name].failures = 0
