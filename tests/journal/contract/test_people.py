"""Who a client of a store is, and who may answer there (store.md D13)."""

from __future__ import annotations

import os
import pwd

from jp_tui.journal.port import Journal, StorePerson
from jp_tui.journal.postgres.store import PostgresJournal
from tests.fakes import postgres


def test_d13_me_and_people_of_a_new_store(journal: Journal) -> None:
    """A store that has one user has one person; a file names nobody in its events."""
    if isinstance(journal, PostgresJournal):
        assert journal.me() == postgres.OWNER
        assert [(one.name, one.kind) for one in journal.people()] == [(postgres.OWNER, "owner")]
    else:
        assert journal.me() == ""
        assert journal.people() == [StorePerson(pwd.getpwuid(os.getuid()).pw_name, "owner")]
