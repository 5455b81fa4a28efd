"""`jp-tui conversations export`: one conversation as one document, on standard output or in a file.

A file is written under a temporary name and renamed once complete; only the user may read it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator

from jp_tui.headless.lists.request import ask, lookup
from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.view.export.document import EventPages, Format, writer

PAGE = 1000


@lookup
def export(link: Link, conversation: str, wanted: Format, file: str, output: TextOutput) -> int:
    """Write the document; return the exit status. Raises OutputEnded."""
    try:
        if not file:
            for text in _pieces(link, conversation, wanted, output):
                output.write(text)
            return 0
        with _whole(file) as write:
            for text in _pieces(link, conversation, wanted, output):
                write(text)
        output.tell(f"Written: {file}")
        return 0
    except OSError as problem:
        output.tell(f"jp-tui: Can't write {file}: {problem.strerror or problem}.")
        return FAILED


def _pieces(link: Link, conversation: str, wanted: Format, output: TextOutput) -> Iterator[str]:
    """Yield the document, page by page. Raises NoAnswer."""
    made, pages, after = writer(wanted), EventPages(), 0
    while True:
        command = c.ReadConversation(conversation=conversation, after=after, count=PAGE)
        found = ask(link, command, e.ConversationRead, output)
        if not after:
            yield made.begin(found.info)
        yield made.add(pages.whole(found.events, more=found.more))
        if not found.more:
            break
        after = found.events[-1].seq
    yield made.end()


@contextlib.contextmanager
def _whole(file: str) -> Iterator[Callable[[str], object]]:
    """Write a file atomically. Raises OSError."""
    folder = os.path.dirname(os.path.abspath(file))
    descriptor, name = tempfile.mkstemp(prefix=".jp-tui-", dir=folder)
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace", newline="\n") as text:
            yield text.write
        os.replace(name, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
