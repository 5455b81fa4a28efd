"""Dangerous commands, which always need the user's approval, whatever any rule says (rules.md AR9):
`config/danger.toml`.

Pure. A false match only asks once too often, so an open word matches any word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from jp_tui.rules.programs import program_name
from jp_tui.rules.values import Words

_NAMES = re.compile(r"[A-Za-z0-9_.+-]+")


@dataclass(frozen=True, slots=True)
class Danger:
    """A pattern of a dangerous command.

    `programs` are patterns of names. `words` are groups of patterns: the command has one word of each group, in this
    order. `flags`: it has at least one of them (a short one also in a bundle). `after`: the line must also have one of
    these programs, and a pipe. `first`: the words begin at the subcommand, with only options before it.
    """

    id: str
    programs: tuple[str, ...]
    words: tuple[tuple[str, ...], ...] = ()
    flags: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    first: bool = False
    reason: str = ""

    def fits(self, words: Words) -> bool:
        """Return True if a command matches, without a check of `after`."""
        if not words or words[0] is None or not _named(self.programs, words[0]):
            return False
        rest = words[1:]
        begins = any(_in_order(self.words, rest[at:], here=True) for at in _subcommand(rest)) if self.first else False
        return (begins or (not self.first and _in_order(self.words, rest))) and (
            not self.flags or any(_flagged(self.flags, word) for word in rest)
        )


def read_dangers(tables: Iterable[dict[str, Any]]) -> tuple[Danger, ...]:
    """Return the dangers of `config/danger.toml`. Raises ValueError for a table of another shape."""
    found = []
    for table in tables:
        if unknown := set(table) - {"id", "programs", "words", "flags", "after", "first", "reason"}:
            raise ValueError(f"unknown keys in a danger: {', '.join(sorted(unknown))}")
        found.append(
            Danger(
                str(table["id"]),
                tuple(table["programs"]),
                tuple((one,) if isinstance(one, str) else tuple(one) for one in table.get("words", ())),
                tuple(table.get("flags", ())),
                tuple(table.get("after", ())),
                table.get("first", False) is True,
                str(table["reason"]),
            )
        )
    return tuple(found)


def find_dangers(
    reached: Sequence[Sequence[tuple[Words, bool]]], dangers: Sequence[Danger], *, pipes: bool
) -> dict[int, Danger]:
    """Return the first danger of each command of a line, by its number; `reached` has, for each, the commands that it
    may run."""
    found: dict[int, Danger] = {}
    commands = [[words for words, _ in one] for one in reached]
    for danger in dangers:
        if danger.after and not (pipes and any(_one_of(danger.after, words) for one in commands for words in one)):
            continue
        for at, inside in enumerate(commands):
            if at not in found and any(danger.fits(words) for words in inside):
                found[at] = danger
    return found


def dangerous_text(text: str, dangers: Sequence[Danger]) -> Danger | None:
    """Return, for a line that is not understood, the first danger whose program and literal words are all in the
    line."""
    names = {name.casefold() for name in _NAMES.findall(re.sub(r"[\\'\"]", "", text))}
    names |= {name.rpartition("/")[2] for name in names}
    for danger in dangers:
        groups = (danger.programs, *danger.words)
        if all(any(fnmatchcase(name, one.casefold()) for name in names for one in group) for group in groups):
            return danger
    return None


def _one_of(patterns: Sequence[str], words: Words) -> bool:
    return bool(words) and words[0] is not None and _named(patterns, words[0])


def _named(patterns: Sequence[str], word: str) -> bool:
    name = program_name(word)
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _subcommand(words: Words) -> Iterator[int]:
    """Yield the possible places of a subcommand: after options, and after the value that each of them may have."""
    for at, word in enumerate(words):
        yield at
        before = words[at - 1] if at else None
        if word is not None and not word.startswith("-") and not (before is not None and before.startswith("-")):
            return


def _in_order(groups: Sequence[tuple[str, ...]], words: Words, *, here: bool = False) -> bool:
    """Return True if the words have one of each group, in this order. Other words may be between them, and before the
    first unless it has to be `here`."""
    at = 0
    for number, group in enumerate(groups):
        if here and number == 0 and words and not _fits(group, words[0]):
            return False
        while at < len(words) and not _fits(group, words[at]):
            at += 1
        if at == len(words):
            return False
        at += 0 if words[at] is None else 1  # an open word may be several
    return True


def _fits(group: Sequence[str], word: str | None) -> bool:
    return word is None or any(fnmatchcase(word.casefold(), one) for one in group)


def _flagged(flags: Sequence[str], word: str | None) -> bool:
    if word is None:
        return True
    for flag in flags:
        if flag.startswith("--"):
            if len(word) > 3 and word.startswith("--") and flag.startswith(word.partition("=")[0]):
                return True  # long options may be abbreviated
        elif len(flag) == 2 and flag.startswith("-"):
            if re.fullmatch(r"-[A-Za-z]+.*", word) and flag[1] in re.match(r"-([A-Za-z]*)", word)[1]:  # type: ignore[index]
                return True
        elif fnmatchcase(word, flag):
            return True
    return False
