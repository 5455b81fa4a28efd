"""Texts of a sheet: title, question, options, the folded line (asking.md E4, R248).

The wording is in `view/wording/questions.py`; here it is joined with untrusted text, each piece through `ui/text.py`.
No widgets.
"""

from __future__ import annotations

import math

from textual.content import Content

from jp_tui.conversation.neutral import warnings
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import BooleanAnswer, MultiSelectAnswer, SelectAnswer
from jp_tui.ui.sheets.form_tabs import progress
from jp_tui.ui.sheets.json.text import readable
from jp_tui.ui.text import MOST as SHOWN
from jp_tui.ui.text import Mode, blank, cut, foreign, join, ours, styled, whole
from jp_tui.view.questions import people
from jp_tui.view.questions.offered_prompt import is_outside
from jp_tui.view.questions.prompt_line import asker, in_context, tool_name
from jp_tui.view.wording import questions as w

LONG = 240
"""Characters from which a question is above its context, where it scrolls; its first line stays below."""
SHORT = 36
"""Characters of it below: one row in any terminal."""
MOST = 2_000
"""Most characters of an option that are shown; the rest is counted."""
_DOT = " · "
MUTED = "$foreground-muted"


def mode(prompt: PromptRequest) -> Mode:
    """Return how text is shown: nothing is hidden in an approval or a tool's question (T3)."""
    asks = prompt.kind != "question" or prompt.source == "tool"
    approves = asks or isinstance(prompt.question.answer_type, BooleanAnswer)
    return "approval" if approves else "conversation"


def who(prompt: PromptRequest, limit: int = 40) -> Content:
    """Return who asks: the engine's label, else the tool; for a sub-agent its name, then its task or its tool."""
    if (agent := prompt.agent) is None:
        if prompt.server and prompt.kind == "question" and not prompt.label:
            return _name(Foreign(asker(prompt)), 2 * limit)
        return _name(Foreign(prompt.label or prompt.tool), limit)
    name = _name((agent.task if prompt.source != "tool" else Foreign("")) or Foreign(prompt.tool), limit)
    return join(_name(agent.name or Foreign("agent"), 24), name, sep=ours(" › "))


def line(text: str, limit: int) -> Content:
    """Return the first line of an untrusted text (R2): nothing in it can hide or reorder text."""
    return foreign(Foreign(first_line(text)), mode="approval", limit=limit)


def _name(text: Foreign, limit: int) -> Content:
    """Return all of a name in one line: a name that continues after a line break is another name."""
    return whole(text, limit)


def title(prompt: PromptRequest, whence: Foreign | None = None) -> Content:
    """Return the frame's title: who asks, about what, where in a form; `whence` is the title of its conversation, where
    that is not the one in sight (R190, E4)."""
    parts = [who(prompt, 40 if whence is None else 110 if is_outside(prompt) else 24)]
    if whence is not None and not is_outside(prompt):  # no conversation of ours
        parts.append(ours(w.WHENCE, title=whole(whence, 40)) if whence else ours(w.FROM_ANOTHER))
    if prompt.agent is not None and prompt.source == "tool" and prompt.agent.task:
        parts.append(_name(prompt.agent.task, 40))
    if prompt.source == "tool" or prompt.kind in ("permission", "delivery"):
        if prompt.label and prompt.agent is None:
            parts.append(_name(Foreign(prompt.tool), 40))
        if prompt.subject:
            parts.append(_name(prompt.subject, 120))
    if where := progress(prompt):
        parts.insert(1, where)  # a name after it may be cut
    return join(*parts, sep=ours(_DOT))


def question(prompt: PromptRequest) -> tuple[Content, Foreign | None]:
    """Return the question's line, and what scrolls above it: its context, and the whole of a question that is long.

    Permission to run a call has M34 and the arguments as they would run, to deliver M35 and the result (R90).
    """
    if prompt.kind == "permission":
        shown = prompt.rendered
        if not shown and prompt.arguments:
            shown = Foreign(readable(prompt.arguments.raw))
        return _decision(prompt), shown or None
    if prompt.kind == "delivery":
        return _decision(prompt), prompt.result or None
    if prompt.kind == "review":
        return ours(w.REVIEW_TITLE), None
    text, context = prompt.question.text, prompt.question.context or ""
    if in_context(prompt):
        return ours("(full text above)", f"not bold {MUTED}"), Foreign(context)
    if len(text) <= LONG and text.count("\n") <= 3:
        return foreign(Foreign(text.strip("\n")), mode=mode(prompt)), Foreign(context) if context else None
    above = f"{text}\n\n{context}" if context else text
    short = foreign(Foreign(text), mode="line", limit=SHORT)
    return join(short, ours("(full text above)", f"not bold {MUTED}"), sep=ours(" ")), Foreign(above)


def _decision(prompt: PromptRequest) -> Content:
    """Return the question of a decision to run or to deliver (M34, M35)."""
    if prompt.kind == "delivery":
        return ours(w.DELIVERY, tool=_name(Foreign(prompt.tool), 80))
    kind, tool = Foreign(prompt.tool_kind), _name(Foreign(tool_name(prompt)), 80)
    if prompt.tool_kind == "mcp":
        return ours(w.PERMISSION_MCP, kind=kind, tool=tool, server=_name(Foreign(prompt.server), 40))
    return ours(w.PERMISSION, kind=kind, tool=tool)


def asked(prompt: PromptRequest) -> Content:
    """Return the question in one line, for the folded sheet."""
    if prompt.kind == "review":
        return ours(w.REVIEW_TITLE)
    if prompt.kind != "question":
        return _decision(prompt)
    return line(prompt.question.text, LONG)


def asked_people(prompt: PromptRequest) -> Content:
    """Return the people that are asked, those that approved it and who looks at it; empty for the user alone."""
    return ours("{people}", people=Foreign(people.sheet_line(prompt)))


def why(prompt: PromptRequest) -> Content:
    """Return the rule that routed the question to the user (E42), and which people it asks (store.md D14-D16)."""
    rule = ours(w.WHY, why=Foreign(prompt.why)) if prompt.why else ours(w.NO_WHY)
    asked_of = asked_people(prompt)
    return join(rule, asked_of, sep=ours("\n")) if asked_of else rule


def why_words(prompt: PromptRequest) -> Foreign:
    """Return `why` as a text."""
    return Foreign(why(prompt).plain)


def warning(prompt: PromptRequest) -> Content:
    """Return the kinds of deception found in the question itself; a context shows its own (T3)."""
    kind = prompt.question.answer_type
    options = kind.options if isinstance(kind, (SelectAnswer, MultiSelectAnswer)) else ()
    names = (prompt.subject.raw, prompt.label or "", prompt.tool, prompt.server)
    texts = [prompt.question.text, *names, *(f"{one.value[:MOST]}\n{one.description}" for one in options)]
    kinds = {found: None for text in texts for found in warnings(text[:SHOWN])}  # of the visible part of each
    return ours(w.FOUND, kinds=Foreign(", ".join(kinds))) if kinds else blank()


def option(text: str) -> Content:
    """Return an option's text: nothing hidden, its length bounded, the omitted part counted."""
    if not text.strip():
        return ours(w.EMPTY_OPTION if not text else w.BLANK_OPTION, MUTED)
    if len(text) <= MOST:
        return foreign(Foreign(text), mode="approval")
    return join(
        foreign(Foreign(text[:MOST]), mode="approval"), ours(w.CUT, "$text-warning", n=len(text) - MOST), sep=ours(" ")
    )


def covers(prompt: PromptRequest) -> Content:
    """Return the scope of a remembered answer (R236)."""
    if prompt.remember_covers:
        scope = prompt.remember_covers.removeprefix(w.THIS_TURN)  # the answers name the duration
        return ours(w.COVERS_HERE, scope=_name(Foreign(scope), MOST))
    return ours(w.COVERS_HERE_UNKNOWN, tool=_name(Foreign(prompt.tool), 80))


def covers_words(prompt: PromptRequest) -> Foreign:
    """Return `covers` as a text."""
    return Foreign(covers(prompt).plain)


def reply_title(prompt: PromptRequest) -> Content:
    """Return the title of a reply, which names its effect."""
    if is_outside(prompt):
        return ours(w.DECLINE_TITLE)
    return ours(w.SKIP_TITLE if prompt.kind == "permission" else w.REPLY_TITLE)


def edit_title(prompt: PromptRequest) -> Content:
    """Return the title of edited arguments (R97b): a question's call starts again, a call that waits just runs, also
    that of another program."""
    again = prompt.kind == "question" and prompt.source != "outside"
    return ours(w.EDIT_TITLE if again else w.EDIT_RUN_TITLE, tool=_name(Foreign(prompt.tool), 40))


def time_left(seconds: float) -> Content:
    """Return the time that is left to answer (E13)."""
    whole = math.ceil(seconds)
    if whole <= 0:
        return ours(w.TIME_OVER)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    left = f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
    return ours(w.TIME_LEFT, left=Foreign(left))


def under(line: Content, changes: tuple[int, int], hunks: int, unseen: int, lines: int) -> Content:
    """Return the question's line with the size of the diff above it, and how much of it was not seen."""
    said = []
    if any(changes):
        said.append(ours(w.CHANGES, added=changes[0], removed=changes[1]))
    if hunks > 1:
        said.append(ours(w.HUNKS, n=hunks))
    notes = [ours("  "), styled(join(*said, sep=ours(_DOT)), f"not bold {MUTED}")] if said else []
    if unseen:
        notes += [ours("  "), ours(w.UNSEEN, "not bold $text-warning", n=unseen, m=lines)]
    return join(line, *notes)


def folded(
    prompt: PromptRequest, waiting: int, width: int, opens_by: str = "", next_by: str = ""
) -> tuple[Content, int, int]:
    """Return the folded line (E2) within a width, and the cells where `Ctrl+T next` begins and ends (0, 0 without it).

    `opens_by` and `next_by` are the user's own keys, where they have some. The count and the keys stay; the
    asker and the question are cut.
    """
    head = join(ours("?", "bold $text-warning"), ours(w.WAITING, "bold", n=waiting), sep=ours(" "))
    opens = ours("{key} opens", key=foreign(Foreign(opens_by or "Ctrl+O"), style="$text-accent"))
    onward = ours("{key} next", key=foreign(Foreign(next_by or "Ctrl+T"), style="$text-accent"))
    tail = join(opens, onward, sep=ours(_DOT)) if waiting > 1 else opens
    room = width - head.cell_length - tail.cell_length - 2 * len(_DOT)
    name = who(prompt, limit=max(room // 3, 8))
    where = progress(prompt)
    name = join(name, where, sep=ours(_DOT)) if where else name
    middle = ours(w.ASKS, who=name, question=asked(prompt))
    shown = [head, cut(middle, room), tail] if room >= 12 else [head, tail]
    line = join(*shown, sep=ours(_DOT, "dim"))
    end = line.cell_length
    return line, (end - onward.cell_length if waiting > 1 else 0), (end if waiting > 1 else 0)
