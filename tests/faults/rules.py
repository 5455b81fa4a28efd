"""Generated command lines, run by real shells: what a decision lets run starts no program that no rule allows
(rules.md AR11-AR16).

Each line that the rules below allow is run by dash and by bash in an empty folder, with a stub for every program on the
PATH. A stub records its name and its words. What is recorded has to be allowed, and has to be what was read.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, seed, settings

from jp_tui.rules.decide import RuleLayer, RuleLayers, decide
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.shell_line import read
from jp_tui.rules.values import ApprovalRule, CallFacts, Nowhere, Situation, Words
from tests.faults import rule_kills
from tests.faults.report import Found
from tests.rules import loosening as lo

ALLOWED = ("ok", "fine", "cat", "echo", "grep", "make", "no")
SUBCOMMANDS = ("log", "diff")
DENIED = ("bad",)
STUBS = (
    *ALLOWED, *DENIED, "git", "evil", "other", "env", "xargs", "sh", "bash", "sudo", "find", "rm", "a", "b", "f", "x",
    "ls", "if", "then", "fi", "time", "{", "}", "!", "do", "done", "okay", "in", "log", "diff", "push",
)  # fmt: skip
SHELLS = ("/bin/dash", "/bin/bash")
SECONDS = 3.0
BATCH = 100
"""Lines that one process runs."""
LINES, WHOLE = 1_000, 20_000
_ENVIRONMENT = {"X": "evil", "Y": "ok; evil", "Z": "", "W": "a evil", "i": "evil", "LC_ALL": "C.UTF-8"}

_PROGRAMS = ("ok", "fine", "cat", "echo", "grep", "make", "git log", "git diff", "pwd", "true", "cd sub", "no")
_WORDS = (
    "a", "b", "-n", "--flag=1", "'q r'", '"d q"', '"$X"', "$X", "${Y}", "$Z", "*", "?", "~", "evil", "bad", "\\;",
    "\\&",
    "'a;b'", '"a|b"', "a#b", "a=b", "é", "'\n'", '""', "if", "done", "1", "2", "%1", "@x", "a,b", "a:b", "^", "+",
    "\\\\",
    "it\\'s", "'it'\\''s'", '"a\\"b"', '"a\\$b"', "[a-z]", "]", "git", "push", "-", "--", "=", "x.y", "./f", "\\evil",
)  # fmt: skip
_SEPARATORS = (";", "; ", " && ", " || ", " | ", " & ", "\n", " ;", "&&", "|", "\n\n", "&\n", " |\n", " && \n")
_REDIRECTIONS = (" > f", " >f", " 2>&1", " >> f", " < f", " 2>/dev/null", " >|f", " 2> f", " 1>&2")
_NASTY = (
    *"\\'\"`$;&|(){}<>#!~*?[]=^%@,:\n\t \r\x0b\x0c\x1b\x7f", "\\\n", "$(evil)", "`evil`", "${X}", "${Z:-evil}",
    "<(evil)",
    ">(evil)", "&>", "|&", "<<E\nevil\nE\n", "<<<", "$'\\n'", '$"a"', "((", "))", "[[", "]]", "{a,evil}", "{1..3}",
    "\u00a0", "\u2028", "\u200b", "\x85", "\u3000", "é", "\u0301", "evil", "bad", "git push", "\nevil", "time ",
    "coproc ",
    "function f ", "f() ", "case x in x) evil;; esac", "if ", "then ", "fi", "do ", "done", "for i in ", "while ", "! ",
    "{ ", "} ", "alias ok=evil\n", "x=1 ", "PATH=. ", "IFS=. ", "eval ", "exec ", "command ", "env ", ". f", "set -- ",
    "trap 'evil' EXIT;", "2>", "10>", "{fd}>", "<>", "\\#", " #", "a#", "read x;", "$", "$X", "$#", "$@", "$1", ">&",
    "<&",
    ">&-", "\\ ", "#\n", "# \\\nevil", "'", '"', "\\\nevil", ";;", "&;", "xargs ", "sh -c evil", "\ufeff", "<f evil",
    "\0",
    " >f evil", "(", ")", "evil() {", "!evil", "test -f f", "[ -f f ]", "printf -v X evil", "$[1]", "~evil", "2>&",
    "&&&",
    "||", ";", "\n)", "else evil", "elif evil", "until evil", "in", "select i in a; do evil; done", "\ud800", "``",
)  # fmt: skip

PLAIN = (
    "ok", "ok -la", "git log --oneline -5", "git diff HEAD^ -- src", "cat a.txt | grep -n 'x y' | ok", "ok && fine",
    "ok; fine", "ok || true", "cd sub && make", "cd sub\nmake -j4 2>&1 | ok -20", "make > log.txt 2>&1",
    "ok 2>/dev/null",
    "ok \"it's\" 'a \"b\"'", "grep -rn --include='*.py' \"def main\" src", "cat *.md", "echo $HOME", 'echo "$HOME/x"',
    "for f in a b c; do cat $f; done", "if ok; then fine; else cat b; fi", "while no; do ok; done", "! no",
    "(cd sub; ok)",
    "{ ok; fine; } > f", "ok # and why", "# first\nok", "ok &", "ok < f", "cat a >> b",
    "git log --format='%h %s' -- a b",
    "echo done", "make a=b", "grep -E '^(a|b)$' f", "grep -v \\# f", "ok ~/x", "pwd; ok", "echo é ü", "true && :",
    "ok\n\nfine\n", "grep \"a\\.b\" f", "cat ./a/b/c.txt", "ok --x=y,z a:b @c %d +e", "echo it\\'s",
    "until ok; do no; done",
    "ok |\ngrep x &&\nfine", "git log\tHEAD", "if ok\nthen\n  fine\nelif cat a\nthen\n  ok\nfi > f", "( ( ok ) )",
    "ok ''",
    "echo 'a\nb'", 'echo "a\nb"', "grep x <f >g 2>&1",
)  # fmt: skip
"""Lines as people and models write them: each runs without a question."""


@dataclass
class Folder(Nowhere):
    """A workspace with one folder, `sub`; programs are outside of it."""

    root: str
    programs: str = "/scratch/bin"

    def folder(self, path: str) -> str | None:
        path = os.path.normpath(path)
        return path if path in (self.root, f"{self.root}/sub", "/", "/tmp") else None

    def real(self, path: str) -> str:
        return os.path.normpath(path)

    def program(self, name: str, cwd: str) -> str | None:
        return os.path.normpath(f"{cwd}/{name}") if "/" in name else f"{self.programs}/{name}"


def rules() -> RuleLayers:
    """What the lines are decided by."""
    allow = [ApprovalRule(f"allow-{name}", "allow", "run", ((name,),)) for name in ALLOWED]
    allow.append(ApprovalRule("allow-git", "allow", "run", (("git",), SUBCOMMANDS)))
    deny = [ApprovalRule(f"deny-{name}", "deny", "run", ((name,),)) for name in DENIED]
    deny.append(ApprovalRule("deny-push", "deny", "run", (("git",), ("push",))))
    return RuleLayers(user=RuleLayer(RuleIndex([*allow, *deny])))


def allows(line: str, root: str = "/w") -> bool:
    """Whether the line would run without a question."""
    call = CallFacts("run", "", root, line=line, commands=True)
    return decide(call, rules(), Situation(root), (), Folder(root)).choice == "run"


def naive(line: str, root: str = "/w") -> bool:
    """The reader that this has to be better than: split at operators, look at the first words."""
    for part in re.split(r"&&|\|\||[;&|\n]", line):
        try:
            words = shlex.split(part, comments=True)
        except ValueError:
            return False
        if words and not (words[0] in (*ALLOWED, "cd", "pwd", "true", ":") or words[:1] == ["git"]):
            return False
    return True


def generated(count: int, seed: int) -> Iterator[str]:
    """Lines, half of them damaged."""
    chance = random.Random(seed)
    for _ in range(count):
        line = _compound(chance, 2)
        for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 3))):
            line = _damaged(chance, line)
        yield line


def _compound(chance: random.Random, deep: int) -> str:
    parts = []
    for _ in range(chance.choice((1, 1, 2, 2, 3))):
        kind = chance.random()
        if deep and kind < 0.3:
            one, two = _compound(chance, deep - 1), _compound(chance, deep - 1)
            parts.append(
                chance.choice((
                    f"( {one} )", f"{{ {one}; }}", f"if {one}; then {two}; fi", f"if {one}; then {two}; else ok; fi",
                    f"for i in a $X b; do {one}; done", f"while no; do {one}; done", f"! {one}", f"({one})",
                    f"if {one}\nthen {two}\nelif no; then ok; fi", f"for i in a; do\n{one}\ndone", f"{{ {one}\n}} > f",
                ))
            )  # fmt: skip
        else:
            parts.append(_simple(chance))
    line = parts[0]
    for part in parts[1:]:
        line += chance.choice(_SEPARATORS) + part
    return line + chance.choice(("", "", "", " # c", "\n", ";", " &"))


def _simple(chance: random.Random) -> str:
    program = chance.choice(_PROGRAMS) if chance.random() < 0.93 else chance.choice(("evil", "bad", "git push", "$X"))
    words = [chance.choice(_WORDS) for _ in range(chance.choice((0, 0, 1, 1, 2, 3)))]
    line = " ".join([program, *words])
    if chance.random() < 0.2:
        line = (
            line + chance.choice(_REDIRECTIONS) if chance.random() < 0.8 else chance.choice(_REDIRECTIONS) + " " + line
        )
    return line


def _damaged(chance: random.Random, line: str) -> str:
    at = chance.randrange(len(line) + 1)
    kind = chance.random()
    if kind < 0.7:
        return line[:at] + chance.choice(_NASTY) + line[at:]
    if kind < 0.85:
        return line[:at] + line[at + 1 :]
    other = chance.randrange(len(line) + 1)
    return line[:at] + line[min(at, other) : max(at, other)] + line[at:]


class Stubs:
    """A scratch folder with the stubs; `ran` says what shells started for lines. A stub that writes more than a few
    kilobytes for one line is stopped, so that a loop ends."""

    def __init__(self, base: Path) -> None:
        self._base = base
        (base / "bin").mkdir()
        for name in STUBS:
            stub = base / "bin" / name
            status = 1 if name == "no" else 0
            said = f"printf '\\001%s' {shlex.quote(name)} \"$@\" '\x02' >>\"$LOG_OF_STUBS\" || exit 1"
            stub.write_text(f"#!/bin/dash\n{said}\nexit {status}\n")
            stub.chmod(0o755)

    def ran(self, shell: str, lines: Sequence[str]) -> list[list[tuple[str, ...]]]:
        """Every program that was started for each line, with its words."""
        work = Path(tempfile.mkdtemp(dir=self._base))
        driver = ["ulimit -f 16"]
        for number, line in enumerate(lines):
            place = work / str(number)
            (place / "sub").mkdir(parents=True)
            for name in ("f", "a", "evil"):
                (place / name).write_text("evil\n")
            environment = " ".join(
                f"{name}={shlex.quote(value)}"
                for name, value in {
                    **_ENVIRONMENT,
                    "HOME": str(place),
                    "LOG_OF_STUBS": str(work / f"{number}.log"),
                }.items()
            )
            driver.append(
                f"( cd {place}; ulimit -t 2; exec /usr/bin/env -i PATH={self._base / 'bin'} {environment} "
                f"{shell} -c {shlex.quote(line)} )"
            )
        (work / "driver").write_text("\n".join(driver) + "\n")
        held, end = os.pipe()
        started = subprocess.Popen(
            ["/bin/dash", str(work / "driver")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, pass_fds=[end], start_new_session=True,
        )  # fmt: skip
        os.close(end)
        try:
            started.wait(SECONDS + len(lines))
            os.read(held, 1)  # the end: nothing that was started in the background runs any more
        finally:
            os.close(held)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()
        found = []
        for number in range(len(lines)):
            log = work / f"{number}.log"
            text = log.read_bytes().decode(errors="surrogateescape") if log.exists() else ""
            records = text.removesuffix("\x01\x02").split("\x01\x02")
            found.append([tuple(record[1:].split("\x01")) for record in records if record])
        shutil.rmtree(work, ignore_errors=True)
        return found


def wrong(line: str, started: Sequence[tuple[str, ...]], *, read_too: bool) -> str:
    """What ran although no rule allows it, or not as it was read; empty where all is well."""
    commands: list[Words] = [tuple(word.text for word in one.words) for one in read(line).commands]
    for words in started:
        if words[0] in DENIED or words[:2] == ("git", "push"):
            return f"{line!r} ran a denied program: {words}"
        if words[0] not in ALLOWED and not (words[0] == "git" and words[1:2] and words[1] in SUBCOMMANDS):
            return f"{line!r} ran a program without a rule: {words}"
        if read_too and not any(_same(command, words) for command in commands):
            return f"{line!r} ran {words}, which was not read"
    return ""


def _same(read_: Words, words: Sequence[str]) -> bool:
    if not read_:
        return not words
    if read_[0] is None:
        return any(_same(read_[1:], words[at:]) for at in range(len(words) + 1))
    return bool(words) and words[0] == read_[0] and _same(read_[1:], words[1:])


@dataclass
class Tried:
    """What came of a number of lines."""

    lines: int = 0
    ran: int = 0
    failed: list[str] = field(default_factory=list)


def run_lines(count: int, seed: int, allowed: Callable[[str], bool], *, read_too: bool, enough: int = 0) -> Tried:
    """Run every line that is allowed by both shells; stop after `enough` failures."""
    tried = Tried()
    with tempfile.TemporaryDirectory() as folder:
        stubs = Stubs(Path(folder))
        waiting: list[str] = []
        for line in (*generated(count, seed), None):
            if line is not None:
                tried.lines += 1
                if "\0" in line or "\ud800" in line or not allowed(line):
                    continue
                waiting.append(line)
            if line is None or len(waiting) == BATCH:
                tried.ran += len(waiting)
                for shell in SHELLS:
                    for one, started in zip(waiting, stubs.ran(shell, waiting), strict=True):
                        if why := wrong(one, started, read_too=read_too):
                            tried.failed.append(f"seed {seed}, {os.path.basename(shell)}: {why}")
                waiting = []
                if enough and len(tried.failed) >= enough:
                    break
    return tried


def loosened(examples: int, seed_: int) -> list[str]:
    """Decisions that adding policy or untrusted rules, or settings over a policy, made looser (AR7)."""

    @seed(seed_)
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(lo.CALLS, lo.LAYERS, lo.SITUATIONS, lo.STRICTER, lo.ANY)
    def check(call: Any, layers: Any, situation: Any, policy: Any, folder: Any) -> None:
        why = lo.looser(call, layers, situation, policy, folder)
        assert not why, (why, call, situation, layers)

    try:
        check()
    except AssertionError as wrong:
        return [f"seed {seed_}: {wrong}"]
    return []


def tried(whole: bool, seed: int) -> list[Found]:
    """`python -m tests.faults --only rules`."""
    told = run_lines(WHOLE if whole else LINES, seed, allows, read_too=True)
    asked = [line for line in PLAIN if not allows(line)]
    examples = 10_000 if whole else 200
    return [
        Found(
            "a command line starts only what a rule allows",
            told.lines,
            told.failed,
            {"allowed and run": f"{told.ran:,}"},
        ),
        Found("a plain command line is not asked about", len(PLAIN), [repr(line) for line in asked]),
        Found("nothing that is added to the rules loosens a decision", examples, loosened(examples, seed)),
        *rule_kills.tried(whole, seed),
    ]
