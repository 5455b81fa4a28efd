"""The real program with two ways to break it from outside: SIGUSR1 makes a widget fail, SIGUSR2 the engine.

`python endings_app.py WORD…` is `jp-tui WORD…`. A failure comes where a bug would be: in a widget's own message loop,
or where the engine carries out the next command.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from jp_tui import main as front

_run = front._run


def _breaking(words: list[str]) -> int:
    from textual.app import App

    apps: list[App[Any]] = []
    begin = App.run

    def run(self: App[Any], *given: Any, **named: Any) -> Any:
        apps.append(self)
        return begin(self, *given, **named)

    App.run = run  # type: ignore[method-assign]

    def widget(*_: object) -> None:
        where = apps[0].screen.focused or apps[0].screen
        where.call_later(_fail)

    def engine(*_: object) -> None:
        from jp_tui.engine.hub import Engine

        async def handle(self: Engine, command: object) -> None:
            _fail()

        Engine._handle = handle  # type: ignore[method-assign, assignment]

    signal.signal(signal.SIGUSR1, widget)
    signal.signal(signal.SIGUSR2, engine)
    return _run(words)


def _fail() -> None:
    raise ZeroDivisionError("a bug of the test's")


if __name__ == "__main__":
    front._run = _breaking
    sys.exit(front.main())
