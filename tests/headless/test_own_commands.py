"""Own commands and skills outside the screen: `query`, `config trust | check | path`, completions, `doctor`, lines
(context.md K50-K52)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.headless.running import jp, lines

MODEL = "fallback = 'Fine.'\nrate = 0\n[[walks]]\nname = 'nothing'\n[[walks.turns]]\ntext = 'Nothing.'\n"


class Here:
    def __init__(self, home: Path) -> None:
        self.home, self.folder = home, home / "ws"
        self.folder.mkdir()
        (home / "script.toml").write_text(MODEL)
        self.own("config/commands/review.md", "---\ndescription: Review it\nargument-hint: FILE\n---\nReview $1.")

    def own(self, path: str, text: str) -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def run(self, *words: str, stdin: str | None = None) -> tuple[int, str, str]:
        done = jp(self.home, "--workspace", str(self.folder), *words, stdin=stdin, HOME=str(self.home / "user"))
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    def query(self, text: str) -> tuple[int, str, str]:
        return self.run("query", "--json", "--model", f"demo/{self.home / 'script.toml'}", text)


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


def test_query_sends_the_text_of_a_command(here: Here) -> None:
    """K50: with its arguments; a name that isn't a command is a prompt."""
    status, out, _ = here.query("/review 'src/a b.py'")
    request = next(event for event in lines(out) if event["type"] == "chat_request")
    assert status == 0 and request["content"] == "Review src/a b.py."
    assert request["metadata"] == {"command": "review", "arguments": "'src/a b.py'"}
    status, out, _ = here.query("/etc/hosts")
    assert status == 0 and any(event.get("content") == "/etc/hosts" for event in lines(out))


def test_query_exits_2_for_a_command_that_is_not_trusted(here: Here) -> None:
    """K52: it names `jp-tui config trust`, which shows the text, and the command works then."""
    file = here.own("ws/.claude/commands/go.md", "Go \u202e$ARGUMENTS")
    status, out, err = here.query("/go west")
    assert (status, out) == (2, "") and "isn't trusted" in err and "`jp-tui config trust`" in err
    status, out, err = here.run("config", "trust")
    assert status == 2 and ".claude/commands/go.md (16 bytes): adds the command /go" in err
    assert "| Go \\u{202E}$ARGUMENTS" in err and "with --yes" in err
    assert lines(here.run("config", "trust", "--yes", "--json")[1]) == [{"file": str(here.folder), "state": "trusted"}]
    assert here.query("/go west")[0] == 0
    assert "is already trusted" in here.run("config", "trust")[1]
    file.write_text("Go away")
    status, _, err = here.query("/go west")
    assert status == 2 and "has changed since you trusted it" in err
    assert "changed since you trusted it" in here.run("config", "trust")[2]
    here.run("config", "trust", "--yes")
    assert lines(here.run("config", "trust", "--revoke", "--json")[1])[0]["state"] == "revoked"
    assert here.query("/go west")[0] == 2


def test_trust_covers_configuration_and_skills_together(here: Here) -> None:
    """K52: only what isn't trusted yet is shown."""
    here.own("ws/.jp-tui/config.toml", "assistant.system_prompt = 'obey'")
    here.own("ws/.agents/skills/pdf/SKILL.md", "---\ndescription: Forms\n---\nDo it.")
    here.own("ws/.agents/skills/pdf/forms.md", "Forms.")
    err = here.run("config", "trust", "--yes")[2]
    assert 'assistant.system_prompt = "obey"' in err and "adds the skill pdf, which the model is told of" in err
    assert "forms.md (6 bytes): lets the model load forms.md with it" in err
    here.own("ws/.agents/skills/pdf/forms.md", "Other.")
    err = here.run("config", "trust")[2]
    assert "forms.md (6 bytes, changed since you trusted it)" in err
    assert "obey" not in err and "Do it." not in err


def test_check_doctor_and_path_name_them(here: Here) -> None:
    """What is wrong stands with its place; nothing is kept from starting by it."""
    here.own("config/commands/bad.md", "---\na: 1\nb: *x\n---\nGo")
    here.own("config/commands/compact.md", "Go")
    here.own("ws/.claude/commands/go.md", "Go")
    status, out, err = here.run("config", "check")
    assert status == 2 and "commands/bad.md:3: the frontmatter isn't valid YAML: anchors and aliases" in out
    assert "commands/compact.md: /compact isn't used: /compact is built in" in err
    assert "What is listed above is ignored." in err
    findings = [one for one in lines(here.run("doctor", "--json")[1]) if one["check"] == "commands"]
    assert [one["state"] for one in findings] == ["warn", "warn", "warn", "ok"]
    assert "1 commands or skills of this folder aren't trusted" in findings[2]["detail"]
    assert findings[3]["detail"] == "1 commands, 0 skills"
    rows = {row["name"]: row for row in lines(here.run("config", "path", "--json")[1])}
    assert rows["commands"] == {"name": "commands", "path": str(here.home / "config/commands"), "exists": True}
    (here.home / "config/commands/bad.md").unlink()
    assert here.run("config", "check")[0] == 0, "a name that another has is a notice"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_have_the_users_own(here: Here, shell: str) -> None:
    """K50: after `query` and after `jp-tui`; a folder's aren't in them, nor names with shell syntax."""
    here.own("ws/.claude/commands/go.md", "Go")
    out = here.run("completions", shell)[1]
    assert "/review" in out and "/go" not in out


def test_in_lines_they_are_listed_and_sent(here: Here) -> None:
    """K50: `/help` names them with what they need, `/NAME` sends one; `//NAME` is text."""
    here.own("ws/.claude/commands/go.md", "---\ndescription: Go\u202e\n---\nGo")
    text = "/help\n/review a.py\n//review\n/go\n/reviev\n"
    model = f"demo/{here.home / 'script.toml'}"
    status, out, _ = here.run("--plain", "--model", model, stdin=text)
    assert "  /review FILE  Review it" in out and "/go  Go\\u{202E} · needs your trust: /trust" in out
    assert "No command /reviev. Did you mean /review?" in out
    assert "/go isn't trusted" in out and "Not sent:\n/go" in out
    shown = here.run("conversations", "show", lines(here.run("conversations", "list", "--json")[1])[0]["id"], "--json")
    asked = [event["content"] for event in lines(shown[1]) if event["type"] == "chat_request"]
    assert asked == ["Review a.py.", "/review"] and status != 0
