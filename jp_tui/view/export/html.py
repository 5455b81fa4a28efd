"""Export of a conversation as one self-contained HTML file: no script, no network, light or dark by the reader's
system.

All untrusted text is escaped, its Markdown is converted without raw HTML and images; a policy in the head forbids
loading and scripts. Links open only when clicked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.strict_json import dump
from jp_tui.conversation.text import Foreign
from jp_tui.conversation.urls import clean_url
from jp_tui.protocol.values import ConversationInfo, StoredEvent
from jp_tui.view.export.style import STYLE
from jp_tui.view.questions.approval_text import sentence
from jp_tui.view.questions.forms import AskedFormQuestion, QuestionForm
from jp_tui.view.questions.inquiry import InquiryView
from jp_tui.view.questions.outcome_line import asker, declined, outcome, responder, spent
from jp_tui.view.transcript import blocks as b
from jp_tui.view.transcript.reducer import blocks_of
from jp_tui.view.wording.amounts import duration, turns
from jp_tui.view.wording.links import link_target_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
LONG_LINES = 12
"""Visible lines of a result; a longer one is folded."""
_DIFF = re.compile(r"^(?:diff |--- |\+\+\+ |@@ )", re.MULTILINE)


class HtmlWriter:
    """See document.DocumentWriter."""

    def begin(self, info: ConversationInfo) -> str:
        title = line(info.title) or "(no title)"
        facts = [line(Foreign(info.model)), f"{escape(info.created[:16])} UTC", turns(info.turns)]
        told = " · ".join([*facts, f"<code>{escape(info.id)}</code>"])
        return (
            '<!doctype html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
            f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
            f"<header>\n<h1>{title}</h1>\n<p>{told}</p>\n</header>\n"
        )

    def add(self, events: Sequence[StoredEvent]) -> str:
        return "".join(f"{part}\n" for block in blocks_of(events) for part in _block(block) if part)

    def end(self) -> str:
        return "</main>\n</body>\n</html>\n"


def _block(block: b.Block) -> Iterator[str]:
    match block:
        case b.User(text=text, command=command):
            typed = f"<p><code>{line(command)}</code></p>" if command else ""
            yield f'<section class="you"><h2>You</h2>{typed}{markdown(text)}</section>'
        case b.Header(model=model, ms=ms):
            took = f' <span class="quiet">{duration(ms)}</span>' if ms is not None else ""
            yield f"<h2>{line(model) or 'Assistant'}{took}</h2>"
        case b.TextBlock(text=text, incomplete=incomplete):
            yield f'<div class="said">{markdown(text)}{_incomplete(incomplete)}</div>'
        case b.ReasoningBlock(text=text, incomplete=incomplete):
            body = plain(text) + _incomplete(incomplete)
            yield f'<details class="thought"><summary>Reasoning</summary>{body}</details>'
        case b.Data(text=text):
            yield pre(text)
        case b.ToolBlock():
            yield f'<section class="tool">{"".join(_tool(block))}</section>'
        case b.QuestionBlock(asked=asked):
            yield _asked(asked)
        case b.Resumed():
            yield '<p class="quiet">The turn was interrupted here and then resumed.</p>'
        case b.Ending(how=how, message=message, detail=detail, advice=advice):
            words = " ".join(line(part) for part in (message, advice) if part)
            yield f'<p class="ending"><strong>Turn {how}</strong>{f": {words}" if words else ""}</p>'
            if detail:
                yield f"<p>The server said:</p>{pre(detail)}"
        case b.Note(text=text) | b.RetryBlock(text=text):
            yield f'<p class="quiet">{line(text)}</p>'
        case b.CompactionBlock(text=text, details=details, failed=failed):
            body = (f"<p>{line(failed)}</p>" if failed else "") + (pre(details) if details else "")
            head = f"<summary>{line(text)}</summary>"
            yield f"<details>{head}{body}</details>" if body else f'<p class="quiet">{line(text)}</p>'
        case b.Odd(name=name, problem=problem):
            yield f'<p class="quiet">({line(name)}{f": {line(problem)}" if problem else ""})</p>'


def _incomplete(incomplete: bool) -> str:
    return '<p class="quiet">(incomplete)</p>' if incomplete else ""


def _tool(block: b.ToolBlock) -> Iterator[str]:
    if not block.dialogue:
        facts = [duration(block.ms)] if block.ms is not None and block.end != "declined" else []
        if block.end == "declined":
            facts.append(line(Foreign(declined(block.asked))))
        elif block.end not in (None, "ok"):
            facts.append(str(block.end))
        aside = f' <span class="quiet">{" · ".join(facts)}</span>' if facts else ""
        yield f"<h3><code>{line(block.name)}</code> {line(block.title)}{aside}</h3>"
        arguments = block.edited or block.arguments
        if arguments:
            rows = "".join(f"<dt>{line(name)}</dt><dd>{pre(value)}</dd>" for name, value in arguments)
            yield f"<details><summary>Arguments</summary><dl>{rows}</dl></details>"
    for one in block.decided:
        yield f'<p class="quiet">{escape(neutralise(sentence(one), "line"))}</p>'
    yield _form(block.form) if block.form is not None else "".join(map(_asked, block.asked))
    for one_aside in block.asides:
        said = markdown(one_aside.asked) + markdown(one_aside.said)
        yield f'<div class="asked"><p class="quiet">Aside</p>{said}</div>'
    if block.reply:
        yield f'<div class="answer"><p>Replied:</p>{markdown(block.reply)}</div>'
    if block.problem:
        yield f'<p class="ending"><strong>Not run</strong>: {line(block.problem)}</p>'
    if block.output and not block.dialogue:
        shown = pre(block.output)
        many = block.output.raw.count("\n") >= LONG_LINES
        word = "Error" if block.end == "error" else "Result"
        yield f"<details{'' if many else ' open'}><summary>{word}</summary>{shown}</details>"


def _form(form: QuestionForm) -> str:
    places = "".join(f"<li><p>{line(place.text)}</p>{_place(place)}</li>" for place in form.places)
    reply = f"<p>Replied:</p>{markdown(form.reply)}" if form.reply else ""
    return (
        f'<div class="asked"><p><strong>Asked {len(form.places)} questions</strong></p><ol>{places}</ol>{reply}</div>'
    )


def _place(place: AskedFormQuestion) -> str:
    if place.asked is not None and place.state in ("answered", "left"):
        return answer(place.asked)
    words = f"Skipped ({line(place.because)})" if place.state == "skipped" else "Not answered"
    return f'<p class="quiet">{words}</p>'


def _asked(asked: InquiryView) -> str:
    context = markdown(asked.context) if asked.context else ""
    who = line(asker(asked))
    return f'<div class="asked"><p class="quiet">{who} asked</p>{context}{markdown(asked.text)}{answer(asked)}</div>'


def answer(asked: InquiryView) -> str:
    """Return a question's outcome, by whom and why."""
    end = outcome(asked, waits=False)
    if asked.how != "answered":
        found = [f"<strong>{line(end.word)}</strong>"]
    elif isinstance(asked.answer, bool):
        found = [f"<strong>{'yes' if asked.answer else 'no'}</strong>"]
    elif isinstance(asked.answer, str):
        found = [f'<strong class="plain">{escape(neutralise(asked.answer))}</strong>']
    else:
        found = [f"<code>{line(dump(asked.answer))}</code>"]
    if who := line(end.who) or line(responder(asked)):
        found.append(f"by {who}")
    found += [part for part in (end.took, spent(asked)) if part]
    parts = [f"<p>{' · '.join(found)}</p>"]
    for one in asked.parts:
        comment = f": {line(one.comment)}" if one.comment else ""
        parts.append(f"<p>{'Taken' if one.accepted else 'Left out'}: {line(one.title)}{comment}</p>")
    if asked.explanation:
        parts.append(f"<p>Reason:</p>{plain(asked.explanation)}")
    if asked.why:
        parts.append(f'<p class="quiet">{line(asked.why)}</p>')
    return f'<div class="answer {end.role}">{"".join(parts)}</div>'


# --- untrusted text ---------------------------------------------------------------------------------------------


def line(text: Foreign | str) -> str:
    """Return untrusted text on one line, escaped."""
    return escape(neutralise(text, "line"))


def plain(text: Foreign) -> str:
    """Return untrusted text with its lines."""
    return f'<div class="plain">{escape(neutralise(text).strip(chr(10)))}</div>'


def pre(text: Foreign) -> str:
    """Return untrusted text as a block of code; a diff in colours."""
    shown = neutralise(text).strip("\n")
    return f"<pre><code>{diff(shown) if _DIFF.search(shown) and '@@' in shown else escape(shown)}</code></pre>"


def diff(text: str) -> str:
    """Return the lines of a diff, marked."""
    return "\n".join(map(_diff_line, text.split("\n")))


def _diff_line(text: str) -> str:
    kind = {"+": "added", "-": "removed", "@": "place"}.get(text[:1])
    if text.startswith(("+++", "---")):
        kind = "place"
    return f'<span class="{kind}">{escape(text)}</span>' if kind else escape(text)


def markdown(text: Foreign) -> str:
    """Convert untrusted Markdown to HTML: no raw HTML passes, nothing is loaded."""
    html: str = _parser().render(neutralise(text))
    return html.strip()


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # only needed for a document

    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    made.add_render_rule("fence", _fence)
    made.add_render_rule("link_open", _link)
    made.add_render_rule("link_close", _link_end)
    made.add_render_rule("text", _text)
    return made


def _fence(renderer: Any, tokens: Sequence[Any], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    language = str(token.info).split(" ")[0].strip().lower()
    text = str(token.content).rstrip("\n")
    return f"<pre><code>{diff(text) if language in ('diff', 'patch') else escape(text)}</code></pre>\n"


def _link(renderer: Any, tokens: Sequence[Any], index: int, options: Any, env: Any) -> str:
    """Allow links to the web and to mail; show any other as text."""
    href = str(tokens[index].attrs.get("href", ""))
    if clean_url(href) is None and not href.lower().startswith("mailto:"):
        return "<a>"
    return f'<a href="{escape(href)}" rel="noopener noreferrer nofollow">'


def _link_end(renderer: Any, tokens: Sequence[Any], index: int, options: Any, env: Any) -> str:
    """Add a link's target if its text names another host or it isn't allowed (Z22)."""
    said = link_target_text(tokens, index)
    return f'</a> <span class="host">({escape(said)})</span>' if said else "</a>"


def _text(renderer: Any, tokens: Sequence[Any], index: int, options: Any, env: Any) -> str:
    """Neutralise again: a character reference becomes a character only in the parser."""
    before = next((token.content for token in reversed(tokens[:index]) if token.content), "")
    return escape(neutralise(tokens[index].content, before=before[-3:]))
