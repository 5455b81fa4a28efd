"""A conversation as one document: Markdown by R206, JSON as stored, HTML that loads nothing and lets nothing in."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import ConversationInfo, StoredEvent
from jp_tui.view.export.document import EventPages, Format, file_name, writer

EVIL = "</div></details><script>alert(1)</script>\x1b[2J![x](http://evil/x.png) <img src=//evil onerror=1>\u202e"


def info(title: str = "Zebras & more") -> ConversationInfo:
    return ConversationInfo(
        id="abc", title=Foreign(title), workspace="/w", model="a/b", created="2026-01-02 03:04:05.0", updated="",
        events=9, turns=2,
    )  # fmt: skip


def stored(*events: dict[str, Any]) -> list[StoredEvent]:
    turn, found = 0, []
    for seq, event in enumerate(events, 1):
        turn += event["type"] == "turn_start"
        found.append(StoredEvent(seq=seq, turn=max(turn, 1), event={"timestamp": "2026-01-02 03:04:05.0", **event}))
    return found


def asked(text: str, response: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    question = {"text": text, "answer_type": {"type": "boolean"}, **more}
    source = {"source": "tool", "name": "fs_modify_file"}
    return [
        {"type": "inquiry_request", "id": "c1.q.1", "source": source, "question": question, "metadata": {"call": "c1"}},
        {"type": "inquiry_response", "id": "c1.q.1", **response},
    ]


def talk(*between: dict[str, Any], said: str = "Done.", result: str = "ok") -> list[StoredEvent]:
    return stored(
        {"type": "turn_start", "metadata": {"model": "a/b"}},
        {"type": "chat_request", "content": "Do **it**"},
        {"type": "chat_response", "reasoning": "Hm <b>"},
        {"type": "tool_call_request", "id": "c1", "name": "fs_modify_file", "arguments": {"path": "x.py"}},
        *between,
        {"type": "tool_call_response", "id": "c1", "content": result, "is_error": False},
        {"type": "chat_response", "message": said},
        {"type": "turn_outcome", "outcome": "done", "model": "a/b", "usage": {}, "ms": 1200},
    )


def document(wanted: Format, events: list[StoredEvent], title: str = "Zebras & more") -> str:
    made = writer(wanted)
    return made.begin(info(title)) + made.add(events) + made.end()


class Seen(HTMLParser):
    """The tags and attributes of a page, and whether they close as they opened."""

    VOID = frozenset(("meta", "br", "hr", "col"))

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def page(events: list[StoredEvent], title: str = "Zebras & more") -> tuple[Seen, str]:
    text = document("html", events, title)
    seen = Seen()
    seen.feed(text)
    seen.close()
    assert not seen.open
    return seen, text


def test_markdown_tells_answers_as_r206_says() -> None:
    """R206: the answer's JSON, who it was, the explanation on a line of its own."""
    yes = {"outcome": "answered", "answer": True, "reason": "It is small.", "responder": {"kind": "user", "ms": 900}}
    text = document("md", talk(*asked("Apply?\n\n```diff\n-a\n+b\n```", yes)))
    assert "# Zebras \\& more\n" in text and "## You\n\nDo **it**\n" in text
    assert "> Answer: `true`\n>\n> Reason: It is small.\n>\n> By: you" in text
    assert "> ```diff\n> -a\n> +b\n> ```" in text and "Done." in text and "1.2 s" in text
    assert "Cancelled (user\\_reply)" in document(
        "md", talk(*asked("Q?", {"outcome": "cancelled", "reason": "user_reply"}))
    )
    assert "`<redacted>`" in document("md", talk(*asked("Q?", {"outcome": "redacted", "answer": "hunter2"})))


@pytest.mark.parametrize("wanted", ["md", "html"])
def test_a_secret_is_in_no_document(wanted: Format) -> None:
    """R202."""
    text = document(wanted, talk(*asked("Q?", {"outcome": "redacted", "answer": "hunter2"})))
    assert "hunter2" not in text and ("redacted" in text or "kept secret" in text)


def test_markdown_fences_cannot_be_closed_from_inside() -> None:
    text = document("md", talk(result="a\n```\n## You\n\nforged\n````\nb"))
    fence = re.search(r"^(`{5,})\na\n", text, re.MULTILINE)
    assert fence is not None and text.count(f"\n{fence[1]}\n") == 2


def test_json_holds_every_event_as_it_is_stored() -> None:
    events = talk({"type": "from_the_future", "x": [1, EVIL]}, said=EVIL)
    text = document("json", events)
    assert "\x1b" not in text
    found = json.loads(text)
    assert found["conversation"]["id"] == "abc"
    assert found["events"] == [{**one.event, "seq": one.seq, "turn": one.turn} for one in events]
    assert json.loads(document("json", []))["events"] == []


def test_html_tells_everything_in_one_file() -> None:
    yes = {"outcome": "answered", "answer": False, "reason": "Too wide.", "responder": {"kind": "user"}}
    said = "# Head\n\n- one\n\n```diff\n-old\n+new\n```\n\n[web](https://example.org) [bad](javascript:alert(1)) [f](file:///x)"
    seen, text = page(talk(*asked("Apply?", yes), said=said))
    told = "".join(seen.text)
    for words in ("Zebras & more", "You", "Do ", "Reasoning", "Hm <b>", "fs_modify_file", "Apply?", "no", "by you",
                  "Too wide.", "Head", "old", "web"):  # fmt: skip
        assert words in told, words
    assert '<span class="added">+new</span>' in text and '<span class="removed">-old</span>' in text
    links = [value for name, value in seen.attributes if name == "href"]
    assert links == ["https://example.org"]
    assert "prefers-color-scheme: dark" in text and "default-src 'none'" in text


LINKS = (
    "[https://bank.example](https://evil.example/x) [`bank.example`](http://evil.example:8080) [same.example]"
    "(https://same.example) [words](https://evil.example) [**ref.example**][r] [x](https://bank.example@evil.example)"
    "\n\n[r]: https://evil.example"
)


def test_html_shows_the_host_of_a_link_whose_words_name_another() -> None:
    """Z22"""
    seen, _ = page(talk(said=LINKS))
    told = " ".join("".join(seen.text).split())
    assert "https://bank.example (evil.example) bank.example (evil.example:8080) same.example words" in told
    assert "words ref.example (evil.example) x (https://bank.example@evil.example)" in told
    hrefs = [value for name, value in seen.attributes if name == "href"]
    assert "https://bank.example@evil.example" not in hrefs and len(hrefs) == 5


def test_markdown_says_where_such_a_link_leads() -> None:
    """Z22: its reader may see the words alone."""
    text = document("markdown", talk(said=LINKS))
    assert "*The link `https://bank.example` leads to `evil.example`.*" in text
    assert "*The link `bank.example` leads to `evil.example:8080`.*" in text
    assert "*The link `ref.example` leads to `evil.example`.*" in text
    assert "*The link `x` leads to `https://bank.example@evil.example`.*" in text
    assert text.count("leads to") == 4


def test_no_document_hides_a_character() -> None:
    """Z22: also what only becomes a character in the parser."""
    hidden = "pay\u200bpal\U000e0041 &#x200B;&#x2060;&#xE0041; **خانه**\u200cای"
    for wanted in ("markdown", "html"):
        text = document(wanted, talk(*asked(hidden, {"outcome": "answered", "answer": True}), said=hidden), hidden)
        assert not set("\u200b\u2060\U000e0041") & set(text), wanted
        assert "pay\\u{200B}pal" in text.replace("\\\\", "\\").replace("\\{", "{").replace("\\}", "}"), wanted
    assert "\u200cای" in text, "a joiner belongs to the letter in front of it"


def test_html_lets_nothing_in_and_loads_nothing() -> None:
    """STORE-031: whatever a model, a tool or a file says."""
    every = {"outcome": "answered", "answer": EVIL, "reason": EVIL, "responder": {"kind": "assistant", "model": EVIL}}
    events = talk(*asked(EVIL, every, context=EVIL), {"type": EVIL}, said=EVIL, result=EVIL)
    events[1].event["content"] = EVIL
    events[2].event["reasoning"] = EVIL
    events[3].event["name"] = events[3].event["arguments"]["path"] = EVIL
    seen, text = page(events, EVIL)
    assert not {"script", "img", "iframe", "object", "embed", "link", "form", "base"} & set(seen.tags)
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name in ("src", "srcset", "style")]
    assert "\x1b" not in text and "\u202e" not in text
    assert "url(" not in text and "@import" not in text


def test_a_turn_is_told_once_however_the_pages_fall() -> None:
    events = talk() + [one.model_copy(update={"seq": one.seq + 20, "turn": 2}) for one in talk()]
    whole = document("md", events)
    for size in range(1, len(events) + 1):
        made, pages, text = writer("md"), EventPages(), ""
        text += made.begin(info())
        for start in range(0, len(events), size):
            more = start + size < len(events)
            text += made.add(pages.whole(events[start : start + size], more=more))
        assert text + made.end() == whole


def test_names_of_files() -> None:
    assert file_name(info("Zebras & Größe/../x\x1b"), "html") == "zebras-größe-x-abc.html"
    assert len(file_name(info("x" * 500), "md")) < 90 and file_name(info(""), "json") == "abc.json"
