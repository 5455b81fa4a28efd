"""The banner above a question that a reviewer refused or could not decide, with the reason (R150, R154, M12; asking.md
E41).

One line, so that it never displaces the context of the decision (Z14); where rows are to spare, all of it. The whole
text begins with the reviewer, then exactly M12, and so does the text that `v` opens.
"""

from __future__ import annotations

from typing import LiteralString

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Escalation
from jp_tui.ui.sheets.key_line import KeyLine
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled
from jp_tui.view.questions import escalation_text as why
from jp_tui.view.wording import questions as w

MOST = 20_000
"""Characters of a reason that are laid out; a sheet shows a few lines of it."""
_SHORT: dict[str, LiteralString] = {
    "": w.UNDECIDED, "taken_over": w.TAKEN_OVER, "too_long": w.TOO_LONG_SHORT,
}  # fmt: skip
"""Reasons for no verdict that fit into one line, by cause."""
MOST_ROWS = 6
"""Rows that it takes at most, however tall the terminal is."""


class ReviewerBanner(Widget):
    """The verdict of the reviewer."""

    DEFAULT_CSS = """
    ReviewerBanner { height: auto; width: 1fr; padding: 0 1; border-left: outer $warning; background: $warning 12%;
        color: $foreground;
        &:ansi { background: ansi_default; }
    }
    """
    ALLOW_SELECT = False

    rows: reactive[int] = reactive(1, layout=True)
    """Its rows; a mark shows that more text follows."""

    def __init__(self, escalation: Escalation, *, id: str | None = None) -> None:
        super().__init__(id=id)
        no = why.refusal(escalation)
        model = (
            foreign(why.model(escalation), mode="approval", limit=24) if why.model(escalation) else ours(w.A_REVIEWER)
        )
        short = ours(w.SAYS_NO, model=model) if no is not None else ours(_SHORT[escalation.cause])
        self._short = styled(short, "bold $text-warning")
        said = ours(w.REJECTING if no is not None else why.no_verdict_reason(escalation), "bold $text-warning")
        by = [foreign(name, mode="approval", limit=40)] if (name := why.model(escalation)) else []
        by += [ours("{time}", time=Foreign(took))] if (took := why.review_duration(escalation)) else []
        self._said = said
        self._by = styled(ours(w.REVIEWED_BY, by=join(*by, sep=ours(" · "))), "$foreground-muted") if by else blank()
        self._reason = _reason_content(escalation)
        self._complete = False

    def _lines(self, width: int) -> list[Content]:
        """Return all lines at a width of its content."""
        reviewer = self._by.wrap(width) if self._by else []
        return [*reviewer, *self._said.wrap(width), *self._reason_lines(width)]

    def _reason_lines(self, width: int) -> list[Content]:
        return list(self._reason.wrap(width)) if self._reason else []

    def fit(self, width: int, most: int = 1) -> None:
        """Take as many rows as it needs at an outer width if there are so many, else one."""
        lines = len(self._lines(max(width - 3, 1)))
        self.rows = min(lines, MOST_ROWS) if most >= min(lines, MOST_ROWS) else 1
        self._complete = lines <= self.rows

    def needed(self, width: int) -> int:
        """Return the rows that it would take if there were enough."""
        return min(len(self._lines(max(width - 3, 1))), MOST_ROWS)

    @property
    def complete(self) -> bool:
        """True if all of it is shown, as of the last `fit`."""
        return self._complete

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return min(len(self._lines(width)), self.rows)

    def render(self) -> Content:
        width = self.content_size.width or 1
        lines = self._lines(width)
        if len(lines) > self.rows == 1:
            return self._in_one(width)
        if len(lines) > self.rows:
            left = len(lines) - self.rows + 1
            more = ours("… {n} more lines · {how}", "$text-warning", n=left, how=ours(w.WHOLE_REASON))
            lines = [*lines[: self.rows - 1], more]
        return join(*lines, sep=ours("\n")) if lines else blank()

    def _in_one(self, width: int) -> Content:
        """Return one line with the reviewer and its verdict, and as much of the reason as fits."""
        more = ours("  {how}", "$text-warning", how=ours(w.WHOLE_REASON_KEY))
        reason = self._reason.split("\n")[0] if self._reason else blank()
        said = join(self._short, ours(" "), reason)
        return join(cut(said, max(width - more.cell_length, 1)), more)

    def on_click(self, event: events.Click) -> None:
        """Open the whole reason, or close it."""
        event.stop()
        self.post_message(KeyLine.Pressed("aside('reason')"))


def whole_reason(told: Escalation) -> Foreign:
    """Return all of the reason, as a text to read: the reviewer, then M12, or why there is no verdict."""
    no, parts = why.refusal(told), list[str]()
    if no is not None:
        parts.append(f'{w.REJECTING}\n"{why.quoted_reason(no) or w.NO_REASON}"')
    if told.failed:
        said = [w.HEARD] if told.cause == "taken_over" and why.partial_reason(told) else []
        said += [f'"{told.reason.raw}"'] if why.partial_reason(told) else []
        parts.append("\n".join([why.no_verdict_reason(told), *said]))
    parts += [f'{w.BEFORE_INTENT} "{why.quoted_reason(reason) or w.NO_REASON}"' for reason in why.earlier_reasons(told)]
    parts += [w.SAW.format(saw=told.saw)] if told.saw else []
    by = [part for part in (why.model(told).raw, why.review_duration(told)) if part]
    reviewer = f"{w.REVIEWED_BY.format(by=' · '.join(by))}\n" if by else ""
    return Foreign(reviewer + "\n\n".join(parts))


def _reason_content(told: Escalation) -> Content:
    """Return the reason, then earlier ones, why there is no verdict, and what the reviewer was shown."""
    no = why.refusal(told)
    lines = [_quoted(no)] if no is not None else []
    if told.failed:
        said = [ours(why.no_verdict_reason(told))] if no is not None else []
        if why.partial_reason(told):
            said += [ours(w.HEARD)] if told.cause == "taken_over" else []
            said.append(_quoted(told.reason))
        lines.append(join(*said, sep=ours(" ")))
    lines += [
        ours("{head} {reason}", head=ours(w.BEFORE_INTENT), reason=_quoted(reason))
        for reason in why.earlier_reasons(told)
    ]
    if told.saw:
        lines.append(styled(ours(w.SAW, saw=Foreign(told.saw)), "$foreground-muted"))
    return join(*(line for line in lines if line), sep=ours("\n"))


def _quoted(reason: Foreign) -> Content:
    """Return the reason between M12's quotes, nothing hidden; the fallback has them too."""
    text = why.quoted_reason(reason)
    said = foreign(Foreign(text[:MOST]), mode="approval") if text else ours(w.NO_REASON)
    more = ours(w.CUT, "$text-warning", n=len(text) - MOST) if len(text) > MOST else blank()
    return join(styled(join(ours('"'), said, ours('"')), "italic"), more)
