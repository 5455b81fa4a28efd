"""jp-tui with a bug that knows every secret: `python crashing.py WHERE SECRETS.json WORDS…`.

WHERE is `screen` (the workspace, at F1), `command` (what has no screen), `engine` (its thread, at the first message) or
`restoring`, `closing` (the terminal, when the program leaves, and after that).
The exception says every secret, raw and encoded, and stands in a chain.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def broken(*_: Any, **__: Any) -> NoReturn:
    """Says what it must not."""
    told = json.loads(Path(sys.argv[2]).read_text())
    try:
        raise KeyError("\n".join(told))
    except KeyError as error:
        raise RuntimeError(" and ".join([*told, *map(repr, told), *map(json.dumps, told)])) from error


def main() -> int:
    from jp_tui.main import main as run

    match sys.argv[1]:
        case "screen":
            from jp_tui.ui.app import WorkspaceApp

            WorkspaceApp.action_keys = broken  # type: ignore[attr-defined]
        case "command":
            from jp_tui.headless.query import QueryRun

            QueryRun.run = broken  # type: ignore[method-assign]
        case "engine":
            from jp_tui.engine.session.session import Session

            Session.start = broken  # type: ignore[method-assign]
        case "restoring":
            from jp_tui.ui.driver.workspace_driver import WorkspaceDriver

            WorkspaceDriver.stop_application_mode = broken  # type: ignore[method-assign]
        case "closing":
            from jp_tui.ui.driver.workspace_driver import WorkspaceDriver

            WorkspaceDriver.close = broken  # type: ignore[method-assign]
        case _:
            raise AssertionError(sys.argv[1])
    return run(sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
