"""Programs whose arguments don't reveal what they change: known by name, in a parsed command.

For targets refused in a turn (inquiries.md R247): a call with one of them could touch all targets. Of git only commands
known to leave files alone pass. Unknown programs that write unnamed files can't be detected. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

_ANY = frozenset({
    "eval", "xargs", "parallel", "hg", "jj", "make", "gmake", "ninja", "just", "task", "rake", "npm", "npx", "yarn",
    "pnpm", "bunx",
})  # fmt: skip
"""Programs that run what is in files, or in their input."""
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "busybox"})
_RUNNERS = _SHELLS | {"eval", "env", "su", "sudo", "ssh", "script", "watch", "timeout", "xargs", "find", "trap"}
_LOOKED = frozenset({"git", "patch", "find", "fd", "fdfind", "tar", "bsdtar", "unzip"})
_AWK = frozenset({"awk", "gawk", "mawk", "nawk"})
_LONGEST = 500
_CODE = re.compile(r"(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|rscript|osascript)[\d.]*")
_INLINE = re.compile(r"-[a-zA-Z]*[ceErp]\b.*|-[ce].+|--(?:eval|print|run|exec).*|-|eval")
_EXTRACTS = re.compile(r"-[a-zA-Z]*x[a-zA-Z]*|--extract|--get")
_ACTS = frozenset({
    "-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls", "-x", "-X", "--exec",
    "--exec-batch",
})  # fmt: skip
_READS = frozenset({
    "status", "log", "diff", "show", "blame", "grep", "ls-files", "ls-tree", "ls-remote", "rev-parse", "rev-list",
    "branch", "add", "commit", "fetch", "push", "remote", "tag", "describe", "cat-file", "reflog", "shortlog", "help",
    "version", "merge-base", "name-rev", "count-objects", "fsck", "whatchanged", "annotate", "for-each-ref",
    "check-ignore", "var", "diff-tree", "diff-index", "diff-files", "init", "notes", "cherry", "range-diff",
    "rm", "mv",
})  # fmt: skip
"""Git commands that change no file, or only those that they name."""
_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix"})


def writes_anywhere(words: Sequence[str]) -> bool:
    """True if a command among these words (operators have a NUL prefix) changes files that it doesn't name."""
    return any(_writes(words, at, _name(word)) for at, word in enumerate(words))


def _writes(words: Sequence[str], at: int, name: str) -> bool:
    if name in _ANY:
        return True
    if _begins(words, at) and words[at].startswith(("./", "../")):
        return True  # a program of the workspace
    if not (name in _LOOKED or name in _SHELLS or name in _AWK or _CODE.fullmatch(name)):
        return False
    rest = list(islice(_rest(words, at), _LONGEST))
    if len(rest) == _LONGEST:
        return True  # not a form that anyone uses to read
    before, behind = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    piped = before.startswith("\0|") and not before.startswith("\0||")
    if name == "git":
        return _git(rest)
    if name == "patch":
        return behind[:1] in ("", "-") or behind.startswith("\0<")
    if name in ("tar", "bsdtar"):
        return any(map(_EXTRACTS.fullmatch, rest)) or bool(rest and re.fullmatch("[a-zA-Z]*x[a-zA-Z]*", rest[0]))
    if name == "unzip":
        return not {"-l", "-t", "-v", "-p", "-Z"}.intersection(rest)
    if name in _AWK:
        return any(re.search(r"system *\(|[|>]|getline|-f", word) for word in rest)
    if name in _LOOKED:
        return not _ACTS.isdisjoint(rest)
    reads = piped or behind.startswith("\0<")
    if name in _SHELLS:
        return reads or "-s" in rest or ("-c" not in rest and any(not word.startswith(("-", "+")) for word in rest))
    return reads or any(map(_INLINE.fullmatch, rest)) or any(not word.startswith("-") for word in rest)


def runs_words(words: Sequence[str]) -> bool:
    """True if a program among them runs a word as a command."""
    return any(_name(word) in _RUNNERS for word in words)


def _begins(words: Sequence[str], at: int) -> bool:
    """True if a command begins here."""
    return at == 0 or (words[at - 1].startswith("\0") and words[at - 1][1:2] not in "<>")


def _name(word: str) -> str:
    return word.rpartition("/")[2].casefold()


def _rest(words: Sequence[str], at: int) -> Iterator[str]:
    """Iterate over the words of one command after its name."""
    for word in words[at + 1 :]:
        if word.startswith("\0") and word[1:2] not in "<>":
            return
        if not word.startswith("\0"):
            yield word


def _git(rest: list[str]) -> bool:
    if any(word.startswith(":") for word in rest):
        return True  # a pathspec with magic
    words = iter(rest)
    for word in words:
        if word in _VALUED:
            next(words, None)
        elif not word.startswith("-"):
            return word not in _READS
    return False
