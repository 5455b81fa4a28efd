"""Inline Markdown to styled pieces: emphasis, code, links with checked addresses, breaks. HTML stays text.

Untrusted text is neutralised again here, since a character reference such as `&#x202E;` only becomes a character in the
parser. A link acts only when its address is clean (T1); when its text names another host, the host is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rich.style import Style

from jp_tui.conversation.neutral import clean_url, neutralise
from jp_tui.conversation.urls import names_other_host
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import ClickTarget, Piece, capped

if TYPE_CHECKING:
    from markdown_it.token import Token

_BARE = re.compile(r"https?://[^\s<>\"`\u201c\u201d]+")
_BOLD, _ITALIC, _STRIKE = Style(bold=True), Style(italic=True), Style(strike=True)


def lines(tokens: Sequence[Token], look: PaintLook, base: Style, hit: ClickTarget | None = None) -> list[list[Piece]]:
    """Return the pieces of an inline token's children, one list for each source line that stays a line (hard
    breaks)."""
    return _Inline(look, base, hit).run(tokens)


class _Inline:
    def __init__(self, look: PaintLook, base: Style, hit: ClickTarget | None) -> None:
        self._look, self._hit = look, hit
        self._styles = [base]
        self._lines: list[list[Piece]] = [[]]
        self._link: tuple[str, str | None, int] | None = None
        self._auto = False

    def run(self, tokens: Sequence[Token]) -> list[list[Piece]]:
        for token in tokens:
            self._one(token)
        return self._lines

    def _one(self, token: Token) -> None:
        match token.type:
            case "text" | "text_special" | "html_inline":
                self._text(self._shown(token.content))
            case "softbreak":
                self._put(" ", self._styles[-1])
            case "hardbreak":
                self._lines.append([])
            case "code_inline":
                self._code(neutralise(token.content))
            case "strong_open":
                self._styles.append(self._styles[-1] + _BOLD)
            case "em_open":
                self._styles.append(self._styles[-1] + _ITALIC)
            case "s_open":
                self._styles.append(self._styles[-1] + _STRIKE)
            case "strong_close" | "em_close" | "s_close":
                self._styles.pop()
            case "link_open":
                self._open(token)
            case "link_close":
                self._close()
            case "image":
                self._image(token)
            case _:
                self._text(self._shown(token.content))

    def _shown(self, text: str) -> str:
        """Return text neutralised as a piece of the line: a joiner belongs to the letter in front of it, in bold or
        not."""
        before = self._lines[-1][-1].text[-3:] if self._lines[-1] else ""
        return neutralise(text, before=before)

    def _put(self, text: str, style: Style, hit: ClickTarget | None = None) -> None:
        if text:
            self._lines[-1].append(Piece(capped(text).expandtabs(4), style, hit or self._hit))

    def _text(self, text: str) -> None:
        text = text.replace("\n", " ")
        if self._link is not None:
            self._put(text, self._styles[-1], self._target())
            return
        done = 0
        for match in _BARE.finditer(text) if "://" in text else ():
            address = _trimmed(match.group())
            url = clean_url(address)
            if url is None:
                continue
            self._put(text[done : match.start()], self._styles[-1])
            self._put(address, self._linked(url), ClickTarget("link", url))
            done = match.start() + len(address)
        self._put(text[done:], self._styles[-1])

    def _code(self, text: str) -> None:
        style = self._styles[-1] + self._look.code
        if self._link is not None and self._link[1] is not None:
            style += Style(underline=True, link=self._link[1])
        self._put(text, style, self._target())

    def _target(self) -> ClickTarget | None:
        return ClickTarget("link", self._link[1]) if self._link is not None and self._link[1] is not None else None

    def _linked(self, url: str) -> Style:
        return self._styles[-1] + self._look.link + Style(link=url)

    def _open(self, token: Token) -> None:
        href = str(token.attrGet("href") or "")
        url = clean_url(href)
        if url is None and token.info == "auto":
            self._put("<", self._styles[-1])
        style = self._styles[-1] if url is None else self._linked(url)
        self._link = (neutralise(href), url, len(self._lines[-1]))
        self._styles.append(style)
        self._auto = token.info == "auto"

    def _close(self) -> None:
        self._styles.pop()
        if self._link is None:
            return
        href, url, at = self._link
        self._link = None
        label = "".join(piece.text for piece in self._lines[-1][at:])
        if self._auto:
            if url is None:
                self._put(">", self._styles[-1])
        elif url is None:
            self._put(f" ({href})", self._look.muted)
        elif names_other_host(label, url):
            self._put(f" ({urlsplit(url).netloc})", self._look.waiting)

    def _image(self, token: Token) -> None:
        href = neutralise(str(token.attrGet("src") or ""))
        self._put("▧ ", self._look.muted)
        self._put(neutralise(token.content) or "image", self._styles[-1] + _ITALIC)
        url = clean_url(href)
        if url is None:
            self._put(f" ({href})", self._look.muted)
        else:
            self._put(" ", self._styles[-1])
            self._put(urlsplit(url).netloc, self._linked(url), ClickTarget("link", url))


def _trimmed(address: str) -> str:
    """Return a bare address without the punctuation of the sentence around it."""
    while address:
        last = address[-1]
        if last in ".,;:!?'*_~" or (last in ")]}" and address.count(last) > address.count("([{"[")]}".index(last)])):
            address = address[:-1]
        else:
            break
    return address
