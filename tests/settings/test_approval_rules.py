"""The files of approval rules and the commands about them (rules.md AR1-AR3, AR7, AR8, AR10, AR15, AR24-AR26)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from jp_tui.main import main
from jp_tui.settings import data
from jp_tui.settings.approval_rules import RuleFiles, RulePlaces, parse_rules, read_rules
from jp_tui.settings.edit.approval_rules_edit import add_rule, revoke_rules
from jp_tui.settings.errors import SettingsError

GOOD = """\
# mine
[[rule]]
id = "one"            # the first
effect = "allow"
tool = "shell_run"
command = ["git", ["log", "diff"]]
folder = "/"
expires = 2999-12-01T00:00:00Z
reason = "read-only"

[[rule]]
effect = "deny"
tool = "fs_*"
path = "secrets/**"
"""


def test_ar2_a_file_is_read() -> None:
    read = parse_rules(GOOD, "rules.toml")
    assert not read.problems
    one, two = read.rules
    assert (one.id, one.command, one.place) == ("one", (("git",), ("log", "diff")), "rules.toml:2")
    assert (two.effect, two.tool, two.path) == ("deny", "fs_*", "secrets/**") and two.id.startswith("rule-")
    assert parse_rules(GOOD, "x").rules[1].id == two.id


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('colour = 1', "colour: isn't a key"), ('comand = ["a"]', "did you mean command"), ('command = []',
        "list of words"),
        ('command = "git log"', "list of words"), ('command = [""]', "names no program"), ('command = [1]', "only w"),
        ('command = ["env"]', "any other program"), ('command = ["sh", "x"]', "any other program"),
        ('command = ["python3"]', "name the script"), ('command = ["python3", "-c"]', "code in its arguments"),
        ('command = [["git", "bash"]]', "any other program"), ('command = ["export"]', "rest of a command line"),
        ('path = "!x"', "exception"), ('path = ""', "isn't a valid path"), ('host = "http://x/"', "isn't a host"),
        ('path = "a"\nhost = "b"', "more than one"), ('exact = true', "needs a command"), ('expires = "x"',
        "a date"),
        ('expires = 2026-01-01', "a date"), ('folder = "here"', "absolute"), ('id = ""', "valid ID"), ('reason = 1',
        "a text"),
        ('arguments = 1', "a table"), ('effect = "maybe"', "defined more|cannot|twice|overwrite|no effect"),
    ],
)  # fmt: skip
def test_ar10_a_rule_that_cannot_be_read_is_named_and_the_file_allows_nothing(written: str, words: str) -> None:
    text = f'{GOOD}\n[[rule]]\neffect = "allow"\ntool = "t"\n{written}\n'
    read = parse_rules(text, "rules.toml")
    assert read.problems and read.problems[0].file == "rules.toml" and (read.problems[0].line or 0) >= 16
    assert any(part in read.problems[0].words() for part in words.split("|"))
    assert [rule.effect for rule in read.rules if rule.effect == "allow"] == []
    assert len(read.rules) == (0 if read.broken else 1)


def test_ar10_other_keys_two_with_one_id_and_allows_with_a_pattern() -> None:
    assert parse_rules(f"mode = 1\n{GOOD}", "x").problems
    assert "another rule" in parse_rules(GOOD + GOOD, "x").problems[0].words()
    assert parse_rules('[[rule]]\neffect = "allow"\ntool = "fs_*"\n', "x").problems
    assert parse_rules('[rule]\neffect = "deny"\ntool = "x"\n', "x").problems
    many = parse_rules('[[rule]]\neffect = "deny"\ntool = "x"\n' * 1_001, "x")
    assert "1,000" in many.problems[0].words()


@pytest.mark.parametrize("kind", ["folder", "no TOML", "no UTF-8", "10 MB", "unreadable"])
def test_ar10_with_a_file_that_is_no_toml_every_call_asks(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "rules.toml"
    if kind == "folder":
        file.mkdir()
    elif kind == "unreadable":
        file.symlink_to(file)
    else:
        file.write_bytes({"no TOML": b"[[rule", "no UTF-8": b"# \xff", "10 MB": b"#" * 10_000_000}[kind])
    read = read_rules(str(file), "user")
    assert read.broken and str(file) in read.problems[0].words()
    layers = RuleFiles(RulePlaces(str(file), str(tmp_path / "none"), ())).layers()
    assert layers.user.broken


def test_ar8_a_policy_with_any_flaw_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "policy.toml"
    places = RulePlaces(str(tmp_path / "a"), str(tmp_path / "b"), (str(tmp_path / "none"), str(file)))
    for text in (
        None, "x", 'max_mode = "all"', 'sandbox = "auto"', "other = 1", 'ignore = [1]',
        '[[rule]]\neffect = "allow"\ntool = "x"\n', '[[rule]]\neffect = "deny"\n',
    ):  # fmt: skip
        if text is not None:
            file.write_text(text)
        with pytest.raises(SettingsError) as told:
            RuleFiles(places).read()
        assert str(file) in str(told.value)
        assert RuleFiles(places).layers().policy.broken
    file.write_text('max_mode = "edits"\nsandbox = "required"\n[[rule]]\neffect = "deny"\ntool = "mcp.*"\n')
    layers, files = RuleFiles(places).read()
    assert (layers.max_mode, len(layers.policy.rules.rules), files[1].sandbox) == ("edits", 1, True)


def test_ar1_rules_are_read_again_when_the_file_changed(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    files = RuleFiles(RulePlaces(str(file), str(tmp_path / "none"), ()))
    assert not files.layers().user.rules.rules
    add_rule(file, {"effect": "deny", "tool": "x"})
    assert len(files.layers().user.rules.rules) == 1


def test_ar7_rules_of_a_folder_allow_nothing(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(GOOD)
    layers = RuleFiles(RulePlaces(str(tmp_path / "none"), str(file), ())).layers()
    assert not layers.folder.trusted and len(layers.folder.rules.rules) == 2


def test_ar1_adding_and_revoking_keep_everything_else(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(GOOD)
    rule = add_rule(file, {"effect": "allow", "tool": "x", "arguments": {"a": {"b": [1, "c"]}}})
    assert file.read_text().startswith(GOOD.rstrip()) and rule.arguments == '{"a":{"b":[1,"c"]}}'
    assert file.stat().st_mode & 0o777 == 0o600
    made = parse_rules(GOOD, "x").rules[1].id
    assert revoke_rules(file, [rule.id, made, "none"]) == (made, rule.id)
    left = file.read_text()
    assert left.startswith("# mine") and "# the first" in left and "secrets" not in left
    assert [one.id for one in parse_rules(left, "x").rules] == ["one"]
    assert revoke_rules(file, ["one"]) == ("one",) and parse_rules(file.read_text(), "x").rules == ()


def test_ar1_nothing_is_added_to_a_file_with_a_flaw_but_a_rule_can_be_revoked(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(f'{GOOD}[[rule]]\nid = "bad"\neffect = "no"\n')
    with pytest.raises(SettingsError):
        add_rule(file, {"effect": "deny", "tool": "x"})
    assert revoke_rules(file, ["bad"]) == ("bad",)
    add_rule(file, {"effect": "deny", "tool": "x"})


class Runs:
    """`jp-tui rules …` in a workspace."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.workspace, self._capsys = home / "w", capsys
        self.workspace.mkdir()

    def __call__(self, *words: str) -> tuple[int, str, str]:
        status = main(["rules", *words, "--workspace", str(self.workspace)])
        out, err = self._capsys.readouterr()
        return status, out, err

    def json(self, *words: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self(*words, "--json")[1].splitlines()]


@pytest.fixture
def runs(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(data.POLICY_VARIABLE, raising=False)
    return Runs(tmp_path, capsys)


def test_ar24_rules_are_added_listed_tested_and_revoked(runs: Runs) -> None:
    assert "No approval rule" in runs("list")[2]
    (made,) = runs.json("add", "allow", "--tool", "shell_run", "--command", "git log")
    assert (made["scope"], made["match"], made["active"]) == ("command", ["git", "log"], True)
    assert made["folder"] == os.path.realpath(runs.workspace)
    runs("add", "deny", "--tool", "shell_run", "--exact", "git push", "--everywhere", "--reason", "no")
    assert [one["effect"] for one in runs.json("list")] == ["allow", "deny"]
    (told,) = runs.json("test", "git log -3 | head")
    assert (told["type"], told["decision"], told["by"]) == ("decision", "ask", "nothing")
    assert [(one["words"], one["decision"]) for one in told["parts"]] == [
        (["git", "log", "-3"], "run"),
        (["head"], "ask"),
    ]
    assert told["parts"][0]["rule"] == made["id"]
    assert runs.json("test", "git push")[0]["decision"] == "deny"
    assert runs.json("test", "rm -rf x")[0]["by"] == "danger"
    assert runs.json("test", "ls $(x)")[0]["by"] == "not_understood"
    assert runs.json("test", "ls $X")[0]["parts"][0]["words"] == ["ls", None]
    assert runs("revoke", made["id"])[0] == 0 and runs("revoke", made["id"])[0] == 1
    assert len(runs.json("list")) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("add", "allow", "--tool", "shell_run", "--command", "sh"), ("add", "allow", "--command", "ls"),
        ("add", "allow", "--tool", "shell_run"), ("add", "maybe", "--tool", "x", "--whole-tool"),
        ("add", "allow", "--tool", "x", "--path", "a", "--host", "b"), ("add", "ask", "--tool", "x", "--args", "{"),
        ("add", "ask", "--tool", "x", "--whole-tool", "--expires", "2020-01-01"),
        ("add", "ask", "--tool", "x", "--whole-tool", "--expires", "soon"),
        ("add", "ask", "--tool", "x", "--whole-tool", "--everywhere", "--folder", "/"),
        ("add", "ask", "--tool", "x", "--command", "'"), ("test",), ("test", "--tool", "nope", "ls"), ("test",
        "--args", "[]"),
    ],
)  # fmt: skip
def test_ar24_a_bad_rule_or_usage_ends_with_2_and_writes_nothing(runs: Runs, words: tuple[str, ...]) -> None:
    status, out, err = runs(*words)
    assert (status, out) == (2, "") and err.startswith("jp-tui: ")
    assert not (runs.workspace.parent / "home" / "config" / "rules.toml").exists()


def test_ar24_a_relative_expiry_and_the_builtin_list(runs: Runs) -> None:
    (made,) = runs.json("add", "ask", "--tool", "fs_*", "--whole-tool", "--expires", "7d")
    assert made["expires"] and made["lifetime"] == "folder"
    assert {"delete", "forced-push", "itself"} <= {one["id"] for one in runs.json("list", "--builtin")}


@pytest.mark.parametrize("line", ["a" * 16_385, "a\0b", "(" * 20_000])
def test_ar26_a_line_that_nobody_could_read_asks(runs: Runs, line: str) -> None:
    assert runs.json("test", line)[0]["decision"] == "ask"


def test_ar26_json_lines_are_answered_in_order(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    lines = '"pwd"\n["pwd"]\n{"tool":"fs_read_file","arguments":{"path":"a"}}\n'
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert [one["decision"] for one in runs.json("test", "-")] == ["run", "ask", "run"]
    monkeypatch.setattr("sys.stdin", io.StringIO('"pwd"\n{"tool": 1}\n'))
    assert "line 2" in runs("test", "-")[2]


def test_ar8_a_bad_policy_ends_every_command_with_2(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("x = 1\n")
    monkeypatch.setenv(data.POLICY_VARIABLE, str(policy))
    status, _, err = runs("list")
    assert status == 2 and f"{policy}:1" in err
    assert main(["query", "--non-interactive", "hi", "--workspace", str(runs.workspace)]) == 2
