"""The scripted model (S22): what it says follows from the request alone, and the tour's walks react to answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from jp_tui.conversation.model import (
    Call,
    Delta,
    Finished,
    Message,
    ModelError,
    ModelRequest,
    PartEnded,
    PartGrew,
    PartOpened,
    Result,
    TextPart,
    Usage,
)
from jp_tui.providers.scripted.provider import DemoProvider, choose, find_walk, open_provider
from jp_tui.providers.scripted.script import Script, ScriptProblem, read_script
from tests.limits import LIMIT

TOUR = Path(__file__).parents[2] / "config" / "demo" / "tour.toml"


def user(text: str) -> Message:
    return Message("user", (TextPart(text),))


def calls(*names: str) -> Message:
    return Message("assistant", tuple(Call(f"c{at}", name, {}) for at, name in enumerate(names)))


def results(*given: tuple[str, str, bool]) -> Message:
    return Message("user", tuple(Result(f"c{at}", *each) for at, each in enumerate(given)))


def spoken(script: Script, *messages: Message) -> str:
    return choose(script, messages).text


async def collect(provider: object, *messages: Message) -> list[Delta]:
    assert isinstance(provider, DemoProvider)
    return [delta async for delta in provider.stream(ModelRequest("x", messages))]


@pytest.fixture(scope="module")
def tour() -> Script:
    return read_script(TOUR)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "script.toml"
    path.write_text(text)
    return path


def test_s22_the_tour_greets_once_and_names_every_walk(tour: Script) -> None:
    assert tour.greeting is not None and len(tour.greeting) < 1_050
    for walk in tour.walks:
        if walk.number:
            assert f"{walk.number}. `{walk.name}`" in tour.greeting
    assert [walk.number for walk in tour.walks if walk.number] == list(range(1, 15))
    assert tour.sample is not None and (tour.sample / "src" / "teatimer" / "brew.py").is_file()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1", "change"),
        (" 1. ", "change"),
        ("#2", "boolean"),
        ("walk 3", "select"),
        ("TEXT", "text"),
        ("Show me the diff!", "change"),
        ("several tools please", "tools"),
        ("7", "multi"),
        ("Walk 10", "hunks"),
        ("several questions", "form"),
        ("11", "approve"),
        ("a second opinion", "approve"),
        ("escalation", "reject"),
        ("JSON", "schema"),
        ("13", "agents"),
        ("14", "people"),
        ("four eyes", "people"),
        ("Sub-agents", "agents"),
        ("a table", "markdown"),
        ("hello?", "menu"),
        ("menu", "menu"),
    ],
)
def test_a_walk_is_picked_by_number_name_or_word(tour: Script, text: str, name: str) -> None:
    walk = find_walk(tour, text)
    assert walk is not None and walk.name == name


@pytest.mark.parametrize(
    "text",
    ["", "15", "0", "write a haiku about the sea and tell me which file it is in", "editor", "why?", "¿", "1 2"],
)
def test_other_text_gets_an_honest_line_and_two_lines_to_copy(tour: Script, text: str) -> None:
    assert find_walk(tour, text) is None
    said = spoken(tour, user(text))
    assert "offline tour" in said
    copied = said.split("```sh\n")[1].split("\n```")[0].splitlines()
    assert copied == ['export ANTHROPIC_API_KEY="your-key"', "jp-tui --model anthropic/claude-sonnet-4-5"]


def test_the_change_in_the_tour_fits_the_sample(tour: Script) -> None:
    """The proposed patch is one that fs_modify_file can make: its old text stands exactly once."""
    turn = next(turn for walk in tour.walks if walk.name == "change" for turn in walk.turns if turn.step == 2)
    (name, arguments), *_ = turn.calls
    assert name == "fs_modify_file" and tour.sample is not None
    patches = arguments["patterns"]
    assert isinstance(patches, list) and isinstance(patches[0], dict) and len(patches) == 1
    old, new = str(patches[0]["old"]), str(patches[0]["new"])
    content = (tour.sample / str(arguments["path"])).read_text()
    assert content.count(old) == 1
    assert "celsius=80, seconds=120" in content.replace(old, new)


@pytest.mark.parametrize(
    ("content", "is_error", "words"),
    [
        ("Applied.", False, "Approved"),
        ("The proposed file changes were reviewed and rejected. Changes were not applied.", True, "You said no"),
        ("Tool input cancelled by user.", False, "You left the question"),
        ("Tool input cancelled by user: not now", False, "in words instead"),
        ("src/teatimer/brew.py: no such file", True, "reported an error"),
    ],
)
def test_the_change_walk_reacts_to_accepted_rejected_left_and_failed(
    tour: Script, content: str, is_error: bool, words: str
) -> None:
    history = (
        user("1"),
        calls("fs_read_file", "fs_read_file"),
        results(("fs_read_file", "", False), ("fs_read_file", "celsius=100, seconds=120", False)),
        calls("fs_modify_file"),
        results(("fs_modify_file", content, is_error)),
    )
    assert words in spoken(tour, *history)


@pytest.mark.parametrize(
    ("pick", "content", "words"),
    [
        ("2", '{"answer_type": "boolean", "answer": true}', "**Yes**"),
        ("2", '{"answer_type":"boolean","answer":false}', "**No**"),
        ("2", "Tool input cancelled by user.", "nobody answered for you"),
        ("3", '{"answer_type":"select","answer":"green"}', "**green**"),
        ("3", '{"answer_type":"select","answer":"rooibos"}', "seven minutes"),
        ("3", '{"cancelled": true, "answered": {}}', "selected none"),
        ("4", '{"answer_type":"text","answer":"Assam"}', "> {answer}"),
        ("4", "{", "No name"),
    ],
)
def test_the_question_walks_react_to_the_answer(tour: Script, pick: str, content: str, words: str) -> None:
    assert words in spoken(tour, user(pick), calls("ask_user"), results(("ask_user", content, False)))


async def test_the_answer_is_said_back(tmp_path: Path) -> None:
    path = write(tmp_path, '[[turns]]\ncalls = [{name = "ask_user"}]\n[[turns]]\ntext = "{user}: {answer}, {other}"')
    deltas = await collect(
        open_provider(str(path)), user("Hi"), calls("ask_user"), results(("ask_user", '{"answer":"As\\nsam"}', False))
    )
    assert [delta.text for delta in deltas if isinstance(delta, PartGrew)] == ["Hi: As\nsam, {other}"]


def test_a_walk_starts_again_when_it_is_picked_again(tour: Script) -> None:
    ended = (user("6"), Message("assistant", (TextPart("…"),)))
    assert spoken(tour, *ended, user("6")) == spoken(tour, user("6"))


async def test_deltas_of_one_turn_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'greeting = "Hello"\n[[turns]]\nreasoning = "hm"\ntext = "ok"\n'
        'calls = [{name = "a", arguments = {x = 1}}, {name = "b"}]',
    )
    provider = open_provider(str(path))
    assert provider.greeting == "Hello" and provider.sample is None
    assert await collect(provider, user("anything")) == [
        PartOpened(0, "reasoning"),
        PartGrew(0, "hm"),
        PartEnded(0),
        PartOpened(1, "message"),
        PartGrew(1, "ok"),
        PartEnded(1),
        PartOpened(2, "tool", "demo_1", "a"),
        PartGrew(2, '{"x":1}'),
        PartEnded(2, arguments={"x": 1}),
        PartOpened(3, "tool", "demo_2", "b"),
        PartGrew(3, "{}"),
        PartEnded(3, arguments={}),
        Finished("tools", Usage(input=3, output=5)),
    ]


async def test_call_ids_do_not_repeat_within_a_conversation(tmp_path: Path) -> None:
    path = write(tmp_path, '[[turns]]\ncalls=[{name="a"}]\n[[turns]]\ncalls=[{name="a"}]')
    deltas = await collect(open_provider(str(path)), user("go"), calls("a"), results(("a", "", False)))
    assert [delta.id for delta in deltas if isinstance(delta, PartOpened)] == ["demo_2"]


async def test_a_rate_streams_in_small_pieces_and_can_be_left(tmp_path: Path) -> None:
    path = write(tmp_path, f'rate = 20\n[[turns]]\ntext = "{"word " * 20_000}"')
    provider = open_provider(str(path))
    stream = provider.stream(ModelRequest("x", (user("go"),)))
    async with asyncio.timeout(LIMIT):  # the whole would take more than an hour
        assert isinstance(await anext(stream), PartOpened)
        first = await anext(stream)
        assert isinstance(first, PartGrew) and 0 < len(first.text) <= 5
        await stream.aclose()  # type: ignore[attr-defined]
    task = asyncio.ensure_future(collect(provider, user("go")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_script_that_has_nothing_to_say_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, '[[turns]]\ntext = "one"\n[[turns]]\nexpect = {result = "yes"}\ntext = "two"')
    assert spoken(read_script(path), user("a")) == "one"
    for history, words in (
        ((user("a"), calls("t"), results(("t", "no", False))), "expected something else before its turn 2"),
        ((user("a"), calls("t"), user("b"), calls("t"), user("c")), "has no turn 3"),
    ):
        with pytest.raises(ModelError, match=words) as caught:
            await collect(open_provider(str(path)), *history)
        assert "script.toml" in caught.value.message and caught.value.advice


@pytest.mark.parametrize(
    ("expect", "messages", "fits"),
    [
        ('user = "hel"', (user("HELLO"),), True),
        ('user = "bye"', (user("hello"),), False),
        ("is_error = true", (user("a"), results(("t", "", True))), True),
        ("is_error = true", (user("a"), results(("t", "", False))), False),
        ('tool = "t", result = "x"', (user("a"), results(("t", "y", False), ("u", "x", False))), False),
        ("answer = 1", (user("a"), results(("t", '{"answer": true}', False))), False),
        ('answer = ["a"]', (user("a"), results(("t", '{"answer": ["a"]}', False))), True),
        ('result = "x"', (results(("t", "x", False)), calls("t"), user("a")), False),
    ],
)
def test_expect(tmp_path: Path, expect: str, messages: tuple[Message, ...], fits: bool) -> None:
    text = f'fallback = "else"\n[[walks]]\nname = "x"\nwords = ["a", "hello"]\n[[walks.turns]]\nexpect = {{{expect}}}\n'
    script = read_script(write(tmp_path, text + 'text = "fits"\n[[walks.turns]]\nstep = 1\ntext = "other"'))
    assert spoken(script, *messages) == ("fits" if fits else "other")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("greeting = \n[[turns]]", 1, "Invalid value, column 12"),
        ('[[turns]]\ntext = "a"\n\n[[turns]]\ntxt = "b"', 5, "`txt` is not a key here"),
        ('[[turns]]\ntext = "a"\n[[turns]]\ntext = 5', 4, "`text` must be text"),
        ('[[turns]]\ntext = "a"\n[[turns]]\nreasoning = "b"', 3, "needs `text` or `calls`"),
        ('[[turns]]\ntext = "a"\nexpect = {reslt = "b"}', 3, "`reslt`"),
        ('[[turns]]\ncalls = [{name = "a", arguments = {x = nan}}]', 2, "arguments of a that are not JSON"),
        ('[[turns]]\ncalls = [{name = "a", arguments = {x = 2020-01-01}}]', 2, "arguments of a"),
        ('[[turns]]\ncalls = [{nam = "a"}]', 2, "`calls` must be tables of `name`"),
        ('[[turns]]\ntext = "a"\nstep = 3\n[[turns]]\ntext = "b"\nstep = 5', 6, "`step` must be"),
        (
            '[[walks]]\nname = "a"\n[[walks.turns]]\ntext = "x"\n[[walks]]\nname = "A"\n[[walks.turns]]\ntext="x"',
            6,
            "differ",
        ),
        ('[[walks]]\nname = "a"', 1, "`turns` are missing"),
        (
            '[[walks]]\nname = "a"\n[[walks.turns]]\ntext="x"\n[[walks]]\nname="b"\n[[walks.turns]]\ncalls = 1',
            8,
            "`calls`",
        ),
        (
            '[[walks]]\nname = "a"\n[[walks.turns]]\ntext="x"\n[[walks]]\nname="b"\n[[walks.turns]]\ntext = 1',
            8,
            "`text`",
        ),
        ('sample = "nowhere"\n[[turns]]\ntext = "a"', 1, "names no folder"),
        ('rate = -1\n[[turns]]\ntext = "a"', 1, "`rate`"),
        ("x" + ".x" * 20_000 + ' = 1\n[[turns]]\ntext = "a"', 1, "more than 32 parts"),
        ("greeting = " + "[" * 5000, None, "too deep"),
        ("", None, "needs either"),
    ],
)
def test_a_mistake_in_a_script_names_file_and_line(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ScriptProblem) as caught:
        open_provider(str(path))
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(("text", "words"), [("x = [1", "3: Unclosed array"), ("y = 1 2", "2: ")])
def test_a_mistake_in_the_toml_of_a_script_names_the_column_where_it_is_known(
    tmp_path: Path, text: str, words: str
) -> None:
    path = write(tmp_path, f"# a script\n{text}\n")
    with pytest.raises(ScriptProblem) as caught:
        open_provider(str(path))
    assert str(caught.value).startswith(f"{path}:{words}")
    ending = str(caught.value).rsplit(", ", 1)[-1]
    assert ending == "column 7" if text == "y = 1 2" else str(caught.value) == f"{path}:{words}"


def test_a_script_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ScriptProblem, match="cannot be read: No such file"):
        open_provider(str(tmp_path / "none.toml"))
    broken = tmp_path / "latin.toml"
    broken.write_bytes(b'greeting = "ok"\n# caf\xe9\n')
    with pytest.raises(ScriptProblem, match=r"latin\.toml:2: is not UTF-8"):
        open_provider(str(broken))
    large = write(tmp_path, "#" * (256 * 1024 + 1))
    with pytest.raises(ScriptProblem, match="larger than 256 KiB"):
        open_provider(str(large))
