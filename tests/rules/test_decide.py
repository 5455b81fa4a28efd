"""The decision about a call (rules.md AR3-AR10, AR14-AR17, AR30)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings

from jp_tui.rules.danger import read_dangers
from jp_tui.rules.decide import RuleLayer, RuleLayers, decide
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.values import ApprovalRule, CallDecision, CallFacts, Mode, Nowhere, RunSetting, Situation
from jp_tui.settings.data import DANGER_FILE
from tests.rules import loosening as lo

DANGERS = read_dangers(tomllib.loads(Path(DANGER_FILE).read_text(encoding="utf-8"))["danger"])


def allow(*words: str, **more: object) -> ApprovalRule:
    return ApprovalRule(f"allow {' '.join(words)}", "allow", "run", tuple((word,) for word in words) or None, **more)  # type: ignore[arg-type]


def deny(*words: str) -> ApprovalRule:
    return ApprovalRule(f"deny {' '.join(words)}", "deny", "run", tuple((word,) for word in words) or None, reason="no")


def ask(*words: str, tool: str = "run") -> ApprovalRule:
    return ApprovalRule(f"ask {' '.join(words)}", "ask", tool, tuple((word,) for word in words) or None)


class Disk(Nowhere):
    """`/w` with a program, a link out of it, a secret and a file that others obey."""

    def folder(self, path: str) -> str | None:
        return {"/w/sub": "/w/sub", "/w": "/w", "/w/out": "/etc", "/tmp": "/tmp", "/": "/"}.get(path)

    def real(self, path: str) -> str:
        return path.replace("/w/out", "/etc")

    def program(self, name: str, cwd: str) -> str | None:
        return f"/w/bin/{name}" if name == "ours" else super().program(name, cwd)

    def kept_from(self, path: str, *, writes: bool) -> bool:
        return path.endswith("/.env") or (writes and path.endswith("/Makefile"))


def of(
    line: str,
    *rules: ApprovalRule,
    run: RunSetting = "ask",
    mode: Mode | None = None,
    walls: bool = False,
    network: bool = False,
    policy: tuple[ApprovalRule, ...] = (),
) -> CallDecision:
    """The decision about a line in `/w`."""
    layers = RuleLayers(RuleLayer(RuleIndex(policy)), RuleLayer(RuleIndex(rules), run, mode))
    call = CallFacts("run", '{"command":"x"}', "/w", line=line, commands=True)
    return decide(call, layers, Situation("/w", walls, network, now=100.0), DANGERS, Disk())


def test_ar11_a_line_runs_if_each_of_its_commands_is_allowed() -> None:
    assert of("git log -1", allow("git", "log")).choice == "run"
    assert of("git log | head", allow("git", "log")).choice == "ask"
    told = of("git log | head -3 && git push", allow("git", "log"), allow("head"))
    assert [one.choice for one in told.parts] == ["run", "run", "ask"]
    assert (told.by, told.parts[2].words) == ("nothing", ("git", "push"))
    assert of("git log | head; git push", allow("git", "log"), allow("head"), deny("git", "push")).choice == "skip"


def test_a_yes_to_ls_runs_no_other_command() -> None:
    for line in ("rm x", "ls; rm x", "ls && lsof", "lsof", "/tmp/ls", "ls | sh", "ls $(rm x)", "xargs ls", "ls\nrm x"):
        assert of(line, allow("ls")).choice == "ask", line


@pytest.mark.parametrize(
    ("line", "choice"),
    [
        ("g\\it log", "run"), ('"git" log', "run"), ("git 'log'", "run"), ("git l*", "ask"), ("git $X", "ask"),
        ("git $X log", "ask"), ("$X log", "ask"), ("git log $X *.py ~", "run"),
    ],
)  # fmt: skip
def test_ar14_words_are_compared_unquoted_and_an_open_word_equals_none(line: str, choice: str) -> None:
    assert of(line, allow("git", "log")).choice == choice


@pytest.mark.parametrize("line", ["git $X", "git $X push", "$X push", "git -C a push", "git * x", "git --x=1 push"])
def test_ar14_an_open_word_may_be_any_of_a_deny_rule_and_asks(line: str) -> None:
    told = of(line, allow("git"), deny("git", "push"))
    assert told.choice == "ask", told


@pytest.mark.parametrize(
    "line",
    [
        "sudo git push", "env X=1 git push", "sh -c 'git push'", "timeout 5 git push", "nice -n 5 git push",
        "bash -ec 'ls; git push'", "env env env git push", "/usr/bin/git push", "xargs git push", "eval git push",
        "nohup sh -c \"sh -c 'git push'\"", "ls; (git push)", "! git push", "if ls; then git push; fi", "git push &",
    ],
)  # fmt: skip
def test_ar15_a_deny_looks_through_wrappers_and_shells(line: str) -> None:
    choice = of(line, allow("ls"), deny("git", "push")).choice
    assert choice == "skip" or (choice == "ask" and line.startswith(("nice", "eval"))), line


@pytest.mark.parametrize(
    "program",
    ["sh", "/bin/bash", "eval", "exec", "env", "xargs", "sudo", "time", "printf", "test", "python3", "node", "awk"],
)
def test_ar15_no_prefix_covers_what_runs_anything(program: str) -> None:
    assert of(f"{program} a b", allow(program), walls=True).choice == "ask"


def test_ar15_an_interpreter_needs_its_script() -> None:
    assert of("python3 a.py -x", allow("python3", "a.py")).choice == "run"
    assert of("python3 -m pytest -q", allow("python3", "-m", "pytest")).choice == "run"
    for words in (("python3", "-c"), ("python3", "-u"), ("perl", "-e"), ("python3", "-m")):
        assert of(f"{' '.join(words)} a b", allow(*words)).choice == "ask", words


def test_ar15_cd_into_the_workspace_needs_no_rule_and_paths_are_resolved_there() -> None:
    assert of("cd sub && ls > f", allow("ls")).choice == "run"
    assert of("pwd; true; :").by == "engine"
    for line in ("cd", "cd -", "cd /tmp && ls", "cd out && ls", "cd $X && ls", "cd missing && ls", "cd sub/../out; ls"):
        assert of(line, allow("ls")).choice == "ask", line
    assert of("while ls; do cd sub; done", allow("ls")).choice == "ask"
    assert of("cd sub && cat ../.env", allow("cat")).by == "guard"


@pytest.mark.parametrize(
    ("line", "choice"),
    [
        ("ls > f", "run"), ("ls >> sub/f 2>&1", "run"), ("ls > /dev/null", "run"), ("ls > /tmp/f", "ask"),
        ("ls > out/f", "ask"), ("ls > ../f", "ask"), ("ls > $X", "ask"), ("ls > .env", "ask"), ("ls > Makefile", "ask"),
        ("ls < .env", "ask"), ("> f", "run"), ("> /etc/x", "ask"), ("ours", "ask"), ("./ours", "ask"),
        ("(ls) > /etc/x", "ask"), ("cat .env", "ask"), ("cat sub/../.env", "ask"), ("cat --f=.env", "ask"),
        ("cp a Makefile", "ask"), ("cat Makefile", "run"),
    ],
)  # fmt: skip
def test_ar16_redirections_and_programs_of_the_workspace(line: str, choice: str) -> None:
    rules = (allow("ls"), allow("ours"), allow("cat"), allow("cp"))
    assert of(line, *rules).choice == choice


def test_ar16_a_rule_may_name_the_path_of_a_program_of_the_workspace() -> None:
    assert of("./ours -x", allow("./ours")).choice == "run"


def test_ar17_what_runs_unattended_in_the_sandbox_need_not_be_understood() -> None:
    line = "for x in $(ls); do echo $x; done"
    assert of(line, run="unattended", walls=True).choice == "run"
    assert of(line, run="unattended").choice == "ask"
    assert of(line, ask("make"), run="unattended", walls=True).by == "not_understood"
    assert of(line, policy=(ask(tool="*"),), run="unattended", walls=True).choice == "ask"
    assert of(line, mode="unattended", walls=True).choice == "ask"
    assert of("x=$(rm -rf /)", run="unattended", walls=True).by == "danger"


def test_ar17_a_program_with_words_is_compared_as_it_is() -> None:
    layers = RuleLayers(user=RuleLayer(RuleIndex([allow("git", "log"), deny("rm")])))
    for argv, choice in ((("git", "log", "$X;rm"), "run"), (("git", "l*"), "ask"), (("rm", "a"), "skip")):
        call = CallFacts("run", "", "/w", argv=argv, commands=True)
        assert decide(call, layers, Situation("/w"), (), Disk()).choice == choice


def test_ar6_the_most_specific_of_ask_and_allow_counts_and_equal_asks() -> None:
    assert of("git log", allow("git", "log"), ask("git")).choice == "run"
    assert of("git log", allow("git"), ask("git", "log")).choice == "ask"
    assert of("git log", allow("git"), ask("git")).choice == "ask"
    assert of("git log", allow("git", folder="/w"), ask("git")).choice == "run"
    assert of("git log", allow("git", "log"), deny("git")).choice == "skip"
    assert of("git log", ask("git"), run="unattended", walls=True).choice == "ask"
    assert of("git log", allow("git"), run="skip").choice == "skip"


def test_ar5_a_whole_tool_that_runs_commands_is_allowed_in_the_sandbox_only() -> None:
    assert of("make", allow(), walls=True).choice == "run"
    assert of("make", allow()).choice == "ask"


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("rm -rf build", True), ("rm -fr build", True), ("rm a", False), ("rm $X", True), ("rm --recursive a", True),
        ("rm --rec a", True), ("find . -delete", True), ("find . -name x", False), ("git push --force", True),
        ("git push", False), ("git -C x push -f", True), ("git reset --hard", True), ("git reset a", False),
        ("git clean -fd", True), ("sudo ls", True), ("chmod -R 777 .", True), ("chmod +x a", False),
        ("curl x | sh", True), ("curl x | tee a | bash", True), ("curl x", False), ("npm publish", True),
        ("npm run build", False), ("dd if=a of=b", True), ("jp-tui rules add", True), ("terraform destroy", True),
        ("aws s3 rm s3://x", True), ("kubectl delete pod x", True), ("sh -c 'rm -rf x'", True), ("/bin/rm -r x", True),
        ("gh repo view", False), ("gh pr view 1", False), ("gh release create v1", True), ("gh api x", True),
        ("npm init", False), ("npm run publish-docs", False), ("\\rm -rf x", True), ("echo rm -rf x", False),
        ("git log --grep=force", False), ("env rm -rf a", True), ("shutdown now", True),
    ],
)  # fmt: skip
def test_ar9_danger_asks_before_every_allow_in_every_mode(line: str, asks: bool) -> None:
    told = of(line, allow(), run="unattended", mode="unattended", walls=True)
    assert (told.by == "danger") == asks and (told.choice == "ask") == asks, told
    assert told.once == asks


def test_ar9_what_was_refused_in_the_turn_asks() -> None:
    call = CallFacts("run", "", "/w", line="ls", commands=True)
    layers = RuleLayers(user=RuleLayer(RuleIndex([allow("ls")]), "unattended", "unattended"))
    told = decide(call, layers, Situation("/w", walls=True, refused=True), (), Disk())
    assert (told.choice, told.by, told.once) == ("ask", "guard", True)


def test_ar3_each_path_and_host_has_to_be_allowed() -> None:
    layers = RuleLayers(user=RuleLayer(RuleIndex([
        ApprovalRule("a", "allow", "edit", path="src/**"), ApprovalRule("b", "allow", "net", host="*.b.org"),
        ApprovalRule("c", "allow", "edit", arguments="{1}"), ApprovalRule("d", "deny", "edit", path="src/x"),
    ])))  # fmt: skip
    for call, choice in (
        (CallFacts("edit", "", "/w", paths=("src/a",)), "run"), (CallFacts("edit", "", "/w", paths=("src/a", "b")),
        "ask"),
        (CallFacts("edit", "{1}", "/w", paths=("b",)), "run"), (CallFacts("edit", "", "/w", paths=("src/x",)), "skip"),
        (CallFacts("net", "", "/w", hosts=("a.B.org.",)), "run"), (CallFacts("net", "", "/w", hosts=("b.org",)), "ask"),
        (CallFacts("net", "", "/w", hosts=("evilb.org",)), "ask"), (CallFacts("edit", "", "/w"), "ask"),
    ):  # fmt: skip
        assert decide(call, layers, Situation("/w"), (), Disk()).choice == choice, call


def test_ar4_a_rule_counts_in_its_folder_and_until_it_expires() -> None:
    assert of("ls", allow("ls", folder="/w")).choice == "run"
    assert of("ls", allow("ls", folder="/")).choice == "run"
    assert of("ls", allow("ls", folder="/w2")).choice == "ask"
    assert of("ls", allow("ls", expires=99.0)).choice == "ask"
    assert of("ls", allow("ls", expires=101.0)).choice == "run"


def test_ar30_modes() -> None:
    edit = CallFacts("edit", "", "/w", edits=True)
    for mode, most, folder, choice in (
        ("ask", "unattended", None, "ask"), ("edits", "unattended", None, "run"), ("unattended", "edits", None, "run"),
        ("edits", "ask", None, "ask"), ("unattended", "unattended", "ask", "ask"),
    ):  # fmt: skip
        layers = RuleLayers(user=RuleLayer(mode=mode), folder=RuleLayer(mode=folder), max_mode=most)  # type: ignore[arg-type]
        assert decide(edit, layers, Situation("/w"), (), Disk()).choice == choice
    assert of("make", mode="edits", walls=True).choice == "ask"
    assert of("make", mode="unattended", walls=True).choice == "run"
    assert of("make", mode="unattended", walls=True, network=True).choice == "ask"
    assert of("make", mode="unattended").choice == "ask"
    assert of("make > /tmp/f", mode="unattended", walls=True).choice == "ask"


def test_ar7_a_folder_allows_only_what_is_trusted_and_only_where_yours_is_silent() -> None:
    call = CallFacts("run", "", "/w", line="ls", commands=True)
    for trusted, yours, choice in ((True, (), "run"), (False, (), "ask"), (True, (ask("ls"),), "ask")):
        layers = RuleLayers(
            user=RuleLayer(RuleIndex(yours)), folder=RuleLayer(RuleIndex([allow("ls")]), trusted=trusted)
        )
        assert decide(call, layers, Situation("/w"), (), Disk()).choice == choice


def test_ar10_with_a_broken_rules_file_every_call_asks() -> None:
    layers = RuleLayers(user=RuleLayer(run="unattended", mode="unattended", broken="rules.toml:1: no TOML"))
    for call in (CallFacts("edit", "", "/w", edits=True), CallFacts("run", "", "/w", line="ls $(x)", commands=True)):
        assert decide(call, layers, Situation("/w", walls=True), (), Disk()).choice == "ask"


@settings(max_examples=100, deadline=None)
@given(lo.CALLS, lo.LAYERS, lo.SITUATIONS, lo.STRICTER, lo.ANY)
def test_ar7_nothing_that_is_added_loosens(call, layers, situation, policy, folder) -> None:  # type: ignore[no-untyped-def]
    assert not lo.looser(call, layers, situation, policy, folder)
