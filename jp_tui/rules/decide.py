"""Decide whether a call may run: one pure function of the call, the rules by layer, earlier refusals, and the sandbox
(rules.md AR1-AR17, AR30). Knows no tool by name.

In each layer a deny counts first, then the more specific of ask and allow. Of the layers the strictest counts. A call
that was refused, is guarded or is dangerous asks before any allow counts. A call without a rule asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from posixpath import join, normpath

from jp_tui.rules.danger import Danger, dangerous_text, find_dangers
from jp_tui.rules.matching import CallPart, Match, RuleIndex, active, match, names_tool, rank
from jp_tui.rules.programs import HARMLESS, WRITERS, program_name, reaches
from jp_tui.rules.shell_line import read
from jp_tui.rules.shell_reader import SimpleCommand
from jp_tui.rules.values import (
    MODES,
    ApprovalRule,
    By,
    CallDecision,
    CallFacts,
    Choice,
    LayerName,
    Mode,
    PartDecision,
    Places,
    RunSetting,
    Situation,
    Words,
)

_STRICT: dict[Choice, int] = {"run": 0, "ask": 1, "skip": 2}
_MOST_PLACES = 20
"""Most folders that a line may work in after its `cd`s."""
_MOST_WORDS = 20_000
"""Most words that may name a file, counted in each of these folders."""


@dataclass(frozen=True, slots=True)
class RuleLayer:
    """The rules of one layer. `run` counts in the user's only, a mode in the user's, `ask` in the folder's too.
    `trusted`: the folder's allow rules count. `broken`: a rules file that cannot be read at all, so that every call
    asks."""

    rules: RuleIndex = field(default_factory=lambda: RuleIndex(()))
    run: RunSetting = "ask"
    mode: Mode | None = None
    trusted: bool = True
    broken: str = ""


@dataclass(frozen=True, slots=True)
class RuleLayers:
    """The rules of all layers; `max_mode` is the policy's."""

    policy: RuleLayer = field(default_factory=RuleLayer)
    user: RuleLayer = field(default_factory=RuleLayer)
    folder: RuleLayer = field(default_factory=RuleLayer)
    max_mode: Mode = "unattended"

    @property
    def mode(self) -> Mode:
        """The effective mode: the user's, no looser than the policy allows, `ask` if the folder sets that."""
        if self.folder.mode == "ask":
            return "ask"
        return min(self.user.mode or "ask", self.max_mode, key=MODES.index)


@dataclass(frozen=True, slots=True)
class _Said:
    """The choice of one layer for a part; None: it has no rule for it."""

    choice: Choice | None
    rules: tuple[ApprovalRule, ...] = ()
    perhaps: bool = False


@dataclass(slots=True)
class _Parts:
    """The parts of a call. `why`: the reason why its line is not understood. `hard`: the reason why no command rule
    allows a part, by the part's number; `unknown`: of these, parts whose program can't be known. `free`: parts that
    need no rule."""

    parts: list[CallPart] = field(default_factory=list)
    why: str = ""
    hard: dict[int, str] = field(default_factory=dict)
    unknown: set[int] = field(default_factory=set)
    free: set[int] = field(default_factory=set)
    dangers: dict[int, Danger] = field(default_factory=dict)
    guarded: str = ""


def decide(
    call: CallFacts, layers: RuleLayers, situation: Situation, dangers: Sequence[Danger], places: Places
) -> CallDecision:
    """Return the decision about a call: `run`, `ask` or `skip`, by whom, and part by part."""
    parts = _split(call, situation, dangers, places)
    found = [_part(call, layers, situation, parts, at) for at in range(len(parts.parts))]
    if parts.why:
        return _unread(call, layers, situation, dangers, parts, found[0])
    worst = max(found, key=lambda one: _STRICT[one.choice])
    ids = tuple(dict.fromkeys(rule for one in found if one.choice == worst.choice for rule in one.rules))
    rows = tuple(found)
    if worst.choice == "skip":
        return CallDecision("skip", worst.by, ids, rows, worst.why, _reason(layers, ids))
    if situation.refused or parts.guarded:
        why = parts.guarded or "it names something that was rejected in this turn or is guarded"
        return CallDecision("ask", "guard", (), rows, why, once=True)
    if parts.dangers:
        danger = parts.dangers[min(parts.dangers)]
        rows = tuple(
            replace(one, choice="ask", by="danger", rules=(), why=parts.dangers[number].reason)
            if number in parts.dangers
            else one
            for number, one in enumerate(rows)
        )
        return CallDecision("ask", "danger", (), rows, danger.reason, once=True)
    if layers.user.broken or layers.folder.broken or layers.policy.broken:
        why = layers.policy.broken or layers.user.broken or layers.folder.broken
        return CallDecision("ask", "nothing", (), rows, why)
    by = worst.by
    if worst.choice == "run":
        by = next((one.by for one in found if one.by != "engine"), "engine")
    return CallDecision(worst.choice, by, ids, rows, worst.why)


def walls_matter(layers: RuleLayers, call: CallFacts) -> bool:
    """Return True if the decision about this call may depend on the sandbox."""
    whole = any(
        rule.effect == "allow" and names_tool(rule, call.tool) and rank(rule)[0] == 1
        for layer in (layers.user, layers.folder)
        for rule in layer.rules.rules
    )
    return call.commands and (layers.user.run == "unattended" or layers.mode == "unattended" or whole)


def _reason(layers: RuleLayers, ids: Sequence[str]) -> str:
    every = (*layers.policy.rules.rules, *layers.user.rules.rules, *layers.folder.rules.rules)
    return next((rule.reason for rule in every if rule.id in ids and rule.reason), "")


def _unread(
    call: CallFacts,
    layers: RuleLayers,
    situation: Situation,
    dangers: Sequence[Danger],
    parts: _Parts,
    whole: PartDecision,
) -> CallDecision:
    """Return the decision about a line that is not understood: ask, except with `run = "unattended"` in the sandbox
    (AR17)."""
    if whole.choice == "skip":
        return CallDecision("skip", whole.by, whole.rules, (whole,), whole.why, _reason(layers, whole.rules))
    asked = replace(whole, choice="ask", by="not_understood", rules=(), why=parts.why)
    said = CallDecision("ask", "not_understood", (), (asked,), parts.why, once=True)
    if situation.refused:
        return replace(said, by="guard")
    danger = dangerous_text(call.line or "", dangers)
    if danger is not None:
        return replace(said, by="danger", why=danger.reason)
    every = ((layers.policy, "policy"), (layers.user, "user"), (layers.folder, "folder"))
    named = any(
        rule.effect != "allow" and names_tool(rule, call.tool) and active(rule, situation.root, situation.now)
        for layer, _ in every
        for rule in layer.rules.rules
    )
    broken = any(layer.broken for layer, _ in every)
    if layers.user.run == "unattended" and situation.walls and not (named or broken):
        return CallDecision("run", "setting", (), (replace(asked, choice="run", by="setting"),), "")
    return said


def _part(call: CallFacts, layers: RuleLayers, situation: Situation, parts: _Parts, at: int) -> PartDecision:
    part = parts.parts[at]
    words = part.words or ()
    said: list[tuple[LayerName, _Said]] = [
        ("policy", _layer(layers.policy, call, part, situation, allows=False)),
        ("user", _layer(layers.user, call, part, situation, allows=True)),
        ("folder", _layer(layers.folder, call, part, situation, allows=layers.folder.trusted)),
    ]
    if at in parts.hard:
        said = [(name, _without_prefix(one, whole=at not in parts.unknown)) for name, one in said]
    spoke: list[tuple[By, _Said]] = [
        ("policy" if name == "policy" else "rule", one) for name, one in said if one.choice is not None
    ]
    if layers.user.run == "skip":
        spoke.append(("setting", _Said("skip")))
    elif said[1][1].choice is None and (own := _setting(call, layers, situation, hard=at in parts.hard)) is not None:
        spoke.append((own[1], own[0]))
    if not spoke:
        if at in parts.free:
            return PartDecision(words, "run", "engine")
        return PartDecision(words, "ask", "nothing", (), parts.hard.get(at, "no rule covers it"))
    by, worst = max(spoke, key=lambda one: _STRICT[one[1].choice or "run"])
    why = ""
    if worst.choice == "skip":
        why = "a rule denies it" if worst.rules else "the settings skip this tool"
    elif worst.choice == "ask":
        why = "a rule may deny it" if worst.perhaps else "a rule asks about it"
    return PartDecision(words, worst.choice or "ask", by, tuple(rule.id for rule in worst.rules), why)


def _without_prefix(said: _Said, *, whole: bool) -> _Said:
    """Drop an allow; that of the exact call counts where `whole`."""
    if said.choice == "run" and not (whole and all(rule.arguments is not None for rule in said.rules)):
        return _Said(None)
    return said


def _setting(call: CallFacts, layers: RuleLayers, situation: Situation, *, hard: bool) -> tuple[_Said, By] | None:
    """Return the choice of `run` or the mode, where no rule of the user applies (AR6, AR30); None for none."""
    run, mode = layers.user.run, layers.mode
    if run == "unattended" and (not call.commands or situation.walls):
        return _Said("run"), "setting"
    if mode != "ask" and call.edits:
        return _Said("run"), "mode"
    if mode == "unattended" and call.commands and situation.walls and not situation.network and not hard:
        return _Said("run"), "mode"
    return None


def _layer(layer: RuleLayer, call: CallFacts, part: CallPart, situation: Situation, *, allows: bool) -> _Said:
    denied: list[tuple[ApprovalRule, Match]] = []
    best: list[ApprovalRule] = []
    for rule in layer.rules.about(call, part):
        if not active(rule, situation.root, situation.now):
            continue
        found = match(rule, call, part)
        if found == "no":
            continue
        if rule.effect == "deny":
            denied.append((rule, found))
        elif rule.effect == "ask" or (allows and found == "yes" and _counts(rule, call, situation)):
            if not best or rank(rule) > rank(best[0]):
                best = [rule]
            elif rank(rule) == rank(best[0]):
                best.append(rule)
    certain = tuple(rule for rule, found in denied if found == "yes")
    if certain:
        return _Said("skip", certain)
    if denied:
        return _Said("ask", tuple(rule for rule, _ in denied), perhaps=True)
    if not best:
        return _Said(None)
    asks = tuple(rule for rule in best if rule.effect == "ask")
    return _Said("ask", asks) if asks else _Said("run", tuple(best[:1]))


def _counts(rule: ApprovalRule, call: CallFacts, situation: Situation) -> bool:
    """Return False for an allow of a whole tool that runs commands, outside the sandbox (AR5)."""
    whole = rule.command is None and rule.path is None and rule.host is None and rule.arguments is None
    return not (whole and call.commands and not situation.walls)


def _split(call: CallFacts, situation: Situation, dangers: Sequence[Danger], places: Places) -> _Parts:
    """Return the parts of a call, at least one."""
    found = _Parts()
    if call.line is not None:
        line = read(call.line)
        if line.why or not line.commands:
            found.why = line.why or "it has no command"
            found.parts = [CallPart()]
            return found
        _commands(found, line.commands, call, situation, places)
        pipes = "|" in call.line
    elif call.argv is not None:
        found.parts = [_worded(call.argv)]
        _program(found, 0, call.argv[0] if call.argv else "", {call.cwd}, situation, places)
        _names(found, call.argv, {call.cwd}, situation, places)
        pipes = False
    else:
        parts = [*(CallPart(path=path) for path in call.paths), *(CallPart(host=host) for host in call.hosts)]
        found.parts = parts or [CallPart()]
        return found
    found.dangers = find_dangers([part.reached for part in found.parts], dangers, pipes=pipes)
    return found


def _worded(words: Words) -> CallPart:
    return CallPart(words=words, reached=tuple(reaches(words)))


def _commands(
    found: _Parts, commands: Sequence[SimpleCommand], call: CallFacts, situation: Situation, places: Places
) -> None:
    """Add a part for each simple command; `at` has the folders in which the next one may run."""
    at = {call.cwd}
    for number, command in enumerate(commands):
        words: Words = tuple(word.text for word in command.words)
        found.parts.append(_worded(words))
        for redirection in command.redirections:
            _redirection(found, number, redirection.sign, redirection.target.text, at, situation, places)
        if not words:
            found.free.add(number)
            continue
        if words[0] in HARMLESS and number not in found.hard:
            found.free.add(number)
        if words[0] == "cd":
            at |= _moved(found, number, words, at, situation, places, loops=command.loops)
        elif words[0] is None:
            found.hard[number] = "a variable or a pattern says which program runs"
            found.unknown.add(number)
        else:
            _program(found, number, words[0], at, situation, places)
            _names(found, words, at, situation, places)
    found.free -= found.hard.keys()


def _moved(
    found: _Parts, number: int, words: Words, at: set[str], situation: Situation, places: Places, *, loops: bool
) -> set[str]:
    """Return the folders that a `cd` may lead to. The part is hard unless all of them are surely in the workspace."""
    target = words[1] if len(words) == 2 else None
    if target is None or not target or target.startswith("-") or loops or len(at) > _MOST_PLACES:
        found.hard[number] = "the target folder of `cd` isn't certain"
        return set()
    moved: set[str] = set()
    for place in at:
        path = join(place, target)
        for one in {path, normpath(path)}:
            real = places.folder(one)
            if real is not None and not _inside(real, situation.root):
                found.hard[number] = "`cd` leads out of the workspace"
                return set()
            moved |= set() if real is None else {real}
    if not moved:
        found.hard[number] = "`cd` doesn't lead to a folder of the workspace"
    elif number not in found.hard:
        found.free.add(number)
    return moved


def _redirection(
    found: _Parts, number: int, sign: str, target: str | None, at: set[str], situation: Situation, places: Places
) -> None:
    if sign in (">&", "<&") or target == "/dev/null":
        return
    if target is None or not target or "\n" in target:
        found.hard[number] = "a redirection has no literal target"
        return
    for place in at:
        path = join(place, target)
        for one in {path, normpath(path)}:
            real = places.real(one)
            if not _inside(real, situation.root) or real == situation.root:
                found.hard[number] = "a redirection leads out of the workspace"
            if places.kept_from(real, writes=True) or places.kept_from(one, writes=True):
                found.guarded = "it redirects to a file that is guarded or hidden"
                found.hard[number] = found.guarded


def _program(found: _Parts, number: int, name: str, at: set[str], situation: Situation, places: Places) -> None:
    """Mark a part as hard if its program is in the workspace: the model may have written it, so that only a rule with
    the program's path allows it (AR16)."""
    if "/" in name:
        return
    for place in at:
        real = places.program(name, place)
        if real is not None and _inside(real, situation.root):
            found.hard[number] = "its program is a file of the workspace; a rule must name its path"


def _names(found: _Parts, words: Words, at: set[str], situation: Situation, places: Places) -> None:
    """Note a word that names a hidden file, or a file guarded against the program's writing."""
    writes = words[0] is None or program_name(words[0]) in WRITERS
    literals = list(_literals(words))
    if len(literals) * len(at) > _MOST_WORDS:
        found.guarded = "it has too many words to look for guarded files"
        return
    for word in literals:
        for place in at:
            path = normpath(join(place, word))
            if _inside(path, situation.root) and any(
                places.kept_from(one, writes=writes) for one in (path, places.real(path))
            ):
                found.guarded = "it names a file that is guarded or hidden"
                return


def _literals(words: Words) -> Iterator[str]:
    for word in words[1:]:
        if word and "\n" not in word and "\0" not in word:
            yield word
            if "=" in word:
                yield word.partition("=")[2]


def _inside(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
