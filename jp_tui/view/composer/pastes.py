"""A paste of any size, folded to one short mark in the composer and whole again when it is sent. Pure.

An editor that wraps and paints a megabyte holds the loop for seconds (traps.md T4); a mark costs nothing. A mark
is atomic: whoever edits asks `spans` and takes it whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from jp_tui.conversation.patterns import later

Name = Literal["pasted", "output"]
Span = tuple[int, int]
"""A first character and a number of them."""
LAST = 300
"""Characters of a last line that stays in sight."""
LINE, SIZE, LINES = 2_000, 8_000, 100
"""A paste with more in one line, in all, or of lines is folded."""
ROOM = 64_000
"""Characters that the editor itself holds; beyond them every paste longer than a line is folded."""

_CONTROLS = later("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_PLAIN_CONTROLS = bytes({*range(32), 127} - set(b"\t\n"))
_MARK = later(r"\[(?:(?:pasted|output) \d+: [\d,]+ lines?, [\d,]+ characters|image \d+: [^\[\]\n]{1,80})\]")


def cleaned(text: str) -> str:
    """Line ends as LF; other controls are gone, nobody types them and no prompt needs them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():  # a quarter of the time: a default of megabytes is cleaned, too
        return text.encode("ascii").translate(None, _PLAIN_CONTROLS).decode("ascii")
    return _CONTROLS.sub("", text)


class Pastes:
    """The folded pastes of one run, by number."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._files: dict[str, str] = {}

    def folded(self, text: str, room: int = ROOM) -> str:
        """The text itself, or a mark that stands for it when it is too much for an editor."""
        lines = text.split("\n")
        small = len(text) <= SIZE and len(lines) <= LINES and max(map(len, lines)) <= LINE
        if small and (len(text) <= room or len(text) <= 80):
            return text
        return self.mark(text)

    def mark(self, text: str, name: Name = "pasted") -> str:
        """A mark that stands for this text."""
        lines = text.count("\n") + 1
        plural = "" if lines == 1 else "s"
        mark = f"[{name} {self._next}: {lines:,} line{plural}, {len(text):,} characters]"
        self._texts[mark] = text
        return mark

    @property
    def _next(self) -> int:
        return len(self._texts) + len(self._files) + 1

    def image(self, path: str, size: int) -> str:
        """A mark for an image that goes along; it stands in what is sent, too."""
        name = "".join(one for one in path.rpartition("/")[2] if one.isprintable() and one not in "[]")[-40:]
        mark = f"[image {self._next}: {name or 'unnamed'}, {max(size // 1000, 1):,} kB]"
        self._files[mark] = path
        return mark

    def files(self, text: str) -> dict[str, str]:
        """The images of ours that a text names: mark to path, in order."""
        found = (match.group() for match in _MARK.finditer(text))
        return {mark: self._files[mark] for mark in found if mark in self._files}

    def know(self, files: Mapping[str, str]) -> None:
        """Images that an earlier life knew."""
        self._files.update(files)

    def know_in(self, text: str, paths: Sequence[str]) -> None:
        """The images of a message that comes back, by the order of their marks in it."""
        marks = [match.group() for match in _MARK.finditer(text) if match.group().startswith("[image ")]
        self.know(dict(zip(marks, paths, strict=False)))

    def again(self, text: str, places: Sequence[Span] = ()) -> str:
        """A whole text as it stood in an earlier life: what was pasted at those places, in order, is folded again.

        Where no place is known and it is too much for an editor, its last line stays in sight: words typed behind a
        paste stand there. A place that is not in the text, or what is small enough, folds nothing.
        """
        shown, at = "", 0
        for start, size in places:
            if at <= start and size > 0 and start + size <= len(text):
                shown += text[at:start] + self.folded(text[start : start + size], 0)
                at = start + size
        if at:
            rest = text[at:]
            return shown + (self.folded(rest) if len(rest) > SIZE else rest)
        if len(text) <= SIZE and max(map(len, text.split("\n"))) <= 2 * LINE:
            return text  # so much may have been typed
        end = text.rfind("\n") + 1
        if (mark := self.folded(text)) == text or not end or len(text) - end > LAST:
            return mark
        return self.folded(text[:end], 0) + text[end:]

    def places(self, text: str) -> tuple[Span, ...]:
        """Where the pastes of ours stand in the whole text: from which character, and how many."""
        found, grown = list[Span](), 0
        for match in _MARK.finditer(text):
            size = len(self._texts.get(match.group(), ""))
            if size:
                found.append((match.start() + grown, size))
                grown += size - len(match.group())
        return tuple(found)

    def whole(self, text: str) -> str:
        """The text with every mark of ours replaced by what it stands for; what is pasted is not looked at again."""
        return _MARK.sub(lambda mark: self._texts.get(mark.group(), mark.group()), text)

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Where marks of ours stand in a line, from and to."""
        return [
            match.span()
            for match in _MARK.finditer(line)
            if match.group() in self._texts or match.group() in self._files
        ]


def kept(text: str, places: Sequence[Span], files: Mapping[str, str]) -> str:
    """What is folded of a text and goes along with it, to be kept beside it; empty when nothing is."""
    if not places and not files:
        return ""
    import json  # not before the first frame

    return json.dumps({"size": len(text), "places": list(places), "files": dict(files)})


def beside(text: str, folds: str) -> tuple[tuple[Span, ...], dict[str, str]]:
    """What was kept beside this text: places and files; of another text's only the files, which are named in it."""
    import json

    try:
        found = json.loads(folds)
        places = tuple((int(start), int(size)) for start, size in found["places"])
        files = {str(mark): str(path) for mark, path in found.get("files", {}).items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return (), {}
    return (places if found.get("size") == len(text) else ()), files
