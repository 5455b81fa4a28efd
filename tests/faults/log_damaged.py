"""The store as hostile input: damaged, foreign and odd files and rows, through every command that reads them.

What came of it is right again or told in clear words; nothing hangs, no other conversation loses a word, no control
character and no traceback reaches the terminal, and a file that is refused is left as it was.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.faults.log_damage import GOOD, VICTIM, WORD, Change, files, made, rows
from tests.faults.log_runs import Ran, Runs, warm
from tests.faults.report import Found
from tests.limits import LIMIT

COMMANDS: dict[str, tuple[str, ...]] = {
    "list": ("conversations", "list"),
    "list --json": ("conversations", "list", "--json"),
    "show it": ("conversations", "show", VICTIM),
    "show it --json": ("conversations", "show", VICTIM, "--json"),
    "show another": ("conversations", "show", GOOD[0]),
    "search": ("conversations", "search", WORD),
    "inquiries": ("inquiries",),
    "query": ("query", "--resume", VICTIM, "--model", "demo/{home}/reply.toml", "and now?"),
    "query another": ("query", "--resume", GOOD[1], "--model", "demo/{home}/reply.toml", "and now?"),
    "doctor": ("doctor",),
}
"""What is run on each store, in this order: `query` opens it for writing, and mends."""
REPLY = "zqreply"
SCRIPT = '[[walks]]\nname = "x"\n[[walks.turns]]\ntext = "y"\n'
QUICK = ("list", "show it", "search", "query another")
BOUNDED, WHOLE_FILES = 1, 40
"""So many changes of rows and of files in CI, with the quick commands; of each kind of chance in files so many."""


def tried(whole: bool, seed: int) -> list[Found]:
    """Two rows: of rows and of files."""
    rand = random.Random(seed)
    some, by_file = rows(), files(rand, WHOLE_FILES if whole else 1)
    if not whole:
        some, by_file = ({name: all_[name] for name in rand.sample(sorted(all_), BOUNDED)} for all_ in (some, by_file))
    with tempfile.TemporaryDirectory(prefix="jp-tui-log-") as folder, warm() as runs:
        template = Path(folder) / "template"
        made(template)
        (template / "reply.toml").write_text(f'fallback = "{REPLY}"\n{SCRIPT}')
        return [
            _found("a store with odd rows", some, runs, template, seed, whole, alone=True),
            _found("a store whose file is damaged or foreign", by_file, runs, template, seed, whole, alone=False),
        ]


def _found(
    what: str, changes: Mapping[str, Change], runs: Runs, template: Path, seed: int, whole: bool, *, alone: bool
) -> Found:
    found = Found(what, 0)
    slowest = 0.0
    for name, change in changes.items():
        home = template.with_name("home")
        shutil.copytree(template, home)
        try:
            change(home / "data" / "conversations.db")
            for command, ran, words in judged(runs, home, COMMANDS if whole else QUICK, alone=alone):
                found.runs += 1
                slowest = max(slowest, ran.seconds)
                found.failed += [f"{name}: `{command}` {one} (seed {seed})" for one in words]
        finally:
            shutil.rmtree(home)
    found.figures["slowest command"] = f"{slowest:.1f} s"
    return found


def judged(
    runs: Runs, home: Path, commands: Iterable[str] = COMMANDS, *, alone: bool
) -> Iterator[tuple[str, Ran, list[str]]]:
    """Each command, what came of it, and what is wrong with that; `alone` where no other conversation was touched."""
    for command in commands:
        ran = runs.run(home, *(word.replace("{home}", str(home)) for word in COMMANDS[command]), limit=LIMIT)
        yield command, ran, [*_manners(ran), *(_rest(command, ran) if alone else ())]


def _manners(ran: Ran) -> Iterator[str]:
    if ran.code is None:
        yield f"did not end within {LIMIT:g} s"
        return
    said = ran.out + ran.err
    if ran.code not in (0, 1, 2, 3):
        yield f"ended with {ran.code}: {ran.err[-300:]!r}"
    if "Traceback" in said:
        yield f"shows a traceback: {said[said.index('Traceback') :][-400:]!r}"
    if any((char < " " and char not in "\n\t") or "\x7f" <= char <= "\x9f" for char in said):
        yield "shows a control character"
    if ran.code not in (0, 3) and not said.strip():
        yield f"ended with {ran.code} and said nothing"


def _rest(command: str, ran: Ran) -> Iterator[str]:
    """What must be there of the others."""
    wanted = {
        "list": [f"About {name}" for name in GOOD],
        "list --json": [f"About {name}" for name in GOOD],
        "show another": [f"{WORD} in {GOOD[0]}", "Turn 6"],
        "search": list(GOOD),
        "query another": [REPLY],
    }.get(command, [])
    lost = [one for one in wanted if one not in ran.out]
    if lost:
        yield f"lost {', '.join(lost)} and said {ran.err[-300:]!r}"
