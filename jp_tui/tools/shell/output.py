"""Output and exit of a command as text for the model, and its last line while it runs, for display (issue 8, line 9).

Long output keeps its beginning and end, with a count of what is missing between them. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.text import shortened
from jp_tui.system.children import ChildExit

KEPT = 48 << 10
"""Bytes of output that a model reads."""
FLOOD = 256 << 20
"""Bytes of output after which a command is ended."""
_BETWEEN = 0.25
_LINE = 200


def result_text(
    done: ChildExit,
    seconds: float,
    name: Callable[[int | None], str],
    *,
    walled: bool = False,
    network: bool = False,
    notes: Sequence[str] = (),
) -> Success | Failure:
    """Return the complete result. Any end but exit status 0 is a failure, with the output nonetheless. `notes` are
    sentences about other effects; they precede the output, where users see them too."""
    took = f"{done.ms / 1000:.1f} s"
    if done.cancelled:
        end = f"It was cancelled after {took}, with everything that it had started."
    elif done.timed_out:
        end = (
            f"It was ended after {seconds:,.0f} s, its time limit (timeout_secs), with everything that it had started."
        )
    elif done.flooded:
        end = f"It was ended because it wrote more than {FLOOD >> 20} MiB. Let it write less, or into a file."
    elif done.signal is not None:
        end = f"It was killed by {name(done.signal)} after {took}."
    else:
        number = (done.status or 0) - 128 if walled else 0  # status convention of shells, and of the sandbox
        killed = f" (killed by {name(number)})" if 0 < number <= 64 else ""
        end = f"Exit status {'unknown' if done.status is None else done.status}{killed} after {took}."
    end = "\n".join([end, *notes])
    output = _output(done)
    said = f"{end}\n\nOutput:\n{output}" if output else f"{end} It wrote nothing."
    if (problem := done.stderr.decode("utf-8", "replace").strip()) and walled:
        said += f"\n\nThe sandbox said: {shortened(problem, 1_000)}"
    if done.ok:
        return Success(said)
    if walled:
        net = "" if network else ", and there is no network"
        said += (
            f"\n\nIt ran in a sandbox: only the workspace can be written, not .git or .jp-tui{net}. Of the home folder "
            "only tool chains are visible, and files that usually hold secrets are empty."
        )
    return Failure(said)


def _output(done: ChildExit) -> str:
    """Return both ends, with the gap marked between them (the runner keeps half for each)."""
    if not done.dropped:
        return done.stdout.decode("utf-8", "replace")
    half = KEPT // 2
    head, tail = done.stdout[:half].decode("utf-8", "replace"), done.stdout[half:].decode("utf-8", "replace")
    note = f"[… {done.dropped:,} bytes of output are left out here and not kept; write to a file to read all of it …]"
    return f"{head}\n{note}\n{tail}"


class Tail:
    """Latest output line, forwarded at most 4 times a second, as often as a person can read it; untrusted text."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._say, self._clock = say, clock
        self._line, self._at = b"", clock() - _BETWEEN

    def add(self, data: bytes) -> None:
        """Add output."""
        lines = (self._line + data[-4_096:]).split(b"\n")
        self._line = lines[-1][-_LINE * 4 :]
        last = next((line for line in reversed(lines) if line.strip()), b"")
        if last and self._clock() - self._at >= _BETWEEN:
            self._at = self._clock()
            self._say(last.decode("utf-8", "replace").strip()[:_LINE])
