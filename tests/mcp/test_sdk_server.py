"""A server written with the SDK, in both revisions (mcp.md P4, P6, P40, P41); kills are in
`tests/faults/test_mcp.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

from tests.headless.running import jp, lines

SERVER = Path(__file__).with_name("asking_server.py")
REVISIONS = ("2025-11-25", "2026-07-28")
CANARY = "canary-7f3a91-secret"
SCRIPT = """
fallback = "Done."
[[turns]]
text = "I call it."
calls = [{ name = "mcp.asking.meet", arguments = {} }]
"""


def home(folder: Path, revision: str, more: str = "") -> Path:
    """A home with the server, whose form is answered by a setting."""
    folder.mkdir()
    (folder / "config").mkdir()
    (folder / "config" / "config.toml").write_text(
        f'[providers.mcp.asking]\ncommand = "{sys.executable}"\nargs = ["{SERVER}"]\nprotocol = "{revision}"\n'
        f'env_from = {{ GIVEN_TOKEN = "OUR_TOKEN" }}\n{more}'
        '[conversation.tools."mcp.asking.*"]\nrun = "unattended"\n'
        '[conversation.tools."mcp.asking.*".questions.elicit]\nanswer = { name = "Ann", age = 7 }\n'
    )
    return folder


def record(folder: Path, revision: str) -> list[dict[str, Any]]:
    """What a turn put on record, without ids and times."""
    there, script = home(folder / revision, revision), folder / "script.toml"
    script.write_text(SCRIPT)
    ran = jp(there, "query", "--json", "--model", f"demo/{script}", "go", OUR_TOKEN=CANARY)
    assert ran.returncode == 0, ran.stderr
    found = lines(ran.stdout)
    for event in found:
        for key in ("timestamp", "conversation", "seq", "ms"):
            event.pop(key, None)
        event.get("metadata", {}).pop("ms", None)
        if "why" in event.get("metadata", {}):
            event["metadata"]["why"] = event["metadata"]["why"].replace(revision, "REVISION")
    kinds = ("inquiry_request", "inquiry_response", "tool_call_request", "tool_call_response")
    assert CANARY not in ran.stdout + ran.stderr
    for file in there.rglob("*"):
        assert not file.is_file() or CANARY.encode() not in file.read_bytes(), file
    return [event for event in found if event["type"] in kinds]


def test_a_question_looks_the_same_whatever_revision_brought_it(tmp_path: Path) -> None:
    """P40, P41, and P6: the token is in no file."""
    old, new = (record(tmp_path, revision) for revision in REVISIONS)
    assert [event["type"] for event in old] == [
        "tool_call_request",
        "inquiry_request",
        "inquiry_response",
        "tool_call_response",
    ]
    for event in (*old, *new):
        if "why" in event.get("metadata", {}):
            event["metadata"]["why"] = event["metadata"]["why"].partition("(")[0]
        if event["type"] == "inquiry_request":  # the SDK names the form in the older revision only
            event["question"]["answer_type"]["schema"].pop("title", None)
            del event["metadata"]["digest"]
    for one, other in zip(old, new, strict=True):
        assert one == other
    assert old[-1]["content"] == "Hello Ann"
