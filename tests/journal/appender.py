"""A process that appends until it is killed and says on standard output what was acknowledged.

`python -m tests.journal.appender DATABASE CONVERSATION [COUNT]`
"""

from __future__ import annotations

import sys
from pathlib import Path

from jp_tui.journal.store import open_journal
from tests.journal.made import begin, entry
from tests.limits import LIMIT


def main() -> None:
    database, conversation, *count = sys.argv[1:]
    journal = open_journal(Path(database))
    if journal.conversation(conversation) is None:
        begin(journal, conversation)
    number = first = journal.last_seq(conversation)
    while not count or number < first + int(count[0]):
        number += 1
        part = f"p{number}"
        journal.partial(conversation, part, "message", f"begin {number} ")
        journal.flush().result(LIMIT)
        sys.stdout.write(f"partial {number}\n")
        sys.stdout.flush()
        done = journal.append(conversation, [entry(number), entry(-number)], closes_parts=[part]).result(LIMIT)
        number = done[-1]
        sys.stdout.write(f"stored {number}\n")
        sys.stdout.flush()
    journal.close()


if __name__ == "__main__":
    main()
