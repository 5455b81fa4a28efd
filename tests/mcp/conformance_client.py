"""The client that the conformance suite starts, with the address of its server as the last word: `jp-tui mcp test`."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "tools_call": [("add_numbers", {"a": 5, "b": 3})],
    "elicitation-sep1034-client-defaults": [("test_client_elicitation_defaults", {})],
    "sse-retry": [("test_reconnection", {})],
    "sep-2322-client-request-state": [
        (f"test_mrtr_{what}", {}) for what in ("echo_state", "no_state", "unrelated", "no_result_type")
    ],
    "http-invalid-tool-headers": [("valid_tool", {"region": "here"})],
    "http-standard-headers": [("test_headers", {})],
    "auth/scope-step-up": [("test-tool", {})],
    "auth/scope-retry-limit": [("test-tool", {})],
    "auth/authorization-server-migration": [("test-tool", {}), ("test-tool", {})],
}
"""What a user would have called, by scenario; others name it in their context, or call nothing."""
CONFIG = """
[providers.mcp.peer]
url = "{url}"
{oauth}
[conversation.tools."mcp.peer.*".detached]
tool = "defaults"
"""
DOCUMENT = "https://conformance-test.local/client-metadata.json"
"""What the suite expects as the address of a client's description."""
ANSWER = """
[conversation.tools."mcp.peer.*".questions.elicit]
answer = {confirmed = true}
"""


def main() -> int:
    scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    named = [(one["name"], without_null(one.get("arguments", {}))) for one in context.get("toolCalls", ())]
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "config").mkdir()
        config = CONFIG.format(url=sys.argv[-1], oauth=oauth(context)) + (ANSWER if "request-state" in scenario else "")
        (Path(home) / "config" / "config.toml").write_text(config)
        calls = named or CALLS.get(scenario, [])
        if scenario == "json-schema-2020-12-preservation":  # what was listed is sent back
            listed = json.loads(test(home, []).stdout)["tools"]
            focal = next(one for one in listed if one["name"] == "json_schema_2020_12_tool")
            calls = [("json_schema_echo", {"schema": focal["input_schema"]})]
        ran = test(home, calls)
    print(ran.stdout, ran.stderr)
    return ran.returncode


def oauth(context: dict[str, Any]) -> str:
    """The table of a login: a registered client where the scenario has one."""
    if "client_id" not in context:
        return f'oauth = {{ client_metadata_url = "{DOCUMENT}" }}'
    secret = ', client_secret_env = "PEER_SECRET"' if "client_secret" in context else ""
    os.environ["PEER_SECRET"] = context.get("client_secret", "")
    return f'oauth = {{ client_id = "{context["client_id"]}"{secret} }}'


def test(home: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> subprocess.CompletedProcess[str]:
    words = [word for name, given in calls for word in ("--call", name, json.dumps(given))]
    login = ["--login"] if os.environ.get("MCP_CONFORMANCE_SCENARIO", "").startswith("auth/") else []
    with subprocess.Popen(
        [sys.executable, "-m", "jp_tui", "mcp", "test", "peer", "--json", *login, *words],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "JP_TUI_HOME": home},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as ran:
        assert ran.stdout is not None and ran.stderr is not None
        told = []
        for line in ran.stderr:
            told.append(line)
            if line.startswith("http"):
                browse(line.strip())
        return subprocess.CompletedProcess(ran.args, ran.wait(), ran.stdout.read(), "".join(told))


def browse(url: str) -> None:
    """Open a page as a browser does, with all its redirects."""
    with contextlib.suppress(urllib.error.URLError), urllib.request.urlopen(url, timeout=20) as answer:
        answer.read()


def without_null(given: dict[str, Any]) -> dict[str, Any]:
    """The schemas of these tools have no null: it stands for an argument that is left out."""
    return {name: value for name, value in given.items() if value is not None}


if __name__ == "__main__":
    sys.exit(main())
