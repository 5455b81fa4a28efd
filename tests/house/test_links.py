"""Links between the documents resolve: the file is there, and so is the heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import ROOT

_CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]+`", re.M | re.S)
_LINK = re.compile(r"\[[^\]\n]*\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)|^\[[^\]\n]+\]:\s*(\S+)", re.M)
_ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:", re.I)


def documents() -> list[Path]:
    """The pages that people read: those at the top, and everything under docs."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def links(text: str) -> list[str]:
    """The targets of all links outside code."""
    return [match[1] or match[2] for match in _LINK.finditer(_CODE.sub("", text))]


def anchors(text: str) -> Iterator[str]:
    """The headings of a page as they are linked to."""
    for heading in re.findall(r"^#+ +(.+?) *#*$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def broken(page: Path, root: Path) -> list[str]:
    """Links of a page that lead nowhere or out of the repository; addresses of other places are not looked at."""
    wrong = []
    for link in links(page.read_text(encoding="utf-8")):
        if _ELSEWHERE.match(link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        lost = link.startswith("/") or not target.is_relative_to(root) or not target.exists()
        if lost or (anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8"))):
            wrong.append(link)
    return wrong


def test_links_of_the_documents_resolve() -> None:
    assert len(documents()) > 5
    assert not [f"{page.relative_to(ROOT)}: {link}" for page in documents() for link in broken(page, ROOT)]


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    (tmp_path / "there.md").write_text("# One heading: it's `code`\n\n```\n# none\n```\n")
    right = ["../there.md", "../there.md#one-heading-its-code", "#own", "page.md", "https://example.org/x", ".."]
    wrong = ["gone.md", "../there.md#none", "#other", "../../out.md", "/there.md"]
    page.write_text(
        "## Own\n" + "\n".join(f"[text]({link})" for link in (*right, *wrong)) + "\n`[code](no.md)`\n[ref]: lost.md\n"
    )
    assert broken(page, tmp_path) == [*wrong, "lost.md"]
