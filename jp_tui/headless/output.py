"""Standard output of a command: JSON lines or plain text, and what to do when nobody takes them (surface S2).

Whoever reads may go away at any moment (`| head -1`) or have no room; that ends the output, quietly or with words,
never with a traceback. Words for people go to standard error, where a failure is nobody's loss.
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
"""What a shell shows for a program that SIGPIPE ended, as it ends other tools."""
FAILED = 1
# Beside what JSON escapes anyway: control characters that a terminal obeys, ends of line that are none in JSON,
# half characters, which UTF-8 does not have.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class OutputEnded(Exception):
    """Nobody takes what is written; `status` is how the command ends, `words` are for people and may be none."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words


def json_line(value: Mapping[str, object]) -> str:
    """One object on one line: nothing in it acts on a terminal or ends the line for any reader (S2)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() and "\x7f" not in text else _ESCAPED.sub(lambda at: f"\\u{ord(at[0]):04x}", text)


class TextOutput:
    """Where results (`out`) and words for people (`err`) go. `wraps`: on a terminal its lines break between words."""

    def __init__(self, as_json: bool, out: TextIO, err: TextIO, *, wraps: bool = False) -> None:
        self.as_json, self._wraps = as_json, wraps
        self._out, self._err = out, err

    def line(self, value: Mapping[str, object]) -> None:
        """One JSON object a line. Raises OutputEnded."""
        self.write(json_line(value) + "\n")

    def write(self, text: str) -> None:
        """Text as it is, at once. Raises OutputEnded."""
        try:
            self._out.write(text)
            self._out.flush()
        except BrokenPipeError:
            raise OutputEnded(READER_GONE, "") from None
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or problem
            raise OutputEnded(FAILED, f"Can't write to standard output: {reason}.") from None

    def say(self, text: str = "") -> None:
        """A line for people on standard output; foreign text is neutralised. Raises OutputEnded."""
        shown = neutralise(text)
        self.write(f"{wrapped(shown, width_of(self._out)) if self._wraps else shown}\n")

    def tell(self, text: str) -> None:
        """A line for people on standard error; foreign text is neutralised."""
        with contextlib.suppress(OSError, ValueError):
            self._err.write(f"{neutralise(text, 'line')}\n")
            self._err.flush()
