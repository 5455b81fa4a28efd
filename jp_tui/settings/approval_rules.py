"""Files of approval rules: the user's, the folder's, the policy (rules.md AR1, AR2, AR7, AR8, AR10).

Problems are reported with file and line. A file with an unreadable rule allows nothing; its other ask and deny rules
apply. If the user's file isn't TOML, every call asks. A policy with any flaw stops everything that could decide.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from jp_tui.rules.danger import Danger, read_dangers
from jp_tui.rules.decide import RuleLayer, RuleLayers
from jp_tui.rules.facts import canonical_json
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.programs import never_by_prefix
from jp_tui.rules.values import MODES, ApprovalRule, Effect, LayerName, Mode
from jp_tui.settings import data
from jp_tui.settings.errors import SettingsError, SettingsProblem, nearest, printable
from jp_tui.settings.layers import toml
from jp_tui.settings.layers.layers import SettingsNotice

MOST_RULES, MOST_WORDS, LONGEST_WORD = 1_000, 64, 4_096
KEYS = (
    "id", "effect", "tool", "command", "exact", "arguments", "path", "host", "folder", "expires", "reason", "created",
    "made_by",
)  # fmt: skip
_MOST_NOTICES = 5
_SCOPES = ("command", "arguments", "path", "host")
_POLICY_KEYS = ("rule", "max_mode", "ignore", "sandbox")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_TOOL = re.compile(r"[A-Za-z0-9_.*-]{1,128}")


@dataclass(frozen=True, slots=True)
class RulesFile:
    """A file that was read: its rules, its problems, and the rest of a policy. `broken`: it isn't TOML, or is
    unreadable."""

    file: str
    rules: tuple[ApprovalRule, ...] = ()
    problems: tuple[SettingsProblem, ...] = ()
    broken: str = ""
    max_mode: Mode = "unattended"
    sandbox: bool = False
    folder: bool = False
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RulePlaces:
    """The files of a run, as paths."""

    user: str
    folder: str
    policies: tuple[str, ...]

    @classmethod
    def of(cls, config: str, workspace: str, environment: Mapping[str, str]) -> RulePlaces:
        """`config` is the user's folder of settings."""
        named = environment.get(data.POLICY_VARIABLE, "")
        policies = (data.POLICY_FILE, *([named] if named else []))
        return cls(os.path.join(config, "rules.toml"), os.path.join(workspace, ".jp-tui", "rules.toml"), policies)


@dataclass(slots=True)
class RuleFiles:
    """Reads the files again when one of them changed."""

    places: RulePlaces
    _stamp: object = None
    _read: tuple[RuleLayers, tuple[RulesFile, ...]] | None = None
    _dangers: tuple[Danger, ...] = field(default=())

    def read(self) -> tuple[RuleLayers, tuple[RulesFile, ...]]:
        """The rules by layer, and the files they come from, in the order policy, user, folder. Raises SettingsError
        where a policy has a flaw."""
        stamp = tuple(map(_stamped, (*self.places.policies, self.places.user, self.places.folder)))
        if self._read is None or stamp != self._stamp:
            self._read = _layers(self.places)
            self._stamp = stamp
        return self._read

    def layers(self) -> RuleLayers:
        """As `read`; where a policy cannot be read any more, every call asks."""
        try:
            return self.read()[0]
        except SettingsError as problem:
            user, folder = read_rules(self.places.user, "user"), read_rules(self.places.folder, "folder")
            return RuleLayers(
                RuleLayer(broken=str(problem)),
                RuleLayer(RuleIndex(user.rules), broken=user.broken),
                RuleLayer(RuleIndex(folder.rules), trusted=False, broken=folder.broken),
                "ask",
            )

    def dangers(self) -> tuple[Danger, ...]:
        """Return what always needs a person's approval."""
        if not self._dangers:
            self._dangers = builtin_dangers()
        return self._dangers


def builtin_dangers() -> tuple[Danger, ...]:
    """The dangers of `config/danger.toml`."""
    with open(data.DANGER_FILE, encoding="utf-8") as stream:
        return read_dangers(toml.loads(stream.read(), data.DANGER_FILE)["danger"])


def _stamped(file: str) -> object:
    try:
        found = os.stat(file)
    except (OSError, ValueError) as problem:
        return type(problem).__name__
    return (found.st_mtime_ns, found.st_size, found.st_ino, found.st_dev)


def _layers(places: RulePlaces) -> tuple[RuleLayers, tuple[RulesFile, ...]]:
    policies = [_policy(file, named=number > 0) for number, file in enumerate(places.policies)]
    if flaws := [problem for policy in policies for problem in policy.problems]:
        raise SettingsError(flaws)
    user, folder = read_rules(places.user, "user"), read_rules(places.folder, "folder")
    found = RuleLayers(
        policy=RuleLayer(RuleIndex(rule for policy in policies for rule in policy.rules)),
        user=RuleLayer(RuleIndex(user.rules), broken=user.broken),
        # None of its allow rules count, trusted or not (AR7).
        folder=RuleLayer(RuleIndex(folder.rules), trusted=False, broken=folder.broken),
        max_mode=min((policy.max_mode for policy in policies), key=MODES.index, default="unattended"),
    )
    return found, (*policies, user, folder)


def file_problems(places: RulePlaces) -> list[SettingsProblem]:
    """Return problems in the user's rules and the folder's. A policy's flaws are errors of the settings (AR8)."""
    read = (read_rules(places.user, "user"), read_rules(places.folder, "folder"))
    return [problem for file in read for problem in file.problems]


def rule_notices(files: Sequence[RulesFile]) -> tuple[SettingsNotice, ...]:
    """Return the problems, one line each, for every start."""
    found = []
    for file in files:
        for problem in file.problems[:_MOST_NOTICES]:
            follows = "until it is fixed, every call asks" if file.broken else "no allow rule of this file applies"
            found.append(SettingsNotice((), f"{problem.words()} ({follows})"))
        if len(file.problems) > _MOST_NOTICES:
            found.append(
                SettingsNotice((), f"{printable(file.file)}: {len(file.problems) - _MOST_NOTICES} more problems")
            )
        if ignored := sum(rule.effect == "allow" for rule in file.rules if file.folder):
            said = "allow rules of a folder don't apply" if ignored > 1 else "an allow rule of a folder doesn't apply"
            found.append(SettingsNotice((), f"{printable(file.file)}: {said}; its ask and deny rules do"))
    return tuple(found)


def read_rules(file: str, layer: LayerName) -> RulesFile:
    """The user's or the folder's file; empty where there is none."""
    try:
        document = toml.read(file)
    except SettingsError as error:
        return RulesFile(file, problems=error.problems, broken=error.first.words())
    if document is None:
        return RulesFile(file)
    return _parsed(document, file, layer)


def parse_rules(text: str, file: str) -> RulesFile:
    """Return the user's file as it would be with this text."""
    try:
        return _parsed(toml.parse(text.encode(), file), file, "user")
    except SettingsError as error:
        return RulesFile(file, problems=error.problems, broken=error.first.words())


def _parsed(document: toml.Document, file: str, layer: LayerName) -> RulesFile:
    problems = [
        _problem(document, file, (key,), "isn't a known key; use [[rule]]") for key in document.tree if key != "rule"
    ]
    rules = _rules(document, file, problems)
    if problems:
        rules = tuple(rule for rule in rules if rule.effect != "allow")
    return RulesFile(file, rules, tuple(problems), folder=layer == "folder")


def _policy(file: str, *, named: bool) -> RulesFile:
    try:
        document = toml.read(file)
    except SettingsError as error:
        return RulesFile(file, problems=error.problems)
    if document is None:
        said = f"there is no such file, and {data.POLICY_VARIABLE} names it"
        return RulesFile(file, problems=(SettingsProblem(said, file=file),) if named else ())
    problems: list[SettingsProblem] = []
    for key in document.tree:
        if key not in _POLICY_KEYS:
            problems.append(_problem(document, file, (key,), "isn't a key of a policy", _POLICY_KEYS))
    rules = _rules(document, file, problems)
    for number, rule in enumerate(document.tree.get("rule", ()) if isinstance(document.tree.get("rule"), list) else ()):
        if isinstance(rule, dict) and rule.get("effect") == "allow":
            problems.append(_problem(document, file, ("rule", number, "effect"), "a policy can't allow anything"))
    mode, walls = document.tree.get("max_mode", "unattended"), document.tree.get("sandbox", "")
    if mode not in MODES:
        problems.append(_problem(document, file, ("max_mode",), "is no mode", MODES))
        mode = "ask"
    if "sandbox" in document.tree and walls != "required":
        problems.append(_problem(document, file, ("sandbox",), "has one value only", ("required",)))
    ignore = document.tree.get("ignore", [])
    if not isinstance(ignore, list) or not all(isinstance(one, str) and "\n" not in one for one in ignore):
        problems.append(_problem(document, file, ("ignore",), "must be a list of patterns, like lines of .gitignore"))
        ignore = []
    return RulesFile(
        file, rules, tuple(problems), max_mode=mode, sandbox=walls == "required", ignore=tuple(map(str, ignore))
    )


def _problem(
    document: toml.Document, file: str, path: toml.Path, message: str, allowed: Sequence[str] = ()
) -> SettingsProblem:
    """With the line of the key, or of what is around it."""
    place: tuple[int, int] | None = None
    for length in range(len(path), 0, -1):
        if (place := document.places.get(path[:length])) is not None:
            break
    line, column = place or (1, 1)
    key = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    return SettingsProblem(message, key, file, line, column, tuple(allowed))


def _rules(document: toml.Document, file: str, problems: list[SettingsProblem]) -> tuple[ApprovalRule, ...]:
    """The rules that can be read; what is wrong with the others goes to `problems`."""
    tables = document.tree.get("rule", [])
    if not isinstance(tables, list):
        problems.append(_problem(document, file, ("rule",), "must be written as [[rule]]"))
        return ()
    if len(tables) > MOST_RULES:
        problems.append(_problem(document, file, ("rule", MOST_RULES), f"exceeds the limit of {MOST_RULES:,} rules"))
        tables = tables[:MOST_RULES]
    found: list[ApprovalRule] = []
    known: set[str] = set()
    for number, table in enumerate(tables):
        path: toml.Path = ("rule", number)

        def wrong(message: str, key: str = "", allowed: Sequence[str] = (), at: toml.Path = path) -> None:
            problems.append(_problem(document, file, (*at, key) if key else at, message, allowed))

        rule = checked_rule(table, wrong, place=_place(document, file, path))
        if rule is None:
            continue
        if rule.id in known:
            wrong(f"another rule has the id {rule.id}", "id")
            if rule.effect == "allow":
                continue
        known.add(rule.id)
        found.append(rule)
    return tuple(found)


def _place(document: toml.Document, file: str, path: toml.Path) -> str:
    for one in (path, *((*path, key) for key in KEYS)):
        if one in document.places:
            return f"{file}:{document.places[one][0]}"
    return file


def checked_rule(table: Any, wrong: Callable[..., None], *, place: str = "") -> ApprovalRule | None:
    """One table of a file; `wrong` is called with each thing that is wrong with it, and its key. None where it cannot
    be used."""
    flaws: list[str] = []

    def flaw(message: str, key: str = "", allowed: Sequence[str] = ()) -> None:
        flaws.append(message)
        wrong(message, key, allowed)

    if not isinstance(table, dict):
        flaw("is no table")
        return None
    for key in table:
        if key not in KEYS:
            near = nearest(key, KEYS)
            flaw(f"isn't a key of a rule{f'; did you mean {near}?' if near else ''}", key, () if near else KEYS)
    effect, tool = table.get("effect"), table.get("tool")
    if effect not in ("allow", "ask", "deny"):
        flaw("is missing" if effect is None else "is no effect", "effect", ("allow", "ask", "deny"))
    if not isinstance(tool, str) or not _TOOL.fullmatch(tool):
        flaw("is missing" if tool is None else "isn't a tool name", "tool")
    elif effect == "allow" and "*" in tool:
        flaw("an allow rule must name one tool, without *", "tool")
    scopes = [key for key in _SCOPES if key in table]
    if len(scopes) > 1:
        flaw(f"has more than one of {', '.join(_SCOPES)}", scopes[1])
    exact = table.get("exact", False)
    if not isinstance(exact, bool):
        flaw("must be true or false", "exact")
    if exact and "command" not in table:
        flaw("needs a command", "exact")
    command = _command(table["command"], flaw) if "command" in table else None
    if command is not None and effect == "allow":
        for words in _first_words(command):
            if why := never_by_prefix(words, exact=exact is True):
                flaw(f"cannot be allowed: {why}", "command")
                break
    folder = table.get("folder", "")
    if not isinstance(folder, str) or ("folder" in table and not os.path.isabs(folder)):
        flaw("must be an absolute path", "folder")
        folder = ""
    texts = {key: table.get(key) for key in ("path", "host") if key in table}
    for key, text in texts.items():
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_WORD or "\n" in text or "\0" in text:
            flaw(f"isn't a valid {key}", key)
        elif key == "path" and (why := _bad_path(text)):
            flaw(why, key)
        elif key == "host" and not re.fullmatch(r"(\*\.)?[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]+\]?", text):
            flaw("isn't a host; `*.example.org` matches all its subdomains", key)
    arguments = _canonical(table["arguments"], flaw) if "arguments" in table else None
    expires = _time(table["expires"], flaw, "expires") if "expires" in table else None
    reason = table.get("reason", "")
    if not isinstance(reason, str) or len(reason) > 1_000:
        flaw("must be a text of at most 1,000 characters", "reason")
    created = _time(table["created"], flaw, "created") if "created" in table else None
    made_by = table.get("made_by", "")
    if not isinstance(made_by, str) or len(made_by) > 200:
        flaw("must be a text of at most 200 characters", "made_by")
    id_ = table.get("id", "")
    if "id" in table and not (isinstance(id_, str) and _ID.fullmatch(id_)):
        flaw("isn't a valid ID: use letters, digits, _, . and -, at most 64", "id")
    if flaws:
        return None
    made: Effect = effect  # type: ignore[assignment]
    return ApprovalRule(
        id_ or _made_id(table), made, str(tool), command, exact, table.get("path"), table.get("host"), arguments,
        os.path.realpath(folder) if folder else "", expires, reason, place, created, made_by,
    )  # fmt: skip


def _first_words(command: tuple[tuple[str, ...], ...]) -> list[list[str]]:
    """The words that stand first, for each choice of the program; of later choices the first."""
    rest = [choice[0] for choice in command[1:]]
    found = [[program, *rest] for program in command[0]]
    for number, choices in enumerate(command[1:], 1):
        found += [[command[0][0], *rest[: number - 1], word, *rest[number:]] for word in choices[1:]]
    return found


def _command(value: Any, flaw: Callable[..., None]) -> tuple[tuple[str, ...], ...] | None:
    if not isinstance(value, list) or not value:
        flaw('must be a list of words, such as ["git", "log"]', "command")
        return None
    if len(value) > MOST_WORDS:
        flaw(f"has more than {MOST_WORDS} words", "command")
        return None
    found = []
    for one in value:
        choices = one if isinstance(one, list) else [one]
        sound = bool(choices) and len(choices) <= MOST_WORDS
        if not sound or not all(
            isinstance(word, str) and len(word) <= LONGEST_WORD and "\0" not in word for word in choices
        ):
            flaw("must have only words and lists of words", "command")
            return None
        found.append(tuple(choices))
    if not all(found[0]):
        flaw("names no program", "command")
        return None
    return tuple(found)


def _bad_path(pattern: str) -> str:
    from pathspec import GitIgnoreSpec

    if pattern.startswith(("!", "#")):
        return "is a pattern of paths, not an exception or a comment"
    try:
        usable = [one for one in GitIgnoreSpec.from_lines([pattern]).patterns if one.include is not None]
    except Exception as problem:  # the library's own error is a ValueError in some versions only
        return f"isn't a valid path pattern: {problem}"
    return "" if usable else "isn't a valid path pattern"


def _canonical(value: Any, flaw: Callable[..., None]) -> str | None:
    if not isinstance(value, dict):
        flaw("must be a table of arguments", "arguments")
        return None
    return canonical_json(value)


def _time(value: Any, flaw: Callable[..., None], key: str) -> float | None:
    if not isinstance(value, datetime):
        flaw("must be a date with a time, such as 2026-12-01T00:00:00Z", key)
        return None
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()


def _made_id(table: dict[str, Any]) -> str:
    """The id of a rule that has none: the same as long as nothing in it changes."""
    return f"rule-{hashlib.sha256(canonical_json(table).encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"
