"""Convert a local tool's output to an outcome (inquiries.md R47, R83, M29).

Output that is one JSON object of the right form, by the strict parser, is an outcome; anything else is text. An invalid
question becomes an error for the model and is never asked. Runs nothing, truncates nothing.
"""

from __future__ import annotations

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object
from jp_tui.conversation.text import shortened
from jp_tui.questions.bounds import short
from jp_tui.system.children import ChildExit
from jp_tui.tools.port import NeedsInput

Printed = Success | Failure | NeedsInput
KEPT = 1 << 20
"""Bytes of output that a tool may write: 1 MiB, enough for a large JSON result."""
_SHOWN = 8 << 10


def outcome(name: str, done: ChildExit, limit: float) -> Printed:
    """Return the outcome of a run (R83) with `limit` seconds. Output of a run that jp-tui ended doesn't count."""
    stdout = done.stdout.decode("utf-8", "replace")
    stderr = done.stderr.decode("utf-8", "replace")
    if ended := _ended(done, limit):
        return failed(name, _ends(stdout), _ends(stderr), ended)
    if (found := _parse_printed(name, stdout)) is not None:
        return found
    if done.ok:
        return Success(stdout)
    return failed(name, stdout, stderr, end_reason(done, limit))


def failed(name: str, stdout: str, stderr: str, reason: str = "") -> Failure:
    """M29 and R83: a failure with these three keys. `reason` is jp-tui's own sentence for what the output doesn't say;
    it follows the tool's `stderr` on a line of its own."""
    if reason:
        apart = "\n" if stderr and not stderr.endswith("\n") else ""
        stderr = f"{stderr}{apart}jp-tui: {reason}."
    body: JsonObject = {"message": f"Tool '{name}' execution failed.", "stderr": stderr, "stdout": stdout}
    return Failure(dump(body))


def end_reason(done: ChildExit, limit: float) -> str:
    """Return how a run ended if its output doesn't say so; empty for a normal exit."""
    return _ended(done, limit) or (f"it was killed by {signal_name(done.signal)}" if done.signal else "")


def _ended(done: ChildExit, limit: float) -> str:
    if done.cancelled:
        return "it was cancelled"
    if done.timed_out:
        return f"it was ended after {limit:g} second{'' if limit == 1 else 's'}, its time limit"
    if done.flooded:
        return f"it was ended because it wrote more than {KEPT >> 20} MiB; let it write less, or write to a file"
    return ""


def _parse_printed(name: str, stdout: str) -> Printed | None:
    """Parse the outcome in JSON form; None for anything else."""
    try:
        said = parse_object(stdout)
    except JsonProblem:
        return None
    match said:
        case {"type": "success", "content": str(content)}:
            return Success(content)
        case {"type": "error", "message": str(message)}:
            trace = said.get("trace", [])
            if not isinstance(trace, list) or not all(isinstance(line, str) for line in trace):
                return None
            if said.get("transient") is True:
                return Failure(dump({"message": message, "trace": trace}), transient=True)
            declined = not trace and message.strip().rstrip(".!").casefold() == "rejected"
            return Failure(stdout.strip(), declined=declined)
        case {"type": "needs_input"}:
            return _asked(name, said.get("question"))
        case _:
            return None


def _asked(name: str, raw: Json) -> Printed:
    from jp_tui.questions.wire import BadQuestion, read_question

    try:
        if not isinstance(raw, dict):
            raise BadQuestion("`question` is missing or not an object.")
        return NeedsInput(read_question(raw))
    except BadQuestion as problem:
        said = str(problem)
        detail = short(said) if not said.isprintable() else shortened(said, 500)
        return Failure(
            f"Tool '{name}' asked a question that breaks the rules, so nobody was asked: {detail} "
            "This is a fault of the tool; do not retry this tool call in this turn."
        )


def _ends(text: str) -> str:
    """Return the beginning and the end of a tool's output before it was ended."""
    if len(text) <= _SHOWN:
        return text
    half = _SHOWN // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters are left out and not kept …\n{text[-half:]}"


def signal_name(number: int | None) -> str:
    """Return SIGTERM and the like; the number if it has no name."""
    import signal

    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"
