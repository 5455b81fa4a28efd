"""Changes taken hunk by hunk: exactly what was accepted is written, and the model is told (R251, E26; row 27)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jp_tui.conversation.outcomes import Failure
from jp_tui.questions.types import GivenAnswer, Question, Taken
from jp_tui.questions.wire import digest
from tests.tools.asking import call

M39 = (
    "The proposed file changes were reviewed and rejected. Changes were not applied. "
    "You may retry with different changes."
)
LINES = [f"line {n}\n" for n in range(1, 31)]
TEXT = "".join(LINES)
THREE = [{"old": f"line {n}\n", "new": f"new {n}\n"} for n in (2, 15, 28)]


def with_new(*numbers: int) -> str:
    return "".join(f"new {n}\n" if n in numbers else f"line {n}\n" for n in range(1, 31))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "f.txt"
    made.write_text(TEXT)
    return made


def read(file: Path) -> str:
    return file.read_text()


async def change(file: Path, answers: Any, **more: Any) -> Any:
    return await call(file.parent, "fs_modify_file", answers, path="f.txt", patterns=THREE, **more)


async def test_the_question_carries_its_hunks(file: Path) -> None:
    """R251: beside the whole diff (R234), which it adds up to; part of the digest (R235)."""
    told = await change(file, False)
    (question,) = told.asked
    assert [(part.id, part.title) for part in question.parts] == [
        ("1", "f.txt, line 2"), ("2", "f.txt, line 15"), ("3", "f.txt, line 28")
    ]  # fmt: skip
    shown = "".join(part.diff for part in question.parts)
    assert question.context == f"```diff\n--- a/f.txt\n+++ b/f.txt\n{shown}```"
    again = await change(file, False)
    assert digest(again.asked[0]) == digest(question)


async def test_one_hunk_is_the_whole(tmp_path: Path) -> None:
    """There is nothing to choose."""
    (tmp_path / "f").write_text(TEXT)
    told = await call(tmp_path, "fs_modify_file", True, path="f", patterns=THREE[:1])
    assert told.asked[0].parts == ()


@pytest.mark.parametrize(
    ("accepted", "numbers"),
    [(("1",), (2,)), (("3", "1"), (2, 28)), (("2", "3"), (15, 28)), (("1", "2", "3"), (2, 15, 28))],
)
async def test_only_what_was_accepted_is_written(
    file: Path, accepted: tuple[str, ...], numbers: tuple[int, ...]
) -> None:
    told = await change(file, Taken(accepted))
    assert told.ok
    assert told.ids == ["apply_changes"]
    assert read(file) == with_new(*numbers)


async def test_a_yes_to_the_whole(file: Path) -> None:
    """From a face, a reviewer or a policy that knows no parts."""
    told = await change(file, True)
    assert (told.text, read(file)) == ("Changed f.txt in 3 places: +3 -3 lines.", with_new(2, 15, 28))


async def test_what_the_model_is_told(file: Path) -> None:
    """R251: which were refused, with their diff, and what was written beside any."""
    told = await change(file, Taken(("1", "3"), {"1": "good", "2": "keep it\nas it is", "9": "nowhere", "3": " "}))
    assert told.text == (
        "Changed f.txt in 2 of 3 hunks: +2 -2 lines.\n\n"
        "The user accepted 2 of 3 hunks. Refused, and not applied:\n\n"
        "f.txt, line 15:\n```diff\n@@ -12,7 +12,7 @@\n line 12\n line 13\n line 14\n-line 15\n+new 15\n line 16\n"
        " line 17\n line 18\n```\n\n"
        "Comments of the user:\n\n"
        "On f.txt, line 2 (accepted): good\n\n"
        "On f.txt, line 15 (refused): keep it\nas it is"
    )


async def test_all_of_them_with_a_comment(file: Path) -> None:
    """The whole change, in the words of the whole, and the comment."""
    told = await change(file, Taken(("1", "2", "3"), {"2": "nice"}))
    assert told.text == (
        "Changed f.txt in 3 places: +3 -3 lines.\n\nComments of the user:\n\nOn f.txt, line 15 (accepted): nice"
    )


async def test_none_of_them(file: Path) -> None:
    """M39 to the letter; comments follow it. A yes that accepts nothing is none."""
    assert (await change(file, Taken(()))).outcome == Failure(M39, declined=True)
    told = await change(file, Taken((), {"2": "use a constant"}))
    assert told.outcome == Failure(
        f"{M39}\n\nComments of the user:\n\nOn f.txt, line 15 (refused): use a constant", declined=True
    )
    question = told.asked[0]
    odd = {"apply_changes": GivenAnswer(True, digest(question), taken=Taken(()))}
    assert (await change(file, False, before=odd)).outcome == Failure(M39, declined=True)
    assert read(file) == TEXT


async def test_a_remembered_answer_is_whole(file: Path) -> None:
    """R251, R236: parts that came with it mean nothing for what nobody saw."""
    unseen = {"apply_changes": GivenAnswer(True, "0" * 64, unseen=True, taken=Taken(("1",)))}
    told = await change(file, False, before=unseen)
    assert (told.ids, told.ok, read(file)) == ([], True, with_new(2, 15, 28))


async def test_parts_of_another_change_do_not_count(file: Path) -> None:
    """R235: bound to the digest; an id that was not shown is no answer, and it is asked again."""
    old = {"apply_changes": GivenAnswer(True, "0" * 64, taken=Taken(("1",)))}
    assert (await change(file, False, before=old)).ids == ["apply_changes"]
    question = (await change(file, False)).asked[0]
    strange = {"apply_changes": GivenAnswer(True, digest(question), taken=Taken(("1", "4")))}
    assert (await change(file, False, before=strange)).ids == ["apply_changes"]
    assert read(file) == TEXT


async def test_a_file_that_changed_meanwhile_is_asked_about_again(file: Path) -> None:
    """R235, PATH-061: nothing is written on the old answer; what somebody else wrote is kept."""

    def meanwhile(question: Question) -> Taken:
        if read(file) == TEXT:
            file.write_text("first\n" + TEXT)
            return Taken(("1", "2", "3"))
        assert question.parts[0].title == "f.txt, line 3"
        return Taken(("2",))

    told = await change(file, meanwhile)
    assert told.ids == ["apply_changes", "apply_changes"]
    assert read(file) == "first\n" + with_new(15)


async def test_several_files(tmp_path: Path) -> None:
    """Hunks are numbered through all of them; a file of which nothing was accepted is not touched."""
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(TEXT)
    before = (tmp_path / "b").stat()
    patterns = [{**one, "paths": ["a", "b", "c"]} for one in THREE]
    told = await call(tmp_path, "fs_modify_file", Taken(("2", "7", "9")), patterns=patterns)
    assert len(told.asked[0].parts) == 9
    assert [(tmp_path / name).read_text() for name in "abc"] == [with_new(15), TEXT, with_new(2, 28)]
    after = (tmp_path / "b").stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert told.text.startswith("Changed a in 1 of 3 hunks: +1 -1 lines.\nChanged c in 2 of 3 hunks: +2 -2 lines.\n\n")
    assert "accepted 3 of 9 hunks" in told.text


async def test_bytes_stay_as_they_are(tmp_path: Path) -> None:
    """T12: line ends of both kinds, the byte order mark, a last line without an end, mode."""
    data = b"\xef\xbb\xbfone\r\n" + b"mid\r\n" * 10 + b"two\rx\n" + b"mid\n" * 10 + b"last"
    file = tmp_path / "f"
    file.write_bytes(data)
    file.chmod(0o640)
    patterns = [{"old": "one", "new": "1"}, {"old": "two", "new": "2"}, {"old": "last", "new": "end\u2028\n"}]
    told = await call(tmp_path, "fs_modify_file", Taken(("1", "3")), path="f", patterns=patterns)
    assert told.ok
    assert file.read_bytes() == data.replace(b"one", b"1").replace(b"last", "end\u2028\n".encode())
    assert file.stat().st_mode & 0o777 == 0o640


async def test_a_file_that_is_replaced_is_taken_by_hunk_too(tmp_path: Path) -> None:
    """fs_create_file over an existing file asks the same question with the same parts."""
    (tmp_path / "f").write_text(TEXT)
    answers = {"overwrite_file": True, "apply_changes": Taken(("1", "3"), {"2": "no"})}
    told = await call(tmp_path, "fs_create_file", answers, path="f", content=with_new(2, 15, 28))
    assert told.ids == ["overwrite_file", "apply_changes"]
    assert (tmp_path / "f").read_text() == with_new(2, 28)
    assert (
        told.text.startswith("Changed f in 2 of 3 hunks: +2 -2 lines.\n\n")
        and "On f, line 15 (refused): no" in told.text
    )
    fresh = await call(tmp_path, "fs_create_file", True, path="new", content=TEXT)
    assert fresh.asked[0].parts == ()


async def test_refused_hunks_without_end_are_named_only(tmp_path: Path) -> None:
    """What is repeated to the model is bounded; nothing is left out silently."""
    big = "".join(f"#{n} {'x' * 2000}\n" for n in range(1, 201))
    (tmp_path / "f").write_text(big)
    patterns = [{"old": f"#{n} x", "new": f"#{n} y"} for n in range(20, 200, 20)]
    told = await call(tmp_path, "fs_modify_file", Taken(("1",)), path="f", patterns=patterns)
    assert told.ok
    assert "accepted 1 of 9 hunks" in told.text
    assert len(told.text) < 20_000
    assert told.text.count("(not repeated here)") == 7


async def test_a_fence_in_a_refused_hunk_closes_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("```\n" + TEXT)
    patterns = [{"old": "```", "new": "````"}, THREE[2]]
    told = await call(tmp_path, "fs_modify_file", Taken(("2",)), path="f", patterns=patterns)
    assert "\n`````diff\n" in told.text


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
async def test_whatever_is_accepted(tmp_path: Path, data: st.DataObject) -> None:
    """Any lines, any subset: the outcome is the base with the accepted lines changed and nothing else."""
    numbers = data.draw(st.lists(st.sampled_from(range(1, 31, 8)), min_size=2, unique=True).map(sorted))
    picked = data.draw(st.sets(st.sampled_from(range(len(numbers))), min_size=1))
    (tmp_path / "f.txt").write_text(TEXT)
    patterns = [{"old": f"line {n}\n", "new": f"new {n}\n"} for n in numbers]
    taken = Taken(tuple(str(at + 1) for at in picked))
    told = await call(tmp_path, "fs_modify_file", taken, path="f.txt", patterns=patterns)
    assert told.ok
    assert (tmp_path / "f.txt").read_text() == with_new(*(numbers[at] for at in picked))
