"""Match a rule with a call or a part of one, and compare how specific rules are (rules.md AR3, AR6, AR14).

Pure, but for the patterns of paths (`pathspec`, loaded at the first such rule).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal, TypeAlias

from jp_tui.rules.programs import never_by_prefix, program_name
from jp_tui.rules.values import ApprovalRule, CallFacts, Words

Match: TypeAlias = Literal["no", "perhaps", "yes"]
Rank: TypeAlias = tuple[int, int, int, int]
"""Compared as tuples: the kind of scope, its length, exact, with a folder. A larger one is more specific."""


@dataclass(frozen=True, slots=True)
class CallPart:
    """The subject of one decision: the words of a command, a path, a host, or none of these (the whole call)."""

    words: Words | None = None
    path: str | None = None
    host: str | None = None
    reached: tuple[tuple[Words, bool], ...] = ()
    """The words and the commands that they run inside a wrapper; see `programs.reaches`."""


def rank(rule: ApprovalRule) -> Rank:
    """Return how specific a rule is (AR6)."""
    folder = 1 if rule.folder else 0
    if rule.arguments is not None:
        return 4, 0, 0, folder
    if rule.command is not None:
        return 3, len(rule.command), int(rule.exact), folder
    if rule.path is not None:
        return 3, len(rule.path), int(not re.search(r"[*?\[]", rule.path)), folder
    if rule.host is not None:
        return 3, len(rule.host), int("*" not in rule.host), folder
    return 1, 0, 0, folder


def active(rule: ApprovalRule, root: str, now: float) -> bool:
    """Return True if a rule applies in this workspace now."""
    if rule.expires is not None and rule.expires <= now:
        return False
    return not rule.folder or root == rule.folder or root.startswith(rule.folder.rstrip("/") + "/")


def names_tool(rule: ApprovalRule, tool: str) -> bool:
    """Return True if the rule applies to this tool."""
    if rule.effect == "allow" or "*" not in rule.tool:
        return rule.tool == tool
    return fnmatchcase(tool, rule.tool.replace("[", "[[]").replace("?", "[?]"))


def match(rule: ApprovalRule, call: CallFacts, part: CallPart) -> Match:
    """Return whether the rule matches; `perhaps` counts for an ask or deny rule only, and asks."""
    if not names_tool(rule, call.tool):
        return "no"
    if rule.arguments is not None:
        return "yes" if rule.arguments == call.arguments else "no"
    if rule.command is not None:
        return _command(rule, part.words, part.reached) if part.words is not None else "no"
    if rule.path is not None:
        outside = part.path is None or part.path.startswith("/")  # no pattern from the workspace's root matches it
        return "yes" if part.path is not None and not outside and _path(rule.path, part.path) else "no"
    if rule.host is not None:
        return "yes" if part.host is not None and _host(rule.host, part.host) else "no"
    return "yes"


def _command(rule: ApprovalRule, words: Words, reached: Sequence[tuple[Words, bool]]) -> Match:
    assert rule.command is not None
    if rule.effect == "allow":
        if not _allowed(rule.command, words, rule.exact):
            return "no"
        first = [str(word) for word in words[: len(rule.command)]]
        return "no" if never_by_prefix(first, exact=rule.exact) else "yes"
    best: Match = "no"
    for inner, certain in reached:
        found = _refused(rule.command, inner, rule.exact)
        if found == "yes" and certain:
            return "yes"
        if found != "no":
            best = "perhaps"
    return best


def _allowed(wanted: tuple[tuple[str, ...], ...], words: Words, exact: bool) -> bool:
    """Return True if the words match one by one, for an allow rule; an open word matches none."""
    if len(words) < len(wanted) or (exact and len(words) != len(wanted)):
        return False
    return all(word in choices for choices, word in zip(wanted, words, strict=False))


def _refused(wanted: tuple[tuple[str, ...], ...], words: Words, exact: bool) -> Match:
    """Return whether the words match, for an ask or deny rule. `perhaps`: an open word, which may be any word or
    several, or options between the program and its subcommand. The program matches with its folder or without."""
    if not words:
        return "no"
    first = words[0]
    if first is None:
        return "perhaps"
    if first not in wanted[0] and program_name(first) not in {program_name(one) for one in wanted[0]}:
        return "no"
    rest, left = words[1:], wanted[1:]
    if None not in rest[: len(left)] and _allowed(left, rest, exact):
        return "yes"
    if _open(left, rest, exact):
        return "perhaps"
    for at in range(1, len(rest)):
        before, two = rest[at - 1], rest[at - 2] if at > 1 else None
        if not _option(before) and not _option(two):
            break
        if left and _open(left, rest[at:], exact):
            return "perhaps"
    return "no"


def _option(word: str | None) -> bool:
    return word is not None and word.startswith("-")


def _open(wanted: tuple[tuple[str, ...], ...], words: Words, exact: bool) -> bool:
    """Return True if the words may begin as wanted, each open one as any number of words."""
    if not wanted:
        return not exact or all(word is None for word in words)
    if not words:
        return False
    if words[0] is None:
        return True
    return words[0] in wanted[0] and _open(wanted[1:], words[1:], exact)


def _path(pattern: str, path: str) -> bool:
    return _spec(pattern)(path)


@lru_cache(maxsize=2_000)
def _spec(pattern: str) -> Callable[[str], bool]:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines([pattern]).match_file


def _host(pattern: str, host: str) -> bool:
    """Return True if the pattern matches: `*.example.org` matches every host below it, not itself; case and a last dot
    don't matter."""
    wanted, found = pattern.casefold().rstrip("."), host.casefold().rstrip(".")
    if wanted.startswith("*."):
        return found.endswith(wanted[1:]) and len(found) > len(wanted) - 1
    return found == wanted


class RuleIndex:
    """The rules of a layer by program, so that of a thousand rules only the candidates for a part are checked."""

    def __init__(self, rules: Iterable[ApprovalRule]) -> None:
        self.rules = tuple(rules)
        self._commands: dict[str, list[ApprovalRule]] = {}
        self._exact: dict[str, list[ApprovalRule]] = {}
        self._others: list[ApprovalRule] = []
        for rule in self.rules:
            if rule.arguments is not None:
                self._exact.setdefault(rule.arguments, []).append(rule)
            elif rule.command is not None:
                for name in {program_name(word) for word in rule.command[0]}:
                    self._commands.setdefault(name, []).append(rule)
            else:
                self._others.append(rule)

    def about(self, call: CallFacts, part: CallPart) -> Iterator[ApprovalRule]:
        """Yield the rules that may match."""
        yield from self._exact.get(call.arguments, ())
        yield from self._others
        if part.words is None:
            return
        names = {None if not inner or inner[0] is None else program_name(inner[0]) for inner, _ in part.reached}
        if None in names:
            yield from (rule for rule in self.rules if rule.command is not None)
            return
        for name in names:
            yield from self._commands.get(name or "", ())
