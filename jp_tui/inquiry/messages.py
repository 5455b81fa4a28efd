"""What the model reads when a question was not answered: the literals of inquiries.md section 14."""

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
    """M3; `slot` is the question id under which the value stands."""
    return (
        f"{tool}: the configured conversation.tools.{tool}.questions.{slot}.answer value does not match the "
        "question's answer_type. Update the configuration; do not retry."
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


def no_verdict(tool: str, question: str, error: str) -> str:
    """M13; `question` is one line."""
    return (
        f"The tool '{tool}' asked a follow-up question (\"{question}\") that was routed to a secondary assistant "
        "for resolution, but the secondary assistant failed to provide a valid answer. Error: "
        f"{error}. You may retry the tool call or end the turn."
    )


def never_accepts(tool: str, question: str, times: int) -> str:
    """M46."""
    return (
        f"{tool} asked the same question (`{question}`) {times} times in a row and never accepted the answer. "
        "Do not retry this tool call in this turn."
    )
