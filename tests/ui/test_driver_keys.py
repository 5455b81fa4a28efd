"""Keys as terminals send them, through our driver's hands into Textual's parser (T5)."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from jp_tui.ui.driver.workspace_driver import spelled_out


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("\x1b\r", ["alt+enter"]),
        ("a\x1b\rb", ["a", "alt+enter", "b"]),
        ("\r", ["enter"]),
        ("\x1b[13;2u", ["shift+enter"]),
    ],
)
def test_alt_enter_is_never_a_plain_enter(sent: str, keys: list[str]) -> None:
    parser = XTermParser(False)
    found = [message.key for message in parser.feed(spelled_out(sent)) if isinstance(message, events.Key)]
    assert found == keys
