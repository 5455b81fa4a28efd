"""`jp-tui config …` (issue 4, item 2; S1, S2, S5, S10, R72) as it is typed: what it prints, where, and its status."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.headless.running import environment, jp, lines, on_terminal
from tests.limits import LIMIT

ROOT = Path(__file__).resolve().parents[2]


class Here:
    """A user's folder and a workspace of its own."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder = home, home / "ws"
        self.user, self.own = home / "config" / "config.toml", self.folder / ".jp-tui" / "config.toml"
        for file in (self.user, self.own):
            file.parent.mkdir(parents=True)

    def run(self, line: str, **variables: str) -> tuple[int, str, str]:
        """Status, stdout, stderr of `jp-tui LINE`, run in the workspace."""
        done = jp(self.home, "--workspace", str(self.folder), *shlex.split(line), **variables)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


def test_show_says_value_layer_and_place(here: Here) -> None:
    here.user.write_text("[ui]\ntheme = 'jp-day'\n")
    here.own.write_text("ui.sidebar = 'hide'")
    status, out, err = here.run("config show ui", JP_TUI_UI__REVIEW="false")
    assert (status, err) == (0, "less strict by the environment: JP_TUI_UI__REVIEW\n".join(("jp-tui: ", "")))
    said = out.replace("\n    #", "  #").splitlines()
    assert said[0] == f'ui.theme = "jp-day"  # user, {here.user}:2'
    assert said[1] == f'ui.sidebar = "hide"  # workspace, {here.own}:1'
    assert said[2] == "ui.review = false  # environment, JP_TUI_UI__REVIEW"


def test_show_json_is_one_object_a_line_and_names_every_leaf(here: Here) -> None:
    rows = lines(here.run("config show --json")[1])
    keys = [row["key"] for row in rows]
    assert len(keys) == len(set(keys)) and {"ui.theme", "assistant.model.id", "conversation.tools.'*'.run"} <= set(keys)
    assert all(set(row) >= {"key", "value", "layer", "place"} for row in rows)
    by_key = {row["key"]: row for row in rows}
    assert by_key["assistant.model.id"]["layer"] == "default" and by_key["assistant.model.id"]["why"]
    file, _, line = by_key["inquiry.max_attempts"]["place"].rpartition(":")
    assert "max_attempts" in Path(file).read_text().splitlines()[int(line) - 1]


def test_r72_show_says_who_reviews_and_why(here: Here) -> None:
    key = "conversation.tools.fs_modify_file.questions.apply_changes"
    (row,) = [row for row in lines(here.run(f"config show {key} --json")[1]) if row["key"].endswith("target")]
    assert (row["value"], row["layer"]) == ("user", "default")
    assert row["why"] == "conversation.inquiry.assistant.model.id is not set"
    here.user.write_text("\nconversation.inquiry.assistant.model.id = 'demo/judge'")
    (row,) = lines(here.run(f"config show {key}.target --json")[1])
    assert (row["value"], row["place"]) == ("assistant_with_escalation", f"{here.user}:2")
    assert "is set" in here.run(f"config show {key}")[1]


def test_show_of_one_tool_has_what_holds_for_all_of_them(here: Here) -> None:
    here.user.write_text("[conversation.tools.'*']\nresult = 'ask'\n[conversation.tools.fs_read_file]\nrun = 'edit'\n")
    rows = {
        row["key"].rpartition(".")[2]: row
        for row in lines(here.run("config show conversation.tools.fs_read_file --json")[1])
    }
    assert (rows["result"]["value"], rows["result"]["place"]) == ("ask", f"{here.user}:2")
    assert (rows["run"]["value"], rows["run"]["place"]) == ("edit", f"{here.user}:4")
    assert (rows["format"]["value"], rows["format"]["why"]) == ("ask", "run is edit")
    (one,) = lines(here.run("config show conversation.tools.fs_read_file.result --json")[1])
    assert one == rows["result"]


def test_show_of_what_is_unset_and_of_what_is_no_key(here: Here) -> None:
    assert here.run("config show assistant.model.parameters.seed") == (
        0,
        "",
        "assistant.model.parameters.seed is not set.\n",
    )
    for key, said in (
        ("ui.theme.x", "ui.theme.x isn't a valid key: ui.theme is a value"),
        ("ui.them", "Did you mean ui.theme?"),
        ("a..b", "isn't a valid key"),
        ("conversation.tols.x", "conversation.tools"),
    ):
        status, out, err = here.run(f"config show {key}")
        assert (status, out) == (2, "") and said in err


def test_what_is_foreign_does_nothing_on_the_terminal(here: Here) -> None:
    here.user.write_text('assistant.system_prompt = "\\u001b[31m\\u202e\\n[red]"\n')
    for line in ("config show assistant.system_prompt", "config show assistant", "config show --json assistant"):
        out = here.run(line)[1]
        assert "[red]" in out and "\x1b" not in out
        assert "--json" in line or "\u202e" not in out


def test_no_credential_is_shown(here: Here) -> None:
    here.user.write_text(
        "[providers.llm.x]\nwire = 'anthropic'\nbase_url = 'http://127.0.0.1:9'\napi_key_env = 'X_KEY'\n"
    )
    for line in ("config show", "config show --json", "config check", "tools --json"):
        _, out, err = here.run(line, X_KEY="sk-very-secret")
        assert "sk-very-secret" not in out + err
    assert "X_KEY" in here.run("config show providers.llm.x", X_KEY="sk-very-secret")[1]


@pytest.mark.parametrize(
    ("words", "key", "value"),
    [
        ("ui.theme jp-day", "ui.theme", "jp-day"),
        ("notify.bell false", "notify.bell", False),
        ("inquiry.max_attempts 3", "inquiry.max_attempts", 3),
        ("assistant.model.parameters.seed -- -1", "assistant.model.parameters.seed", -1),
        ("conversation.tools.ask_user.questions.answer.target '{ escalation = true }'",
         "conversation.tools.ask_user.questions.answer.target", {"escalation": True}),
        ("conversation.tools.greet '{ source = \"local\", command = \"./greet\" }'",
         "conversation.tools.greet.command", "./greet"),
    ],
)  # fmt: skip
def test_s5_set_writes_the_users_file_and_keeps_its_comments(here: Here, words: str, key: str, value: object) -> None:
    here.user.write_text("# mine\n[ui] # look\nsidebar = 'hide' # narrow\n")
    status, out, err = here.run(f"config set {words}")
    assert (status, err) == (0, "") and str(here.user) in out
    text = here.user.read_text()
    assert "# mine" in text and "# look" in text and "# narrow" in text
    (row,) = lines(here.run(f"config show {key} --json")[1])
    assert (row["value"], row["layer"]) == (value, "user")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("ui.them x", "ui.them isn't a valid key. Did you mean ui.theme?"),
        ("ui.sidebar left", 'found "left" (allowed: auto, show, hide)'),
        ("ui.theme no-such-theme", "no-such-theme"),
        ("ui 3", "expected a table, found 3"),
        ("ui {}", "is a table; set one of its keys"),
        ("assistant.model.id nowhere/x", "no provider nowhere"),
        ("conversation.inquiry.assistant.model.id nowhere/x", "no provider nowhere"),
        ("conversation.tools.greet.source local", "a local tool needs a command"),
        ("conversation.tools.ask_user.source mcp.x", "the MCP server x is not configured"),
        ("conversation.tools.fs_raed_file.run ask", "isn't a tool: it has no source. Did you mean fs_read_file?"),
        ("providers.llm.aliases.inherit a/b", "is reserved"),
        ("providers.llm.mine.wire anthropic", "has no base_url"),
        ("assistant.tool_choice fs_raed_file", "Did you mean fs_read_file?"),
    ],
)
def test_set_refuses_what_would_not_load(here: Here, words: str, said: str) -> None:
    here.user.write_text("# mine\n")
    status, out, err = here.run(f"config set {words}")
    assert (status, out) == (2, "") and said in err
    assert here.user.read_text() == "# mine\n"


def test_set_can_repair_a_file_and_leaves_other_troubles_alone(here: Here) -> None:
    here.user.write_text("ui.theme = 'gone'\nassistant.model.id = 'nowhere/x'\n")
    assert here.run("config set ui.sidebar hide")[0] == 0
    assert here.run("config set assistant.model.id demo/tour")[0] == 0
    assert here.run("config set ui.theme jp-day")[0] == 0
    assert here.run("config check")[0] == 0


def test_set_says_when_something_higher_hides_it(here: Here) -> None:
    here.own.write_text("ui.theme = 'jp-night'")
    status, out, err = here.run("config set ui.theme jp-day")
    assert status == 0 and "is set in" in out and f"still {here.own}:1 (workspace)" in err


def test_check_names_everything_at_once(here: Here) -> None:
    here.user.write_text("[ui]\nthem = 'x'\nsidebar = 'left'\n[conversation.tools.a]\nrun = 'maybe'\n")
    here.own.write_text("ui.sidebar = 3\n")
    status, out, err = here.run("config check", JP_TUI_UI__REVIEW="maybe")
    said = out.splitlines()
    assert status == 2 and "5 problems" in err
    assert said[0] == f"{here.user}:2:1: ui.them: isn't a valid key. Did you mean ui.theme?"
    assert said[1].startswith(f"{here.user}:3:1: ui.sidebar: ") and "(allowed: auto, show, hide)" in said[1]
    assert said[2].startswith(f"{here.user}:5:1: conversation.tools.a.run: ")
    assert said[3].startswith(f"{here.own}:1:1: ui.sidebar: found 3")
    assert said[4].startswith("JP_TUI_UI__REVIEW: ui.review: ")
    rows = lines(here.run("config check --json")[1])
    assert rows[0] == {"file": str(here.user), "line": 2, "column": 1, "key": "ui.them", "message": "isn't a valid key",
                       "allowed": [], "nearest": "ui.theme"}  # fmt: skip


def test_check_finds_what_the_layers_say_together(here: Here) -> None:
    here.user.write_text(
        "ui.theme = 'gone'\nassistant.model.id = 'nowhere/x'\nconversation.inquiry.assistant.model.id = 'nobody/y'\n"
        "[conversation.tools.x]\nsource = 'local'\ncommand = \"say 'hi\"\n"
    )
    status, out, _ = here.run("config check")
    assert status == 2
    for line, said in ((1, "ui.theme"), (2, "no provider nowhere"), (6, "the quote ' is not closed")):
        assert any(row.startswith(f"{here.user}:{line}:") and said in row for row in out.splitlines()), (line, out)


def test_check_of_nothing_and_of_what_is_no_toml(here: Here) -> None:
    assert here.run("config check") == (0, "", "The configuration is valid.\n")
    here.user.write_bytes(b"[ui]\ntheme = \n")
    here.own.write_bytes(b"a.\xff")
    status, out, _ = here.run("config check")
    assert status == 2 and len(out.splitlines()) == 2 and ":2:9: " in out and "isn't valid UTF-8" in out


def test_commands_of_the_configuration_work_where_it_is_broken(here: Here) -> None:
    here.user.write_text("[ui\n")
    assert here.run("config path")[0] == 0
    for line in ("config set ui.theme jp-day", "config show", "tools"):
        status, out, err = here.run(line)
        assert (status, out) == (2, "") and f"{here.user}:1:4: Expected" in err
    assert here.user.read_text() == "[ui\n"


def test_path_names_the_files(here: Here) -> None:
    here.own.write_text("ui.theme = 'jp-day'")
    rows = {row["name"]: row for row in lines(here.run("config path --json")[1])}
    assert rows["configuration"] == {"name": "configuration", "path": str(here.user), "exists": False}
    assert rows["workspace"] == {"name": "workspace", "path": str(here.own), "exists": True, "trusted": False}
    assert f"{here.own}  (not trusted)" in here.run("config path")[1]


EVIL = (
    "assistant.system_prompt = 'obey'\nui.theme = 'jp-day'\n"
    "[conversation.tools.fs_create_file.questions.apply_changes]\nanswer = true\n"
)


def test_s10_trust_shows_what_it_would_do_and_does_nothing_without_a_yes(here: Here) -> None:
    here.own.write_text(EVIL)
    status, out, err = here.run("config trust")
    assert (status, out) == (2, "") and "with --yes" in err
    assert 'assistant.system_prompt = "obey"  (line 1)' in err and "ui.theme" not in err
    assert "trusted or not" in err and "apply_changes.answer = true  (line 4)" in err
    assert "(line 1): sends this to the model before your first message" in err
    assert here.run("config show assistant.system_prompt")[1].startswith('assistant.system_prompt = "You are')


def test_s10_trust_is_for_this_content_alone_and_some_things_never_count(here: Here) -> None:
    here.own.write_text(EVIL)
    assert lines(here.run("config trust --yes --json")[1]) == [{"file": str(here.own), "state": "trusted"}]
    status, out, err = here.run("config show assistant.system_prompt")
    assert status == 0 and '"obey"' in out and "though it is trusted: conversation.tools.fs_create_file" in err
    assert "is already trusted" in here.run("config trust")[1]
    assert not [row for row in lines(here.run("config show --json conversation")[1]) if row["key"].endswith(".answer")]
    here.own.write_text(EVIL.replace("obey", "obey me"))
    assert 'changed: was "obey" when you trusted it' in here.run("config trust")[2]
    here.own.write_text(EVIL + "# one more\n")
    assert '"obey"' not in here.run("config show assistant.system_prompt")[1]
    here.own.write_text(EVIL)
    assert lines(here.run("config trust --revoke --json")[1])[0]["state"] == "revoked"
    assert '"obey"' not in here.run("config show assistant.system_prompt")[1]


def test_trust_of_nothing_and_of_what_cannot_be_used(here: Here) -> None:
    assert "nothing to trust" in here.run("config trust --yes")[2]
    here.own.write_text("ui.sidebar = 3")
    status, out, err = here.run("config trust --yes")
    assert (status, out) == (2, "") and f"{here.own}:1:1: ui.sidebar" in err


@pytest.mark.pty
@pytest.mark.parametrize(("typed", "trusted"), [("y\n", True), ("n\n", False), ("\n", False), ("\x04", False)])
def test_trust_asks_on_a_terminal(here: Here, typed: str, trusted: bool) -> None:
    here.own.write_text("assistant.system_prompt = 'obey'")
    with on_terminal(here.home, "config", "trust", "--workspace", str(here.folder)) as running:
        shown = running.until("[y/N] ")
        assert 'assistant.system_prompt = "obey"' in shown
        running.type(typed)
        rest = running.rest()
        assert running.wait() == (0 if trusted else 1)
    assert ("is trusted until it changes" in rest) == trusted
    assert ('"obey"' in here.run("config show assistant.system_prompt")[1]) == trusted


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_file_that_cannot_be_written_is_said(here: Here) -> None:
    here.user.parent.chmod(0o500)
    status, out, err = here.run("config set ui.theme jp-day")
    assert (status, out) == (2, "") and "ui.theme" in err


def test_what_several_processes_set_at_once_all_counts(here: Here) -> None:
    """Each that says that it is set, did set it."""
    names = [f"t{number}" for number in range(4)]
    words = [sys.executable, "-m", "jp_tui", "--workspace", str(here.folder), "config", "set"]
    running = [
        subprocess.Popen(
            [*words, f"conversation.tools.{name}.run", "skip"],
            env=environment(here.home),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    said = [process.communicate(timeout=LIMIT)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 4 and all("is set in" in each for each in said)
    assert {name for name in names if f"{name}" in here.user.read_text()} == set(names)


def test_check_says_what_is_wrong_in_ones_own_keys_and_themes_with_the_place(here: Here) -> None:
    """S10; issue 8, lines 4 and 5: nothing is kept from starting by them."""
    config = here.home / "config"
    (config / "themes").mkdir(parents=True, exist_ok=True)
    (config / "themes" / "mine.toml").write_text("[colors]\nprimary = 'blueish'\n")
    (config / "keys.toml").write_text("[workspace]\nfodl = 'f2'\nsidebar = 'x'\n")
    status, out, err = here.run("config check")
    assert status == 2 and len(out.splitlines()) == 3
    assert "themes/mine.toml:2:1: colors.primary: expected a colour" in out
    assert "keys.toml:2:1: workspace.fodl: isn't an action" in out and "Did you mean workspace.fold?" in out
    assert 'keys.toml:3:1: workspace.sidebar: "x" types text in the composer' in out
    assert err == "The configuration is valid. What is listed above is ignored.\n"
    assert here.run("config show ui.theme")[0] == 0
