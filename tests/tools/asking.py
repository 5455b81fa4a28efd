"""A coordinator in ten lines: runs a tool, answers what it asks, and runs it again (inquiries.md R97, R235)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.questions.types import Question, Taken
from jp_tui.questions.wire import digest
from jp_tui.tools.port import GivenAnswer, NeedsInput, ToolCall
from jp_tui.tools.registry import builtin

Answer = bool | Taken | Callable[[Question], bool | Taken]


@dataclass(frozen=True, slots=True)
class Told:
    """How a call ended, and every question that was asked on the way."""

    outcome: Success | Failure
    asked: list[Question]

    @property
    def ids(self) -> list[str]:
        return [question.id for question in self.asked]

    @property
    def text(self) -> str:
        return self.outcome.content if isinstance(self.outcome, Success) else self.outcome.message

    @property
    def ok(self) -> bool:
        return isinstance(self.outcome, Success)


async def call(
    root: Path,
    tool: str,
    answers: Mapping[str, Answer] | Answer = True,
    *,
    before: Mapping[str, GivenAnswer] | None = None,
    options: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Told:
    """Run to the end. `answers` by question id; a function is called while its question is open. Taken is an answer by
    hunk."""
    given = dict(before or {})
    asked: list[Question] = []
    while True:
        outcome = await builtin()[tool].run(ToolCall(arguments, root, answers=given, options=dict(options or {})))
        if not isinstance(outcome, NeedsInput):
            return Told(outcome, asked)
        question = outcome.question
        asked.append(question)
        assert len(asked) < 20, "it never stops asking"
        answer = answers[question.id] if isinstance(answers, Mapping) else answers
        said = answer(question) if callable(answer) else answer
        if isinstance(said, Taken):  # R251: true when at least one part is accepted
            given[question.id] = GivenAnswer(bool(said.accepted), digest(question), taken=said)
        else:
            given[question.id] = GivenAnswer(said, digest(question))


def git(root: Path, *arguments: str) -> str:
    """Run git there, as somebody with a name and no configuration."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
    }
    who = ["-c", "user.name=A Person", "-c", "user.email=person@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=root, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def repository(root: Path, files: Mapping[str, str]) -> None:
    """A repository with these files, all committed."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
