"""Command lines are read as dash and bash read them, or not at all (rules.md AR11-AR13)."""

from __future__ import annotations

import sys

import pytest

from jp_tui.rules import shell_line
from jp_tui.rules.decide import RuleLayer, RuleLayers, decide
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.shell_line import read
from jp_tui.rules.values import ApprovalRule, CallFacts, Nowhere, Situation


def words(line: str) -> list[list[str | None]]:
    """The words of each command; nothing for a line that is not understood."""
    return [[word.text for word in one.words] for one in read(line).commands]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("a; b & c && d || e | f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("! a", [["a"]]), ("( a; b )", [["a"], ["b"]]), ("{ a; }", [["a"]]),
        ("if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("while a; do b; done", [["a"], ["b"]]), ("until a\ndo\nb\ndone", [["a"], ["b"]]),
        ("for f in x 'y z' *; do a $f; done", [["a", None]]),
        ("a # b; c", [["a"]]), ("a b#c", [["a", "b#c"]]), ("# a\nb", [["b"]]),
        ("a 'b c' \"d e\" f\\;g \"\\$x\\\"\"", [["a", "b c", "d e", "f;g", '$x"']]),
        ("a $X ${X} \"$X\" 'x'$X", [["a", None, None, None, None]]),
        ("a * ? [x] ~", [["a", None, None, None, None]]),
        ("a if then", [["a", "if", "then"]]), ("é ü", [["é", "ü"]]), ("", []), ("# x", []),
    ],
)  # fmt: skip
def test_ar12_what_is_understood(line: str, commands: list[list[str | None]]) -> None:
    assert (words(line), read(line).why) == (commands, "")


@pytest.mark.parametrize(
    "line",
    [
        "a $(b)", "a `b`", 'a "$(b)"', "a $((1))", "a ${X:-b}", "a $1", "a $@", "a $", "X=1 a", "X=1", "a[0]=1",
        "X+=1 a",
        "f() { a; }", "function f { a; }", "case a in a) b;; esac", "[[ a ]]", "[ a ]", "((1))", "cat <<E\na\nE",
        "a <<< b",
        "a {b,c}", "a {1..3}", "a {}", "a \\\nb", "a\\", "a 'b", 'a "b', "a\rb", "a\x0bb", "a\x1bb", "a\x00b",
        "a\u00a0b",
        "a\u2028b", "a\u3000b", "a\u200bb", "a\ufeff", "a\\ b", "a\\\tb", "time a", "coproc a",
        "select x in a; do b; done",
        "for x; do a; done", "for X in a; do b; done", "for xy in a; do b; done", "if a; then", "a &&", "| a",
        "a ;; b", ")",
        "( a", "a )", "a (b)", "}", "fi", "done", "a; then b", "{ a; } b", "( a ) b", "if; then a; fi", "( )",
        "a && && b",
        "'' a", '"" a', "if a; then; fi", "\ud800", "a <> f", "a 3<>f", "a 10>f", "a {x}>f", "a >", "a > ; b", "!",
        "a | !",
        "export X=1", "unset X", "a >&-", "a >&f", "a 2>&$X", "declare X=1", "readonly X", "local X",
    ],
)  # fmt: skip
def test_ar12_all_else_is_not_understood(line: str) -> None:
    told = read(line)
    assert told.why and not told.commands


@pytest.mark.parametrize(
    "line", ["a $'b'", 'a $"b"', "a &> f", "a &>> f", "a |& b", "a <(b)", "a >(b)", "a {b,c}", "a >& f"]
)
def test_ar13_what_shells_read_differently_is_not_understood(line: str) -> None:
    assert read(line).why


@pytest.mark.parametrize("line", ["echo okay\n\\evil", "a >f evil", "echo a\\\n;evil", "echo a\x0bevil", "a\\\nb evil"])
def test_ar13_what_the_grammar_misreads_is_not_understood(line: str) -> None:
    assert read(line).why


def test_ar13_a_redirection_in_front_swallows_no_program() -> None:
    assert words(">f evil") == [["evil"]]


@pytest.mark.parametrize(
    "line",
    [
        "a" * 16_385, "(" * 20_000, "(" * 33 + "a" + ")" * 33, "a;" * 201, "{ " * 40 + "a" + "; }" * 40, "if " * 5_000,
        "'" * 9_999, "\\" * 9_999, "$" * 9_999, "a " * 8_000 + "(",
    ],
    ids=lambda line: line[:6],
)  # fmt: skip
def test_what_is_too_long_or_too_deep_is_not_understood(line: str) -> None:
    assert read(line).why


def test_what_is_large_but_within_the_limits_is_read() -> None:
    assert len(read("a;" * 200).commands) == 200
    assert words("a " * 8_000 + "b")[0][-1] == "b"
    assert not read("( " * 31 + "a" + " )" * 31).why


def test_ar11_the_grammar_is_not_loaded_before_the_first_line() -> None:
    import subprocess

    code = (
        "import sys, jp_tui.rules.decide; assert 'tree_sitter' not in sys.modules; assert 'pathspec' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_ar11_without_the_grammar_no_line_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    shell_line._parser.cache_clear()
    try:
        assert "installed" in read("ls").why
    finally:
        shell_line._parser.cache_clear()


ALLOWED = (
    "git log", "git blame", "git status", "git add", "git commit", "git diff", "ls", "cat", "grep", "head", "wc",
    "awk x",
    "npm run test", "mpqcli", "echo", "sed", "tail", "sort", "jq", "find",
)  # fmt: skip
THREADS: tuple[tuple[str, str, bool], ...] = (
    # A rule for the first command of a chain let the whole chain run.
    ("claude-code#94314", "git log --oneline; git push", False),
    ("claude-code#94314", "git log --oneline && touch x", False),
    ("claude-code#94314", "git log --oneline; git blame f", True),
    ("claude-code#82420", "date && ls", False),
    ("claude-code#82420", "ls && date", False),
    ("claude-code#16180", "git add f && git commit -m m && git push", False),
    ("claude-code#58424", "rm -rf x && ls | head; echo done", False),
    # A collection of such threads: chains, the same option spelt otherwise, here-documents, comments.
    ("claude-code#30519", 'git add . && git commit -m "oops"', True),
    ("claude-code#30519", 'git add . && git push --force && git commit -m "oops"', False),
    ("claude-code#30519", "git push -f", False),
    ("claude-code#30519", "git -C sub push --force", False),
    ("claude-code#30519", "cat <<E\nx\nE\nevil", False),
    ("claude-code#30519", "# first\n# second\nevil", False),
    # Git's own syntax for revisions: carets and quoted braces are text, bare braces ask (AR12).
    ("claude-code#42426", "git diff HEAD^ 'stash@{0}' && git status", True),
    ("claude-code#42426", "git log HEAD@{1}", False),
    ("claude-code#42426", "git log 'HEAD@{1}' && git push", False),
    # A rule for `cd` let everything behind it run, or `cd` in front kept everything from running.
    ("claude-code#28784", "cd sub && python3 script.py", False),
    ("claude-code#28784", "cd sub || curl x", False),
    ("claude-code#28240", "cd sub && git add f && git commit -m 'a message'", True),
    ("claude-code#28240", "cd /elsewhere && git add f", False),
    ("claude-code#16561", "cd sub && git status", True),
    ("claude-code#16561", "git status && npm run test | head -5; ls", True),
    ("claude-code#16561", "cd sub && git status && make", False),
    ("claude-code#91837", "cd sub\ngrep -rn foo src | grep -v __pycache__", True),
    # Each part of a pipe counts for itself.
    ("claude-code#70051", "grep pattern file | head -20", True),
    ("claude-code#70051", "grep pattern file | rm -rf /", False),
    ("claude-code#70051", "grep pattern file | tee f", False),
    ("claude-code#14595", "git status | xargs echo", False),
    ("claude-code#2983", "find . -name '*.txt' | xargs grep x", False),
    # A substitution or a here-document is not read, and no part of it becomes a rule.
    ("claude-code#25825", "git commit -m \"$(cat <<'E'\ntitle\nE\n)\"", False),
    ("claude-code#25825", "git commit -m 'title\n\nbody && more; and `this`'", True),
    ("claude-code#94350", "echo $(ls; ls)", False),
    # Operators in quotes are text, and so are options in quotes.
    ("claude-code#95969", "git commit -m 'fix a && b'", True),
    ("claude-code#95969", "grep -n 'a|b' file", True),
    ("claude-code#23670", "ls \"-la\" '-h'", True),
    ("claude-code#18953", "find src/a.\\$id -name x", True),
    # Reserved words are no programs.
    ("claude-code#32270", 'for m in a.MPQ b.MPQ; do mpqcli list "$m"; done', True),
    ("claude-code#32270", 'for m in a.MPQ b.MPQ; do evil list "$m"; done', False),
    ("claude-code#16481", "while read d\ndo echo $d\ndone", False),
    # Comments, redirections, variables in front, names that begin alike.
    ("claude-code#29582", "# check the diff\ngit diff", True),
    ("claude-code#29582", "git diff # and why", True),
    ("claude-code#29582", "git diff # a comment\nevil", False),
    ("claude-code#13137", "npm run test 2>&1 | head -200", True),
    ("claude-code#81667", "git status --short > /elsewhere/b.txt", False),
    ("claude-code#49350", "AWS_PROFILE=x ls", False),
    ("claude-code#20385", "lsof", False),
    ("claude-code#4956", "echo test && evil", False),
    ("claude-code#4956", "echo test `evil`", False),
    ("claude-code#4956", "echo test & evil", False),
    ("claude-code#4956", "echo test | evil", False),
    ("claude-code#4956", "echo test\nevil", False),
    ("claude-code#28183", 'git status && echo "---" && pwd', True),
    ("claude-code#59498", "cd sub && git push --dry-run", False),
    ("claude-code#33340", "grep -rn foo . | tee log", False),
    ("claude-code#48518", "cat <<'E' | evil\nx\nE", False),
    ("claude-code#55313", "sed -n '1,3p' a 2>/dev/null || sed -n '1,3p' b", True),
    ("claude-code#70369", "{ cat a; ls; }", True),
    ("claude-code#70369", "{ cat a; evil; }", False),
    ("claude-code#70369", "cat <(ls) a", False),
    ("claude-code#92542", "wrapper git log", False),
)
"""Cases of public threads, in words of our own: which one, a line, and whether it runs without a question here."""


@pytest.mark.parametrize(("thread", "line", "runs"), THREADS)
def test_ar11_the_compound_commands_of_public_threads(thread: str, line: str, runs: bool) -> None:
    class Disk(Nowhere):
        def folder(self, path: str) -> str | None:
            return path if path in ("/w/sub", "/elsewhere") else None

    rules = [ApprovalRule(name, "allow", "run", tuple((word,) for word in name.split())) for name in ALLOWED]
    call = CallFacts("run", "", "/w", line=line, commands=True)
    told = decide(call, RuleLayers(user=RuleLayer(RuleIndex(rules))), Situation("/w"), (), Disk())
    assert (told.choice == "run") == runs, (thread, told)


@pytest.mark.parametrize(("line", "choice"), [("git status && git log", "run"), ("git status && git push", "ask")])
def test_ar6_an_ask_rule_stands_above_an_allow_rule_in_a_chain(line: str, choice: str) -> None:
    """claude-code#25345, as others tell of it: what has to be asked about is asked, however much else is allowed."""
    rules = [
        ApprovalRule("git", "allow", "run", (("git",),)),
        ApprovalRule("push", "ask", "run", (("git",), ("push",))),
    ]
    call = CallFacts("run", "", "/w", line=line, commands=True)
    told = decide(call, RuleLayers(user=RuleLayer(RuleIndex(rules))), Situation("/w"), (), Nowhere())
    assert told.choice == choice, told
