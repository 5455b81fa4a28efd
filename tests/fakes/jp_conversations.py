"""Conversations as jp stores them, written by hand: an old one, one with questions, and one in the newest form.

Real ones are somebody's own words and no part of the project; where JP_TUI_FIXTURES (or the folder beside the project)
has some, the tests read those as well.
"""

from __future__ import annotations

import base64
import json
from itertools import count
from pathlib import Path
from typing import Any

Event = dict[str, Any]
PATCH = "Do you want to apply the following patch?\n\n```diff\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old\n+new → 👋\n```"
TEXTS = (
    "# A heading\n\nA paragraph with *emphasis*, **weight**, `code` and a [link](https://example.com/a?b=c).",
    "- one\n- two\n  - two a\n\n    indented in a list\n- three\n\n1. first\n2. second",
    "```python\ndef main() -> None:\n    print('<b>no markup</b>')\n```\n\nAfter a fence.",
    "> A quote\n> of two lines\n\nand what follows it.",
    "| name | size |\n| --- | ---: |\n| a.txt | 12 |\n| wörld | 3 |",
    "A line\nbroken\nat each\nword, and a hard break  \nhere.",
    "[bold]not bold[/bold] [link=javascript:alert(1)]x[/link]",
    "Umlauts äöü, 日本語, emoji 👩‍👩‍👧, a zero\u200bwidth space.",
    "~~gone~~ and <details>raw HTML</details>",
    "***\n\nA rule above.\n\n---\n\nAnd one below.",
    "Nested **weight with *emphasis* and `code`** at the end",
    "1. one\n\n   a paragraph of the item\n\n   ```sh\n   ls -l\n   ```\n2. two",
)


def b64(text: str, *, url: bool = False) -> str:
    """What jp makes of the texts of calls and metadata."""
    raw = text.encode()
    return (base64.urlsafe_b64encode(raw) if url else base64.b64encode(raw)).decode()


def write(folder: Path) -> Path:
    """Three conversations in this folder."""
    _conversation(folder, "17000000001-an-old-talk", "An old talk", _old())
    _conversation(folder, "17200000002-a-talk-with-questions", "A talk with questions", _asking())
    newest = _conversation(folder, "17700000003-the-newest-form", "The newest form", _newest())
    (newest / "base_config.json").write_text(json.dumps({"assistant": {"model": {"id": "anthropic/made"}}}))
    return folder


def _conversation(folder: Path, name: str, title: str, events: list[Event]) -> Path:
    place = folder / name
    place.mkdir(parents=True)
    (place / "events.json").write_text(json.dumps(events, indent=1))
    (place / "metadata.json").write_text(json.dumps({"title": title, "last_activated_at": "2026-01-01 00:00:00.5"}))
    return place


class _Log:
    """Events with times that grow."""

    def __init__(self, month: int) -> None:
        self.events: list[Event] = []
        self._month, self._at = month, count(1)

    def add(self, kind: str, **more: Any) -> None:
        at = next(self._at)
        when = f"2026-{self._month:02}-03 {at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}.{at:06}"
        self.events.append({"timestamp": when, "type": kind, **more})

    def call(self, id_: str, name: str, arguments: dict[str, Any], content: str, *, failed: bool = False) -> None:
        self.add("tool_call_request", id=id_, name=name, arguments=arguments)
        self.add("tool_call_response", id=id_, content=b64(content), is_error=failed)


def _old() -> list[Event]:
    """The whole configuration first, no turns, ids of calls that come again."""
    log = _Log(1)
    config = {"inherit": True, "assistant": {"system_prompt": {"value": "Be brief."}, "model": {"id": "google/made"}}}
    log.add("config_delta", delta=config)
    log.add("chat_request", content="What is in here?")
    log.add("chat_response", reasoning="**Looking**\n\nI list the files.")
    log.call("fs_list_files_0", "fs_list_files", {"prefixes": [b64("src")], "depth": 2}, "src/a.rs\nsrc/b.rs")
    log.add("chat_response", message=TEXTS[0])
    log.call("fs_list_files_0", "fs_list_files", {"prefixes": [b64("docs")]}, "docs/ÿ.md")
    for text in TEXTS[1:6]:
        log.add("chat_response", message=text)
    return log.events


def _asking() -> list[Event]:
    """Questions about patches, the same one twice; the model failed before the last was answered."""
    log = _Log(2)
    for turn in range(3):
        log.add("turn_start")
        log.add("chat_request", content=f"Change it, please ({turn}).", author="A Person")
        call = f"toolu_made{turn}"
        arguments = {"path": b64("a.txt"), "patterns": [{"old": b64("old"), "new": b64("new")}]}
        shown = {"rendered_arguments": b64("\x1b[32m+new\x1b[0m")}
        log.add("tool_call_request", id=call, name="fs_modify_file", arguments=arguments, metadata=shown)
        log.add(
            "inquiry_request",
            id=f"{call}.apply_changes",
            source={"source": "tool", "name": "fs_modify_file"},
            question={"text": PATCH, "answer_type": {"type": "boolean"}, "default": True},
        )
        if turn < 2:
            log.add("inquiry_response", id=f"{call}.apply_changes", answer=turn == 0)
        log.add("tool_call_response", id=call, content=b64("done" if turn == 0 else "rejected"), is_error=turn > 0)
        for text in TEXTS[turn * 4 : turn * 4 + 4]:
            log.add("chat_response", message=text)
    return log.events


def _newest() -> list[Event]:
    """Turns, thoughts with signatures, a reply by a schema, a URL-safe text, a kind that nobody knows."""
    log = _Log(4)
    log.add("turn_start")
    log.add("chat_request", content="Name this.", schema={"type": "object"})
    log.add("chat_response", reasoning="I think.", metadata={"anthropic_thinking_signature": b64("c2ln")})
    log.add("chat_response", data={"titles": ["One", "Two"]})
    log.add("turn_start")
    log.add("chat_request", content="And now read it.")
    log.add("tool_call_request", id="toolu_made9", name="fs_read_file", arguments={"path": b64("a?b>c~ü", url=True)})
    log.add("tool_call_response", id="toolu_made9", content=b64("```rs\nfn main() {}\n```"), is_error=False)
    log.add("of_a_later_version", anything={"kept": ["as", "it", "is"]})
    for text in TEXTS[6:]:
        log.add("chat_response", message=text)
    return log.events
