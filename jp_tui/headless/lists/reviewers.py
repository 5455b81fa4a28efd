"""`jp-tui reviewers`: how often each reviewing model was right, from the log of all conversations (surface S2).

A paragraph per reviewer, or one JSON object per line. Read-only; calls no model.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.headless.forms.steps import line
from jp_tui.headless.lists.request import ask, lookup
from jp_tui.headless.output import TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.view.pages import reviewers as words
from jp_tui.view.pages.reviewers import ReviewerRow


@lookup
def list_reviewers(link: Link, output: TextOutput) -> int:
    """Print all of them, most asked first; return the exit status. Raises OutputEnded."""
    found = ask(link, c.ReadReviewers(), e.ReviewersRead, output).reviewers
    if output.as_json:
        for one in found:
            output.line(one.model_dump(mode="json"))
    else:
        for text in _lines(words.rows(found)):
            output.print(text)
    return 0


def _lines(rows: tuple[ReviewerRow, ...]) -> Iterator[str]:
    if not rows:
        yield words.EMPTY
        return
    for row in rows:
        yield line(row.what)
        yield f"  {line(row.model)}: {row.counts}"
        if more := " · ".join(part for part in (row.overturned, row.time, row.cost) if part):
            yield f"  {more}"
        yield f"  latest  {row.marks}"
        if row.offer:
            yield f"  {row.offer}  jp-tui config set {row.key} {row.value}"
        yield ""
    yield words.LEGEND
