"""What a command says once its values are in it (R83): the language, its bounds, lines for a shell, splitting."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.questions.types import GivenAnswer
from jp_tui.system.children import run
from jp_tui.tools.local import templates
from jp_tui.tools.local.spec import ProgramCommand, words
from jp_tui.tools.local.templates import BadTemplate, rendered, values
from jp_tui.tools.port import ToolCall
from jp_tui.tools.shell.line import Unsafe, check

NASTY = "it's $(id) `id` \"; rm -rf * #\n{{ 7 * 7 }} \\ \u202e é"


def told(answers: dict[str, GivenAnswer] | None = None, **arguments: Any) -> Any:
    call = ToolCall({}, Path("/w"), answers=answers or {}, options={"o": 1}, conversation="c1", workspace="w1")
    return values("t", "run", arguments, None, call)


async def one(template: str, **arguments: Any) -> str:
    return (await rendered(ProgramCommand("p", (template,)), told(**arguments))).argv[1]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ tool.name }}/{{ tool.options.o }}", "t/1"),
        ("{{ context.action }} {{ context.root }}", "run /w"),
        ("{{ context.workspace_id }} {{ context.conversation_id }} {{ context.access }}", "w1 c1 null"),
        ("{{ tool.arguments.text }}", NASTY),
        ("{{ tool.arguments.yes }} {{ tool.arguments.none }} {{ tool.arguments.n }}", "true null 1.5"),
        ("{{ tool.arguments.list }}", '["é",true,null,{"a":1}]'),
        ("{{ tool.arguments.text | tojson }}", None),
        ("{{ tool.arguments.items }} {{ tool.arguments['keys'] }}", "mine too"),
        ("{{ tool.answers.gone | default('-') }}", "-"),
        ("{% if 'gone' in tool.answers %}a{% else %}b{% endif %}\n", "b\n"),
        ("{{ tool.arguments.list[0] | upper }}{{ [1, 2] | map('string') }}", 'É["1","2"]'),
        ("plain ${HOME} {x}", "plain ${HOME} {x}"),
    ],
)
async def test_values(template: str, expected: str | None) -> None:
    """R83: exactly these names; composites, booleans and null as JSON; a value is never read as a template."""
    arguments = {"text": NASTY, "yes": True, "none": None, "n": 1.5, "list": ["é", True, None, {"a": 1}]}
    found = await one(template, **arguments, items="mine", keys="too")
    if expected is None:
        import json

        assert json.loads(found) == NASTY and "<" not in found
    else:
        assert found == expected


async def test_the_names_are_these() -> None:
    """R83, with `digests` beside the answers (R235)."""
    found = told({"q": GivenAnswer("yes", "d1"), "p": GivenAnswer(False, "d2")})
    assert list(found) == ["tool", "context"]
    assert list(found["tool"]) == ["name", "arguments", "answers", "digests", "options"]
    assert list(found["context"]) == ["action", "root", "access", "workspace_id", "conversation_id"]
    assert list(found["tool"]["answers"].items()) == [("q", "yes"), ("p", False)]
    assert found["tool"]["digests"] == {"q": "d1", "p": "d2"}


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{{ tool.answers.gone }}", "there is no 'gone'"),
        ("{{ nothing }}", "there is no 'nothing'"),
        ("{{ tool.arguments }} {{ '' | foo }}", "No filter named 'foo'"),
        ("{% if %}", "Expected an expression"),
        ("{{ 'a' * 10 ** 11 }}", "too much memory"),
        ("{% for i in range(90000) %}{{ 'a' * 1000 }}{% endfor %}", "more than 16 MiB"),
        ("{{ tool.__class__ }}", "there is no '__class__'"),
        ("{{ ''.join.__globals__ }}", "__globals__"),
        ("{{ tool.arguments.update({'a': 1}) }}", "there is no 'update'"),
        ("{% include '/etc/passwd' %}", "cannot be rendered"),
        ("{{ tool.name.upper }}", "cannot be printed"),
        ("{{ (1).bit_length() + 'a' }}", "TypeError"),
        ("{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}", ""),
    ],
)
async def test_what_cannot_be_rendered_is_said(template: str, why: str) -> None:
    with pytest.raises(BadTemplate, match="template") as caught:
        await one(template, secret="s3cret")
    assert why in str(caught.value) and "s3cret" not in str(caught.value)


async def test_a_template_without_an_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "_SECONDS", 0.3)
    forever = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(BadTemplate, match="too long"):
        await one(forever)


async def test_jinja_is_never_loaded_here() -> None:
    """It is rendered in a child; nothing of it is imported into the program."""
    code = (
        "import asyncio, sys\n"
        "from jp_tui.tools.local.spec import ProgramCommand\n"
        "from jp_tui.tools.local.templates import rendered\n"
        "made = asyncio.run(rendered(ProgramCommand('{{ a }}', stdin='{{ a }}'), {'a': 'b'}))\n"
        "assert (made.argv, made.stdin) == (('b',), b'b'), made\n"
        "assert not [name for name in sys.modules if name.startswith('jinja2')]\n"
    )
    done = await run([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    assert done.ok, done.stderr


async def test_a_line_for_a_shell_keeps_every_value_one_word() -> None:
    """Also without the filter, and a table as its JSON."""
    line = "printf '%s|' {{ tool.arguments.text }} a{{ tool.arguments.text|shell_quote }} {{ tool.arguments.n }}"
    made = await rendered(ProgramCommand(line, ("{{ tool.arguments.list | map('q') | join(' ') }}",), shell=True), told(
        text=NASTY, n=3, list=[NASTY, "b"]
    ))  # fmt: skip
    assert made.argv[:2] == ("/bin/sh", "-c")
    out = (await run(made.argv, cwd="/")).stdout.decode()
    assert out == "|".join([NASTY, f"a{NASTY}", "3", NASTY, "b", ""])
    table = await rendered(ProgramCommand("printf %s {{ tool.arguments }}", shell=True), told(text=NASTY))
    assert json.loads((await run(table.argv, cwd="/")).stdout) == {"text": NASTY}


@pytest.mark.parametrize(
    "line",
    [
        "echo '{{ tool.arguments.text | q }}'",
        'echo "{{ tool.arguments.text | q }}"',
        "echo `echo {{ tool.arguments.text | q }}`",
        "echo # {{ tool.arguments.text | q }}",
        "cat <<END\n{{ tool.arguments.text | q }}\nEND",
        "echo \\{{ tool.arguments.text | q }}",
        "echo ${{ tool.arguments.text | q }}",
    ],
)
async def test_a_line_that_a_value_could_change_is_refused(line: str) -> None:
    with pytest.raises(BadTemplate):
        await rendered(ProgramCommand(line, shell=True), told(text="x"))


@pytest.mark.parametrize("line", ["echo {{ 'a;b' | as_is }}", "echo 'it' \"b\" {{ tool.arguments.text | q }} # c"])
async def test_a_line_that_is_right_is_taken(line: str) -> None:
    assert (await rendered(ProgramCommand(line, shell=True), told(text="x"))).argv[2] != ""


_RUN = ("$(printf INJ)", ";printf INJ;", "\nprintf INJ\n", "`printf INJ`", "|printf INJ")
_TRIES = (*"'\"`#\\ ", *_RUN)


@given(st.text(alphabet="ab'\"`#\\$ \n;|&(){}<", max_size=12), st.lists(st.sampled_from(_TRIES), max_size=5))
def test_no_quoted_value_is_ever_run(before: str, value: list[str]) -> None:
    """Whatever stands in front: when the line is accepted, a real shell runs nothing of the value."""
    try:
        line = check([f": {before}", shlex.quote("".join(value)), ""])
    except Unsafe:
        return
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, stdin=subprocess.DEVNULL, cwd="/", env={})
    assert b"INJ" not in done.stdout


async def test_a_nul_is_refused_where_there_can_be_none() -> None:
    with pytest.raises(BadTemplate, match="NUL"):
        await rendered(ProgramCommand("echo {{ tool.arguments.text | q }}", shell=True), told(text="a\0b"))
    assert (await rendered(ProgramCommand("p", stdin="{{ tool.arguments.text }}"), told(text="a\0b"))).stdin == b"a\0b"


async def test_no_value_is_shown_by_accident() -> None:
    """A rendered command may hold a secret (R202)."""
    made = await rendered(ProgramCommand("p", ("{{ tool.arguments.text }}",), stdin="{{ tool }}"), told(text="hunter2"))
    assert "hunter2" not in repr(made) and "hunter2" in made.argv[1]


async def test_home_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/a b")
    assert (await rendered(ProgramCommand("~/bin/x", ("~/y",)), told())).argv == ("/home/a b/bin/x", "~/y")
    assert (await rendered(ProgramCommand("~/bin/x", shell=True), told())).argv == ("/bin/sh", "-c", "~/bin/x")
    assert (await rendered(ProgramCommand("{{ '~/x' }}"), told())).argv == ("~/x",)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a  b\tc\n", ("a", "b", "c")),
        ("p {{ tool }} --x={{ a.b }}y", ("p", "{{ tool }}", "--x={{ a.b }}y")),
        ("p {% if a %}b c{% endif %}", ("p", "{% if a %}b", "c{% endif %}")),
        ("p 'a b' \"c 'd\" e\\ f ''", ("p", "a b", "c 'd", "e f", "")),
        (r'p "a\"b\n" ' + r"'a\b'", ("p", r'a"b\n', r"a\b")),
        ("p '{{ a | default(\"x y\") }}'", ("p", '{{ a | default("x y") }}')),
    ],
)
def test_a_command_in_one_string(line: str, expected: tuple[str, ...]) -> None:
    """R68: split as a shell would, but a template stays whole."""
    assert words(line) == expected


@pytest.mark.parametrize("line", ["", "  ", "a 'b", 'a "b', "a {{ b", "{% a", "''"])
def test_a_command_that_cannot_be_split(line: str) -> None:
    with pytest.raises(ValueError):
        words(line)


@given(st.lists(st.text(alphabet="ab '\"\\\t$`{}%#", min_size=1), min_size=1))
def test_splitting_is_the_reverse_of_quoting(parts: list[str]) -> None:
    if any(pair in part for part in parts for pair in ("{{", "{%", "{#")):
        return
    assert words(shlex.join(parts)) == tuple(parts)
