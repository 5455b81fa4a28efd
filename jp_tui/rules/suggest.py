"""Rules that the record suggests: scopes that the user approved often and never refused (rules.md AR27).

Pure. A suggestion never covers a dangerous command (AR9), one that can run any other program (AR15) or one that changes
the files that it names; it must let a part of the call run that asks now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from jp_tui.rules.danger import Danger
from jp_tui.rules.decide import RuleLayers, decide
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.programs import HARMLESS, WRITERS, never_by_prefix, program_name
from jp_tui.rules.shell_line import read
from jp_tui.rules.values import ApprovalRule, CallDecision, CallFacts, Places, Situation, Words

MOST = 50
"""Most suggestions at once."""
WITH_SUBCOMMANDS = frozenset({
    "apt", "apt-get", "az", "bazel", "brew", "bun", "bundle", "cabal", "cargo", "composer", "conda", "deno", "dnf",
    "docker", "dotnet", "flyctl", "gcloud", "gem", "gh", "git", "glab", "go", "gradle", "hatch", "helm", "heroku", "jj",
    "journalctl", "just", "kubectl", "make", "meson", "mix", "mvn", "nix", "npm", "npx", "pdm", "pip", "pip3", "pipx",
    "pnpm", "podman", "poetry", "rails", "rake", "rustup", "stack", "svn", "systemctl", "terraform", "tox", "uv",
    "yarn", "zig",
})  # fmt: skip
"""Programs of which one subcommand implies nothing about another."""
_WORD = re.compile(r"[A-Za-z0-9@._:/+-]+")


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """A call that the user allowed or refused; `at` is compared as text."""

    call: CallFacts
    conversation: str
    at: str
    approved: bool


@dataclass(slots=True)
class Suggested:
    """A rule and its reasons: the calls that the user approved, in these conversations."""

    rule: ApprovalRule
    calls: list[PastAnswer] = field(default_factory=list)

    @property
    def conversations(self) -> int:
        """The number of conversations they are from."""
        return len({one.conversation for one in self.calls})


def suggest(
    answers: Iterable[PastAnswer],
    layers: RuleLayers,
    situation: Situation,
    dangers: Sequence[Danger],
    places: Places,
    *,
    least: int,
) -> list[Suggested]:
    """Return rules for the workspace of `situation`, the most approved first."""
    found: dict[ApprovalRule, Suggested] = {}
    refused: set[ApprovalRule] = set()
    for one in answers:
        for rule in _rules(one.call, situation.root, dangers):
            if one.approved:
                found.setdefault(rule, Suggested(rule)).calls.append(one)
            else:
                refused.add(rule)
    kept = []
    for rule, suggested in found.items():
        enough = len(suggested.calls) >= least and suggested.conversations > 1
        if enough and rule not in refused and _helps(suggested, layers, situation, dangers, places):
            kept.append(suggested)
    return sorted(kept, key=lambda one: (-len(one.calls), one.rule.tool, one.rule.id))[:MOST]


def _helps(
    suggested: Suggested, layers: RuleLayers, situation: Situation, dangers: Sequence[Danger], places: Places
) -> bool:
    """True if the last of the calls has a part that asks now and runs with the rule."""
    rule, call = suggested.rule, suggested.calls[-1].call
    user = layers.user
    more = replace(layers, user=replace(user, rules=RuleIndex((*user.rules.rules, rule))))
    before = decide(call, layers, situation, dangers, places)
    after = decide(call, more, situation, dangers, places)
    return any(
        now.choice == "run" and rule.id in now.rules and was.choice == "ask"
        for was, now in zip(before.parts, after.parts, strict=False)
    ) and not _held(after)


def _held(decision: CallDecision) -> bool:
    return decision.once or decision.choice == "skip"


def _rules(call: CallFacts, root: str, dangers: Sequence[Danger]) -> Iterator[ApprovalRule]:
    """Yield the rules that this call could suggest, each once; the same rule for the same scope."""
    made: dict[ApprovalRule, None] = {}
    for scope in _scopes(call, dangers):
        name = f"suggested {call.tool} {sorted(scope.items())!r}"
        made[ApprovalRule(name, "allow", call.tool, folder=root, **scope)] = None  # type: ignore[arg-type]
    yield from made


def _scopes(call: CallFacts, dangers: Sequence[Danger]) -> Iterator[dict[str, object]]:
    if call.line is not None:
        line = read(call.line)
        for command in () if line.why else line.commands:
            if words := first_words(tuple(one.text for one in command.words), dangers):
                yield {"command": tuple((word,) for word in words)}
    elif call.argv is not None:
        if words := first_words(call.argv, dangers):
            yield {"command": tuple((word,) for word in words)}
    elif call.commands:
        return
    elif call.paths:
        for path in call.paths:
            if path != "." and not path.startswith("/") and _WORD.fullmatch(path):
                yield {"path": f"/{path}"}
    elif call.hosts:
        for host in call.hosts:
            if host:
                yield {"host": host}
    else:
        yield {"arguments": call.arguments}


def first_words(words: Words, dangers: Sequence[Danger]) -> tuple[str, ...]:
    """Return the words of a rule for this command: the program, its subcommand or its script. Empty if none is
    suggested."""
    literal = list(words[:3])
    if not literal or literal[0] is None or literal[0] in HARMLESS or literal[0] == "cd":
        return ()
    name = program_name(literal[0])
    lengths = (2,) if name in WITH_SUBCOMMANDS else (1, 2, 3)
    for length in lengths:
        first = [word for word in literal[:length] if word is not None]
        if len(first) < length or not all(map(_WORD.fullmatch, first)):
            return ()
        if length == 2 and name in WITH_SUBCOMMANDS and first[1].startswith("-"):
            return ()
        if never_by_prefix(first):
            continue
        return () if name in WRITERS or any(_may_be(danger, first) for danger in dangers) else tuple(first)
    return ()


def _may_be(danger: Danger, first: Sequence[str]) -> bool:
    """Return True if a command that begins like this may be the danger. A subcommand that it doesn't name isn't one: if
    the danger's words come later, the rule doesn't apply (AR9)."""
    if danger.after or not danger.fits((first[0], None)):
        return False
    named = danger.words[0] if danger.words and len(first) > 1 else None
    return named is None or any(fnmatchcase(first[1].casefold(), one) for one in named)
