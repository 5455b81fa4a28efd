"""RuleLayers, calls and rules of chance, for "nothing that is added makes a decision looser" (rules.md AR7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from jp_tui.rules.danger import Danger
from jp_tui.rules.decide import RuleLayer, RuleLayers, decide
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.values import MODES, ApprovalRule, CallFacts, Choice, Nowhere, Situation

STRICT: dict[Choice, int] = {"run": 0, "ask": 1, "skip": 2}
DANGERS = (Danger("rm", ("rm",), flags=("-r", "-f"), reason="deletes"),)
_WORDS = ("ok", "git", "log", "push", "rm", "-r", "make", "sudo", "sh", "-c", "x", "python3", "a.py")
_TOOLS = ("run", "edit", "mcp.a")
_LINES = (
    "ok", "git log", "git push x", "rm -r x", "ok && git log", "ok | make", "sudo ok", "sh -c 'git push'", "ok $X",
    "git $X", "$X", "ok $(ok)", "cd a && ok", "ok > f", "ok > /etc/f", "python3 a.py", "pwd", "x=1 ok", "git -C x push",
    "env rm -r x", "make\ngit log", "ok; (git push)",
)  # fmt: skip


def _rule(effects: tuple[str, ...]) -> st.SearchStrategy[ApprovalRule]:
    words = st.lists(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=2).map(tuple), min_size=1, max_size=3)
    scope: st.SearchStrategy[dict[str, Any]] = st.one_of(
        st.just({}),
        st.builds(lambda found, exact: {"command": tuple(found), "exact": exact}, words, st.booleans()),
        st.sampled_from(({"path": "src/**"}, {"path": "*.py"}, {"path": "a"}, {"host": "*.b.org"}, {"host": "b.org"})),
        st.sampled_from(({"arguments": "{1}"}, {"arguments": "{2}"})),
    )  # fmt: skip
    return st.builds(
        lambda number, effect, tool, found, folder, expires: ApprovalRule(
            f"rule-{number}", effect, tool if effect != "allow" else tool.replace("*", "run"), folder=folder,
            expires=expires, **found,
        ),
        st.integers(0, 10**9), st.sampled_from(effects), st.sampled_from((*_TOOLS, "*", "mcp.*")), scope,
        st.sampled_from(("", "/w", "/other", "/")), st.sampled_from((None, None, 1.0, 1e12)),
    )  # fmt: skip


def _some(effects: tuple[str, ...], most: int = 6) -> st.SearchStrategy[tuple[ApprovalRule, ...]]:
    return st.lists(_rule(effects), max_size=most).map(tuple)


ANY = _some(("allow", "allow", "ask", "deny"))
STRICTER = _some(("ask", "deny"), 3)

CALLS = st.one_of(
    st.builds(lambda line: CallFacts("run", "{1}", "/w", line=line, commands=True), st.sampled_from(_LINES)),
    st.builds(
        lambda argv: CallFacts("run", "{1}", "/w", argv=tuple(argv), commands=True),
        st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4),
    ),
    st.builds(
        lambda tool, paths, edits: CallFacts(tool, "{2}", "/w", paths=tuple(paths), edits=edits),
        st.sampled_from(_TOOLS), st.lists(st.sampled_from(("src/a.py", "a", "b/c")), max_size=2), st.booleans(),
    ),
    st.builds(
        lambda hosts: CallFacts("mcp.a", "{2}", "/w", hosts=tuple(hosts)),
        st.lists(st.sampled_from(("a.b.org", "b.org")), max_size=2),
    ),
)  # fmt: skip
SITUATIONS = st.builds(
    lambda walls, network, refused: Situation("/w", walls, network, refused, now=100.0),
    st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip
SETTINGS = st.builds(
    lambda run, mode: {"run": run, "mode": mode},
    st.sampled_from(("ask", "edit", "unattended", "skip")),
    st.sampled_from((None, *MODES)),
)
LAYERS = st.builds(
    lambda policy, user, folder, settings, trusted, most: RuleLayers(
        RuleLayer(RuleIndex(policy)), RuleLayer(RuleIndex(user), **settings), RuleLayer(RuleIndex(folder),
        trusted=trusted), most
    ),
    STRICTER, ANY, ANY, SETTINGS, st.booleans(), st.sampled_from(MODES),
)  # fmt: skip


def strictness(call: CallFacts, layers: RuleLayers, situation: Situation) -> int:
    """0: it runs, 1: it asks, 2: it is skipped."""
    return STRICT[decide(call, layers, situation, DANGERS, Nowhere()).choice]


def with_policy(layers: RuleLayers, more: tuple[ApprovalRule, ...]) -> RuleLayers:
    """The layers with more rules in the policy."""
    return replace(layers, policy=replace(layers.policy, rules=RuleIndex((*layers.policy.rules.rules, *more))))


def with_folder(layers: RuleLayers, more: tuple[ApprovalRule, ...]) -> RuleLayers:
    """The layers with more rules in a folder that is not trusted."""
    rules = RuleIndex((*layers.folder.rules.rules, *more))
    return replace(layers, folder=replace(layers.folder, rules=rules, trusted=False))


def only_policy(layers: RuleLayers) -> RuleLayers:
    """What the policy says by itself, with everything else let run."""
    whole = [ApprovalRule(f"every-{tool}", "allow", tool) for tool in _TOOLS]
    calls = [ApprovalRule(f"{tool}-{one}", "allow", tool, arguments=one) for tool in _TOOLS for one in ("{1}", "{2}")]
    every = RuleIndex([*whole, *calls])
    return RuleLayers(layers.policy, RuleLayer(every, "unattended", "unattended"), max_mode=layers.max_mode)


def looser(
    call: CallFacts,
    layers: RuleLayers,
    situation: Situation,
    policy: tuple[ApprovalRule, ...],
    folder: tuple[ApprovalRule, ...],
) -> str:
    """What made the decision looser; empty when nothing did."""
    before = strictness(call, layers, situation)
    untrusted = replace(layers, folder=replace(layers.folder, trusted=False))
    if strictness(call, with_policy(layers, policy), situation) < before:
        return "more rules in the policy"
    if strictness(call, with_folder(layers, folder), situation) < strictness(call, untrusted, situation):
        return "rules of a folder that is not trusted"
    if before < strictness(call, only_policy(layers), situation):
        return "settings and rules over the policy"
    return ""
