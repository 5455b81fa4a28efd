"""The client scenarios of `@modelcontextprotocol/conformance` 0.2.0-alpha.12, through `jp-tui mcp test`.

JP_TUI_MCP_NODE names a Node of version 22 or newer, JP_TUI_MCP_PROGRAMS the folder into which npm installed the
programs (`.ci/run`, lane "mcp_programs"); else these tests skip. Extensions that fail stand in
`expected_failures.toml`, with the reason; one that passes nonetheless fails here. A part of them is tried in each run.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.limits import LIMIT
from tests.sampling import sampled

NODE, PROGRAMS = os.environ.get("JP_TUI_MCP_NODE", ""), os.environ.get("JP_TUI_MCP_PROGRAMS", "")
SUITE = Path(PROGRAMS, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
CLIENT = Path(__file__).with_name("conformance_client.py")
EXPECTED = Path(__file__).with_name("expected_failures.toml")
PASS = (
    "initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry", "request-metadata",
    "sep-2322-client-request-state", "http-standard-headers", "http-custom-headers", "http-invalid-tool-headers",
    "json-schema-ref-no-deref", "json-schema-2020-12-preservation",
    "auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3", "auth/basic-cimd",
    "auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined",
    "auth/scope-step-up", "auth/scope-retry-limit", "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post", "auth/token-endpoint-auth-none", "auth/pre-registration",
    "auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch", "auth/offline-access-scope", "auth/offline-access-not-supported",
    "auth/authorization-server-migration", "auth/iss-supported", "auth/iss-not-advertised",
    "auth/iss-supported-missing", "auth/iss-wrong-issuer", "auth/iss-unexpected", "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
)  # fmt: skip
"""All that are no extension."""
ALSO = (
    "sep-2640-client-no-prefetch", "sep-2640-client-verify-digest", "sep-2640-client-verify-size",
    "sep-2640-client-verify-frontmatter",
)  # fmt: skip
"""Extensions that pass: jp-tui fetches nothing of a skill, whatever its server says of it."""
FAIL: dict[str, str] = tomllib.loads(EXPECTED.read_text())["expected"]

pytestmark = [
    pytest.mark.skipif(not (NODE and SUITE.exists()), reason="JP_TUI_MCP_NODE and JP_TUI_MCP_PROGRAMS name nothing"),
    pytest.mark.slow,
]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([NODE, str(SUITE), *words], capture_output=True, text=True, timeout=LIMIT, check=False)


def test_every_scenario_is_named_here() -> None:
    """A new version of the suite has to be looked at."""
    listed = [line.split() for line in run("list", "--client").stdout.splitlines() if line.startswith("  - ")]
    extensions = {words[1] for words in listed if words[2] == "[extension]"}
    assert {words[1] for words in listed} - extensions == set(PASS) and extensions == {*FAIL, *ALSO}


def tried(scenario: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = shlex.join([sys.executable, str(CLIENT)])
    return run("client", "--command", command, "--scenario", scenario, "--timeout", "90000", "-o", str(folder))


@pytest.mark.parametrize("scenario", [*PASS, *sampled(ALSO, 4)])
def test_scenarios_pass(scenario: str, tmp_path: Path) -> None:
    ran = tried(scenario, tmp_path)
    assert ran.returncode == 0, f"{ran.stdout[-3000:]}\n{ran.stderr[-2000:]}"


@pytest.mark.parametrize("scenario", sampled(list(FAIL), 6))
def test_expected_failures_still_fail(scenario: str, tmp_path: Path) -> None:
    """A stale line of the file fails here."""
    assert tried(scenario, tmp_path).returncode != 0, f"{scenario} passes: take it out of {EXPECTED.name}"
