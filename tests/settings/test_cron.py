"""Due times of cron expressions (store.md D23): in UTC, over changes of the clock, and never an endless search."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jp_tui.settings import cron
from jp_tui.settings.cron import Cron, CronError, local_zone, time_zone

BERLIN = "Europe/Berlin"


def due(text: str, since: str, count: int, zone: str = BERLIN) -> list[str]:
    """The next due times as local times with their offset."""
    there = time_zone(zone)
    found = Cron(text, there).after(datetime.fromisoformat(since).replace(tzinfo=there))
    return [at.astimezone(there).isoformat(" ", "minutes")[5:] for at in islice(found, count)]


@pytest.mark.parametrize(
    ("text", "since", "expected"),
    [
        ("0 9 * * 1-5", "2026-11-20 12:00", ["11-23 09:00+01:00", "11-24 09:00+01:00"]),
        ("*/20 8 1 * *", "2026-11-23 00:00", ["12-01 08:00+01:00", "12-01 08:20+01:00"]),
        ("0 0 13 * 5", "2026-11-10 00:00", ["11-13 00:00+01:00", "11-20 00:00+01:00"]),
        ("0 12 L * *", "2026-02-01 00:00", ["02-28 12:00+01:00", "03-31 12:00+02:00"]),
        ("0 6 * jan mon#1", "2026-11-23 00:00", ["01-04 06:00+01:00", "01-03 06:00+01:00"]),
    ],
)
def test_d23_fields_mean_what_they_mean_for_cron(text: str, since: str, expected: list[str]) -> None:
    assert due(text, since, len(expected)) == expected


def test_d23_a_sixth_field_is_seconds() -> None:
    found = Cron("* * * * * */30", UTC).after(datetime(2026, 11, 23, 9, 0, 1, tzinfo=UTC))
    assert [at.second for at in islice(found, 3)] == [30, 0, 30]


@pytest.mark.parametrize("text", ["30 2 * * *", "30 2 * * * 0", "10,30 2 * * *"])
def test_d23_a_time_that_is_left_out_is_due_at_the_first_minute_after_it(text: str) -> None:
    """2 to 3 o'clock on 29 March 2026 isn't there: due once, at 3."""
    found = due(text, "2026-03-28 12:00", 3)
    assert found[0] == "03-29 03:00+02:00" and found[1].startswith("03-30 02:")


@pytest.mark.parametrize("text", ["30 2 * * *", "30 2 * * * 0"])
def test_d23_a_time_that_comes_twice_is_due_the_first_time(text: str) -> None:
    assert due(text, "2026-10-24 12:00", 2) == ["10-25 02:30+02:00", "10-26 02:30+01:00"]
    between = Cron("30 2 * * *", time_zone(BERLIN)).after(datetime(2026, 10, 25, 1, 10, tzinfo=UTC))
    assert next(between) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC), "also looked for in the second hour"


def test_d23_an_interval_follows_the_time_that_passes() -> None:
    """A `*` in minutes or hours: an hour that is there twice counts twice, one that is left out not at all."""
    assert due("0 * * * *", "2026-10-25 01:30", 3) == ["10-25 02:00+02:00", "10-25 02:00+01:00", "10-25 03:00+01:00"]
    assert due("*/30 * * * *", "2026-03-29 01:00", 2) == ["03-29 01:30+01:00", "03-29 03:00+02:00"]
    for first, second in pairwise(islice(Cron("*/30 * * * *", time_zone(BERLIN)).after(_MARCH), 100)):
        assert second - first == timedelta(minutes=30)


_MARCH = datetime(2026, 3, 28, tzinfo=UTC)


def test_the_last_due_time_between_two_moments() -> None:
    until = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
    week = until - timedelta(days=7)
    assert Cron("* * * * * *", UTC).latest(week, until) == until
    assert Cron("0 4 * * 2", UTC).latest(week, until) == datetime(2026, 11, 17, 4, tzinfo=UTC)
    assert Cron("0 0 29 2 *", UTC).latest(week, until) is None
    assert Cron("0 4 * * *", UTC).latest(until - timedelta(hours=1), until) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "five fields"), ("* * * *", "five fields"), ("@daily", "five fields"), ("* * * * * * *", "five fields"),
        ("60 * * * *", "bad minute"), ("* 24 * * *", "bad hour"), ("* * 0 * *", "bad day-of-month"),
        ("0 0 30 2 *", "bad day-of-month"), ("* * * 13 *", "bad month"), ("* * * * 8", "bad day-of-week"),
        ("*/0 * * * *", "bad minute"), ("* * * * * 61", "bad second"), ("* * */20 * 1L", "never due"),
        ("9" * 190 + " * * * *", "bad minute"), ("9" * 5000 + " * * * *", "five fields"),
    ],
)  # fmt: skip
def test_d23_bad_input(text: str, why: str) -> None:
    with pytest.raises(CronError, match=why):
        Cron(text, UTC)


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.sampled_from("0123459*/-,L#W ?MONJAN²"), max_size=24), zone=st.sampled_from([BERLIN, "UTC"]))
def test_no_text_breaks_it_and_due_times_only_grow(text: str, zone: str) -> None:
    for given_text in (text, f"{text} * * * *", f"0 0 {text} * *", f"0 0 * * {text}"):
        try:
            found = Cron(given_text, time_zone(zone))
        except CronError:
            continue
        times = [_MARCH, *islice(found.after(_MARCH), 5)]
        assert all(first < second for first, second in pairwise(times))


def test_the_time_zone_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(local_zone({"TZ": ":Asia/Tokyo"})) == "Asia/Tokyo"
    for wrong in ("../etc/passwd", "Nowhere/City", "CET-1CEST"):
        with pytest.raises(CronError, match="unknown time zone"):
            local_zone({"TZ": wrong})
    monkeypatch.setattr(cron, "_LOCAL", tmp_path / "none")
    assert local_zone({}) is UTC
