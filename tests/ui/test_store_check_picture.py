"""A picture of `jp-tui store check`, as its output stands on a terminal (store.md D5).

After a change that is meant: `pytest tests/ui/test_store_check_picture.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from tests.fakes import postgres
from tests.headless.running import jp
from tests.ui.picturing import Compare


class Terminal(App[None]):
    """Lines of a command."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        yield Static(self._text, markup=False)


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light"])
def test_d5_store_check(
    snap_compare: Compare, tmp_path: Path, postgres_server: postgres.Server, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    ran = jp(tmp_path, "--store", postgres.emptied(postgres_server, "pictured"), "store", "check")
    assert ran.returncode == 0, ran.stderr
    text = ran.stdout
    for varies, fixed in (
        (r"postgresql [\d.]+", "postgresql 17.2"),
        (r"@/\S+", "@db.example.org/jp"),
        (r"in [\d.]+ ms", "in 0.5 ms"),
    ):
        text, times = re.subn(varies, fixed, text)
        assert times == 1, varies
    app = Terminal(f"$ jp-tui store check\n{text}")
    app.theme = theme
    assert snap_compare(app, terminal_size=(80, 24))
