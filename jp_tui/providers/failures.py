"""Text for failed requests: what happened and what to do. Pure.

Every message names the provider, the variable or the configuration key. It never contains a key or a header value, even
if the server echoes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from jp_tui.conversation.model import ModelError
from jp_tui.conversation.secret_encodings import spellings
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse
from jp_tui.conversation.text import shortened
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.error_objects import retry_info, status_of, window_in
from jp_tui.providers.status import RULES, RefusedRequest
from jp_tui.providers.wire import error_in
from jp_tui.settings.layers.bounds import LONGEST_ASKED_WAIT_SECS

MAX_DETAIL = 16 * 1024  # characters of the server's own message that are kept; front ends show the beginning
MAX_BODY = 64 * 1024  # bytes of a refusal that are read


class Failures:
    """Messages for one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._name, self._env = endpoint.name, endpoint.key_env
        self._has_key = endpoint.key is not None
        self._hidden = ""
        self._at = f"providers.llm.{endpoint.name}"
        self._url = endpoint.base_url
        self._host = urlsplit(endpoint.base_url).netloc
        self._idle, self._limit = endpoint.stream_idle_timeout_secs, endpoint.max_response_bytes
        secrets = [endpoint.key or "", *(value for value in endpoint.headers.values() if len(value) >= 8)]
        forms = {form for secret in secrets if len(secret.strip()) >= 4 for form in spellings(secret.strip())}
        self._secrets = sorted(forms, key=len, reverse=True)

    def hide(self, key: str | None) -> None:
        """Keep this key out of every message as well."""
        if key and key != self._hidden and len(key) >= 4:
            self._hidden, self._has_key = key, True
            self._secrets = sorted({*self._secrets, *spellings(key)}, key=len, reverse=True)

    def certificate(self, why: str) -> ModelError:
        """A certificate that isn't accepted: host, cause and the way out (W12)."""
        found = self.unreachable(f"its certificate wasn't accepted ({why})", transient=False)
        found.advice = f"Set SSL_CERT_FILE, or {self._at}.ca_file, to your network's certificate authority."
        return found

    def redacted(self, error: ModelError) -> ModelError:
        """The same without the key: a message may repeat what the server sent."""
        error.message, error.cause, error.detail = map(self.redact, (error.message, error.cause, error.detail))
        error.args = (error.message,)
        return error

    def redact(self, said: str) -> str:
        for secret in self._secrets:
            said = said.replace(secret, "•••")
        return said

    def detail(self, body: bytes | Json) -> str:
        """Return the server's error message, else its text. For an HTML page only the size is given. What is left out
        is counted and discarded (Z26)."""
        value: Json = body if not isinstance(body, bytes) else None
        said, least = "", ""
        if isinstance(body, bytes):
            try:
                value = parse(body)
            except JsonProblem:
                said = body.decode("utf-8", "replace")
                if _is_html(said):
                    return f"⟨a page of HTML, {len(said):,} characters, not kept⟩"
                least = ", and more that was not read" if len(body) >= MAX_BODY else ""
        return shortened(self.redact(_message(value) or said).strip(), MAX_DETAIL, f"not kept{least}")

    def status(self, status: int, body: bytes | Json, model: str, retry_after: float | None = None) -> ModelError:
        """Return the failure for a status."""
        detail = self.detail(body)
        retry_after = retry_after or retry_info(body)
        case = RefusedRequest(status, f"{detail} {body!r}"[:4000], self._has_key, retry_after is not None)
        rule = next(rule for rule in RULES if rule.fits(case))
        words = {
            "name": self._name,
            "key": f"The key in {self._env}" if self._env else "The key",
            "set_key": self._key_advice(),
            "model": model[:200],
            "at": self._at,
            "url": self._url,
            "status": str(status),
        }
        message, advice, transient = rule.message.format(**words), rule.advice.format(**words), rule.transient
        cause = message
        if retry_after and transient:
            message += f" Retry after {_duration(retry_after)}."
            transient = retry_after <= LONGEST_ASKED_WAIT_SECS
        return ModelError(
            rule.kind,
            message,
            advice,
            detail=detail,
            status=status,
            retry_after=retry_after,
            transient=transient,
            cause=cause,
            window=window_in(body, detail) if rule.kind == "too_long" else None,
        )

    def inside(self, error: JsonObject, model: str) -> ModelError:
        """Return the failure for an error object inside a 200, classified by its content (Z21)."""
        return self.status(status_of(error), {"error": error}, model)

    def _key_advice(self) -> str:
        if self._env:
            return f"Set {self._env} to a valid key, then restart jp-tui."
        return f"Set {self._at}.api_key_env to the variable that has the key."

    def no_credentials(self) -> ModelError:
        return ModelError("no_credentials", f"{self._name} has no key: {self._env} isn't set.", self._key_advice())

    def unusable_key(self) -> ModelError:
        where = self._env or "the configuration"
        return ModelError(
            "unauthorised",
            f"The key in {where} has invalid characters.",
            f"Check it: {self._key_advice()}",
        )

    def not_a_stream(self, media: str, body: bytes, model: str) -> ModelError:
        """Return the failure for a successful status without an event stream: a login page, or an error in JSON."""
        if not _is_html(body[:2000].decode("utf-8", "replace")) and "html" not in media:
            try:
                error = error_in(_unlisted(parse(body)))
            except JsonProblem:
                error = None
            if error:
                return self.inside(error, model)
        what = (
            "a web page (HTML)"
            if "html" in media or _is_html(body[:2000].decode("utf-8", "replace"))
            else media or "something else"
        )
        return ModelError(
            "not_json",
            f"{self._host} answered with {what} instead of a stream of events.",
            f"Check {self._at}.base_url and {self._at}.wire; your network may also require a login.",
            detail=self.detail(body),
        )

    def no_list(self, status: int = 0) -> ModelError:
        """Return the failure for a server without a model list."""
        why = f" ({status})" if status else ""
        return ModelError(
            "other",
            f"{self._name} doesn't list its models{why}.",
            f"Select one with --model {self._name}/MODEL, or check {self._at}.base_url and {self._at}.wire.",
        )

    def refused(self) -> ModelError:
        return ModelError(
            "refused",
            f"Nothing listens at {self._host} (connection refused).",
            f"Start the server, or fix {self._at}.base_url.",
        )

    def unreachable(self, why: str, *, transient: bool = True) -> ModelError:
        return ModelError(
            "unreachable",
            f"{self._host} can't be reached: {self.redact(why)}.",
            f"Check the network, the proxy variables and {self._at}.base_url.",
            transient=transient,
        )

    def stalled(self) -> ModelError:
        return ModelError(
            "stalled",
            f"{self._name} sent nothing for {_duration(self._idle)}.",
            "Send it again. For a slow server, raise assistant.request.stream_idle_timeout_secs.",
            transient=True,
        )

    def no_progress(self, seconds: float) -> ModelError:
        return ModelError(
            "stalled",
            f"{self._name} kept the connection open for {_duration(seconds)} but sent no text.",
            "Send it again.",
            transient=True,
        )

    def too_large(self) -> ModelError:
        return ModelError(
            "too_large",
            f"The reply is longer than {self._limit} bytes.",
            "Ask for less at once, or raise assistant.request.max_response_bytes.",
        )


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that the headers of a refusal ask for; a time of 0 or in the past counts as none (W13)."""
    precise = headers.get("retry-after-ms", "").strip()
    if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,6})?", precise):
        return float(precise) / 1000 or None
    return retry_after(headers.get("retry-after", ""), now) or None


def retry_after(value: str, now: datetime) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None if it is neither."""
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", plain := value.strip()):
        return float(plain)  # float() accepts fewer blanks around it than strip()
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())


def _unlisted(value: Json) -> Json:
    """Return the object of a one-item list (Gemini's errors)."""
    return value[0] if isinstance(value, list) and value else value


def _message(value: Json) -> str:
    """Return the message in the usual forms: {error: {message}}, {error: text}, {message}, {detail}, and these in a
    list."""
    value = _unlisted(value)
    for _ in range(4):
        if isinstance(value, str) or not isinstance(value, dict):
            break
        value = next((value[key] for key in ("error", "message", "detail") if value.get(key)), None)
    return value if isinstance(value, str) else ""


def _is_html(said: str) -> bool:
    return bool(re.match(r"\s*(<!doctype html|<html|<head|<title|<body)", said, re.I))


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86400), ("hours", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 1 else f"{seconds:.1f} s"
