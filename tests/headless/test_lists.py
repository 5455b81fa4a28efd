"""What leaves the program is one JSON object a line, whatever is in it, and a list that no title can draw over (S2)."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.headless.output import OutputEnded, TextOutput, json_line
from tests.headless.running import jp, latest, lines, log

ODD = "a\x1b[2Jb\x9b31mc\x7fd\u2028e\x85f\u202eg\nh\t[red]i"


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_a_line_is_one_line_for_every_reader_and_nothing_in_it_acts(value: Any) -> None:
    """No control character is left, and what is read is what was written."""
    line = json_line({"v": value})
    assert json.loads(line) == {"v": value}
    assert line.splitlines() == [line] and line.encode()
    assert not any(char < " " or "\x7f" <= char <= "\x9f" for char in line)


def test_half_a_character_is_written_as_json_writes_it() -> None:
    assert json_line({"v": "\ud800\U0001f600"}) == '{"v":"\\ud800\U0001f600"}'


def test_output_that_ends() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with pytest.raises(OutputEnded) as caught:
        TextOutput(True, Gone(), io.StringIO()).line({})
    assert caught.value.status == 141 and not caught.value.words
    TextOutput(True, io.StringIO(), Gone()).tell("nobody hears it, and nothing happens")


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "script.toml"
    file.write_text('fallback = "Nothing to that."\n[[walks]]\nname = "x"\n[[walks.turns]]\ntext = "y"\n')
    return f"demo/{file}"


def test_titles_and_texts_of_a_hostile_log_are_shown_and_do_nothing(tmp_path: Path, script: str) -> None:
    """T1, R197, STORE-031: in the list, in the transcript, and unchanged in JSON."""
    assert jp(tmp_path, "query", "--model", script, f"{ODD}\nand more").returncode == 0
    listed, shown = (
        jp(tmp_path, "conversations", "list").stdout,
        jp(tmp_path, "conversations", "show", latest(tmp_path)),
    )
    for text in (listed, shown.stdout):
        assert "\x1b" not in text and "\x9b" not in text and "\u202e" not in text and "\x7f" not in text
    assert len(listed.splitlines()) == 1
    assert "You: a" in shown.stdout and "[red]" in shown.stdout and "and more" in shown.stdout
    (row,) = lines(jp(tmp_path, "conversations", "list", "--json").stdout)
    assert row["title"].startswith("a\x1b[2Jb")
    assert log(tmp_path, row["id"])[1]["content"] == f"{ODD}\nand more"


def test_events_that_cannot_be_read_are_shown_as_such(tmp_path: Path, script: str) -> None:
    """STORE-006, STORE-007: the rest is there, and a query goes on."""
    jp(tmp_path, "query", "--model", script, "one")
    database = tmp_path / "data" / "conversations.db"
    with sqlite3.connect(database) as db:
        db.execute("UPDATE events SET payload = '{broken' WHERE seq = 3")
        db.execute("""UPDATE events SET payload = '{"type":"v99","x":1}', kind = 'v99' WHERE seq = 4""")
    db.close()
    shown = jp(tmp_path, "conversations", "show", latest(tmp_path))
    assert shown.returncode == 0 and "You: one" in shown.stdout
    assert "(unreadable" in shown.stdout and "(v99)" in shown.stdout
    events = log(tmp_path, latest(tmp_path))
    assert events[2]["type"] == "unreadable" and events[3] == {**events[3], "type": "v99", "x": 1}
    assert jp(tmp_path, "query", "-c", "two").returncode == 0


def test_an_empty_list_and_what_is_not_there(tmp_path: Path) -> None:
    assert jp(tmp_path, "conversations", "list").stdout.startswith("No conversations yet")
    assert jp(tmp_path, "conversations", "list", "--json").stdout == ""
    ran = jp(tmp_path, "conversations", "show", "nope", "--json")
    assert (ran.returncode, ran.stdout) == (2, "") and "nope" in ran.stderr


def test_without_a_lock_nothing_is_written(tmp_path: Path, script: str) -> None:
    """S12, STORE-018: a clear refusal before anything starts."""
    jp(tmp_path, "query", "--model", script, "one")
    here = latest(tmp_path)
    lock = tmp_path / "data" / "locks" / f"{here}.lock"
    lock.unlink()
    lock.mkdir()
    before = log(tmp_path, here)
    ran = jp(tmp_path, "query", "--json", "-c", "hello")
    assert ran.returncode == 2 and ran.stdout == "" and str(lock) in ran.stderr and "Traceback" not in ran.stderr
    assert log(tmp_path, here) == before


def test_what_cannot_be_opened_ends_with_2(tmp_path: Path) -> None:
    """S1: found unusable before anything starts."""
    for words in (["--resume", "zzzz"], ["--model", "demo/no/such/script.toml"]):
        ran = jp(tmp_path, "query", "--json", *words, "hello")
        assert (ran.returncode, ran.stdout) == (2, "") and "Traceback" not in ran.stderr


def test_a_prompt_that_is_no_text_is_refused(tmp_path: Path, script: str) -> None:
    ran = jp(tmp_path, "query", "--model", script, "-", stdin=b"caf\xe9")
    assert ran.returncode == 2 and "UTF-8" in ran.stderr and "byte 3" in ran.stderr
    assert jp(tmp_path, "query", "--model", script, "-", stdin="x" * (16 << 20) + "yz").returncode == 2


def test_json_is_utf8_in_any_locale(tmp_path: Path, script: str) -> None:
    """S2."""
    ran = jp(tmp_path, "query", "--json", "--model", script, "-", stdin="ä✓", PYTHONIOENCODING="latin-1", LC_ALL="C")
    assert lines(ran.stdout)[1]["content"] == "ä✓"
    plain = jp(tmp_path, "conversations", "show", latest(tmp_path), PYTHONIOENCODING="ascii")
    assert plain.returncode == 0 and "You: ??" in plain.stdout


def test_a_form_is_shown_as_one_block(tmp_path: Path) -> None:
    """Issue 5, 9: its questions stand together, once, also where the record is read in lines."""
    asks = '{ id = "a", text = "First?", answer_type = "text" }, { id = "b", text = "Second?", answer_type = "text" }'
    file = tmp_path / "form.toml"
    file.write_text(
        f'[[turns]]\ncalls = [{{ name = "ask_user", arguments = {{ questions = [{asks}] }} }}]\n'
        '[[turns]]\ntext = "Thanks."\n'
    )
    pinned = [f"conversation.tools.ask_user.questions.{id_}.answer={id_}{id_}" for id_ in "ab"]
    given_ = [word for one in pinned for word in ("--cfg", one)]
    done = jp(tmp_path, "query", "--model", f"demo/{file}", *given_, "--non-interactive", "go")
    assert done.returncode == 0, done.stderr
    shown = jp(tmp_path, "conversations", "show", latest(tmp_path)).stdout
    assert shown.count("Asked 2 questions") == 1
    assert shown.count('1. First? – Answer: "aa"\n2. Second? – Answer: "bb"') == 1 and "Thanks." in shown


def test_a_store_that_was_repaired_is_told_on_stderr_by_every_command(tmp_path: Path, script: str) -> None:
    """(Z24, S2) The results are on standard output, as ever."""
    jp(tmp_path, "query", "--model", script, "one")
    here = latest(tmp_path)
    wanted = jp(tmp_path, "conversations", "list", "--json").stdout
    for words in (("list", "--json"), ("show", here), ("rename", here, "x"), ("search", "one")):
        with (tmp_path / "data" / "conversations.db").open("r+b") as file:
            file.write(bytes(100))
        ran = jp(tmp_path, "conversations", *words)
        assert ran.returncode == 0 and "was damaged" in ran.stderr and ".damaged-" in ran.stderr, words
        assert "damaged" not in ran.stdout and (words[0] != "list" or ran.stdout == wanted)
