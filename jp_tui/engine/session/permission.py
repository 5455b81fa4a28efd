"""Permission of another program's tool (intake.md N3): what rules, settings and its session say about a call, and the
question that is left for a reviewer or a person.

Rules are the same pure decision as for calls of ours (`rules.decide`). What is remembered or was refused is read from
the session's conversation: each question of it is asked by a process of its own.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from posixpath import isabs, join, normpath
from typing import TYPE_CHECKING

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.conversation.text import first_line
from jp_tui.engine.asking.call_decision import permitted_by, skipped, why_asked
from jp_tui.engine.base.dependencies import ApprovalRules, EngineDependencies, OutsideCall
from jp_tui.engine.record.inquiries import ARGUMENTS, COVERS, OFFERS, PERMISSION
from jp_tui.engine.session.session_memory import BEFORE, LINE, SAME, SESSION, SessionMemory
from jp_tui.inquiry import refusals
from jp_tui.inquiry import values as v
from jp_tui.inquiry.route import key
from jp_tui.protocol.outside import InputChange, PermitOutside
from jp_tui.questions.bounds import BREAKS, MAX_CONTEXT, beyond
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.rules.facts import OUTSIDE, Covers, call_facts, canonical_json, named_paths

if TYPE_CHECKING:
    from pathlib import Path

    from jp_tui.engine.session.session_memory import PastPermission
    from jp_tui.rules.decide import RuleLayers
    from jp_tui.rules.values import ApprovalRule, CallDecision, CallFacts, Places, Situation

_NAME = 50
_SUMMARY = 160
_FILE = 1 << 20
_PAST, _MOST_OFFERS, _MOST_OFFERED = 20, 8, 32_768
"""Calls of the session that the figures count (AR19); offers of one question, and characters of them."""
_ALWAYS = ("danger", "guard", "policy")


def tool_name(program: str, tool: str) -> str:
    """Return PROGRAM.TOOL as in settings and rules. A name that doesn't fit there gets a sign that no rule of a whole
    name can hold, so that it is never mistaken for another."""
    plain = "".join(char if char.isascii() and (char.isalnum() or char in "_.+-") else "_" for char in tool)
    return f"{program}.{plain if plain == tool and 0 < len(tool) <= 64 else f'{plain[:_NAME]}~'}"


def outside_decision(workspace: Path, rules: ApprovalRules, call: PermitOutside, settings: OutsideCall) -> CallDecision:
    """Return what rules and settings say about a call of another program's tool, without what a session remembers or
    refused (`rules test`)."""
    tried = _Call(workspace, rules, call, tool_name(call.program, call.tool), settings, ())
    return tried.decide(tried.situation(refused=tried.guarded()))


@dataclass(frozen=True, slots=True)
class WantedPermission:
    """A call to be decided: the question, its settings, and the yes or no of rules; `ledger` is what counts of the
    session, `about` metadata of the request. `named`: a rule, a setting or an answer is about it (N20)."""

    tool: str
    question: Question
    rule: v.Rule
    ruled: v.Ruled | None
    ledger: v.Ledger
    about: JsonObject
    named: bool


def wanted_permission(setup: EngineDependencies, asked: PermitOutside, memory: SessionMemory) -> WantedPermission:
    """Decide what can be decided without asking. Raises ValueError for an input that can't be stored or shown."""
    if (wrong := beyond(asked.arguments, "the input", max_bytes=8 << 20)) is not None:
        raise ValueError(wrong[2])
    tool = tool_name(asked.program, asked.tool)
    settings = setup.outside_call(tool)
    keeps = setup.rule_book is not None
    call = _Call(setup.workspace, setup.approval_rules, asked, tool, settings, memory.rules, keeps=keeps)
    held = memory.held.get(call.covers)
    refused = call.refused(memory)
    guarded = call.guarded()
    situation = call.situation(refused=bool(refused or guarded))
    decision = call.decide(situation)
    rule = setup.outside_rule(tool, PERMISSION)
    always = decision.by in _ALWAYS
    if always and held is not None and held.value is True:
        held = None
    if decision.by != "nothing":
        rule = replace(rule, target="user")  # only where rules leave it open a reviewer is asked first (AR31)
    ruled = _ruled(decision, settings)
    if asked.carries and memory.given.get(call.same) and decision.choice == "ask":
        ruled = v.Ruled("You allowed this call just before.", setting="the answer just before")
        always, rule = False, replace(rule, has_answer=False, exclusive=None)
    named = bool(
        (ruled is not None and decision.by != "engine")
        or decision.by in ("rule", "policy")
        or (decision.by == "not_understood" and call.is_named)
        or held is not None
        or refused
        or rule.has_answer
        or settings.run is not None
        or call.broken
    )
    floor = always and (held is None or held.value is not False)
    context = call.context() if named or not asked.named else ""
    if len(context.encode("utf-8", "surrogatepass")) > MAX_CONTEXT:
        raise ValueError(f"the input is too large to be shown: more than {MAX_CONTEXT >> 10} KiB.")
    question = Question(
        PERMISSION,
        call.text(),
        BooleanAnswer(),
        context,
        persistence="none" if floor else "turn",
        floor=floor,
        targets=call.targets,
        acts=True,
    )
    ledger = v.Ledger(
        answers={} if held is None else {key(tool, PERMISSION): replace(held, tool=tool)},
        refused=memory.refused,
    )
    about: JsonObject = {"program_tool": asked.tool[:200], SAME: call.same, BEFORE: asked.named}
    if call.facts.line is not None:
        about[LINE] = call.facts.line
    if not (floor or always or refusals.matching_targets(memory.refused, call.targets)):
        about[COVERS] = {"digest": call.covers, "text": call.covers_text}
        if ruled is None and context and (offered := call.offers(decision, situation, memory)):
            about[OFFERS] = offered
    if asked.edits and ruled is None and context:
        about[ARGUMENTS] = asked.arguments
    if refused:
        about["why"] = f"{first_line(refused[0])[:_SUMMARY]} was refused earlier in this session."
    elif words := why_asked(decision):
        about["why"] = f"{words[0].upper()}{words[1:]}."
    if decision.rules:
        about["asked_rules"] = list(decision.rules)
    return WantedPermission(tool, question, rule, ruled, ledger, about, named)


def _ruled(decision: CallDecision, settings: OutsideCall) -> v.Ruled | None:
    """Return the yes or no of rules and settings; None where they leave it open."""
    if decision.choice == "skip":
        done, _ = skipped(decision)
        why = "A setting skips this tool." if decision.by == "setting" else "An approval rule denies it."
        place = settings.place if decision.by == "setting" else ""
        return v.Ruled(why, decision.rules, value=False, reason=done.content, setting=place)
    if decision.choice != "run":
        return None
    if decision.by == "setting":
        return v.Ruled(f"The setting run allows it ({settings.place}).", setting=settings.place)
    given = permitted_by(decision, "ask")
    return v.Ruled(f"An approval rule allows it ({', '.join(decision.rules)}).", decision.rules) if given else None


class _Call:
    """One call as rules see it and as people read it."""

    def __init__(
        self,
        workspace: Path,
        rules: ApprovalRules | None,
        asked: PermitOutside,
        tool: str,
        settings: OutsideCall,
        own: Sequence[ApprovalRule],
        *,
        keeps: bool = False,
    ) -> None:
        """`own` are the rules of the session; `keeps`: there is a file for new ones."""
        self._asked, self._tool, self._run = asked, tool, settings.run
        self._covers = settings.covers or Covers.of(asked.covers)
        self._root = os.path.realpath(workspace)
        self._dangers = () if rules is None else rules.dangers()
        self._layers, self._places = _layers(rules, settings, own), _places(rules, self._root)
        self._keeps = keeps
        at = asked.folder if isabs(asked.folder) and "\0" not in asked.folder else self._root
        self._at = self._places.real(normpath(at))
        named = (*named_paths(asked.arguments, self._covers), *asked.paths)
        self._paths = [self._place(path) for path in named]
        runs = bool(self._covers.command or self._covers.argv)
        facts = call_facts(tool, asked.arguments, self._covers, root=self._root, commands=runs, real=self._places.real)
        cwd = facts.cwd if self._covers.cwd and asked.arguments.get(self._covers.cwd) else self._at
        self.facts: CallFacts = replace(facts, cwd=cwd, paths=tuple(map(self._inside, self._paths)))
        self._bare = {name: value for name, value in asked.arguments.items() if name != "description"}
        self.same = _digest([tool, self._at, canonical_json(self._bare)])
        self.covers, self.covers_text = self._remembered()
        self.targets = tuple(self._target(path) for path in self._paths if path)

    # Places

    def _place(self, path: str) -> str:
        """Return a path as it is on the disk; empty for what isn't one."""
        if not path or "\0" in path:
            return ""
        return self._places.real(normpath(join(self._at, os.path.expanduser(path))))

    def _inside(self, path: str) -> str:
        if path == self._root:
            return "."
        below = path.startswith(self._root.rstrip("/") + "/")
        return path[len(self._root.rstrip("/")) + 1 :] if below else OUTSIDE

    def _target(self, path: str) -> str:
        return path if self._inside(path) == OUTSIDE else self._inside(path)

    # What speaks about it

    @property
    def broken(self) -> bool:
        """True if a rules file can't be read, so that every call asks (AR10)."""
        return bool(self._layers.policy.broken or self._layers.user.broken or self._layers.folder.broken)

    @property
    def is_named(self) -> bool:
        """True if an ask or deny rule is about this tool."""
        from jp_tui.rules.matching import active, names_tool

        every = (self._layers.policy, self._layers.user, self._layers.folder)
        return any(
            rule.effect != "allow" and names_tool(rule, self._tool) and active(rule, self._root, time.time())
            for layer in every
            for rule in layer.rules.rules
        )

    def situation(self, *, refused: bool) -> Situation:
        """Return the conditions of the call. The program's own sandbox isn't known here. `walls` is what lets
        `run = "unattended"` count for commands (AR6, AR17), which the user set for this program; alone it lets no rule
        count that would not otherwise."""
        from jp_tui.rules.values import Situation

        walls = self._run == "unattended"
        return Situation(self._root, walls, network=True, refused=refused, now=time.time())

    def decide(self, situation: Situation) -> CallDecision:
        """Return what the rules say."""
        from jp_tui.rules.decide import decide

        return decide(self.facts, self._layers, situation, self._dangers, self._places)

    def offers(self, decision: CallDecision, situation: Situation, memory: SessionMemory) -> list[Json]:
        """Return the rules that the answer may make (AR18), as they are recorded: for the session or the folder, with
        the figures of this session's calls (AR19)."""
        from jp_tui.engine.asking.rule_offers import rule_table
        from jp_tui.rules.offers import WIDTHS, coverage, offers

        found = offers(self.facts, decision, self._layers, situation, self._dangers, self._places)
        mine = [one for one in memory.past if one.tool == self._tool][-_PAST:]
        past = [(self._past(one), one.approved) for one in mine]
        made: list[Json] = []
        for offer in found[:_MOST_OFFERS]:
            counts = coverage(offer, past, self._root, self._dangers, now=situation.now)
            lasts: list[Json] = [SESSION, "folder"] if self._keeps and "folder" in offer.lifetimes else [SESSION]
            made.append(
                {
                    "scope": offer.scope,
                    "label": offer.label,
                    "rules": [rule_table(one) for one in offer.rules],
                    "lifetimes": lasts,
                    "covered": {"matched": counts.matched, "refused": counts.refused, "of": counts.of},
                    "width": WIDTHS.index(offer.scope),
                }
            )
        return made if len(dump(made)) <= _MOST_OFFERED else []

    def _past(self, one: PastPermission) -> CallFacts:
        line = one.line if isinstance(one.line, str) else None
        return replace(self.facts, arguments="", line=line, argv=None, paths=one.paths, hosts=())

    def refused(self, memory: SessionMemory) -> tuple[str, ...]:
        """Return what was refused earlier in the session and is named by this call (R247)."""
        found = list(refusals.matching_targets(memory.refused, self.targets))
        if self.facts.line is not None and self.facts.line in memory.lines:
            found.append(self.facts.line)
        if memory.refused and (self.facts.line is not None or self.facts.argv is not None or not self._paths):
            from jp_tui.engine.asking.named_targets import find_targets
            from jp_tui.engine.asking.targets_on_disk import OnDisk

            found += find_targets(self._asked.arguments, self._at, self._absolute(memory.refused), OnDisk())
        return tuple(dict.fromkeys(found))

    def _absolute(self, targets: Iterable[str]) -> list[str]:
        return [join(self._root, one) for one in targets]

    def guarded(self) -> bool:
        """True if it reads secrets, or changes what other programs obey (R247)."""
        from jp_tui.tools.files import guard

        def kept(path: str) -> bool:
            if self._places.kept_from(path, writes=self._asked.writes) or guard.secret(path):
                return True
            return self._asked.writes and (guard.control(path) or guard.why_protected(path) is not None)

        return any(not path or kept(path) for path in self._paths)

    # What is remembered

    def _remembered(self) -> tuple[str, str]:
        """Return a digest of what a remembered answer covers in this session, and the same in words (Z16)."""
        arguments, facts, name = self._bare, self.facts, self._tool
        if facts.line is None and facts.argv is None and facts.paths and OUTSIDE not in facts.paths:
            return _digest([name, "files", *sorted(set(facts.paths))]), f"calls of {name} for the same files, no others"
        if facts.line is None and facts.argv is None:
            return _digest([name, "call", canonical_json(arguments)]), f"exactly this call of {name}, and no other"
        exact = [name, "command", facts.cwd, canonical_json(arguments)]
        return _digest(exact), "exactly this command in this folder, and no other"

    # What is shown

    def text(self) -> str:
        """Return the question, one line."""
        line = self.facts.line if self.facts.line is not None else " ".join(self.facts.argv or ())
        what = line or (self._inside_or_whole(self._paths[0]) if self._paths else "") or ", ".join(self.facts.hosts)
        what = first_line(what)
        short = what if len(what) <= _SUMMARY else f"{what[:_SUMMARY]}…"
        said = f"Allow {self._asked.tool[:80]}{f': {short}' if short else ''}?"
        return "".join(" " if char in BREAKS else char for char in said)

    def _inside_or_whole(self, path: str) -> str:
        inside = self._inside(path) if path else ""
        return path if inside == OUTSIDE else inside

    def context(self) -> str:
        """Return the whole input; changes of files as a diff."""
        left: dict[str, Json] = dict(self._asked.arguments)
        diffs = [self._diff(change) for change in self._asked.changes]
        if diffs and all(diffs):
            shown = {text for change in self._asked.changes for text in (change.before, change.after)}
            left = {name: value for name, value in left.items() if not (isinstance(value, str) and value in shown)}
            left = {name: value for name, value in left.items() if not _holds_changes(value, shown)}
        else:
            diffs = []
        return "".join([*(_shown(name, value) for name, value in left.items()), *diffs])

    def _diff(self, change: InputChange) -> str:
        from jp_tui.tools.files.difference import unified

        before, after = change.before, change.after
        name = self._inside_or_whole(self._place(change.path)) or change.path
        name = name if name.isprintable() else repr(name)
        if before is None:
            before = self._now(self._place(change.path))
        elif not before.endswith("\n") and not after.endswith("\n"):
            before, after = f"{before}\n", f"{after}\n"  # parts of a file: neither is its end
        return unified(f"a/{name}", f"b/{name}", before, after)

    def _now(self, path: str) -> str:
        """Return the present content of a file, empty for a new one or one that isn't shown."""
        from jp_tui.tools.files import guard

        if not path or guard.secret(path) or self._places.kept_from(path, writes=False):
            return ""
        with suppress(OSError, ValueError):
            number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(number, "rb") as file:
                if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    data = file.read(_FILE + 1)
                    return data.decode("utf-8") if len(data) <= _FILE and b"\0" not in data else ""
        return ""


def _holds_changes(value: Json, shown: set[str | None]) -> bool:
    """True for a list of edits all of whose texts are in the diff."""
    if not isinstance(value, list) or not value:
        return False
    return all(
        isinstance(one, dict) and one and all(isinstance(text, str) and text in shown for text in one.values())
        for one in value
    )


def _shown(name: str, value: Json) -> str:
    """Return one argument. What spans lines is indented, so that no text can look like another argument."""
    if not isinstance(value, str):
        return f"{_plain(name)}: {dump(value)}\n"
    if not BREAKS.isdisjoint(value):
        body = "".join(f"  {line}\n" for line in value.split("\n"))
        return f"{_plain(name)}:\n{body}"
    return f"{_plain(name)}: {value}\n"


def _plain(name: str) -> str:
    return name if name.isprintable() else repr(name)


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256(dump(list(parts)).encode("utf-8", "surrogatepass")).hexdigest()


def _layers(rules: ApprovalRules | None, settings: OutsideCall, own: Sequence[ApprovalRule]) -> RuleLayers:
    """Return the rules of the files and of the session."""
    from jp_tui.rules.decide import RuleLayers

    found = RuleLayers() if rules is None else rules.layers()
    run = "ask" if settings.run in (None, "edit") else settings.run
    user = replace(found.user, run=run, mode="ask")
    if own:
        from jp_tui.rules.matching import RuleIndex

        user = replace(user, rules=RuleIndex((*user.rules.rules, *own)))
    return replace(found, user=user)


def _places(rules: ApprovalRules | None, root: str) -> Places:
    if rules is None:
        from jp_tui.rules.values import Nowhere

        return Nowhere()
    return rules.places(root, None)
