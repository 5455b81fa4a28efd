"""Export of one conversation: pages come from the engine, whole turns go to a writer, the file is written last.

An existing file is never overwritten.
"""

from __future__ import annotations

from pathlib import Path

from jp_tui.protocol import commands as cmd
from jp_tui.protocol.events import ConversationRead
from jp_tui.protocol.values import ConversationInfo
from jp_tui.view.export.document import FORMATS, EventPages, Format, writer

PAGE = 1000


class Exporting:
    """An export to a file; `done` is the number of the last event read."""

    def __init__(self, info: ConversationInfo, name: str, folder: str) -> None:
        """`name` is relative to `folder`. Raises ValueError with a message for the user."""
        ending = name.rpartition(".")[2].lower()
        found: list[Format] = [one for one in FORMATS if one == ending]
        if not found:
            raise ValueError("The name must end in .md, .html or .json, which sets the format.")
        self.file = Path(folder, name).expanduser() if folder else Path(name).expanduser()
        if self.file.exists():
            raise ValueError(f"{self.file} already exists. Choose another name.")
        if not self.file.parent.is_dir():
            raise ValueError(f"The folder {self.file.parent} doesn't exist.")
        self.info, self.done = info, 0
        self._writer, self._pages = writer(found[0]), EventPages()
        self._parts = [self._writer.begin(info)]

    def next(self) -> cmd.ReadConversation:
        """Return the command that reads the next page."""
        return cmd.ReadConversation(conversation=self.info.id, after=self.done, count=PAGE)

    def awaits(self, read: ConversationRead) -> bool:
        """Return True for the answer to `next`; the same conversation may be read for other reasons, too."""
        return read.info.id == self.info.id and (not read.events or read.events[0].seq == self.done + 1)

    def takes(self, read: ConversationRead) -> bool:
        """Add a page. Return True after the last one. Raises ValueError when the file cannot be written."""
        if whole := self._pages.whole(read.events, more=read.more):
            self._parts.append(self._writer.add(whole))
        if read.events:
            self.done = read.events[-1].seq
        if read.more:
            return False
        self._parts.append(self._writer.end())
        try:
            with self.file.open("xb") as out:
                out.write("".join(self._parts).encode("utf-8", "backslashreplace"))
        except OSError as problem:
            raise ValueError(f"Can't write {self.file}: {problem}") from problem
        return True
