"""Failure for each HTTP status: one table; the first match wins. Pure data and text.

`{name}`, `{key}`, `{set_key}`, `{model}`, `{at}`, `{url}` and `{status}` are filled in by `failures.py`. The server's
text only selects between meanings of one status; it never becomes part of the message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from jp_tui.conversation.model import ErrorKind

_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|too (long|large|many tokens)|maximum.{0,30}tokens|exceed\w*.{0,40}tokens",
    re.I,
)
_NO_MODEL = re.compile(
    r"model.{0,120}(not found|does(n't| not) exist|unknown|not available)|(no such|unknown|invalid) model",
    re.I | re.S,
)
_BAD_KEY = re.compile(
    r"api[ _-]?key.{0,40}(not valid|invalid|incorrect|expired)|(invalid|incorrect).{0,20}api[ _-]?key", re.I
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient (balance|credit)|exceeded your current quota|credit balance", re.I
)


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """Refused request: its status, the server's message, whether a key was sent, whether a time to wait was given."""

    status: int
    said: str
    has_key: bool
    has_wait: bool


@dataclass(frozen=True, slots=True)
class StatusRule:
    fits: Callable[[RefusedRequest], bool]
    kind: ErrorKind
    message: str
    advice: str
    transient: bool = False


def _key(case: RefusedRequest) -> bool:
    return case.status == 401 or (case.status == 400 and bool(_BAD_KEY.search(case.said)))


def _credit(case: RefusedRequest) -> bool:
    said = case.status in (400, 403, 429) and not case.has_wait and bool(_NO_CREDIT.search(case.said))
    return case.status == 402 or said


def _model(case: RefusedRequest) -> bool:
    return case.status == 404 or (case.status == 400 and bool(_NO_MODEL.search(case.said)))


def _long(case: RefusedRequest) -> bool:
    return case.status == 413 or (case.status in (400, 422) and bool(_TOO_LONG.search(case.said)))


RULES: tuple[StatusRule, ...] = (
    StatusRule(
        lambda case: _key(case) and not case.has_key,
        "unauthorised",
        "{name} requires a key ({status}).",
        "{set_key}",
    ),
    StatusRule(_key, "unauthorised", "{key} was rejected ({status}).", "Check it: {set_key}"),
    StatusRule(
        _credit,
        "forbidden",
        "The account at {name} has no credit or quota left ({status}).",
        "Add credit, or select another model with --model.",
    ),
    StatusRule(
        lambda case: case.status == 403,
        "forbidden",
        "{name} doesn't allow this key to use `{model}` ({status}).",
        "Ask the owner of the account for access, or select another model with --model.",
    ),
    StatusRule(
        _model,
        "unknown_model",
        "{name} has no model `{model}` at {url} ({status}).",
        "Select another with --model, or fix {at}.base_url.",
    ),
    StatusRule(
        _long,
        "too_long",
        "The conversation is too long for `{model}` ({status}).",
        "Start a new conversation, or select a model with a larger window with --model.",
    ),
    StatusRule(
        lambda case: case.status == 429,
        "rate_limited",
        "Rate limited by {name} ({status}).",
        "Wait a moment, then send it again.",
        True,
    ),
    StatusRule(
        lambda case: case.status in (503, 529),
        "overloaded",
        "{name} is overloaded or not ready ({status}).",
        "Send it again later, or select another model with --model.",
        True,
    ),
    StatusRule(
        lambda case: case.status == 408 or 500 <= case.status < 600,
        "server",
        "{name} reported a server error ({status}).",
        "Send it again. If it happens again, check the provider's status page or the server's log.",
        True,
    ),
    StatusRule(
        lambda case: case.status in (400, 422),
        "bad_request",
        "{name} rejected the request ({status}).",
        "See its message for the reason. For a parameter, check assistant.model.parameters.",
    ),
    StatusRule(
        lambda case: 300 <= case.status < 400,
        "other",
        "{name} redirected to another address ({status}). The key isn't sent there.",
        "Set {at}.base_url to the right address.",
    ),
    StatusRule(
        lambda case: 100 <= case.status < 200,
        "other",
        "{name} sent an informational status instead of an answer ({status}).",
        "Check {at}.base_url: this address may not speak HTTP as a model server does.",
    ),
    StatusRule(
        lambda case: True,
        "other",
        "{name} answered with an unexpected status ({status}).",
        "Check {at}.base_url.",
    ),
)
