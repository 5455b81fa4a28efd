"""T2, HOUSE "Text": no `str` reaches a widget; and the check that says so can fail."""

from __future__ import annotations

import ast

import pytest

from tests.house.slots import findings
from tests.house.sources import ours

HEAD = """\
from textual.content import Content
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option
from textual.reactive import reactive
from jp_tui.ui.text import foreign, ours, join
from jp_tui.ui import words
TITLE = ours("a title")
NAME = "a name"
"""
BOX = """\
class Box(Static):
    shown: Content
    raw: str
    seen: set[str]
    def __init__(self, title: Content, name: str):
        self._title = title
        self._name = name
    def work(self, c: Content, s: str):
"""
TEXT = """\
from textual.content import Content
def ours(template: str) -> Content: return Content(template)
def foreign(text: object) -> Content: return Content("")
def join(*parts: Content) -> Content: return parts[0]
"""
WORDS = """\
from textual.content import Content
def why(n: int) -> Content: ...
def label(n: int) -> str: ...
def both() -> tuple[Content, str]: ...
"""


def judged(body: str) -> list[str]:
    """The findings in a file of `jp_tui/ui/` that has `body` inside a widget's method."""
    indented = "\n".join(f"        {line}" for line in body.splitlines())
    text = f"{HEAD}{BOX}{indented}\n"
    files = {"jp_tui/ui/text.py": TEXT, "jp_tui/ui/words.py": WORDS, "jp_tui/ui/box.py": text}
    found, _ = findings({name: ast.parse(source) for name, source in files.items()})
    return [str(finding) for finding in found]


@pytest.mark.parametrize(
    "body",
    [
        "Static(ours('x'))",
        "Static()",
        "Static(c, id='name')",
        "self.update(join(ours('a'), c))",
        "self.update(self.shown)",
        "self.border_title = TITLE",
        "self.border_title = None",
        "self.tooltip = words.why(3)",
        "x = ours('a') if s else c\nself.update(x)",
        "x = c\nx = x.stylize('bold')\nself.update(x)",
        "for part in (c, ours('b')):\n    Label(part)",
        "OptionList(*(Option(ours('x')) for _ in s))",
        "parts: list[Content] = []\nparts = [c]\nself.update(join(*parts))",
        "Input(placeholder=foreign(s))",
        "self.app.notify(ours('done'))",
        "{}.update({'a': 1})",
        "self.seen.update(s)",
        "self.update(self._title)",
        "line, number = words.both()\nself.update(line)",
        "self.update(words.both()[0])",
    ],
)
def test_what_ui_text_made_may_be_shown(body: str) -> None:
    assert judged(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "Static('[red]x')",
        "Static(s)",
        "Static(f'{s}')",
        "Static(content=s)",
        "Label(NAME)",
        "self.update(s)",
        "self.update(self.raw)",
        "self.update(str(c))",
        "self.update(s.strip())",
        "self.update(words.label(3))",
        "self.update('a' + s)",
        "x = c\nif s:\n    x = s\nself.update(x)",
        "x = s\nself.update(x)",
        "self.border_title = s",
        "self.border_subtitle = 'hi'",
        "self.tooltip = words.label(1)",
        "Input(placeholder='ask')",
        "OptionList(s)",
        "OptionList(*(name for name in s))",
        "Option(s)",
        "self.app.notify(s)",
        "self.add_option(s)",
        "self.replace_option_prompt('id', s)",
        "self.update(Content(s))",
        "Content.from_markup(s)",
        "Content.assemble(s)",
        "from rich.markup import escape",
        "from textual.widgets import Markdown",
        "unknown = make()\nself.update(unknown)",
        "self.update([s][0])",
        "SystemCommand(s, 'help', None)",
        "for part in s:\n    Label(part)",
        "self.update(self._name)",
        "self._title = s\nself.update(self._title)",
        "line, name = words.both()\nself.update(name)",
        "Text(s)",
        "Text.from_ansi(s)",
    ],
)
def test_what_it_did_not_make_is_found(body: str) -> None:
    assert judged(body), body


def test_a_render_that_may_return_text_is_found() -> None:
    bad = "class A:\n    def render(self) -> str: ...\nclass B:\n    def render(self): ...\n"
    good = "from textual.content import Content\nclass A:\n    def render(self) -> Content: ...\n"
    assert len(findings({"jp_tui/ui/a.py": ast.parse(bad)})[0]) == 2
    assert findings({"jp_tui/ui/a.py": ast.parse(good)})[0] == []


def test_no_bare_text_reaches_a_widget_of_ours() -> None:
    found, slots = findings({source.name: source.tree for source in ours("jp_tui/ui")})
    assert found == [], "\n" + "\n".join(map(str, found))
    assert slots >= 20, "the check has gone blind"
