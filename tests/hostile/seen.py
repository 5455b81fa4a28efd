"""What each face makes of one hostile text: every screen of a sheet, the transcript, the plain face and the record.

An app is started once for many texts, because starting is what costs; each text is then judged by a test of its own.
"""

from __future__ import annotations

import asyncio
import io
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import TextArea

from jp_tui.conversation import events as ev
from jp_tui.conversation.text import Foreign
from jp_tui.headless.output import TextOutput
from jp_tui.headless.transcript_printer import Printer
from jp_tui.protocol.values import PromptRequest, StoredEvent
from jp_tui.questions.types import BooleanAnswer, Option, SelectAnswer
from jp_tui.ui.textual_patches import output_gate
from jp_tui.view.export.events import exported
from jp_tui.view.questions.queue import key_of
from tests.headless.asked import ask, prompt
from tests.headless.asked import permission as asked_to_run
from tests.ui import sheet_host as sheets
from tests.ui.transcript_host import Host as Conversation
from tests.ui.transcript_host import settled, spans
from tests.view.events_of import appended, delta, log, opened

WIDTH = 100


def texts(found: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    """Those of them that are one text."""
    return {id_: case["payload"]["utf8"] for id_, case in found.items() if case["payload"]["kind"] == "text"}


@dataclass
class Seen:
    """`screens` by surface, as text; `faults` is what acts or could act in any cell of them, `evidence` all rows of
    what is put before somebody, without blanks."""

    screens: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    evidence: dict[str, str] = field(default_factory=dict)
    answers: int = 0


def acting(text: str) -> Iterator[str]:
    """What in a printed text a terminal would obey, or what reorders it."""
    for char in text:
        if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs"):
            yield f"control {char!r}"
        elif unicodedata.bidirectional(char) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"):
            yield f"bidi {char!r}"


OURS = {"app.jump": tuple, "app.take_over": str, "app.agents": str, "app.inbox": str}
"""What a click in our own sidebar runs, and how it is written; what is jumped to is a value, no text."""


def acts(name: str, value: object) -> bool:
    """Whether a meta entry is an action that is none of ours. @mouse: how Textual's own scroll bar is held."""
    known = OURS.get(str(value[0] if isinstance(value, tuple) else value))
    return name[:1] == "@" and name[:6] != "@mouse" and (known is None or not isinstance(value, known))


def screen(app: App[None], seen: Seen) -> str:
    """The screen's text; what acts in it is noted. What stands in a line that is written in is mended by the last gate
    only, and so is looked at behind that."""
    rows = []
    written = {y for one in app.screen.query(TextArea) if one.display for y in one.region.line_range}
    for y, strip in enumerate(app.screen._compositor.render_strips()):
        for segment in strip:
            style = segment.style
            names = () if style is None else [(name, value) for name, value in style.meta.items() if acts(name, value)]
            if style is not None and (style.link or names):
                seen.faults.append(f"acts when clicked: {segment.text!r} {style.link or names}")
            seen.faults.extend(acting(output_gate.passed(segment.text) if y in written else segment.text))
        if strip.cell_length != app.size.width:
            seen.faults.append(f"a row of {strip.cell_length} cells: {strip.text!r}")
        rows.append(strip.text.rstrip())
    return "\n".join(rows)


def flat(text: str) -> str:
    """Without blanks and frames, to find what is wrapped."""
    return "".join(char for char in text if not char.isspace() and char not in "│╭╮╰╯─▎▌")


def run(text: str, *, rendered: bool = True) -> PromptRequest:
    """Leave to run a call of which all is this text; `rendered`: its tool shows its arguments itself."""
    whose: dict[str, Any] = {"tool": text, "subject": Foreign(text), "server": text, "tool_kind": "mcp", "why": text}
    arguments = Foreign(json.dumps({"command": text}, ensure_ascii=False))
    return sheets.permission(arguments=arguments, rendered=Foreign(text if rendered else ""), **whose)


def choose(text: str) -> PromptRequest:
    """A choice that a tool gives: question, context, options with descriptions and previews."""
    options = (Option(text, text[:200], text), Option("b"))
    asked = sheets.select(text=" ".join(text.split())[:200], context=text, options=options, tool=True)
    return asked.model_copy(update={"tool": text, "why": text})


PROMPTS = {"run": run, "choose": choose}


def on_sheets(payloads: Mapping[str, str], *kinds: str) -> dict[str, Seen]:
    """Each text in sheets of these kinds (names in PROMPTS), looked at from its first row to its last."""
    found = {id_: Seen() for id_ in payloads}

    async def walk() -> None:
        app = sheets.Host()
        async with app.run_test(size=(WIDTH, 50)) as pilot:
            for id_, text in payloads.items():
                for kind in kinds:
                    asked = PROMPTS[kind](text).model_copy(update={"inquiry": f"{id_}.{kind}"})
                    await look(app, pilot, asked, found[id_], kind)

    asyncio.run(walk())
    return found


async def look(app: sheets.Host, pilot: Pilot[None], asked: PromptRequest, seen: Seen, kind: str) -> None:
    """Ask it, look at all of it, and let it be settled elsewhere."""
    app.dock.ask(asked)
    app.dock.open_next()
    await pilot.pause()
    app.now += 0.6
    app.dock.tick()
    await pilot.pause()
    assert app.sheet.armed and app.sheet.prompt.inquiry == asked.inquiry
    seen.screens[kind] = screen(app, seen)
    if (view := app.sheet.reading.context) is not None:
        rows = [view.render_line(y).text for y in range(view.height)]
        while not view.read_to_end and view.height and len(rows) < 3000:
            view.page(1)
            rows += [view.render_line(y).text for y in range(view.height)]
        seen.evidence[kind] = flat("".join(row.rstrip() for row in rows))
    seen.answers = len(app.answers)
    app.dock.remove_settled(key_of(asked))
    await pilot.pause()


def reached(text: str, evidence: str) -> bool:
    """Whether all of a text is among the rows of `evidence`, whose pages may overlap, and the last of it comes last."""
    wanted = flat(text)
    pieces = (wanted[at : at + 12] in evidence for at in range(max(len(wanted) - 12, 0) + 1))
    return all(pieces) and evidence.endswith(wanted[-12:])


def conversation(text: str) -> list[StoredEvent]:
    """A turn in which everybody says this text."""
    return log(
        ev.ChatRequest(content=text),
        ev.ChatResponse(kind="reasoning", content=text),
        ev.ChatResponse(kind="message", content=text),
        ev.ToolCallRequest(id="c1", name=text, arguments={"command": text, text: [text]}),
        ev.ToolCallResponse(id="c1", content=text),
        ev.ToolCallRequest(id="c2", name="run", arguments={}, metadata={"title": text}),
        ev.ToolCallResponse(id="c2", content=text, is_error=True),
        ev.TurnOutcome(outcome="done", model="m"),
    )


def on_transcript(payloads: Mapping[str, str]) -> dict[str, Seen]:
    """Each text as everything that a conversation shows."""
    found = {id_: Seen() for id_ in payloads}

    async def walk() -> None:
        host = Conversation([])
        async with host.run_test(size=(WIDTH, 60)) as pilot:
            for id_, text in payloads.items():
                host.log_events = conversation(text)
                host.transcript.open(opened(host.log_events, spans(host.log_events)))
                await settled(pilot)
                found[id_].screens["bottom"] = screen(host, found[id_])
                host.transcript.scroll_home(animate=False)
                await settled(pilot)
                found[id_].screens["top"] = screen(host, found[id_])

    asyncio.run(walk())
    return found


def in_lines(text: str) -> dict[str, str]:
    """What the faces without a screen print of it: questions, the conversation as it happens, the record."""
    choice = prompt(SelectAnswer((Option(text, text), Option("b"))), text=text, tool=text, label=text)
    yes = prompt(BooleanAnswer(), text=text, context=text, tool=text, subject=Foreign(text), why=text)
    live: list[str] = []
    printer = Printer(live.append)
    printer.delta(delta("1", text))
    printer.fact(appended(conversation(text)[2], closes="1"))
    return {
        "choice": ask(choice)[1],
        "yes": ask(yes)[1],
        "permission": ask(asked_to_run(tool=text, rendered=Foreign(text), subject=Foreign(text)))[1],
        "live": "\n".join(live) + "\n",
        "record": _record(conversation(text)),
    }


def _record(events: Iterable[StoredEvent]) -> str:
    out = io.StringIO()
    output = TextOutput(False, out, out)
    for one in exported(events):
        output.print(one)
    return out.getvalue()
