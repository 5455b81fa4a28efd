"""Messages to the model about unanswered questions and calls that didn't run.

Literals of docs/spec/inquiries.md, section 14, exact where the catalogue says so. Users never see them; front ends have
their own text.
"""

from __future__ import annotations


def no_client(tool: str) -> str:
    """M1."""
    return (
        f"{tool} cannot run because no interactive terminal is available. Do not retry this tool call in this "
        "turn; continue without user input or explain what information is missing."
    )


def not_for_the_assistant(tool: str) -> str:
    """M2."""
    return (
        f"{tool} requires a human answer and cannot be routed to the assistant. Do not retry this tool call in "
        "this turn."
    )


def bad_static_answer(tool: str, slot: str) -> str:
    """M3; `slot` is the question id under which the value is set."""
    return (
        f"{tool}: the configured conversation.tools.{tool}.questions.{slot}.answer value does not match the "
        "question's answer_type. Update the configuration; do not retry."
    )


def approvals_unfit(tool: str, place: str) -> str:
    """M59; `place` is the setting and where it is."""
    return (
        f"{tool}: the configured {place} is for yes-or-no questions only, and this question is another. Update the "
        "configuration; do not retry."
    )


CANCELLED = "Tool input cancelled by user."
"""M4."""


def replied(text: str) -> str:
    """M47."""
    return f"Tool input cancelled by user: {text}"


def denied(tool: str) -> str:
    """M5a."""
    return (
        f"{tool} asked for input but no interactive user is available (detached policy: deny). Do not retry this "
        "tool call in this turn; continue without it or explain what information is missing."
    )


def no_default(tool: str) -> str:
    """M5b."""
    return (
        f"{tool} asked for input that has no default and no interactive user is available (detached policy: "
        "defaults). Do not retry this tool call in this turn; continue without it or explain what information "
        "is missing."
    )


def _reviewed(tool: str, path: str | None, by: str) -> str:
    """The first paragraph of M8 and M9: of the changes to a file, or of the call (R142)."""
    if path is not None:
        return f"The proposed changes to '{path}' were reviewed by {by} and rejected."
    return f"The tool call {tool} was reviewed by {by} and rejected."


def _because(explanation: str) -> list[str]:
    return [f'Reason: "{explanation}"'] if explanation else []


def rejected_by_model(tool: str, path: str | None, model: str, explanation: str) -> str:
    """M8; `path` for the file form, `model` without its provider."""
    if path is not None:
        rest = "The changes were not applied. You may retry with different changes or ask the user to review."
    else:
        rest = (
            "The requested action was not performed. You may retry with a different request or ask the user to review."
        )
    by = f"a secondary assistant ({model})" if model else "a secondary assistant"
    return "\n\n".join([_reviewed(tool, path, by), *_because(explanation), rest])


def rejected_by_user(tool: str, path: str | None, explanation: str, comments: tuple[tuple[str, str], ...] = ()) -> str:
    """M9; `comments` are the user's comments on parts, each with the part's title (R251)."""
    said = [f"On {title}: {words}" for title, words in comments]
    if path is not None:
        rest = "The changes were not applied. Do not repeat the same change; ask the user what should be different."
    else:
        rest = (
            "The requested action was not performed. Do not repeat the same request; ask the user what should be "
            "different."
        )
    heard = ["Comments of the user:", *said] if said else []
    return "\n\n".join([_reviewed(tool, path, "the user"), *_because(explanation), *heard, rest])


def tool_error_text(error: str) -> str:
    """M51: the tool's own error behind M8 or M9 (Z6)."""
    return f"The tool said: {error}"


def stop(times: int) -> str:
    """M52: the last paragraph of an error, when one intent was rejected again and again."""
    return (
        f"This has been rejected {times} times in this turn. Stop: do not try it again, neither like this nor in "
        "another way. Tell the user what you wanted to achieve and ask how to go on."
    )


def changed_tool(tool: str, what: str, server: str) -> str:
    """Return the error for a call of a tool that its server changed, without a client (mcp.md P31)."""
    return (
        f"Tool '{tool}' was not run: it changed since it was accepted ({what}). See jp-tui mcp accept {server}. "
        "Do not retry this tool call in this turn."
    )


def not_run(tool: str, mode: str) -> str:
    """M10; `mode` is the policy, `deny` when none is set (R144)."""
    return (
        f"Tool '{tool}' was not run: it needs approval and no interactive user is available (detached policy: "
        f"{mode}). Do not retry this tool call in this turn."
    )


def not_run_refused(tool: str, mode: str) -> str:
    """M53: a call that names what was refused in this turn (R247); `mode` as for M10."""
    return (
        f"Tool '{tool}' was not run: it names something that was refused in this turn, so that only the user can "
        f"approve it, and no interactive user is available (detached policy: {mode}). Do not retry this tool call in "
        "this turn."
    )


def not_delivered(tool: str, mode: str) -> str:
    """M11; `mode` as for M10."""
    return (
        f"The result of tool '{tool}' was not delivered: it needs confirmation and no interactive user is available "
        f"(detached policy: {mode}). Do not retry this tool call in this turn."
    )


def recommended_no(explanation: str) -> str:
    """M12, shown to the user and never stored (R150)."""
    return f'The assistant recommended rejecting this change:\n"{explanation or "(no reason given)"}"'


def no_verdict(tool: str, question: str, error: str) -> str:
    """M13; `question` is one line."""
    return (
        f"The tool '{tool}' asked a follow-up question (\"{question}\") that was routed to a secondary assistant "
        "for resolution, but the secondary assistant failed to provide a valid answer. Error: "
        f"{error}. You may retry the tool call or end the turn."
    )


def request_failed(reason: str) -> str:
    """M38, on the direct path."""
    return f"User input request failed: {reason}"


def question_failed(reason: str) -> str:
    """M38, through the handler of a parent."""
    return f"Question failed: {reason}"


ABORTED = question_failed("the conversation that it was asked for does not wait any more")
"""M38, where a parent's turn ended (R221)."""

SKIPPED = "Tool skipped by user."
"""M14."""


def skipped(reason: str) -> str:
    """M15."""
    return f"Tool skipped by user: {reason}"


SKIPPED_REMEMBERED = "Tool skipped by user (remembered)."
"""M16."""

RESULT_SKIPPED = "Result delivery skipped by user."
"""M18."""

RESULT_CANCELLED = "Result delivery cancelled."
"""M20, at the prompt."""

EDIT_CANCELLED = "Result edit cancelled."
"""M20, where the result is edited directly."""


def never_accepts(tool: str, question: str, times: int) -> str:
    """M46."""
    return (
        f"{tool} asked the same question (`{question}`) {times} times in a row and never accepted the answer. "
        "Do not retry this tool call in this turn."
    )


def never_ends(tool: str, times: int) -> str:
    """M54: questions that take turns, each answered without a person."""
    return (
        f"{tool} asked {times} questions in a row that were answered without asking the user, and did not come to an "
        "end. Do not retry this tool call in this turn."
    )


def refused_unasked(*, by_user: bool) -> str:
    """M50; `by_user`: all rejections were the user's own."""
    what = "the user rejected this same call three times" if by_user else "this same call was rejected three times"
    return f"Refused without asking: {what}. Say what you need and end the turn."


STOPPED_WITH_WORDS = "Tool run cancelled by user with a custom message:"
"""The beginning of M37."""

NO_ONE_ANSWERED = "No one answered: the client went away before this tool call was decided. It was not run."
"""M55 (Z9)."""

TIMED_OUT = "No answer within the time limit set by the user."
"""M48."""


def unaskable(tool: str) -> str:
    """M56: a question that can't be stored in the log."""
    return (
        f"{tool} asked a question that cannot be written as JSON, so nobody was asked. Do not retry this tool call "
        "in this turn."
    )
