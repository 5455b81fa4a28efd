"""Part `painter`: fuzzed strings through everything that paints, each row rendered as the driver writes it.

Each string goes, by chance, through one of the ways that foreign text takes to a terminal: the blocks of the
transcript, whole and streamed in pieces, contexts that are approved, what a widget is given, the window's title,
notifications, plain output, exports. What comes out is read by `obeyed.py`, and compared with the same rows rendered
without any style: then not one sequence may be left. A failure names its seed and number.
"""

from __future__ import annotations

import io
import json
import re
import time
import traceback
from collections.abc import Callable, Iterable
from functools import lru_cache
from random import Random

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions

from jp_tui.conversation.text import Foreign
from jp_tui.headless.output import TextOutput, json_line
from jp_tui.headless.transcript_printer import Printer
from jp_tui.protocol.values import ConversationInfo
from jp_tui.ui import text as ui_text
from jp_tui.ui.notify.channels import Channel, sequence
from jp_tui.ui.notify.window_title import title_text
from jp_tui.ui.painting import blocks as painting
from jp_tui.ui.painting.context import context
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.stream import StreamedMessage, Thinking
from jp_tui.view.activity.status import Status
from jp_tui.view.export.document import FORMATS, writer
from jp_tui.view.export.events import exported
from jp_tui.view.questions.inquiry import InquiryView
from jp_tui.view.transcript import blocks as b
from tests.faults import obeyed
from tests.faults.fuzzed import FIRST, LAST, Fuzz
from tests.faults.report import Found
from tests.hostile.seen import conversation
from tests.ui.look_of import look_of
from tests.view.events_of import appended, delta

WHOLE, BOUNDED = 1_000_000, 1_500
SLOW = 8.0
"""Seconds of work for one string after which it is told; a painter that hangs is seen so, a slow machine is not."""
KEY = "1"
_PLACED = {"key": KEY, "place": (1, 0)}
_SCRIPT = re.compile(r"<(?:script|img|iframe|object|svg|base|form|meta http-equiv=.refresh)|\son\w+\s*=\s*[\"']", re.I)

_UNSURE = re.compile("[\u200d\ufe0e\ufe0f\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]")
"""What joins with what stands beside it in some terminals and not in others: there nobody knows a width."""

Rows = list[Strip]
Way = Callable[[str, Random, PaintLook], Rows]
Said = Callable[[str, Random], Iterable[str]]


def _block(block: b.Block, look: PaintLook, width: int, unfolded: bool = True) -> Rows:
    keys = frozenset((KEY, f"{KEY}/0", f"{KEY}/permission", f"{KEY}/side")) if unfolded else frozenset()
    return [row.strip for row in painting.paint(block, width, look, unfolded=keys)]


def _asked(text: Foreign) -> InquiryView:
    return InquiryView(
        id="c.q.1", text=text, context=text, asker=text, how="answered", answer=text.raw, by="assistant", model=text,
        explanation=text, tag=text, why=text, reviewer=text, heard=text, saw=text,
    )  # fmt: skip


def _tool(text: str, chance: Random, look: PaintLook) -> Rows:
    said = Foreign(text)
    end = chance.choice(("ok", "error"))
    block = b.ToolBlock(
        call="c", name=said, title=said, state="completed", end=end, arguments=((said, said),), output=said,
        edited=((said, Foreign(text[::-1])),), problem=said, asked=(_asked(said),), dialogue=chance.random() < 0.3,
        reply=said, **_PLACED,
    )  # fmt: skip
    return _block(block, look, _width(chance), chance.random() < 0.8)


def _small(text: str, chance: Random, look: PaintLook) -> Rows:
    said = Foreign(text)
    made: tuple[b.Block, ...] = (
        b.Header(model=said, ms=3, **_PLACED), b.Data(text=said, **_PLACED), b.Note(about="turn", text=said, **_PLACED),
        b.Ending(how="failed", message=said, detail=said, advice=said, **_PLACED),
        b.Odd(name=said, problem=said, **_PLACED), b.QuestionBlock(asked=_asked(said), **_PLACED),
    )  # fmt: skip
    return _block(chance.choice(made), look, _width(chance))


def _streamed(text: str, chance: Random, look: PaintLook) -> Rows:
    width = _width(chance)
    part = StreamedMessage(width, look) if chance.random() < 0.7 else Thinking(KEY, width, look, unfolded=True)
    rows: Rows = []
    at = 0
    while at < len(text):
        step = min(1 + int(chance.expovariate(1 / 12)), len(text)) if len(text) < 600 else 1 + len(text) // 7
        part.feed(text[at : at + step])
        rows += [row.strip for row in part.tail]
        at += step
    return [*(row.strip for row in part.frozen), *rows]


def _context(text: str, chance: Random, look: PaintLook) -> Rows:
    approval = chance.random() < 0.7
    painted = context(Foreign(text), _width(chance), look, approval=approval, split=chance.random() < 0.5, named="x")
    return [row.strip for row in painted.rows]


def _widget(text: str, chance: Random, look: PaintLook) -> Rows:
    """What a widget of Textual is given, rendered by Textual."""
    mode = chance.choice(("conversation", "approval", "line", "whole", "hole"))
    said = Foreign(text)
    if mode == "whole":
        content = ui_text.whole(said, 60)
    elif mode == "hole":
        content = ui_text.ours("the words {text} are foreign", text=said)
    else:
        content = ui_text.foreign(said, mode=mode, limit=chance.choice((None, 40)))  # type: ignore[arg-type]
    width = _width(chance)
    made = content.render_strips(width, None, Style.parse("on #101010"), RenderOptions(lambda _: Style.null(), {}))
    return [strip.adjust_cell_length(width) for strip in made]


WAYS: dict[str, tuple[int, Way]] = {
    "reply": (6, lambda text, chance, look: _block(b.TextBlock(text=Foreign(text), **_PLACED), look, _width(chance))),
    "streamed": (6, _streamed),
    "reasoning": (
        2,
        lambda text, chance, look: _block(b.ReasoningBlock(text=Foreign(text), **_PLACED), look, _width(chance)),
    ),
    "user": (3, lambda text, chance, look: _block(b.User(text=Foreign(text), **_PLACED), look, _width(chance))),
    "call": (4, _tool),
    "small blocks": (4, _small),
    "context": (4, _context),
    "widget": (5, _widget),
}
"""How often, and how, rows of a screen are made of a text."""


def _title(text: str, chance: Random) -> Iterable[str]:
    yield title_text(Status(title=Foreign(text), workspace=f"/home/{text}"))


def _call(text: str, chance: Random) -> Iterable[str]:
    """A notification by each means; the words of it are cut out of the sequence that is ours."""
    means = Channel(chance.choice(("osc99", "osc777", "osc9")), chance.choice(("", "tmux", "screen")))
    said = sequence(means, text, text[::-1], mark="jp")
    yield from re.split(r"\x1bP(?:tmux;)?|\x1b\x1b\]|\x1b\](?:99;i=jp[^;]*|777;notify|9)?|\x07|\x1b\\", said)


def _plain(text: str, chance: Random) -> Iterable[str]:
    printer = Printer((lines := list[str]()).append)
    for at in range(0, len(text), 40):
        printer.delta(delta("1", text[at : at + 40]))
    printer.fact(appended(conversation(text)[2], closes="1"))
    yield from lines
    output = TextOutput(False, out := io.StringIO(), out)
    output.print(text)
    output.tell(text)
    yield out.getvalue()


def _record(text: str, chance: Random) -> Iterable[str]:
    output = TextOutput(False, out := io.StringIO(), out)
    for one in exported(conversation(text)):
        output.print(one)
    yield out.getvalue()


def _exports(text: str, chance: Random) -> Iterable[str]:
    wanted = chance.choice(FORMATS)
    info = ConversationInfo(
        id="c1", title=Foreign(text), workspace=text, model=text, created="2026-01-01 00:00:00.0",
        updated="2026-01-01 00:00:00.0", events=8, turns=1,
    )  # fmt: skip
    made = writer(wanted)
    document = "".join((made.begin(info), made.add(conversation(text)), made.end()))
    if wanted == "json":
        json.loads(document)
    if wanted == "html":
        head, _, body = document.partition("</head>")
        assert "<script" not in head.lower(), "a script in the head"
        if found := _SCRIPT.search(re.sub(r">[^<]*<", "><", body)):
            raise AssertionError(f"HTML that acts: {found[0]!r}")
    document.encode()
    yield document
    line = json_line({"text": text})
    assert json.loads(line) == json.loads(json.dumps({"text": text})), "a JSON line gives back what it was given"
    yield line


LINES: dict[str, tuple[int, Said]] = {
    "window title": (1, _title), "notification": (1, _call), "plain output": (2, _plain), "record": (1, _record),
    "exports": (2, _exports),
}  # fmt: skip
"""The same for what is written in lines."""
_NAMES = [*WAYS, *LINES]
_OFTEN = [often for often, _ in (*WAYS.values(), *LINES.values())]
HEAD_ONLY = (
    "window title",
    "notification",
    "exports",
    "reply",
    "streamed",
    "call",
    "small blocks",
    "widget",
    "context",
)
"""Ways in which the end of a text may be folded, cut or be an address: its beginning must be seen."""


def _width(chance: Random) -> int:
    return chance.choice((80, 80, 57, 120, 23))


@lru_cache(maxsize=1)
def _console() -> Console:
    return Console(file=io.StringIO(), color_system="truecolor", force_terminal=True, legacy_windows=False)


def judged(strips: Rows) -> tuple[str, list[str]]:
    """What is printed of some rows, and what is wrong with them."""
    styled, bare = obeyed.Terminal(), obeyed.Terminal()
    faults: list[str] = []
    console = _console()
    for strip in strips:
        for segment in strip:
            if segment.style is not None and any(name[:1] == "@" for name in segment.style.meta):
                faults.append(f"acts when clicked: {segment.text!r} {segment.style.meta}")
        styled.feed(strip.render(console), last=True)
        plain = Strip([Segment(text) for text, _, _ in strip]).render(console)
        bare.feed(plain, last=True)
        if not _UNSURE.search(plain) and cell_len(plain) != strip.cell_length:
            faults.append(f"a row of {strip.cell_length} cells takes {cell_len(plain)}: {plain!r}")
        if "\n" in plain:
            faults.append(f"a row that is two: {plain!r}")
    words = "".join(bare.words)
    if "".join(styled.words) != words:
        faults.append("rendered with styles, other words are printed")
    if bare.kinds:
        faults.append(f"sequences where there are no styles: {bare.kinds}")
    return words, [*faults, *styled.faults, *bare.faults]


def tried_one(fuzz: Fuzz, number: int) -> list[str]:
    """String `number` through one way; what was wrong, in words."""
    text, chance = fuzz.text(number), fuzz.chance
    name = chance.choices(_NAMES, _OFTEN)[0]
    began = time.thread_time()
    try:
        if name in WAYS:
            words, faults = judged(WAYS[name][1](text, chance, _looks()[number % 2]))
        else:
            printed = "\n".join(LINES[name][1](text, chance)).replace("\t", " ")
            terminal = obeyed.Terminal(reordering=name != "exports")
            terminal.feed(printed.replace("\n", " "), last=True)
            words, faults = printed, terminal.faults
            if terminal.kinds:
                faults.append(f"sequences in lines: {terminal.kinds}")
    except Exception:
        words, faults = "", [f"raised: {traceback.format_exc(limit=-3)}"]
    took = time.thread_time() - began
    if took > SLOW:
        faults.append(f"took {took:.1f} s for {len(text):,} characters")
    flat = re.sub(r"[\s│▌▎┊╎]", "", words)
    wanted = FIRST if name in HEAD_ONLY or len(text) > 900 else FIRST + LAST
    if not faults and any(word not in flat for word in (FIRST, LAST) if word in wanted):
        faults.append(f"does not show where it begins and ends: {words[:200]!r}")
    return [f"number {number}, {name}: {fault} (of {text[:300]!r})" for fault in faults[:3]]


@lru_cache(maxsize=1)
def _looks() -> tuple[PaintLook, PaintLook]:
    return look_of("jp-night"), look_of("jp-sixteen")


def tried(whole: bool, seed: int, count: int = 0) -> list[Found]:
    """All of it: a million strings, or as many as CI has seconds for."""
    count = count or (WHOLE if whole else BOUNDED)
    found = Found(f"fuzzed strings through the painter (seed {seed})", count)
    fuzz = Fuzz(seed)
    slowest, began = 0.0, time.process_time()
    for number in range(count):
        at = time.thread_time()
        found.failed += tried_one(fuzz, number)
        slowest = max(slowest, time.thread_time() - at)
    found.figures = {
        "work a string": f"{(time.process_time() - began) / count * 1000:.2f} ms", "slowest": f"{slowest * 1000:.0f} ms"
    }  # fmt: skip
    return [found]
