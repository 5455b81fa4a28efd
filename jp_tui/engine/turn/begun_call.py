"""The question about a call that may have run: its run with answers began, and no result came (store.md D21)."""

from __future__ import annotations

from jp_tui.engine.base.call_state import MAY_HAVE_RUN, CallResult
from jp_tui.questions.options import Option
from jp_tui.questions.types import Question, SelectAnswer

RUN_AGAIN, FAILED, STOP = "run_again", "failed", "stop"
_OPTIONS = (
    Option(RUN_AGAIN, "Run it again with the same answers"),
    Option(FAILED, "Don't run it; the model reads that it may have run"),
    Option(STOP, "End the turn"),
)


def doubt(tool: str, shown: str) -> Question:
    """Return the question, for a person alone; `shown` are the call's arguments. Nothing is preselected."""
    return Question(
        MAY_HAVE_RUN,
        f"{tool} may have run when its worker went away.",
        SelectAnswer(_OPTIONS),
        shown,
        exclusive=True,
        persistence="none",
        acts=True,
    )


def counted_as_failed(tool: str) -> CallResult:
    """Return the result of a call that isn't run again."""
    words = (
        f"{tool} was interrupted while it ran: it may have run, in part or whole, and its result is unknown. The user "
        "chose not to run it again. Check what it did before you repeat it."
    )
    return CallResult(words, True, "error")
