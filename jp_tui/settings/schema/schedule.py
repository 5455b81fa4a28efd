"""Keys of `schedule.NAME`: prompts that workers begin at set times (store.md D23). No folder's file sets them, trusted
or not."""

from __future__ import annotations

from typing import Any

from jp_tui.settings.schema import checks
from jp_tui.settings.schema.checks import BadValue, describe_value
from jp_tui.settings.schema.nodes import Group, Leaf


def _from_folder(_: Any) -> bool:
    return True


def _filled(value: Any) -> str:
    if not checks.text(value).strip():
        raise BadValue(f"expected text that is not empty, found {describe_value(value)}")
    return str(value)


def _folder(value: Any) -> str:
    if not checks.text(value).startswith(("/", "~/")) and value != "~":
        raise BadValue(f"expected a folder as an absolute path or from ~, found {describe_value(value)}")
    return str(value)


def _cron(value: Any) -> str:
    from datetime import UTC

    from jp_tui.settings.cron import Cron, CronError

    try:
        Cron(checks.text(value), UTC)
    except CronError as problem:
        raise BadValue(f"{describe_value(value)} can't be used: {problem}") from None
    return str(value)


def _zone(value: Any) -> str:
    from jp_tui.settings.cron import CronError, time_zone

    try:
        time_zone(_filled(value))
    except CronError as problem:
        raise BadValue(str(problem)) from None
    return str(value)


_schedule_name = checks.matching(
    r"[a-z][a-z0-9_-]{0,39}", "a schedule's name: lower-case letters, digits, - and _, at most 40, a letter first"
)


SCHEDULE = Group(
    named=Group(
        {
            "cron": Leaf(
                _cron, never=_from_folder, acts=True, help="minute, hour, day, month, weekday; a sixth field is seconds"
            ),
            "prompt": Leaf(_filled, never=_from_folder, acts=True, help="the message to the model"),
            "workspace": Leaf(_folder, never=_from_folder, acts=True, help="the folder it works in"),
            "timezone": Leaf(_zone, never=_from_folder, acts=True, help="such as Europe/Berlin; empty: this machine's"),
            "model": Leaf(_filled, never=_from_folder, acts=True, help="provider/model or an alias"),
            "overlap": Leaf(
                checks.choice("skip", "queue"),
                never=_from_folder,
                acts=True,
                help="what is due while the run before it hasn't ended: left out, or begun after it",
            ),
            "missed": Leaf(
                checks.choice("once", "skip"),
                never=_from_folder,
                acts=True,
                help="what was due while no worker ran: the last of it begins late, or nothing",
            ),
        }
    ),
    key_check=lambda value: str(_schedule_name(value)),
)
