"""Rules that a prompt offers to make of its answer (rules.md AR4, AR5, AR9, AR15, AR18, AR19)."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jp_tui.rules.danger import read_dangers
from jp_tui.rules.decide import RuleLayer, RuleLayers, decide
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.offers import Coverage, ScopeOffer, coverage, offers
from jp_tui.rules.values import ApprovalRule, CallFacts, Nowhere, Situation
from jp_tui.settings.data import DANGER_FILE

DANGERS = read_dangers(tomllib.loads(Path(DANGER_FILE).read_text(encoding="utf-8"))["danger"])
HERE = Situation("/w")


def line(text: str) -> CallFacts:
    return CallFacts("run", f'{{"command":"{text}"}}', "/w", line=text, commands=True)


def offered(
    call: CallFacts, *own: ApprovalRule, policy: tuple[ApprovalRule, ...] = (), walls: bool = False
) -> list[ScopeOffer]:
    layers = RuleLayers(RuleLayer(RuleIndex(policy)), RuleLayer(RuleIndex(own)))
    here = replace(HERE, walls=walls)
    decision = decide(call, layers, here, DANGERS, Nowhere())
    return list(offers(call, decision, layers, here, DANGERS, Nowhere()))


def said(found: list[ScopeOffer]) -> list[tuple[str, str]]:
    return [(one.scope, one.label) for one in found]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ls", [("command", "`ls …`"), ("exact command", "`ls`")]),
        ("git log -3", [("command", "`git log …`"), ("exact command", "`git log -3`"), ("program", "`git …`")]),
        ("python3 a.py x", [("command", "`python3 a.py …`"), ("exact command", "`python3 a.py x`")]),
        ("touch a", [("exact command", "`touch a`"), ("program", "`touch …`")]),
        ("cat $X", [("command", "`cat …`")]),
        ("cd . && git log | head", [("command", "`git log …`, `head …`"), ("exact command", "`git log`, `head`"),
                                    ("program", "`git …`, `head …`")]),
        ("env ls", [("exact command", "`env ls`")]),
        ("sh -c 'ls'", [("call", "exactly this call of run")]),
        ("rm -rf a", []), ("ls $(x)", []), ("$X a", []),
    ],
)  # fmt: skip
def test_ar18_what_a_command_offers_the_best_first(text: str, wanted: list[tuple[str, str]]) -> None:
    found = offered(line(text))
    assert said(found) == wanted
    assert all(
        one.lifetimes == (("turn",) if one.scope == "call" else ("turn", "conversation", "folder")) for one in found
    )


def test_ar18_only_parts_that_no_rule_covers_get_a_rule() -> None:
    ls = ApprovalRule("a", "allow", "run", (("ls",),))
    assert said(offered(line("ls | wc -l"), ls)) == [
        ("command", "`wc …`"), ("exact command", "`wc -l`"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"paths": ("src/a b.py",)}, [("file", "`src/a b.py`"), ("folder", "files in `src/`")]),
        ({"paths": ("a", "s/b")}, [("file", "`a`, `s/b`"), ("folder", "files in `this folder`, `s/`")]),
        ({"hosts": ("a.b.org",)}, [("host", "`a.b.org`"), ("domain", "`*.b.org`")]),
        ({"hosts": ("localhost",)}, [("host", "`localhost`")]),
        ({"paths": ("/",)}, []),
        ({}, [("call", "exactly this call of t"), ("tool", "every call of t")]),
    ],
)  # fmt: skip
def test_ar18_what_other_calls_offer(more: dict[str, Any], wanted: list[tuple[str, str]]) -> None:
    assert said(offered(CallFacts("t", "{}", "/w", **more))) == wanted


def test_ar5_a_whole_tool_of_commands_is_offered_in_the_sandbox_only() -> None:
    assert "tool" not in [one.scope for one in offered(line("ls"))]
    assert offered(line("ls"), walls=True)[-1].scope == "tool"


@pytest.mark.parametrize("path", ["src/[a].py", "a*b", "!x", "#y", "dir/a ", "ü/é.txt"])
def test_ar18_the_offer_of_a_file_is_about_that_file_only(path: str) -> None:
    call = CallFacts("t", "{}", "/w", paths=(path,))
    (rule,) = offered(call)[0].rules
    layers = RuleLayers(user=RuleLayer(RuleIndex([rule])))
    for other, choice in ((path, "run"), ("src/a.py", "ask"), ("aXb", "ask"), (f"{path}x", "ask")):
        assert decide(replace(call, paths=(other,)), layers, HERE, DANGERS, Nowhere()).choice == choice


def test_ar7_what_a_policy_asks_about_is_allowed_once_only() -> None:
    assert offered(line("ls"), policy=(ApprovalRule("p", "ask", "*"),)) == []


def test_ar18_an_own_rule_that_asks_is_outdone_by_what_is_more_specific_only() -> None:
    own = ApprovalRule("a", "ask", "run", (("git",), ("log",)), folder="/w")
    assert [one.scope for one in offered(line("git log -3"), own)] == ["exact command"]


def test_ar19_how_many_of_the_last_calls_an_offer_covers() -> None:
    best = offered(line("git log -3"))[0]
    past = [(line("git log"), True), (line("cd . ; git log -1"), False), (line("git push"), True)]
    assert coverage(best, past, "/w", DANGERS, now=0.0) == Coverage(2, 1, 3)
