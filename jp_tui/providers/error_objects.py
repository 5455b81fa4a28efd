"""HTTP status of an error object inside a 200: by its code, its type, else its message. Pure.

Servers send 200 before they know that they fail, and gateways forward errors of others. Each names the error
differently: a number (`429`, `"429"`), a snake-case type, a class name, a gRPC status. Only the status is determined
here; `status.py` maps it to a failure.
"""

from __future__ import annotations

import re

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse

UNKNOWN = 500
"""Status of an unidentified error: the server failed, and a retry may help."""
_KEYS = ("code", "status", "type")
_NAMES = {  # lower case, letters only, without a final `error`
    "invalidrequest": 400,
    "badrequest": 400,
    "invalidargument": 400,
    "failedprecondition": 400,
    "unprocessableentity": 422,
    "contentpolicyviolation": 400,
    "contentfilter": 400,
    "authentication": 401,
    "invalidapikey": 401,
    "unauthorized": 401,
    "unauthenticated": 401,
    "billing": 402,
    "paymentrequired": 402,
    "permission": 403,
    "permissiondenied": 403,
    "forbidden": 403,
    "notfound": 404,
    "modelnotfound": 404,
    "timeout": 504,
    "requesttoolarge": 413,
    "exceedcontextsize": 413,
    "contextlengthexceeded": 413,
    "ratelimit": 429,
    "ratelimited": 429,
    "ratelimitexceeded": 429,
    "toomanyrequests": 429,
    "resourceexhausted": 429,
    "insufficientquota": 429,
    "api": 500,
    "server": 500,
    "internal": 500,
    "internalserver": 500,
    "badgateway": 502,
    "unavailable": 503,
    "serviceunavailable": 503,
    "deadlineexceeded": 504,
    "gatewaytimeout": 504,
    "overloaded": 529,
    "serveroverloaded": 529,
    "engineoverloaded": 529,
}
_NOT_LETTERS = re.compile(r"[^a-z]+")
_LIMITED = re.compile(r"rate.?limit|too many requests|requests per (minute|day)|tokens per (minute|day)", re.I)
_BUSY = re.compile(r"overloaded|at capacity|temporarily unavailable|try again later", re.I)
_OURS = re.compile(
    r"context.{0,20}(length|window|size)|prompt is too long|maximum.{0,30}tokens|exceed\w*.{0,40}tokens"
    r"|api[ _-]?key|invalid.request|bad request",
    re.I,
)


_WINDOW = re.compile(
    r"(?:maximum context length (?:is|of)|context (?:length|window|size)(?: of| is|:)?"
    r"|maximum number of tokens allowed \(|> )\s*\(?([0-9][0-9,]{2,11})",
    re.I,
)
"""Servers' texts that name the window; the last is Anthropic's `208310 tokens > 200000 maximum`."""
LEAST_WINDOW, MOST_WINDOW = 256, 100_000_000


def window_in(body: bytes | Json, said: str) -> int | None:
    """The context window in tokens that a refusal names, in a field `n_ctx` or in its words (context.md K27)."""
    value: Json = body if not isinstance(body, bytes) else None
    if isinstance(body, bytes):
        try:
            value = parse(body)
        except JsonProblem:
            value = None
    value = value[0] if isinstance(value, list) and value else value
    for _ in range(2):
        if isinstance(value, dict):
            named = value.get("n_ctx")
            if isinstance(named, int) and not isinstance(named, bool) and LEAST_WINDOW <= named <= MOST_WINDOW:
                return named
            value = value.get("error")
    found = _WINDOW.search(said[:4000])
    number = int(found[1].replace(",", "")) if found else 0
    return number if LEAST_WINDOW <= number <= MOST_WINDOW else None


def status_of(error: JsonObject) -> int:
    """Return the status. An unknown code falls back to the type, and that to the message."""
    for key in _KEYS:
        if found := _known(error.get(key)):
            return found if found < UNKNOWN else _by_message(error, found)
    return _by_message(error, UNKNOWN)


def _known(value: Json) -> int:
    """Return 0 if unknown. A 1xx isn't a temporary error, so it counts as a status too (Z21)."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 100 <= value < 200 or 400 <= value < 600 else 0
    if not isinstance(value, str):
        return 0
    name = _NOT_LETTERS.sub("", value[:100].lower())
    return _NAMES.get(name) or _NAMES.get(name.removesuffix("error"), 0)


def _by_message(error: JsonObject, otherwise: int) -> int:
    """Classify a gateway's 5xx, or an error without code, if its message is clear."""
    said = error.get("message")
    words = said[:4000] if isinstance(said, str) else ""
    if _LIMITED.search(words):
        return 429
    if _BUSY.search(words):
        return otherwise if otherwise != UNKNOWN else 529
    return 400 if _OURS.search(words) else otherwise


def retry_info(body: bytes | Json) -> float | None:
    """Return the seconds that Google's `RetryInfo` in an error asks for; None without one, and for 0 (W13)."""
    if isinstance(body, bytes):
        if b"RetryInfo" not in body:
            return None
        try:
            body = parse(body)
        except JsonProblem:
            return None
    said = body[0] if isinstance(body, list) and body else body
    error = said.get("error") if isinstance(said, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for one in details if isinstance(details, list) else ():
        if isinstance(one, dict) and str(one.get("@type")).endswith("google.rpc.RetryInfo"):
            asked = re.fullmatch(r"([0-9]{1,12}(\.[0-9]{1,9})?)s", str(one.get("retryDelay")))
            return float(asked[1]) or None if asked else None
    return None
