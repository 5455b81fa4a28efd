"""A small app that fails as the workspace does, for tests of what happens then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.app import App

from jp_tui.ui.failures.app_failures import AppFailures


class CrashApp(App[None]):
    """Passes its failures on as `WorkspaceApp` does; reports go to the folder `state`."""

    def __init__(self, state: Path, **given: Any) -> None:
        super().__init__(**given)
        self.failures = AppFailures(self, state, lambda message, advice: None)

    def _handle_exception(self, error: Exception) -> None:
        self.failures.crash(error)

    def panic(self, *renderables: object) -> None:
        self.failures.panic(*renderables)

    def _print_error_renderables(self) -> None:
        self.failures.hold_exit_message()

    def exit(self, result: None = None, return_code: int = 0, message: object = None) -> None:
        super().exit(result, self.failures.status(return_code), message)  # type: ignore[arg-type]
