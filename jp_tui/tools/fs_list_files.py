"""`fs_list_files`: list files (surface.md S40). The scan runs in a child (`scan.py`)."""

from __future__ import annotations

from typing import ClassVar

from jp_tui.conversation.outcomes import Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.system.files import FileProblem, Root
from jp_tui.tools.files.git import listed
from jp_tui.tools.files.scan import ListingJob
from jp_tui.tools.files.workspace import MAX_SHOWN, CallArguments, FileTool
from jp_tui.tools.port import Outcome, ToolCall
from jp_tui.tools.worker import ask


class ListFiles(FileTool):
    """The tool; see `jp_tui.tools.port.Tool`."""

    name: ClassVar[str] = "fs_list_files"
    keys: ClassVar[frozenset[str]] = frozenset({"path", "extensions"})

    def title(self, arguments: JsonObject) -> str:
        return super().title(arguments) or "."

    async def work(self, call: ToolCall, arguments: CallArguments, root: Root) -> Outcome:
        path = arguments.text("path") or "."
        extensions = arguments.texts("extensions")
        arguments.check()
        there = root.stat(path)
        if there.kind != "folder":
            raise FileProblem("not_a_directory", path, "is not a folder; read it with fs_read_file")
        job: ListingJob = {
            "root": root.path,
            "folder": there.real,
            "known": await listed(call.root, there.real),
            "extensions": list(extensions),
            "bytes": MAX_SHOWN,
            "ignored": list(call.ignored()),
        }
        lines = await ask("list", job)
        return Success(str(lines[0]["text"]))
