"""`fs_read_file`: read the text of a file, a bounded piece at a time (surface.md S40). Regular text files only."""

from __future__ import annotations

from typing import ClassVar

from jp_tui.conversation.outcomes import Success
from jp_tui.system.files import FileBytes, Root
from jp_tui.system.problem import display_path
from jp_tui.tools.files.guard import secret
from jp_tui.tools.files.workspace import MAX_SHOWN, CallArguments, FileTool, ToolRefusal, secrets
from jp_tui.tools.port import Outcome, ToolCall

MAX_FILE = 8 << 20
MAX_LINES = 2000
_MOST = 1 << 31


class ReadFile(FileTool):
    """The tool; see `jp_tui.tools.port.Tool`."""

    name: ClassVar[str] = "fs_read_file"
    keys: ClassVar[frozenset[str]] = frozenset({"path", "start_line", "end_line"})

    async def work(self, call: ToolCall, arguments: CallArguments, root: Root) -> Outcome:
        path = arguments.text("path", required=True)
        first = arguments.number("start_line", 1, _MOST, 1)
        last = arguments.number("end_line", 1, _MOST, _MOST)
        if last < first:
            arguments.problem("`end_line` must not be before `start_line`.")
        arguments.check()
        return Success(piece(readable(call, root, path), first, last))


def readable(call: ToolCall, root: Root, path: str) -> FileBytes:
    """Return a file that may be read. Raises ToolRefusal and FileProblem."""
    found = root.read(path, MAX_FILE)
    if secret(found.real, secrets(call)):
        raise ToolRefusal(f"{display_path(found.real)} usually holds secrets, so its content is not read.")
    return found


def piece(found: FileBytes, first: int, last: int) -> str:
    """Return lines `first` to `last` unchanged, and a closing line in brackets if something was left out or changed.
    Raises ToolRefusal."""
    name = display_path(found.real)
    if found.truncated:
        raise ToolRefusal(
            f"{name} has {found.size:,} bytes, more than the {MAX_FILE >> 20} MiB read here; use fs_grep_files."
        )
    if found.binary:
        raise ToolRefusal(f"{name} is not a text file ({found.size:,} bytes).")
    text = found.data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    total = len(lines) - (not lines[-1])
    if not total:
        return "[the file is empty]"
    if first > total:
        raise ToolRefusal(f"{name} has only {total:,} lines.")
    notes: list[str] = []
    wanted = min(last, total)
    stop = _fitting(lines, first, min(wanted, first + MAX_LINES - 1))
    if stop < first:
        stop = first
        cut = lines[first - 1].encode()[:MAX_SHOWN].decode("utf-8", "ignore")
        notes.append(
            f"[line {first:,} has {len(lines[first - 1]):,} characters; only the first {len(cut):,} are here, "
            "fs_grep_files shows the others around a match]"
        )
        shown = cut
    else:
        shown = "\n".join(lines[first - 1 : stop]) + ("\n" if stop < len(lines) else "")
    if stop < wanted:
        notes.append(f"[lines {first:,} to {stop:,} of {total:,}; go on with start_line = {stop + 1}]")
    elif (first, stop) != (1, total):
        notes.append(f"[lines {first:,} to {stop:,} of {total:,}]")
    if "\ufffd" in shown and not _is_utf8(found.data):
        notes.append("[the file is not all UTF-8; bytes that are not stand as \ufffd]")
    return "\n".join([shown.removesuffix("\n"), *notes]) if notes else shown


def _fitting(lines: list[str], first: int, last: int) -> int:
    """Return the last line of the range that fits the output limit; `first` - 1 if none does."""
    left = MAX_SHOWN
    for number in range(first, last + 1):
        left -= len(lines[number - 1].encode()) + 1
        if left < 0:
            return number - 1
    return last


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
