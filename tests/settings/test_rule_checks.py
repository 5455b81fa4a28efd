"""`config check` and `doctor` name bad rules, expired ones, the policy in force and how many files are hidden here; bad
input of rules and lists has one line with its place and loosens nothing (rules.md AR8, AR10, AR26, AR41)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from jp_tui.main import main
from jp_tui.settings import data
from jp_tui.settings.sources import Sources
from jp_tui.startup.rule_checks import rule_findings
from tests.settings.test_approval_rules import Runs
from tests.settings.test_approval_rules import runs as runs

RULE = '[[rule]]\nid = "r1"\neffect = "{}"\ntool = "shell_run"\ncommand = ["git", "log"]\n'


def write(runs: Runs, text: str) -> Path:
    file = runs.workspace.parent / "home" / "config" / "rules.toml"
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.write_text(text)
    return file


def check(runs: Runs, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main(["config", "check", "--workspace", str(runs.workspace)])
    told = capsys.readouterr()
    return status, told.out + told.err


def test_config_check_names_bad_rules_the_policy_and_hidden_files(
    runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(
        'max_mode = "edits"\nsandbox = "required"\nignore = ["*.pem"]\n[[rule]]\neffect = "deny"\ntool = "x"\n'
    )
    monkeypatch.setenv(data.POLICY_VARIABLE, str(policy))
    for name in (".jpignore", "a.key", "b.key", "c.pem", "d.txt"):
        (runs.workspace / name).write_text("*.key\n" if name == ".jpignore" else "x")
    file = write(runs, RULE.format("allow"))
    status, told = check(runs, capsys)
    assert status == 0 and "The configuration is valid." in told
    assert f"policy: {policy}: 1 rules, modes up to edits, commands in a sandbox only" in told
    assert "ignore lists: 3 files hidden from models" in told and "rules: 1 of yours, 0 of this folder" in told
    file.write_text(f"{RULE.format('allow')}colour = 1\n")
    status, told = check(runs, capsys)
    assert status == 2 and f"{file}:6" in told and "A rules file with a problem allows nothing" in told
    policy.write_text("[[rule]]\neffect = 'allow'\ntool = 'x'\n")
    status, told = check(runs, capsys)
    assert status == 2 and f"{policy}:2" in told


def test_ar4_an_expired_rule_counts_no_more_and_is_named(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(runs, f"{RULE.format('allow')}expires = 2020-01-01T00:00:00Z\n")
    assert runs.json("test", "git log")[0]["decision"] == "ask"
    status, told = check(runs, capsys)
    assert status == 0 and f"{file}:1: r1 expired on 2020-01-01, so it has no effect" in told
    assert not runs.json("list") and [rule["active"] for rule in runs.json("list", "--all")] == [False]


def test_ar41_a_list_that_hides_everything_is_named(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    for name in ("a", "b"):
        (tmp_path / "w" / name).write_text("x")
    (tmp_path / "w" / ".jpignore").write_text("*\n")
    sources = Sources(tmp_path / "c.toml", tmp_path / "w" / ".jp-tui" / "config.toml", tmp_path / "store", {})
    (found,) = rule_findings(sources, str(tmp_path / "w"))
    assert (found.check, found.state, found.detail) == (
        "ignore lists",
        "warn",
        "all 3 files here are hidden from models",
    )
    (tmp_path / "w" / ".jpignore").write_text("x\n" * 5_001)
    (found,) = rule_findings(sources, str(tmp_path / "w"))
    assert found.state == "bad" and "5,000" in found.detail and ".jpignore" in found.detail


def test_ar26_a_lone_surrogate_is_refused_with_its_line(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('"git log"\n"git log \\ud800"\n'))
    write(runs, RULE.format("allow"))
    status, out, err = runs("test", "-")
    assert status == 2 and out.count("\n") == 1 and "line 2 of standard input" in err


@pytest.mark.parametrize("kind", ["folder", "no TOML", "no UTF-8", "10 MB", "unknown key"])
def test_ar7_a_bad_rules_file_of_the_folder_loosens_nothing(runs: Runs, kind: str) -> None:
    write(runs, RULE.format("deny").replace("log", "push"))
    folder = runs.workspace / ".jp-tui"
    folder.mkdir()
    place = folder / "rules.toml"
    if kind == "folder":
        place.mkdir()
    else:
        texts = {"no TOML": b"[[rule", "no UTF-8": b"# \xff", "10 MB": b"#" * 10_000_000}
        place.write_bytes(texts.get(kind, f"{RULE.format('allow')}colour = 1\n".encode()))
    assert runs.json("test", "git push")[0]["decision"] == "deny"
    assert runs.json("test", "git log")[0]["decision"] == "ask"
    assert str(place) in runs("list")[2]


def test_ar7_rules_of_a_folder_that_allow_never_count_trusted_or_not(
    runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = runs.workspace / ".jp-tui"
    folder.mkdir()
    (folder / "config.toml").write_text('[ui]\ntheme = "jp-day"\n')
    (folder / "rules.toml").write_text(RULE.format("allow"))
    assert main(["config", "trust", "--yes", "--workspace", str(runs.workspace)]) == 0
    capsys.readouterr()
    (told,) = runs.json("test", "git log")
    assert told["decision"] == "ask"
    assert [rule["active"] for rule in runs.json("list", "--all")] == [False]
    assert "an allow rule of a folder doesn't apply" in runs("list")[2]


def test_ar1_rules_that_another_process_changed_count_at_once(runs: Runs) -> None:
    from jp_tui.settings.approval_rules import RuleFiles, RulePlaces

    file = write(runs, RULE.format("allow"))
    files = RuleFiles(RulePlaces(str(file), str(runs.workspace / "none"), ()))
    assert [rule.effect for rule in files.layers().user.rules.rules] == ["allow"]
    main(["rules", "add", "deny", "--tool", "shell_run", "--command", "git", "--workspace", str(runs.workspace)])
    assert [rule.effect for rule in files.layers().user.rules.rules] == ["allow", "deny"]
    file.write_text("[[rule")
    assert files.layers().user.broken
