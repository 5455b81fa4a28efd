"""Addresses allowed as links: http(s) with a visible ASCII host (R197, T1); and detection of link text that names
another host (Z22).

Opens and fetches nothing. Refused addresses stay readable as text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote, urlsplit

from jp_tui.conversation.patterns import later

LIMIT = 2000
_SAFE = "!#$%&'()*+,-./:;=?@_~[]"
_CLEAN = later(r"https?://[A-Za-z0-9.\-]+(?::\d{1,5})?(?:[/?#][!#$%&'()*+,\-./0-9:;=?@A-Z_a-z~\[\]]*)?\Z")
_IPV6 = later(r"https?://\[[0-9A-Fa-f:.]+\](?::\d{1,5})?(?:[/?#][!#$%&'()*+,\-./0-9:;=?@A-Z_a-z~]*)?\Z")
_CONTROL = later(r"[\x00-\x20\x7f-\x9f\ud800-\udfff\\]")
_DOT = ".\u3002\uff0e\uff61\u2024"
"""Characters that browsers read as a dot in a host, and lookalikes."""
_NAMES_HOST = later(rf"(?:https?://|www\.)[^\s]+|[\w-]+(?:[{_DOT}][\w-]+)+", re.IGNORECASE)
_HOST_END = later(r"[/?#\\:]")


@lru_cache(maxsize=2048)
def clean_url(url: str) -> str | None:
    """Return the address in a form that can only be an address, or None.

    Refused: other schemes, user information before the host (`https://github.com@evil`), controls, blanks and
    backslashes, an empty host. An international host becomes punycode, other non-ASCII characters percent codes.
    """
    if len(url) > LIMIT or _CONTROL.search(url):
        return None
    if _CLEAN.match(url) or _IPV6.match(url):
        return url
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc:
        return None
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    place = f"[{host}]" if ":" in host else host
    rest = url.split("//", 1)[1][len(parts.netloc) :]
    found = f"{parts.scheme}://{place}{'' if port is None else f':{port}'}{quote(rest, safe=_SAFE)}"
    return found if len(found) <= LIMIT and (_CLEAN.match(found) or _IPV6.match(found)) else None


def names_other_host(label: str, url: str) -> bool:
    """True if the link text looks like a host, and any such host differs from the link's."""
    host = (urlsplit(url).hostname or "").lower().removeprefix("www.")
    for named in _NAMES_HOST.finditer(label):
        said = named.group().lower().removeprefix("https://").removeprefix("http://")
        if _HOST_END.split(said)[0].strip(_DOT).removeprefix("www.") != host:
            return True
    return False
