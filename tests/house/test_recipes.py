"""The recipes of ARCHITECTURE.md, followed to the letter in a copy of the package.

Each adds its own files and lines in the tables that it names, and a child process proves that the addition works there.
A proof that fails means that the recipe is not enough: something else names what should be in one table only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.house.sources import ROOT
from tests.limits import LIMIT


@dataclass(frozen=True)
class Recipe:
    """`title` begins its paragraph in ARCHITECTURE.md. `files` are its own, `lines` one more line in a file that is
    there, before the line that begins so. `proof` runs in the copy."""

    title: str
    files: dict[str, str]
    lines: dict[str, tuple[tuple[str, str], ...]]
    proof: str


DATE = Recipe(
    "An answer kind",
    {
        "jp_tui/questions/date.py": '''
"""A day as an answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Literal

from jp_tui.conversation.strict_json import Json
from jp_tui.questions.answer_kind import NO_VERDICTS, AnswerKind, Verdicts


@dataclass(frozen=True, slots=True)
class DateAnswer(AnswerKind):
    type: Literal["date"] = "date"
    hint: ClassVar[str] = "YYYY-MM-DD"
    form: ClassVar[str] = "a date as YYYY-MM-DD"

    def problem(self, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
        try:
            date.fromisoformat(str(value))
        except ValueError:
            return "expected a date as YYYY-MM-DD"
        return None

    def value_schema(self) -> Json:
        return {"type": "string", "format": "date"}
''',
        "jp_tui/ui/sheets/date.py": '''
"""A day, typed."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding

from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.areas.text import FreeTextArea
from jp_tui.ui.text import ours


class DateArea(FreeTextArea):
    BINDINGS: ClassVar[list[Binding]] = [Binding("ctrl+y", "clear", "clear", id="sheet.clear", tooltip="Another day")]

    def submit(self, field: Field) -> None:
        if wrong := self._sheet.prompt.question.answer_type.problem(field.value):
            self._sheet.show_notice(ours("{wrong}", wrong=ours(wrong)))
        else:
            self._sheet.answered(field.value)
''',
        "jp_tui/headless/forms/date.py": '''
"""A day, typed as a line."""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.headless.forms.answer import AnswerLines
from jp_tui.headless.forms.question import AskedQuestion
from jp_tui.headless.forms.steps import Outcome, Words


class DateLines(AnswerLines):
    def __init__(self, question: AskedQuestion) -> None:
        self._question = question

    def body(self) -> Iterator[str]:
        yield "a day, as YYYY-MM-DD"

    def answer(self, line: str) -> Outcome:
        wrong = self._question.prompt.question.answer_type.problem(line)
        return Words(wrong) if wrong else self._question.answered(line)
''',
    },
    {
        "jp_tui/questions/types.py": (
            ("from jp_tui.questions.options import Option", "from jp_tui.questions.date import DateAnswer"),
            ("    | SecretAnswer", "    | DateAnswer"),
        ),
        "jp_tui/ui/sheets/registry.py": (
            ("from jp_tui.ui.sheets.areas.delivery", "from jp_tui.ui.sheets.date import DateArea"),
            ('    "boolean": ', '    "date": DateArea,'),
        ),
        "jp_tui/headless/forms/registry.py": (
            ("from jp_tui.headless.forms.form_summary", "from jp_tui.headless.forms.date import DateLines"),
            ('    "boolean": ', '    "date": DateLines,'),
        ),
    },
    """
import asyncio
from jp_tui.engine.reviewer.reply_schema import reply_schema
from jp_tui.headless.rpc.answer_parser import parse_response
from jp_tui.protocol.values import Answered, PromptRequest
from jp_tui.ui.keys.scopes import sheets
from jp_tui.questions.wire import read_question, read_recorded, recorded
from tests.headless.asked import ask, prompt
from tests.house import test_kinds
from tests.ui.sheet_host import Host, asked, text_of

raw = {"id": "day", "text": "Which day?", "answer_type": {"type": "date"}}
question = read_question(raw)
assert {"id": "day", **recorded(question)} == raw and read_recorded("day", recorded(question)) == question
assert question.answer_type.problem("2026-02-30") and question.answer_type.problem("2026-02-28") is None
assert reply_schema(question.answer_type)["properties"]["answer"]["format"] == "date"
for table in test_kinds.TABLES:
    test_kinds.test_every_kind_has_a_line_in_each_rooms_table(table)
test_kinds.test_every_kind_is_read_as_it_is_recorded()

sent = asked("q1", question)
assert PromptRequest.model_validate_json(sent.model_dump_json()) == sent, "it goes over the protocol"
assert parse_response(sent, "ask", {"answer": "2026-02-28"}) == Answered(value="2026-02-28"), "over rpc"
said, shown = ask(prompt(question.answer_type), "tomorrow", "2026-02-28")
assert said == Answered(value="2026-02-28") and "expected a date" in shown, "in lines"

async def on_the_screen():
    app = Host(sent)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"2026-02-2", "enter")
        assert app.answers == [] and "expected a date" in text_of(app)
        await app.type(pilot, "8", "enter")
        assert app.answers == [Answered(value="2026-02-28")]

asyncio.run(on_the_screen())
assert "In a question for a date" in dict(sheets()), "its keys are on the page of keys"
""",
)

WIRE = Recipe(
    "A wire",
    {
        "jp_tui/providers/echo/__init__.py": '"""A wire that says what comes."""\n',
        "jp_tui/providers/echo/request.py": '''
"""The wire itself."""

from __future__ import annotations

from jp_tui.conversation.model import Delta, ModelRequest, Usage
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.wire import ResponseBuilder


def wire(_: Endpoint) -> Echo:
    return Echo()


class Echo:
    media, list_path, base_suffixes = "text/plain", "/names", ()
    auth, headers = "bearer", {}

    def path(self, model: str) -> str:
        return "/echo"

    def list_query(self, after: str) -> str:
        return ""

    def listed(self, item: JsonObject) -> JsonObject:
        return item

    def body(self, request: ModelRequest) -> JsonObject:
        return {"model": request.model}

    def decoder(self, request: ModelRequest) -> Decoder:
        return Decoder()

    def amended(self, request: ModelRequest, refusal: str) -> ModelRequest | None:
        return None


class Decoder:
    def __init__(self) -> None:
        self.done, self._reply = False, ResponseBuilder(set())
        self._part = self._reply.start("message")

    def feed(self, data: bytes) -> list[Delta]:
        return self._reply.grow(self._part, data.decode())

    def end(self) -> list[Delta]:
        self.done = True
        return self._reply.finish("end", Usage())
''',
    },
    {"jp_tui/settings/wires.py": (('    "anthropic": ', '    "echo": WireSettings(),'),)},
    """
import asyncio, os, pathlib, subprocess, sys
from jp_tui.conversation.model import Message, ModelRequest, PartGrew, TextPart
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import open_provider
from jp_tui.settings import providers
from jp_tui.settings.load import load
from jp_tui.settings.wires import SERVER_WIRES
from jp_tui.startup.models import endpoint
from jp_tui.settings.typed_settings import assistant
from jp_tui.view.pages import first_run
from tests.fakes.memory_server import MemoryServer
from tests.fakes.model_server import Answer, in_thread

open("config.toml", "w").write('[providers.llm.mine]\\nwire = "echo"\\nbase_url = "http://127.0.0.1:9"\\n')
settings = load(user_file="config.toml", workspace_file="none.toml", environment={})
mine = providers.providers(settings, {})["mine"]
at = endpoint(mine, {}, assistant(settings).request)
assert repr(open_provider(at)) == "HttpProvider('mine', 'http://127.0.0.1:9')"

now, _ = first_run.choose_row(first_run.begin(SERVER_WIRES)[0], first_run.OWN)
seen = {(now := first_run.choose_row(now, "wire")[0]).draft.wire for _ in SERVER_WIRES}
assert "echo" in seen, "the setup page offers it"

async def heard():
    server = MemoryServer()
    server.answers([b"Hello ", b"you"], "end")
    request = ModelRequest(model="m", messages=(Message("user", (TextPart("Hi"),)),))
    return [delta async for delta in server.provider(at).stream(request)]

assert "".join(one.text for one in asyncio.run(heard()) if isinstance(one, PartGrew)) == "Hello you"

names = Answer([b'{"data":[{"id":"e-1","context_length":4096}]}'], headers={"content-type": "application/json"})
with in_thread(names) as listing:
    home = pathlib.Path("home/config")
    home.mkdir(parents=True)
    (home / "config.toml").write_text(f'[providers.llm.mine]\\nwire = "echo"\\nbase_url = "{listing.url}"\\n')
    for command, words in (("config check", ""), ("models mine", "mine/e-1  4.1k tokens")):
        done = subprocess.run(
            [sys.executable, "-m", "jp_tui", *command.split()],
            env={**os.environ, "JP_TUI_HOME": "home"}, capture_output=True, text=True, timeout=60,
        )
        assert done.returncode == 0 and words in done.stdout, (command, done.stdout, done.stderr)
    assert listing.received[0].path == "/names"
""",
)

PAGE = Recipe(
    "A page",
    {
        "jp_tui/ui/screens/hello.py": '''
"""Who said what first."""

from __future__ import annotations

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import ReadHistory
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, ours


def open_page(host: Host, _: str) -> Hello:
    return Hello()


class Hello(Listing):
    title_words = "Hello"

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.post_message(CommandWanted(ReadHistory(limit=0)))

    def handle(self, event: ev.Event) -> None:
        if isinstance(event, ev.Refused):
            self.show([Item("1", (ours("Hello there"), foreign(Foreign(event.message))), blank())], blank())
''',
    },
    {
        "jp_tui/ui/pages.py": (
            ('    AppCommand(name="help"', '    _page("hello", "Hello", "Say hello", commands=("read_history",)),'),
        )
    },
    """
from jp_tui.ui.pages import by_action
import asyncio
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from tests.ui.app_host import workspace

async def opened():
    async with workspace() as (app, pilot):
        before = len(app.link.of(cmd.ReadHistory))
        await pilot.press(*"/hello", "enter")
        await pilot.pause()
        assert "Hello" in app.screen_text() and len(app.link.of(cmd.ReadHistory)) == before + 1
        await app.says(pilot, ev.Refused(command="read_history", message="Nobody said anything."))
        assert "Hello there" in app.screen_text() and "Nobody said anything." in app.screen_text()
        assert "Hello" in [entry.title for entry in by_action()], "the palette has it"
        await pilot.press("escape")
        assert app.screen is app._main

asyncio.run(opened())
""",
)

COMMAND = Recipe(
    "A slash command",
    {
        "jp_tui/ui/screens/where.py": '''
"""Where the workspace is, in the last line."""

from __future__ import annotations

from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.ui.pages import Host
from jp_tui.ui.text import foreign, ours


def open_page(host: Host, argument: str) -> Content:
    return ours("{n} here: {place}", n=len(argument), place=foreign(Foreign(host.main.place[0]), mode="line"))
''',
    },
    {
        "jp_tui/ui/pages.py": (
            ('    AppCommand(name="help"', '    _page("where", "Where", "Say where this is", argument="WORD"),'),
        )
    },
    """
import asyncio
from tests.ui.app_host import workspace

async def said():
    async with workspace() as (app, pilot):
        await pilot.press(*"/where", "space", *"abcd", "enter")
        await pilot.pause()
        assert app.screen is app._main and f"4 here: {app._main.place[0]}" in app.screen_text(), app.screen_text()

asyncio.run(said())
""",
)

TOOL = Recipe(
    "A tool",
    {
        "jp_tui/tools/shout.py": '''
"""`shout`: what it is told, louder."""

from __future__ import annotations

from jp_tui.conversation.outcomes import Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.tools.port import Outcome, ToolCall


class Shout:
    source = "tool"

    def title(self, arguments: JsonObject) -> str:
        return str(arguments["text"])

    async def run(self, call: ToolCall) -> Outcome:
        return Success(str(call.arguments["text"]).upper())
''',
    },
    {
        "jp_tui/tools/registry.py": (('    "fs_list_files": ', '    "shout": ("shout", "Shout", "tool"),'),),
        "config/tools.toml": (
            (
                "[conversation.tools.fs_list_files]",
                """[conversation.tools.shout]
source = "builtin"
run = "unattended"
description = "Say it louder."

[conversation.tools.shout.parameters.text]
type = "string"
required = true
description = "What is said."
""",
            ),
        ),
    },
    """
import asyncio
from types import SimpleNamespace
from jp_tui.settings.load import load
from jp_tui.settings.toolset import tools
from jp_tui.tools import registry

settings = load(user_file="none.toml", workspace_file="none.toml", environment={})
assert tools(settings)["shout"].description.startswith("Say it louder.")
made = registry.builtin()["shout"]
found = asyncio.run(made.run(SimpleNamespace(arguments={"text": "hello"})))
assert made.title({"text": "hello"}) == "hello" and found.content == "HELLO"
""",
)

SETTING = Recipe(
    "A setting",
    {},
    {
        "jp_tui/settings/schema/keys.py": (
            (
                '                "theme": Leaf(',
                '                "greeting": Leaf(checks.text, "display", help="said first"),',
            ),
        ),
        "config/defaults.toml": (('theme = "jp-night"', 'greeting = "Hello"'),),
    },
    """
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.load import load
from jp_tui.settings.sources import Sources
from jp_tui.startup.listing import read_settings
from pathlib import Path

def value(**more):
    given = {"user_file": "config.toml", "workspace_file": "none.toml", "environment": {}, **more}
    return load(**given).get("ui", "greeting")

assert value() == "Hello"
assert value(environment={"JP_TUI_UI__GREETING": "Hi"}) == value(assignments=["ui.greeting=Hi"]) == "Hi"
Path("config.toml").write_text("[ui]\\ngreeting = 'Good morning'\\n")
assert value() == "Good morning"
entries = read_settings(Sources(Path("config.toml"), Path("none.toml"), Path("store"), {})).entries
(one,) = [one for one in entries if one.key == "ui.greeting"]
assert (one.value, one.default, one.own) == ("Good morning", "Hello", True) and one.help == "said first", one
Path("config.toml").write_text("[ui]\\ngreeting = 5\\n")
try:
    raise AssertionError(value())
except SettingsError as problem:
    assert "ui.greeting" in str(problem), problem
""",
)

RECIPES = (DATE, WIRE, PAGE, COMMAND, TOOL, SETTING)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is in the repository, with what was compiled."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("jp_tui", "config", "themes"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


@contextmanager
def _added(copy: Path, recipe: Recipe) -> Iterator[None]:
    """Follow the recipe, and take it back at the end."""
    before = {name: (copy / name).read_text() for name in recipe.lines}
    for name, text in recipe.files.items():
        assert not (copy / name).exists(), f"{name} is there already"
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text(text.lstrip("\n"))
    for name, lines in recipe.lines.items():
        text = before[name]
        for anchor, line in lines:
            assert text.count(f"\n{anchor}") == 1, f"{name} has not one line that begins with {anchor!r}"
            text = text.replace(f"\n{anchor}", f"\n{line}\n{anchor}")
        (copy / name).write_text(text)
    yield
    for name in recipe.files:
        (copy / name).unlink()
    for name, text in before.items():
        (copy / name).write_text(text)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_recipe_is_all_that_is_to_be_done(recipe: Recipe, copy: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{ROOT}", "HOME": str(tmp_path)}
    where = f"import jp_tui; assert jp_tui.__file__.startswith({str(copy)!r}), jp_tui.__file__\n"
    command = [sys.executable, "-c", where + recipe.proof]
    with _added(copy, recipe):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=LIMIT)
    assert not done.returncode, f"{recipe.title}: the recipe is not enough\n{done.stderr[-3000:]}"


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_the_page_names_each_file_of_a_recipe(recipe: Recipe) -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text().partition("\n## Recipes\n")[2].partition("\n## ")[0]
    (told,) = re.findall(rf"^- \*\*{recipe.title}\*\*.*$", page, re.MULTILINE)
    assert told.count("\n") < 10
    named = re.findall(r"`([\w/]+\.(?:py|toml))`", told)
    tables = {name.removeprefix("jp_tui/") for name in recipe.lines}
    rooms = {re.sub(r"/\w+\.py$", "", name.removeprefix("jp_tui/")).removesuffix("/echo") for name in recipe.files}
    assert tables <= set(named), f"{tables - set(named)} is not named"
    assert all(f"`{room}/" in told for room in rooms), f"one of {rooms} is not named"
