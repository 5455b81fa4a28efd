"""Standard output of a command: JSON lines or plain text, and what happens if the reader ends (surface S2).

A reader may end at any moment (`| head -1`) or its disk may be full; the output then ends, silently or with a message,
never with a traceback. Messages go to standard error, whose failure is ignored.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import TextIO

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.forms.wrapping import width_of, wrapped

READER_GONE = 128 + 13
"""Status that a shell shows for a program ended by SIGPIPE, as for other tools."""
FAILED = 1
# Beyond what JSON escapes: control characters that a terminal obeys, line ends unknown to JSON, lone surrogates, which
# UTF-8 can't express.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class OutputEnded(Exception):
    """The output has no reader; `status` is the exit status, `words` a message, perhaps empty."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words


def json_line(value: Mapping[str, object]) -> str:
    """Return one object on one line, in which nothing controls a terminal or ends the line for any reader (S2)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() and "\x7f" not in text else _ESCAPED.sub(lambda at: f"\\u{ord(at[0]):04x}", text)


class TextOutput:
    """Destination of results (`out`) and messages (`err`). `wraps`: on a terminal, lines are wrapped between words."""

    def __init__(self, as_json: bool, out: TextIO, err: TextIO, *, wraps: bool = False) -> None:
        self.as_json, self._wraps = as_json, wraps
        self._out, self._err = out, err

    def line(self, value: Mapping[str, object]) -> None:
        """Write one JSON object per line. Raises OutputEnded."""
        self.write(json_line(value) + "\n")

    def write(self, text: str) -> None:
        """Write text unchanged, at once. Raises OutputEnded."""
        try:
            self._out.write(text)
            self._out.flush()
        except BrokenPipeError:
            raise OutputEnded(READER_GONE, "") from None
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or problem
            raise OutputEnded(FAILED, f"Can't write to standard output: {reason}.") from None

    def print(self, text: str = "") -> None:
        """Write a line of text on standard output; untrusted text is neutralised. Raises OutputEnded."""
        shown = neutralise(text)
        self.write(f"{wrapped(shown, width_of(self._out)) if self._wraps else shown}\n")

    def tell(self, text: str) -> None:
        """Write a message on standard error; untrusted text is neutralised."""
        with contextlib.suppress(OSError, ValueError):
            self._err.write(f"{neutralise(text, 'line')}\n")
            self._err.flush()
