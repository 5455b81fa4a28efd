"""The mutation sampler itself: what it changes, what it leaves alone, which tests it asks, and what it reports."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tests.mutants import report, scope, tries
from tests.mutants.copies import ROOT, tracked
from tests.mutants.find import mutants, real
from tests.mutants.mutant import Mutant
from tests.mutants.probes import Blocks, instrument
from tests.mutants.record import Map
from tests.mutants.sample import sample

SOURCE = '''"""Words."""
from __future__ import annotations
import x

NAMES = frozenset({"a", "b"})
Kind = Literal["a"]


class C:
    """More words."""

    __slots__ = ("a",)
    most: int = 3

    def f(self, a: int, b: list[str] = []) -> int:
        """And more."""
        if a > 1 and not b:
            raise ValueError("too many words")
        for one in b:
            if one in NAMES:
                continue
            self.put(a, one, quiet=True)
        assert a
        return a + 1
'''


def changes(source: str) -> set[tuple[str, str, str]]:
    """Each mutant as (kind, before, after), the text without needless space."""
    found = mutants("m.py", source.encode())
    return {(one.kind, " ".join(one.before.split()), " ".join(one.after.split())) for one in found}


@pytest.mark.parametrize(
    "change",
    [
        ("negate", "a > 1 and not b", "not (a > 1 and not b)"),
        ("compare", ">", ">="),
        ("compare", "in", "not in"),
        ("and/or", "and", "or"),
        ("one side", "a > 1 and not b", "(a > 1)"),
        ("one side", "a > 1 and not b", "(not b)"),
        ("drop not", "not b", "b"),
        ("drop raise", 'raise ValueError("too many words")', "pass"),
        ("continue", "continue", "break"),
        ("drop call", "self.put(a, one, quiet=True)", "pass"),
        ("swap arguments", "a, one", "one, a"),
        ("drop keyword", ", quiet=True", ""),
        ("constant", "True", "False"),
        ("constant", "3", "4"),
        ("constant", "3", "2"),
        ("constant", '"a"', '""'),
        ("empty", '{"a", "b"}', "set()"),
        ("return nothing", "return a + 1", "return None"),
        ("sum", "+", "-"),
    ],
    ids=str,
)
def test_each_kind_of_change_is_found(change: tuple[str, str, str]) -> None:
    assert change in changes(SOURCE)


def test_what_no_test_could_notice_is_left_alone() -> None:
    """Docstrings, wording, annotations, slots, type aliases, asserts."""
    befores = {before for _, before, _ in changes(SOURCE)}
    assert not befores & {'"""Words."""', '"too many words"', '("a",)', '"a",', "assert a", "int"}
    assert not any("Literal" in before for before in befores)
    assert changes("def f():\n    x()\n    return None\n") == {("drop call", "x()", "pass")}
    assert changes("async def f():\n    await asyncio.sleep(0)\n") == set()
    assert changes("if TYPE_CHECKING:\n    x = 1\n") == set()


def test_every_mutant_of_a_real_file_is_another_program() -> None:
    """And its key says where it is without a line's number."""
    path = "jp_tui/tools/files/approval.py"
    source = (ROOT / path).read_bytes()
    found = mutants(path, source)
    assert len(found) > 100 and sum(real(one, source) for one in found) > len(found) * 0.9
    moved = mutants(path, b"# a line more\n" + source)
    assert {one.key for one in found} == {one.key for one in moved}
    one = found[-1]
    assert ast.parse(one.applied(source)) and one.diff(source).startswith(f"--- {path}")


def test_a_sample_is_the_seeds_and_hardly_moves_with_the_program() -> None:
    sources = {path: (ROOT / path).read_bytes() for path in scope.files()[:20]}
    first = [one.key for one in sample(sources, 1, 40)]
    assert len(set(first)) == 40 and first == [one.key for one in sample(sources, 1, 40)]
    assert first != [one.key for one in sample(sources, 2, 40)]
    path = next(iter(sources))
    more = {**sources, path: sources[path] + b"\n\ndef more(a):\n    return a + 1\n"}
    assert len(set(first) & {one.key for one in sample(more, 1, 40)}) >= 38


def test_a_probe_stands_in_every_block_of_a_function(tmp_path: Path) -> None:
    """Nested functions and coroutines, handlers and cases; what runs when the file is loaded has none."""
    text = """x = [1]
def f(a):
    try:
        match a:
            case 1:
                x.append(2)
    except ValueError:
        x.append(3)
    else:
        async def g():
            return 4
"""
    (tmp_path / "jp_tui").mkdir()
    (tmp_path / "jp_tui" / "m.py").write_text(text)
    names = instrument(tmp_path, ["jp_tui/m.py"], tmp_path / "hits")
    made = (tmp_path / "jp_tui" / "m.py").read_text()
    assert len(names) == len(set(names)) == made.count("_probe_hits_[") == 6
    assert {name.split("::")[1] for name in names} == {"f", "f.g"}
    blocks = Blocks("jp_tui/m.py", text.encode())
    assert blocks.at(1) == "" and blocks.at(6) != blocks.at(8) != blocks.at(11)
    assert len((tmp_path / "hits").read_bytes()) == 6


def test_tests_are_asked_that_reach_the_change_the_nearest_first() -> None:
    text = b"def f(a):\n    if a:\n        return 1\n    return 2\n\n\ndef g():\n    return 3\n"
    path = "jp_tui/tools/m.py"
    blocks = Blocks(path, text)
    known = Map()
    for test, lines, seconds in (
        ("tests/ui/test_x.py::test_a", (2, 3), 0.1),
        ("tests/tools/test_m.py::test_b", (2,), 3.0),
        ("tests/tools/test_n.py::test_c", (2, 3), 0.1),
        ("tests/tools/test_n.py::test_d", (8,), 0.1),
    ):
        known.seconds[test], known.breadth[test] = seconds, len(lines)
        for line in lines:
            known.reached[blocks.at(line)].add(test)
    assert known.tests_of(path, text, 3) == {"tests/ui/test_x.py::test_a", "tests/tools/test_n.py::test_c"}
    mutant = Mutant(path, "f", "negate", 0, 0, "", "", ("", ""), 2, 1)
    ordered = tries.order(mutant, sorted(known.tests_of(path, text, 2)), known)
    assert ordered[0] == "tests/tools/test_m.py::test_b" and ordered[-1].startswith("tests/ui/")
    assert [len(step) for step in tries.steps([f"t{n}" for n in range(400)], _all(400))] == [50, 200, 150]
    known._blocks.clear()
    changed = text.replace(b"return 3", b"return 4")
    assert known.tests_of(path, changed, 8) == set(known.seconds), "a changed function: whoever reaches its file"


def _all(count: int) -> Map:
    known = Map()
    known.seconds.update({f"t{number}": 0.01 for number in range(count)})
    return known


def test_the_last_result_is_what_security_says_and_is_good_enough() -> None:
    """At most 8 of 100 survive, each named; none that a test could notice where nothing may."""
    stored = json.loads(report.LATEST.read_text())
    page = (ROOT / "SECURITY.md").read_text()
    assert report.section(stored).strip() in page
    assert stored["sample"] >= 300 and stored["survived"] * 100 <= report.MOST * stored["sample"]
    assert all(row["verdict"] in ("equivalent", "fixed") and row["words"] for row in stored["survivors"])


def test_every_judgement_has_its_words_and_the_test_that_it_names_is_there() -> None:
    rows = json.loads(report.JUDGED.read_text())
    assert len({row["key"] for row in rows}) == len(rows)
    for row in rows:
        assert row["verdict"] in ("equivalent", "fixed") and len(row["words"]) > 10, row
        assert row["key"].split("::")[0] in tracked(), row


def test_strict_files_are_those_that_decide() -> None:
    for path in (
        "jp_tui/tools/files/approval.py",
        "jp_tui/engine/asking/approval.py",
        "jp_tui/settings/layers/trust_rules.py",
    ):
        assert scope.strict(path) and path in scope.files()
    assert not scope.strict("jp_tui/engine/desks/titles.py")
    assert not any(name.startswith(("tests/house/", "tests/mutants/")) for name in scope.test_files())
