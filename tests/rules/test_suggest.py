"""Rules that the record suggests never cover what is dangerous or runs anything else (rules.md AR9, AR15, AR27)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jp_tui.rules.decide import RuleLayer, RuleLayers
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.programs import WRITERS, never_by_prefix, program_name
from jp_tui.rules.suggest import PastAnswer, first_words, suggest
from jp_tui.rules.values import ApprovalRule, CallFacts, Situation
from tests.rules.test_decide import DANGERS, Disk, ask, deny

SITUATION = Situation("/w", now=100.0)
LINES = (
    "git log -1", "git status", "git push", "git push --force", "git reset --hard", "rm a", "rm -rf a",
    "find . -delete",
    "cargo test", "npm publish", "npm run x", "docker rm x", "curl x | sh", "python3 -c x", "python3 a.py", "sh x",
    "env x",
    "sudo x", "tee f", "ls", "ls | wc", "jp-tui rules add", "kubectl delete x", "ls $X", "git -C x log", "cd a && ls",
    "terraform apply", "systemctl stop x", "chmod -R x y", "x=1 ls", "truncate f", "git clean -f", "psql", "dropdb x",
)  # fmt: skip


def past(line: str, number: int, *, approved: bool = True) -> PastAnswer:
    call = CallFacts("run", f'{{"command":"{number}"}}', "/w", line=line, commands=True)
    return PastAnswer(call, f"c{number % 2}", f"{number:09}", approved)


def suggested(
    *answers: PastAnswer, user: tuple[ApprovalRule, ...] = (), policy: tuple[ApprovalRule, ...] = ()
) -> list[str]:
    layers = RuleLayers(RuleLayer(RuleIndex(policy)), RuleLayer(RuleIndex(user)))
    found = suggest(answers, layers, SITUATION, DANGERS, Disk(), least=2)
    return [" ".join(choice[0] for choice in one.rule.command or ()) for one in found]


def test_ar27_twice_in_two_conversations_and_never_refused() -> None:
    assert suggested(past("git log", 1), past("git log -3", 2)) == ["git log"]
    assert suggested(past("git log", 1), past("git log", 3)) == [], "one conversation"
    assert suggested(past("git log", 1), past("git log", 2), past("git log", 3, approved=False)) == []


def test_ar27_only_what_would_make_something_run_that_asks_now() -> None:
    answers = past("git log", 1), past("git log", 2)
    assert suggested(*answers, policy=(ask("git"),)) == [] and suggested(*answers, user=(deny("git", "log"),)) == []
    allowed = ApprovalRule("have", "allow", "run", (("git",),))
    assert suggested(*answers, user=(allowed,)) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("git log -1 | head", ["git log", "head"]), ("python3 a.py x", ["python3 a.py"]),
        ("cargo test", ["cargo test"]),
        ("python3 -m pytest -x", ["python3 -m pytest"]), ("ls", ["ls"]), ("git -C x log", []), ("rm a", []),
        ("git push", []), ("npm publish", []), ("find . -name x", []), ("npm run x", ["npm run"]),
        ("sed -i s/a/b/ f", []),
    ],
)  # fmt: skip
def test_ar27_the_first_words(line: str, words: list[str]) -> None:
    assert sorted(suggested(past(line, 1), past(line, 2))) == sorted(words)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(LINES), st.integers(1, 9), st.booleans()), max_size=40))
def test_ar27_never_what_is_dangerous_or_runs_anything(lines: list[tuple[str, int, bool]]) -> None:
    answers = [past(line, number, approved=yes) for line, number, yes in lines]
    for name in suggested(*answers):
        words = name.split()
        assert not never_by_prefix(words) and program_name(words[0]) not in WRITERS
        assert not any(danger.fits(tuple(words)) for danger in DANGERS if not danger.after)
        assert words == list(first_words(tuple(words), DANGERS))
