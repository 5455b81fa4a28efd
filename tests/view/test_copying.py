"""What is copied: harmless text, code out of its fences (issue 8, line 4)."""

from __future__ import annotations

import pytest

from jp_tui.view.composer.clipboard_text import Code, code_blocks, harmless, measured


@pytest.mark.parametrize(
    ("given", "copied"),
    [
        ("ls -la\x1b[201~\rrm -rf /\x00", "ls -la[201~\nrm -rf /"),
        ("a\r\nb\rc\n\td", "a\nb\nc\n\td"),
        ("\x9b31m\x7f\u0085grün ✅ \u202eabc", "31mgrün ✅ \u202eabc"),
        ("", ""),
    ],
)
def test_nothing_that_acts_on_a_paste_is_copied(given: str, copied: str) -> None:
    assert harmless(given) == copied


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("no code, `inline` only", []),
        ("a\n```py title=x\nprint(1)\n\n    two\n```\nb\n~~~\n```\n~~~", [("py", "print(1)\n\n    two"), ("", "```")]),
        ("1. item\n   ```sh\n   ls\n     -l\n   ```", [("sh", "ls\n  -l")]),
        ("````\n```\nin\n```\n````", [("", "```\nin\n```")]),
        ("```\nnever closed\nto the end", [("", "never closed\nto the end")]),
        ("``` not `a` fence\nx\n", []),
        ("```\n```", [("", "")]),
    ],
)
def test_code_comes_out_of_its_fence_without_the_indent(text: str, found: list[tuple[str, str]]) -> None:
    assert code_blocks(text) == [Code(*one) for one in found]


def test_how_much_it_is() -> None:
    assert [measured(text) for text in ("a", "ab\n", "a\nb", "x\n" * 1200)] == [
        "1 character", "3 characters", "2 lines", "1,200 lines",
    ]  # fmt: skip
