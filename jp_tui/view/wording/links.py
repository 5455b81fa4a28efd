"""Links in exported Markdown whose text looks like another host than their target (Z22).

A reader of an export sees a link's text and not its address. markdown-it is imported only for a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jp_tui.conversation.urls import clean_url, names_other_host

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def link_target_text(tokens: Sequence[Any], close: int) -> str:
    """Return what to show beside the link that ends at token `close`: its host if its text names another one; the whole
    address if it may not be opened; else nothing."""
    depth, at, words = 1, close, list[str]()
    while depth and at:
        at -= 1
        depth += {"link_close": 1, "link_open": -1}.get(tokens[at].type, 0)
        words.append(tokens[at].content)
    href = str(tokens[at].attrs.get("href", ""))
    if href.lower().startswith("mailto:"):
        return ""
    url = clean_url(href)
    if url is None:
        return href
    return urlsplit(url).netloc if names_other_host("".join(reversed(words)), url) else ""


def deceiving(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield the text and the real host of each link whose text names another one."""
    if "](" not in markdown and "]:" not in markdown:
        return
    for block in _parser().parse(markdown):
        tokens = block.children or []
        for at, token in enumerate(tokens):
            if token.type == "link_close" and (host := link_target_text(tokens, at)):
                yield _words(tokens, at), host


def _words(tokens: Sequence[Any], close: int) -> str:
    start = max(at for at in range(close) if tokens[at].type == "link_open")
    return "".join(token.content for token in tokens[start:close])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")
