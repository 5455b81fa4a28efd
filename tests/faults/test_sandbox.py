"""Some ways out of the sandbox in every run (`python -m tests.faults --only sandbox --whole` tries them all), and
whether the look afterwards would find what it is there to find."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults import sandbox
from tests.faults.sandbox_world import Listeners, World, repository, world
from tests.system.sandboxing import bare

SEED = int(os.environ.get("JP_TUI_WAYS", "1"))


@pytest.mark.timeout(400)
def test_z18_no_way_leads_out() -> None:
    rows = sandbox.tried(False, SEED)
    assert not [words for row in rows for words in row.failed], "\n".join(rows[0].failed + rows[1].failed)
    if rows[0].not_here:
        assert not bare(), rows[0].not_here
        pytest.skip(f"no sandbox here: {rows[0].not_here}")


def test_there_are_enough_ways_and_each_is_another() -> None:
    found = sandbox.every_way()
    assert len(found) >= 200 and len({way.line + "".join(way.then) + way.beside for way in found}) == len(found)


def _written(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


BROKEN: dict[str, Callable[[World], object]] = {
    "changed: ": lambda made: _written(made.root / ".git" / "config"),
    "made: ": lambda made: _written(made.root / ".jp_tui" / "config.toml"),
    "removed: ": lambda made: (made.root / "pinned.txt").unlink(),
    "a secret was copied": lambda made: _written(made.root / "leak", made.secret()),
    "a new repository went unsaid": lambda made: repository(made.root / "new" / ".git"),
    "runs as its owner": lambda made: (_written(made.root / "s"), (made.root / "s").chmod(0o4755)),
    "made: /": lambda made: _written(made.home / ".profile"),
    "changed: /": lambda made: (made.outside / "plain.txt").chmod(0o600),
}


@pytest.mark.parametrize("says", BROKEN)
def test_the_look_finds_what_is_wrong(says: str) -> None:
    with world() as made:
        assert made.judge("") == []
        BROKEN[says](made)
        assert any(says in words for words in made.judge("")), made.judge("")
        assert "a secret reached the model" in made.judge(f"x {made.token}")


def test_the_look_lets_ordinary_changes_pass() -> None:
    with world() as made:
        _written(made.root / "build" / "x")
        (made.root / "plain" / "file.txt").unlink()
        repository(made.root / "new" / ".git")
        assert made.judge("It created new/.git.") == []


def test_whoever_is_reached_outside_is_noticed() -> None:
    with world() as made:
        listeners = Listeners(made)
        try:
            for name in ("temporary", "outside", "workspace", "abstract"):
                with socket.socket(socket.AF_UNIX) as one:
                    one.connect(listeners.places[name])
            socket.create_connection(("127.0.0.1", listeners.port)).close()
            listeners.process.kill()
            listeners.process.wait()
            assert len(listeners.reached()) == 6
        finally:
            listeners.close()
    assert threading.active_count() < 50
