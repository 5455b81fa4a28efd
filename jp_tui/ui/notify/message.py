"""The text of a notification (asking.md E50): how many questions wait and who asks what, or how a turn ended.

Title and text begin with words of jp-tui. The rest may be untrusted, and the caller filters it. Loaded with the first
notification.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from jp_tui.view.activity.status import Status
from jp_tui.view.questions.prompt_line import asker, headline
from jp_tui.view.wording.amounts import seconds

if TYPE_CHECKING:
    from jp_tui.protocol.events import TurnCompleted
    from jp_tui.protocol.values import PromptRequest


def message(prompts: list[PromptRequest], turn: TurnCompleted | None, status: Status, *, text: bool) -> tuple[str, str]:
    """Return the title and text for these questions, or for the end of a turn; without `text` nothing untrusted."""
    title, about = _asked(prompts, status) if prompts or turn is None else _done(turn, status)
    folder = os.path.basename(status.workspace.rstrip("/"))
    return (f"{title} in {folder}" if folder else title, about) if text else (title, "")


def _asked(prompts: list[PromptRequest], status: Status) -> tuple[str, str]:
    """`2 questions wait`, `From fs_modify_file: Apply this change?`. The number is of all that wait."""
    number = max(len(prompts), len(status.waiting))
    title = "jp-tui: a question waits" if number <= 1 else f"jp-tui: {number} questions wait"
    return title, f"From {asker(prompts[0])}: {headline(prompts[0])}" if prompts else ""


def _done(turn: TurnCompleted, status: Status) -> tuple[str, str]:
    """`done after 2 m 05 s` with the conversation's title; for a failed turn with the reason."""
    how = "failed" if turn.outcome == "failed" else "stopped" if turn.outcome == "deferred" else "done"
    about = turn.error.message if turn.error is not None else status.title.raw
    return f"jp-tui: {how} after {seconds(turn.ms / 1000)}", f"About: {about}" if about else ""
