"""A file named in what is written: `@path`, what of it stands before the cursor, and how a path is written. Pure.

What the model gets is the path, as it is written here; the file itself it reads with its own tools.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from jp_tui.conversation.patterns import later

_OPEN = later(r'(?:^|(?<=[\s(\[{,;:]))@(?:"(?P<quoted>[^"]*)|(?P<bare>[^\s"@]*))$')
_PLAIN = later(r'[^\s"\\@(){}\[\],;]+')
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
REACH = 400
"""Characters before the cursor in which it begins."""


def being_written(before: str) -> tuple[int, str] | None:
    """Where in the text before the cursor a mention begins, and what of its path is there."""
    found = _OPEN.search(before, max(len(before) - REACH, 0))
    if found is None:
        return None
    return found.start(), found["quoted"] if found["quoted"] is not None else found["bare"]


def mention(path: str) -> str:
    """A path as it is written: quoted where a blank would end it, with what nobody sees or could type as `\\uXXXX`."""
    if _PLAIN.fullmatch(path) and path.isprintable():
        return f"@{path}"
    import json  # not before the first frame

    written = "".join(one if one.isprintable() and one not in '"\\' else json.dumps(one)[1:-1] for one in path)
    return f'@"{written}"'


def answers(query: str, path: str) -> bool:
    """Whether these letters stand in a path in their order."""
    low, at = path.casefold(), 0
    for letter in query.casefold():
        at = low.find(letter, at) + 1
        if at == 0:
            return False
    return True


def image_path(text: str) -> str:
    """The path that a terminal writes for an image dropped on it, or somebody pasted; empty for any other text."""
    one = text.strip()
    if not one or "\n" in one or len(one) > 4096:
        return ""
    if one[0] == one[-1] and one[0] in "'\"" and len(one) > 2:
        one = one[1:-1]
    elif one.startswith("file://"):
        one = unquote(one.removeprefix("file://").removeprefix("localhost"))
    else:
        one = re.sub(r"\\(.)", r"\1", one)
    return one if is_image(one) and one.startswith(("/", "~/", "./", "../")) else ""


def is_image(path: str) -> bool:
    """Whether a name says that it is one; its bytes are looked at later."""
    return path.casefold().endswith(IMAGES) and "\0" not in path
