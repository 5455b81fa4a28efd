"""Due times of a cron expression in a time zone (store.md D23).

cronsim reads the fields and counts in wall time; what happens when clocks are put forward or back is decided here. It
is loaded with the first expression.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cronsim import CronSim

LONGEST = 200
"""Characters of an expression."""
_FORM = "expected five fields (minute, hour, day, month, weekday), or six with seconds last"
_LOCAL = Path("/etc/localtime")
_WINDOWS = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(days=32))


class CronError(ValueError):
    """Why an expression or the name of a time zone can't be used."""


def time_zone(name: str) -> tzinfo:
    """Return a time zone of the IANA database, such as Europe/Berlin. Raises CronError."""
    from zoneinfo import ZoneInfo

    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise CronError(f"unknown time zone {name[:60]!r}, or this system has no time zone data (tzdata)") from None


def local_zone(environment: Mapping[str, str]) -> tzinfo:
    """Return this machine's time zone: that of TZ, else of /etc/localtime, else UTC. Raises CronError for a TZ that
    names none."""
    from zoneinfo import ZoneInfo

    if name := environment.get("TZ", "").removeprefix(":"):
        return time_zone(name)
    try:
        with open(_LOCAL, "rb") as file:
            key = os.path.realpath(_LOCAL).partition("zoneinfo/")[2]
            return ZoneInfo.from_file(file, key or None)
    except (OSError, ValueError):
        return UTC


class Cron:
    """`text` has five fields, or six with seconds last. Times that it returns are in UTC. Raises CronError for a text
    that is invalid, or never due."""

    def __init__(self, text: str, zone: tzinfo) -> None:
        fields = text.split()
        if len(text) > LONGEST or len(fields) not in (5, 6):
            raise CronError(_FORM)
        self.seconds = len(fields) == 6
        self.zone = zone
        # cronsim wants seconds first
        self._fields = " ".join([fields[5] if self.seconds else "0", *fields[:5]])
        self._at_hours = not fields[0].startswith("*") and not fields[1].startswith("*")
        if next(self._counted(datetime(2000, 1, 1)), None) is None:
            raise CronError("it is never due")

    def after(self, moment: datetime) -> Iterator[datetime]:
        """Yield the due times after an aware moment, in order.

        With a `*` first in the minutes or hours an expression means an interval: it follows the time that passes, so an
        hour that comes twice counts twice, and one that is left out counts for nothing. Any other means times of day: a
        time that comes twice is due the first time, and one that is left out at the first minute after the gap.
        """
        if not self._at_hours:
            for found in self._counted(moment.astimezone(self.zone)):
                yield found.astimezone(UTC)
            return
        last = moment
        for wall in self._counted(moment.astimezone(self.zone).replace(tzinfo=None)):
            due = self._real(wall)
            if due > last:
                yield (last := due)

    def latest(self, after: datetime, until: datetime) -> datetime | None:
        """Return the last due time after the one moment, up to the other; None if there is none."""
        for window in (*_WINDOWS, until - after):
            found = None
            for due in self.after(max(after, until - window)):
                if due > until:
                    break
                found = due
            if found is not None or until - window <= after:
                return found
        return None

    def _counted(self, start: datetime) -> CronSim:
        from cronsim import CronSim, CronSimError

        try:
            return CronSim(self._fields, start)
        except CronSimError as problem:
            raise CronError(str(problem).lower()) from None
        except ValueError:  # a number with thousands of digits
            raise CronError(_FORM) from None

    def _real(self, wall: datetime) -> datetime:
        """Return the moment of a time on the wall clock; of one that is left out, the first minute after it."""
        while (at := wall.replace(tzinfo=self.zone).astimezone(UTC)).astimezone(self.zone).replace(tzinfo=None) != wall:
            wall = wall.replace(second=0) + timedelta(minutes=1)
        return at
