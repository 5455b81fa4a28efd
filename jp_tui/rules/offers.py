"""Rules that a prompt offers to make of its answer: how wide, and for how long (rules.md AR4, AR15, AR18).

Pure. Each offer is checked with `decide`, and left out unless it would let this call run. A refusal has the same
scopes.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from posixpath import dirname
from typing import Literal, TypeAlias

from jp_tui.rules.danger import Danger
from jp_tui.rules.decide import RuleLayer, RuleLayers, decide
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.programs import never_by_prefix
from jp_tui.rules.suggest import first_words
from jp_tui.rules.values import ApprovalRule, CallDecision, CallFacts, Nowhere, Places, Situation, Words

Lifetime: TypeAlias = Literal["turn", "conversation", "folder"]
LIFETIMES: tuple[Lifetime, ...] = ("turn", "conversation", "folder")
OfferScope: TypeAlias = Literal[
    "call", "exact command", "command", "program", "file", "folder", "host", "domain", "tool"
]
WIDTHS: tuple[OfferScope, ...] = (
    "call", "exact command", "command", "program", "file", "folder", "host", "domain", "tool",
)  # fmt: skip
"""From narrow to wide."""
_BEST: tuple[OfferScope, ...] = (
    "command",
    "exact command",
    "program",
    "file",
    "host",
    "call",
    "folder",
    "domain",
    "tool",
)
_MOST_PARTS = 8
"""Most rules of one answer: a line with more parts that no rule covers can be allowed only as it is."""
_SPECIAL = re.compile(r"([\\*?\[\]!# ])")


@dataclass(frozen=True, slots=True)
class ScopeOffer:
    """One scope: allow rules without ids, one for each part that no rule covers, and the lifetimes they may have."""

    scope: OfferScope
    label: str
    rules: tuple[ApprovalRule, ...]
    lifetimes: tuple[Lifetime, ...] = LIFETIMES


@dataclass(frozen=True, slots=True)
class Coverage:
    """Numbers of past calls: those that an offer matches, those of them that were refused, and all that were
    checked."""

    matched: int = 0
    refused: int = 0
    of: int = 0


def offers(
    call: CallFacts,
    decision: CallDecision,
    layers: RuleLayers,
    situation: Situation,
    dangers: Sequence[Danger],
    places: Places,
) -> tuple[ScopeOffer, ...]:
    """Return the offers for a call that asks, the best first; empty if it may be allowed once only."""
    if decision.choice != "ask" or decision.once or decision.by == "policy":
        return ()
    found = []
    for offer in _made(call, decision, situation, dangers):
        user = replace(layers.user, rules=RuleIndex((*layers.user.rules.rules, *offer.rules)))
        if decide(call, replace(layers, user=user), situation, dangers, places).choice == "run":
            found.append(offer)
    if any(one.scope != "call" for one in found) and call.commands:
        found = [one for one in found if one.scope != "call"]
    return tuple(sorted(found, key=lambda one: _BEST.index(one.scope)))


def coverage(
    offer: ScopeOffer, past: Sequence[tuple[CallFacts, bool]], root: str, dangers: Sequence[Danger], *, now: float
) -> Coverage:
    """Return how many of the past calls the offer would have allowed; each past call is paired with True if it was
    approved."""
    layers = RuleLayers(user=RuleLayer(RuleIndex(offer.rules)))
    situation = Situation(root, walls=True, now=now)
    hits = [ok for call, ok in past if decide(call, layers, situation, dangers, Nowhere()).choice == "run"]
    return Coverage(len(hits), hits.count(False), len(past))


def _made(
    call: CallFacts, decision: CallDecision, situation: Situation, dangers: Sequence[Danger]
) -> Iterator[ScopeOffer]:
    def rule(**scope: object) -> ApprovalRule:
        return ApprovalRule("", "allow", call.tool, folder=situation.root, **scope)  # type: ignore[arg-type]

    if call.commands or call.line is not None or call.argv is not None:
        yield from _commands(decision, dangers, rule)
        yield ScopeOffer("call", f"exactly this call of {call.tool}", (rule(arguments=call.arguments),), ("turn",))
        if situation.walls:
            yield ScopeOffer("tool", f"every command of {call.tool} in the sandbox", (rule(),))
    elif call.paths:
        if all(map(_nameable, call.paths)):
            files = tuple(dict.fromkeys(call.paths))
            folders = tuple(dict.fromkeys(dirname(path) for path in files))
            yield ScopeOffer("file", _listed(files), tuple(rule(path=f"/{_escaped(path)}") for path in files))
            shown = tuple(f"{folder}/" if folder else "this folder" for folder in folders)
            patterns = tuple(f"/{_escaped(folder)}/**" if folder else "**" for folder in folders)
            yield ScopeOffer("folder", f"files in {_listed(shown)}", tuple(rule(path=one) for one in patterns))
    elif call.hosts:
        hosts = tuple(dict.fromkeys(call.hosts))
        yield ScopeOffer("host", _listed(hosts), tuple(rule(host=host) for host in hosts))
        above = tuple(dict.fromkeys(f"*.{host.split('.', 1)[1]}" for host in hosts if host.count(".") > 1))
        if len(above) == len({host.split(".", 1)[1] for host in hosts if "." in host}) and above:
            yield ScopeOffer("domain", _listed(above), tuple(rule(host=one) for one in above))
    else:
        yield ScopeOffer("call", f"exactly this call of {call.tool}", (rule(arguments=call.arguments),))
        yield ScopeOffer("tool", f"every call of {call.tool}", (rule(),))


def _commands(
    decision: CallDecision, dangers: Sequence[Danger], rule: Callable[..., ApprovalRule]
) -> Iterator[ScopeOffer]:
    """Yield the parts that no rule covers: each as it is, by program and subcommand, and by program."""
    parts = list(dict.fromkeys(one.words for one in decision.parts if one.choice == "ask"))
    if not parts or len(parts) > _MOST_PARTS:
        return
    before: tuple[ApprovalRule, ...] = ()
    for scope in ("exact command", "command", "program"):
        made = [_first(scope, words, dangers) for words in parts]
        if not all(words for words, _ in made):
            continue
        rules = tuple(
            dict.fromkeys(rule(command=tuple((word,) for word in words), exact=exact) for words, exact in made)
        )
        label = _listed(tuple(f"{shlex.join(words)}{'' if exact else ' …'}" for words, exact in made))
        if rules != before:
            yield ScopeOffer(scope, label, rules)
        before = rules


def _first(scope: str, words: Words, dangers: Sequence[Danger]) -> tuple[tuple[str, ...], bool]:
    """Return the first words of a rule of this scope for a part, and True if they are all of it; else the next
    narrower."""
    literal = tuple(word for word in words if word is not None)
    if scope == "program":
        for length in (1, 2, 3):
            first = literal[:length] if words[:length] == literal[:length] else ()
            if len(first) == length and not never_by_prefix(first):
                return first, False
    if scope != "exact command" and (first := first_words(words, dangers)):
        return first, False
    if len(literal) == len(words) and not never_by_prefix(literal, exact=True):
        return literal, True
    return (), True


def _nameable(path: str) -> bool:
    return path not in ("", ".") and not path.startswith("/") and not re.search(r"[\x00-\x1f\x7f]", path)


def _escaped(path: str) -> str:
    """Return a path as an ignore-file pattern that matches only this path."""
    return _SPECIAL.sub(r"\\\1", path)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
