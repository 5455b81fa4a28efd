"""File mentions in the composer: `@path`, its part before the cursor, and the notation of paths.

Pure. The model gets the path as written; it reads the file with its own tools.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from jp_tui.conversation.patterns import later

_OPEN = later(r'(?:^|(?<=[\s(\[{,;:]))@(?:"(?P<quoted>[^"]*)|(?P<bare>[^\s"@]*))$')
_PLAIN = later(r'[^\s"\\@(){}\[\],;]+')
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
REACH = 400
"""Characters before the cursor in which it may begin."""


def being_written(before: str) -> tuple[int, str] | None:
    """Return where a mention begins in the text before the cursor, and its partial path."""
    found = _OPEN.search(before, max(len(before) - REACH, 0))
    if found is None:
        return None
    return found.start(), found["quoted"] if found["quoted"] is not None else found["bare"]


def mention(path: str) -> str:
    """Return a path in written form: quoted if it contains a blank, with invisible or untypable characters as
    `\\uXXXX`."""
    if _PLAIN.fullmatch(path) and path.isprintable():
        return f"@{path}"
    import json  # not needed for the first frame

    written = "".join(one if one.isprintable() and one not in '"\\' else json.dumps(one)[1:-1] for one in path)
    return f'@"{written}"'


def answers(query: str, path: str) -> bool:
    """True if these letters occur in a path in this order."""
    low, at = path.casefold(), 0
    for letter in query.casefold():
        at = low.find(letter, at) + 1
        if at == 0:
            return False
    return True


def image_path(text: str) -> str:
    """Return the path that a terminal writes for a dropped or pasted image; empty for any other text."""
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
    """True if the name is that of an image; its bytes are checked later."""
    return path.casefold().endswith(IMAGES) and "\0" not in path
