"""Signs for terminals that have only ASCII: each sign as one ASCII character of the same width (issue 8, line 5).

They are replaced in the output gate, so that no border, mark, arrow, ellipsis or spinner is forgotten. Letters are
content and stay. A sign in content that looks like one of jp-tui's is replaced too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from jp_tui.conversation.patterns import later

_GROUPS = (
    ("…⋯", "~"),
    ("·∙", "."),
    ("•●◉◆★⚬", "*"),
    ("◦○◌◇□▫◻☆◐◑◒◓", "o"),
    ("–—−‐‑‒", "-"),
    ("×✗✘", "x"),
    ("✓✔±", "+"),
    ("❯›»▸▹▶►→⟩⟫↳↪⇥", ">"),
    ("❮‹«◂◀◄←⟨⟪⏎↵↩↲", "<"),
    ("▾▿▼↓", "v"),
    ("▴▲△↑⇧", "^"),
    ("↔", "-"),
    ("↕‖¦", "|"),
    ("“”„″", '"'),
    ("‘’‚′", "'"),
    ("■▪◼", "#"),
    ("⚠", "!"),
    ("ℹ", "i"),
    ("∅", "0"),
    ("≈", "="),
    ("≤", "<"),
    ("≥", ">"),
    ("≠", "!"),
)
_SIGNS = {sign: plain for signs, plain in _GROUPS for sign in signs}
_SYMBOLS = later("[\u2010-\u2027\u2030-\u205e\u2190-\u2bff\u00a1-\u00bf\u00d7\u00f7]")


@lru_cache(maxsize=1024)
def ascii_of(char: str) -> str:
    """Return a sign as ASCII; a letter and a character of two cells unchanged."""
    from rich.cells import cell_len

    if cell_len(char) != 1:
        return char
    if char in _SIGNS:
        return _SIGNS[char]
    code = ord(char)
    if 0x2500 <= code <= 0x257F:
        return _line(unicodedata.name(char))
    if 0x2580 <= code <= 0x259F:
        name = unicodedata.name(char)
        sides = (("LEFT", "|"), ("RIGHT", "|"), ("UPPER", "-"), ("EIGHTH", "_"))
        return next((sign for side, sign in sides if side in name), "#")
    if 0x2800 <= code <= 0x28FF or 0x2400 <= code <= 0x243F:
        return "*" if code >= 0x2800 else "?"
    plain = unicodedata.normalize("NFKD", char)
    return plain if len(plain) == 1 and plain.isascii() else "?" if unicodedata.category(char)[0] in "SP" else char


def _line(name: str) -> str:
    """Return the ASCII sign for a box-drawing character by its Unicode name."""
    kind = name.removeprefix("BOX DRAWINGS ")
    across, down = "HORIZONTAL" in kind or "LEFT" in kind or "RIGHT" in kind, "VERTICAL" in kind
    up_or_down = down or "UP" in kind.split() or "DOWN" in kind.split()
    if "DIAGONAL" in kind:
        return "X"
    return "+" if across and up_or_down else "-" if across else "|"


def ascii_text(text: str) -> str:
    """Return a text with its signs as ASCII."""
    return text if text.isascii() else _SYMBOLS.sub(lambda sign: ascii_of(sign[0]), text)


def wanted(choice: str, environment: Mapping[str, str]) -> bool:
    """Return True if signs should be ASCII: `always`, `never`, or `auto` by the terminal and the locale.

    Without a locale UTF-8 is assumed, as terminals are today. A locale without UTF-8 is believed.
    """
    if choice != "auto":
        return choice == "always"
    if environment.get("TERM", "") in ("linux", "dumb"):
        return True
    said = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environment.get(name))), "")
    return bool(said) and "utf8" not in said.lower().replace("-", "")
