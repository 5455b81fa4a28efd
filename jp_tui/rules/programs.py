"""Programs that run other programs, or change what a shell does: their first words don't determine the effect (rules.md
AR15).

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import basename

from jp_tui.rules.shell_line import read
from jp_tui.rules.values import Words

_SHELLS = frozenset({
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "busybox", "toybox", "pwsh", "rbash",
})  # fmt: skip
_SHELL_STATE = frozenset({
    "eval", "exec", "source", ".", "command", "builtin", "export", "readonly", "unset", "set", "alias", "trap", "read",
    "hash", "enable", "printf", "test", "[", "declare", "typeset", "local", "let", "shopt", "mapfile", "readarray",
    "getopts", "wait", "unalias", "bind", "complete", "compgen", "compopt", "fc", "history", "pushd", "popd", "dirs",
    "chdir", "cd", "coproc", "time", "umask", "ulimit", "suspend", "jobs", "fg", "bg", "disown", "caller", "logout",
})  # fmt: skip
"""They change the meaning of the rest of the line, run their words, or write to a variable that they name."""
_WRAPPERS = frozenset({
    "env", "xargs", "time", "timeout", "nice", "nohup", "sudo", "ssh", "parallel", "watch", "doas", "su", "pkexec",
    "runuser", "chroot", "setsid", "stdbuf", "ionice", "chrt", "taskset", "numactl", "unshare", "nsenter", "flock",
    "strace", "ltrace", "script", "unbuffer", "expect", "systemd-run", "screen", "tmux", "at", "batch", "entr",
    "bwrap", "firejail", "faketime", "rlwrap", "setpriv", "setarch", "linux32", "linux64", "prlimit", "choom",
    "dbus-run-session", "xvfb-run", "fakeroot", "proot", "catchsegv", "command", "exec", "builtin", "eval", "trap",
    "gdb", "valgrind", "perf", "start-stop-daemon", "daemonize", "run-parts", "rsh", "mosh", "sshpass", "ld.so",
})  # fmt: skip
_INTERPRETER = re.compile(
    r"(?:python|pypy)[\d.]*|node(?:js)?|perl[\d.]*|ruby[\d.]*|php[\d.]*|[gmn]?awk|deno|bun|lua(?:jit)?[\d.]*|tclsh"
    r"|[rR]script|osascript|ghci?|guile|sbcl|erl|elixir|julia|groovy|scala|jshell|ipython[\d.]*"
)
_INLINE = re.compile(r"-[A-Za-z]*[ceErpR].*|--(?:eval|print|run|exec|command|require|import|source|file).*")
_SCRIPT = re.compile(r"-[A-Za-z]*c[A-Za-z]*")
_DEEPEST = 4
_OPTION = re.compile(r"-|[A-Za-z_][A-Za-z0-9_]*=")
_READ_WORDS = frozenset({"eval", "su", "ssh", "trap", "script", "watch", "runuser", "xargs", "parallel"})
"""Wrappers that pass words to a shell."""
_UNSURE = frozenset({"find", "fd", "ssh", "su", "script", "trap", "gdb", "perf", "flock", "chroot", "screen", "tmux"})
_COUNTED = frozenset({"timeout", "nice", "ionice", "chrt", "taskset", "watch", "prlimit"})
WRITERS = frozenset({
    "cp", "mv", "tee", "sed", "ln", "install", "touch", "rsync", "rm", "unlink", "dd", "patch", "truncate", "vi", "vim",
    "nano", "ed", "ex", "perl", "awk", "gawk", "rename", "link", "mkdir", "rmdir", "chmod", "chown", "sort", "tar",
})  # fmt: skip
"""They change the files that they name."""
HARMLESS = frozenset({"pwd", "true", "false", ":"})
"""They need no rule."""


def program_name(word: str) -> str:
    """Return the name of a program without its folder, in lower case."""
    return basename(word).casefold()


def never_by_prefix(words: Sequence[str], *, exact: bool = False) -> str:
    """Return why no rule may allow commands by these first words; empty when one may."""
    if not words or not words[0]:
        return "it names no program"
    name = program_name(words[0])
    if name in _SHELL_STATE:
        return f"`{name}` can change what the rest of a command line means"
    if name in _SHELLS or name in _WRAPPERS:
        return "" if exact and len(words) > 1 and name not in _SHELLS else f"`{name}` can run any other program"
    if not _INTERPRETER.fullmatch(name):
        return ""
    if len(words) < 2:
        return f"`{name}` alone can run any program; name the script as well"
    rest = list(words[1:])
    if name.endswith("awk"):
        return f"`{name}` with an option can run any program" if rest[0].startswith("-") and not exact else ""
    if any(_INLINE.fullmatch(word) for word in rest) and not _module(rest):
        return f"`{name}` with code in its arguments can do anything"
    if rest[0].startswith("-") and not _module(rest) and not (exact and _is_read_only(rest)):
        return f"`{name}` with an option first can run any program; name the script first"
    return ""


def _module(rest: Sequence[str]) -> bool:
    """Return True for `-m NAME`."""
    return len(rest) > 1 and rest[0] == "-m" and not rest[1].startswith("-")


def _is_read_only(rest: Sequence[str]) -> bool:
    return len(rest) == 1 and rest[0] in ("--version", "-V", "-v", "--help", "-h")


MOST_REACHED = 1_000
"""Most commands inside a command that are checked; with more, anything may be among them."""


def reaches(words: Words) -> list[tuple[Words, bool]]:
    """Return the words themselves, then the commands that they run inside a wrapper or a shell, four levels deep, each
    with True if that is certain. Words that aren't certain may also be an argument."""
    found: list[tuple[Words, bool]] = []
    for one in _reached(words, _DEEPEST, True):
        found.append(one)
        if len(found) > MOST_REACHED:
            return [*found, ((None,), False)]
    return found


def _reached(words: Words, deep: int, certain: bool) -> Iterator[tuple[Words, bool]]:
    yield words, certain
    if not words or words[0] is None:
        return
    name = program_name(words[0])
    runs = name in _WRAPPERS or name in ("find", "fd", "busybox", "toybox")
    if not (runs or name in _SHELLS):
        return
    if deep == 0:
        yield (None,), False
        return
    if name in _SHELLS or name in _READ_WORDS:
        yield from _scripts(words, deep, certain)
    if not runs:
        return
    sure = certain and name not in _UNSURE
    first = True
    for at, word in enumerate(words):
        if at == 0 or word is None or _OPTION.match(word):
            sure = sure and (at == 0 or word is not None)
            continue
        if name in _COUNTED and (word[:1].isdigit() or word in ("-", "idle")):
            continue
        if first and sure:
            yield from _reached(words[at:], deep - 1, True)
        else:
            yield words[at:], False
            if program_name(word) in _SHELLS:
                yield from _scripts(words[at:], deep - 1, False)
        first = False


def _scripts(words: Words, deep: int, certain: bool) -> Iterator[tuple[Words, bool]]:
    """Yield the commands in words that a shell reads as a line: the one after `-c` is certain, any other perhaps."""
    sure = False
    for word in words[1:]:
        if word is None or (_OPTION.match(word) and " " not in word):
            sure = certain and word is not None and (sure or bool(_SCRIPT.fullmatch(word)))
            continue
        if " " not in word and not sure:
            continue
        line = read(word)
        if line.why:
            yield (None,), False
        for command in line.commands:
            yield from _reached(tuple(one.text for one in command.words), deep - 1, sure)
        sure = False
