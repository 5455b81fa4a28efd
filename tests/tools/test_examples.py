"""The worked examples, as they are shipped and configured: run, asked, answered (issue 4, item 7)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.questions.types import BooleanAnswer, Question, SchemaAnswer, SecretAnswer, SelectAnswer
from jp_tui.tools.local.spec import LocalSpec, ProgramCommand
from jp_tui.tools.port import ToolCall
from jp_tui.tools.registry import local
from tests.tools.asking import git, repository
from tests.tools.running import to_the_end

EXAMPLES = Path(__file__).parents[2] / "config" / "examples"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the programs where the configuration says, and nobody's configuration of git."""
    (tmp_path / "home" / "bin").mkdir(parents=True)
    for program in ("git_push/git_push.py", "deploy/deploy.sh"):
        (tmp_path / "home" / "bin" / Path(program).name).symlink_to(EXAMPLES / program)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def configured(name: str) -> tuple[Any, dict[str, Any]]:
    """The tool of an example as its snippet configures it, and its options."""
    entry = tomllib.loads((EXAMPLES / name / "tool.toml").read_text("utf-8"))["conversation"]["tools"][name]
    command = _command(entry["command"])
    shown = entry.get("style", {}).get("parameters")
    spec = LocalSpec(
        name,
        command.program,
        command.args,
        command.shell,
        command.stdin,
        entry.get("parameters", {}),
        _command(shown) if shown else None,
    )
    return local(spec), entry.get("options", {})


def _command(raw: Mapping[str, Any]) -> ProgramCommand:
    return ProgramCommand(raw["program"], tuple(raw.get("args", ())), raw.get("shell", False), raw.get("stdin"))


async def push(root: Path, answer: Any, **arguments: Any) -> tuple[Success | Failure, list[Question]]:
    tool, options = configured("git_push")
    return await to_the_end(tool, root, arguments, {"push": answer}, options)


def clone(tmp_path: Path) -> tuple[Path, Path]:
    """A work tree with one commit that its remote has and two that it has not."""
    root, remote = tmp_path / "root", tmp_path / "remote.git"
    root.mkdir()
    repository(root, {"a.txt": "1\n"})
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(root, "remote", "add", "origin", str(remote))
    git(root, "push", "-q", "-u", "origin", "main")
    for text in ("second", "third \x1b[31m`x`"):
        commit(root, text)
    return root, remote


def commit(root: Path, subject: str) -> str:
    (root / "a.txt").write_text(subject)
    git(root, "commit", "-q", "-a", "-m", subject)
    return git(root, "rev-parse", "HEAD").strip()


async def test_push_after_a_yes(tmp_path: Path) -> None:
    root, remote = clone(tmp_path)
    before, head = git(remote, "rev-parse", "main").strip(), git(root, "rev-parse", "HEAD").strip()

    def look(question: Question) -> bool:
        assert git(remote, "rev-parse", "main").strip() == before  # nothing was done yet
        return True

    outcome, (question,) = await push(root, look)
    assert outcome == Success(f"Pushed main ({head[:12]}) to origin.")
    assert git(remote, "rev-parse", "main").strip() == head
    assert (question.text, question.exclusive, question.persistence) == ("Push main to origin?", True, "none")
    assert isinstance(question.answer_type, BooleanAnswer) and question.default is False
    context = question.context or ""
    assert "2 commits up to " + head in context and "A Person: second" in context and str(remote) in context
    assert (await push(root, True)) == (Success("Nothing to push: origin has everything of main already."), [])


async def test_no_push_after_a_no(tmp_path: Path) -> None:
    root, remote = clone(tmp_path)
    before = git(remote, "rev-parse", "main")
    outcome, asked = await push(root, False)
    assert isinstance(outcome, Failure) and "decided not to push" in outcome.message and len(asked) == 1
    assert git(remote, "rev-parse", "main") == before


async def test_what_is_pushed_is_what_was_shown(tmp_path: Path) -> None:
    """R235: a commit that comes while the question is open is asked about, and only then pushed."""
    root, remote = clone(tmp_path)
    later: list[str] = []

    def meanwhile(question: Question) -> bool:
        if not later:
            later.append(commit(root, "slipped in"))
        return True

    outcome, asked = await push(root, meanwhile)
    assert isinstance(outcome, Success) and [question.id for question in asked] == ["push", "push"]
    assert "slipped in" not in (asked[0].context or "") and "slipped in" in (asked[1].context or "")
    assert git(remote, "rev-parse", "main").strip() == later[0]


async def test_a_new_branch_and_passwords_in_addresses(tmp_path: Path) -> None:
    root, remote = clone(tmp_path)
    git(root, "branch", "topic")
    outcome, (question,) = await push(root, True, branch="topic")
    assert isinstance(outcome, Success) and git(remote, "rev-parse", "topic") == git(root, "rev-parse", "topic")
    assert "has no branch topic yet" in (question.context or "")
    commit(root, "fourth")
    git(root, "remote", "set-url", "--push", "origin", "https://someone:s3cret@127.0.0.1:1/x.git")
    outcome, (question,) = await push(root, True)
    assert "s3cret" not in (question.context or "") and "https://127.0.0.1:1/x.git" in (question.context or "")
    assert isinstance(outcome, Failure) and "git push failed" in outcome.message and "s3cret" not in outcome.message


@pytest.mark.parametrize("branch", ["--all", "-f", "a..b", "main:other", "+main", "none", "main^", "@{-1}", "a b"])
async def test_a_branch_is_only_ever_a_branch(branch: str, tmp_path: Path) -> None:
    root, remote = clone(tmp_path)
    before = git(remote, "for-each-ref")
    outcome, asked = await push(root, True, branch=branch)
    assert isinstance(outcome, Failure) and asked == [] and json.loads(outcome.message)["type"] == "error"
    assert git(remote, "for-each-ref") == before


async def test_where_nothing_can_be_pushed(tmp_path: Path) -> None:
    root, _ = clone(tmp_path)
    git(root, "fetch", "-q")
    git(root, "reset", "-q", "--hard", "HEAD~2")
    commit(root, "another way")
    git(root, "push", "-q", "-f", "origin", "main")
    git(root, "reset", "-q", "--hard", "HEAD~1")
    commit(root, "a third way")
    outcome, asked = await push(root, True)
    assert isinstance(outcome, Failure) and "commits that are not in main" in outcome.message and asked == []
    git(root, "remote", "rename", "origin", "other")
    outcome, _ = await push(root, True)
    assert isinstance(outcome, Failure) and "no remote 'origin'" in outcome.message
    (tmp_path / "bare").mkdir()
    outcome, _ = await push(tmp_path / "bare", True)
    assert isinstance(outcome, Failure)


async def test_before_the_yes_the_repository_runs_nothing(tmp_path: Path) -> None:
    """What a cloned folder's own configuration of git names is not started by looking."""
    root, _ = clone(tmp_path)
    trap = root / ".git" / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\nexit 1\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "gpg.program", "core.editor", "credential.helper"):
        git(root, "config", key, str(trap))
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "remote.origin.pushurl", "ssh://host.invalid/x")
    tool, options = configured("git_push")
    outcome = await tool.run(ToolCall({}, root, options=options))
    assert outcome.question.id == "push" and not (tmp_path / "sprung").exists()
    await push(root, True)
    assert (tmp_path / "sprung").exists()  # after it, git does as it is configured


NOTES: dict[str, Any] = {"title": 'It\'s "new" $(id)', "changes": ["a\\b", "é\nline"]}
ANSWERS: dict[str, Any] = {"target": "staging", "token": "hunter2 ' $(id)", "notes": NOTES}


async def deploy(root: Path, version: str, **answers: Any) -> tuple[Success | Failure, list[Question]]:
    tool, _ = configured("deploy")
    return await to_the_end(tool, root, {"version": version}, ANSWERS | answers)


async def test_a_deployment(tmp_path: Path) -> None:
    outcome, (target, token, notes) = await deploy(tmp_path, "1.2.0")
    assert outcome == Success("Deployed version 1.2.0 to staging; the release is releases/1.2.0-staging.json.")
    release = tmp_path / "releases" / "1.2.0-staging.json"
    assert json.loads(release.read_text()) == {"version": "1.2.0", "target": "staging", "notes": NOTES}
    assert "hunter2" not in release.read_text()
    assert isinstance(target.answer_type, SelectAnswer) and isinstance(token.answer_type, SecretAnswer)
    assert [option.value for option in target.answer_type.options] == ["staging", "production"]
    assert isinstance(notes.answer_type, SchemaAnswer) and notes.default == {"title": "Version 1.2.0", "changes": []}
    assert (target.exclusive, token.persistence, notes.persistence) == (True, "none", "none")
    again, asked = await deploy(tmp_path, "1.2.0")
    assert isinstance(again, Failure) and "already" in again.message and [one.id for one in asked] == ["target"]


@pytest.mark.parametrize("version", ["", "../1", "a b", '1"', "1\n2", "-1", ".1", "é", "1" * 41, "$(id)"])
async def test_a_version_is_checked_before_anything(version: str, tmp_path: Path) -> None:
    outcome, asked = await deploy(tmp_path, version)
    assert isinstance(outcome, Failure) and json.loads(outcome.message)["type"] == "error" and asked == []
    assert not (tmp_path / "releases").exists()


async def test_an_empty_password_and_a_link(tmp_path: Path) -> None:
    outcome, _ = await deploy(tmp_path, "1.0", token="")
    assert isinstance(outcome, Failure) and "password is empty" in outcome.message
    assert list((tmp_path / "releases").iterdir()) == []
    (tmp_path / "releases").rmdir()
    (tmp_path / "releases").symlink_to("/tmp")
    outcome, _ = await deploy(tmp_path, "1.0")
    assert isinstance(outcome, Failure) and "link" in outcome.message


async def test_the_deployment_is_shown(tmp_path: Path) -> None:
    """R90."""
    tool, _ = configured("deploy")
    assert await tool.render(ToolCall({"version": "1.2.0"}, tmp_path)) == "deploy version 1.2.0\n"
