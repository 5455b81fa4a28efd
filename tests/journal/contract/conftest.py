"""The contract of `port.Journal`, on each store: nothing here knows which one it has (issue 21)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from jp_tui.journal.port import Journal
from tests.fakes import postgres
from tests.journal.made import begin

Opens = Callable[[], Journal]


@pytest.fixture(params=["sqlite", "postgresql"])
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opens]:
    """Opens an empty store, another at each call; `again` opens the last one once more."""
    made: list[Journal] = []
    numbers = count()
    opener: Opens
    if request.param == "sqlite":
        from jp_tui.journal.store import open_journal

        def opener() -> Journal:
            made.append(open_journal(tmp_path / f"{next(numbers)}/c.db"))
            return made[-1]
    else:
        found = request.getfixturevalue("postgres_server")
        from jp_tui.journal.postgres.store import open_store

        def opener() -> Journal:
            made.append(open_store(postgres.settings_of(postgres.emptied(found, "contract"), poll_secs=0.2)))
            return made[-1]

    yield opener
    for one in made:
        one.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def twice(request: pytest.FixtureRequest, tmp_path: Path) -> Opens:
    """Opens the same store at each call."""
    if request.param == "sqlite":
        from jp_tui.journal.store import open_journal

        return lambda: open_journal(tmp_path / "c.db")
    from jp_tui.journal.postgres.store import open_store

    url = postgres.emptied(request.getfixturevalue("postgres_server"), "contract")
    return lambda: open_store(postgres.settings_of(url, poll_secs=0.2))


@pytest.fixture
def journal(opens: Opens) -> Journal:
    """An open journal with one empty conversation, c1."""
    found = opens()
    begin(found)
    return found
