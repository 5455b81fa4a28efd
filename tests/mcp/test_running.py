"""What a server's process gets, and how a page is opened (mcp.md P2, P5, P45)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jp_tui.conversation.strict_json import dump
from jp_tui.mcp.values import McpServer
from jp_tui.startup.mcp.running import browser, launch

URL = "https://example.com/$(touch x)?a=1&b=2"


def test_an_address_is_opened_without_a_shell() -> None:
    """P45: it is one word, whatever is in it."""
    assert browser(URL, {"BROWSER": "firefox --new-tab:w3m"}) == ["firefox", "--new-tab", URL]
    assert browser(URL, {"BROWSER": "my-browser --url=%s"}) == ["my-browser", f"--url={URL}"]
    assert browser(URL, {"BROWSER": "'half"})[-1] == URL
    assert browser(URL, {})[0] in ("xdg-open", "open") and len(browser(URL, {})) == 2


def test_no_other_server_gets_what_one_is_given(tmp_path: Path) -> None:
    """P5: a variable, a header and a bearer token go to the server that names them."""
    secrets = {"TOKEN": "canary-1", "KEY": "canary-2", "BEARER": "canary-3"}
    parts: Any = SimpleNamespace(
        environment={"PATH": "/bin", **secrets},
        workspace=tmp_path,
        paths=SimpleNamespace(state=tmp_path, data=tmp_path),
    )
    named = McpServer("docs", "program", env_from={"GIVEN": "TOKEN"})
    web = McpServer("web", url="https://docs.example/mcp", headers_from={"X-Key": "KEY"}, bearer_env="BEARER")
    said = {name: dump(launch(one, parts).message()) for name, one in (("docs", named), ("web", web))}
    other = dump(launch(McpServer("other", "program"), parts).message())
    assert "canary" not in other
    assert [one in said["docs"] for one in secrets.values()] == [True, False, False]
    assert [one in said["web"] for one in secrets.values()] == [False, True, True]
