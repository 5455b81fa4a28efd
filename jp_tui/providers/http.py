"""The only HTTP driver: it transports a wire's bytes and converts every failure to a ModelError.

The only module that uses httpx, imported at the first request. It follows no redirect, retries nothing (the engine
does), and closes the socket when its iterator is closed or cancelled. The key is sent to the endpoint only: it never
appears in messages, `repr`, or chained exceptions.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from jp_tui import __version__
from jp_tui.conversation.model import Delta, Finished, Message, ModelError, ModelRequest, PartGrew, ReasoningLeftOut
from jp_tui.conversation.strict_json import dump
from jp_tui.providers import catalogue
from jp_tui.providers.catalogue import MAX_MODELS, ListedModel, address, list_address
from jp_tui.providers.connection import Dialled
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.failures import MAX_BODY, Failures, asked_wait
from jp_tui.providers.keys import EndpointKey
from jp_tui.providers.pacing import ReadPacer, joined
from jp_tui.providers.sse import EVENT_STREAM
from jp_tui.providers.tool_names import sent
from jp_tui.providers.wire import ServerError, Wire, cut, marks, without_reasoning

if TYPE_CHECKING:
    import httpx

MAX_LIST = 4 * 1024 * 1024  # bytes of a list of models
MAX_OVERHEAD = 64  # maximum ratio of a response's unpacked size to its content
SLICE = 32 * 1024
NO_PROGRESS_SECS = 600.0  # pings must not keep a stalled connection open forever; real servers need less
DRAIN_SECS = 0.1  # after the end, so that the connection can be reused


def is_loopback(base_url: str) -> bool:
    """True if the address has the form of this machine; no name lookup."""
    host = urlsplit(base_url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def reachable(base_url: str, timeout: float = 0.15) -> bool:
    """True if a server listens there (surface.md S21); seconds. Sends nothing."""
    parts = urlsplit(base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(timeout):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except (OSError, TimeoutError, ValueError):
        return False
    writer.close()
    return True


async def fetch(url: str, timeout: float) -> bytes:
    """Return the body of a GET that succeeds within `timeout` seconds and the size limit; else empty."""
    import httpx

    body = b""
    try:
        async with (
            asyncio.timeout(timeout),
            httpx.AsyncClient(trust_env=not is_loopback(url)) as client,
            client.stream("GET", url) as response,
        ):
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_LIST or not response.is_success:
                    return b""
    except (httpx.HTTPError, httpx.InvalidURL, OSError):
        return b""
    return body


class HttpProvider:
    """Model behind HTTP. One per endpoint, reused; its connections belong to one event loop."""

    greeting: str | None = None
    sample: Path | None = None
    titles = True
    reviews: Callable[[tuple[Message, ...]], frozenset[str]] | None = None

    def __init__(self, endpoint: Endpoint, wire: Wire) -> None:
        self._endpoint, self._wire = endpoint, wire
        self._failures = Failures(endpoint)
        self._key = EndpointKey(endpoint)
        self._client: httpx.AsyncClient | None = None
        # how a page or a message begins that came instead of a stream; the lines of some wires are objects themselves
        self._no_stream = (b"<", b"{") if wire.media == EVENT_STREAM else (b"<",)
        self._refused: set[int] = set()  # marks of reasoning that the server doesn't accept back

    def __repr__(self) -> str:
        return f"HttpProvider({self._endpoint.name!r}, {self._endpoint.base_url!r})"

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Implement the port. Sends nothing if a required key is missing, and no reasoning that was refused before."""
        begun = repeated = False
        request, restored = sent(request)
        if self._refused:
            request = without_reasoning(request, self._refused) or request
        while True:
            try:
                async with aclosing(self._attempt(request)) as deltas:
                    async for delta in deltas:
                        begun = True
                        yield restored(delta)
                return
            except ModelError as refusal:
                changed = None if begun or repeated else self._changed(request, refusal)
                if changed is None:
                    raise
                if changed.messages != request.messages:
                    self._refused |= marks(request)
                    yield ReasoningLeftOut()
                request, repeated = changed, True

    def _changed(self, request: ModelRequest, refusal: ModelError) -> ModelRequest | None:
        """Return the request to repeat: with a new key, or without what the server doesn't accept."""
        if refusal.status == 401 and self._key.renewable:
            self._key.expire()
            return request
        return self._wire.amended(request, refusal.detail) if refusal.status == 400 else None

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        headers = await self._headers()
        import httpx

        failure: ModelError | None = None
        url = address(self._wire, self._endpoint.base_url, self._wire.path(request.model), self._endpoint.query)
        read, size, head, decoder = 0, 0, b"", self._wire.decoder(request)
        try:
            body = dump(self._wire.body(request)).encode("utf-8", "replace")
            async with self._answered("POST", url, body, headers) as response:
                failure = await self._refusal(response, request.model)
                packed = "content-encoding" in response.headers
                chunks = _sliced(response.aiter_bytes() if packed else response.aiter_raw())
                gulps, last = ReadPacer(chunks), asyncio.get_running_loop().time()
                while failure is None and not decoder.done:
                    chunk = await gulps.next()
                    if chunk is None and not size and head.lstrip()[:1] in self._no_stream:
                        failure = self._failures.not_a_stream("", head, request.model)
                        break
                    head, read = (head + (chunk or b""))[:2000] if not size else b"", read + len(chunk or b"")
                    deltas = decoder.feed(chunk) if chunk is not None else decoder.end()
                    last = self._progress(last, bool(deltas))
                    for delta in joined(deltas):
                        if isinstance(delta, Finished) and delta.unread:
                            delta = replace(delta, unread=tuple(map(self._failures.redact, delta.unread)))
                        size += self._size(delta)
                        if size > self._endpoint.max_response_bytes:
                            raise self._failures.too_large()
                        yield delta
                    if read > self._endpoint.max_response_bytes * MAX_OVERHEAD:
                        raise self._failures.too_large()
                if failure is None:
                    await _drain(chunks)
        except ServerError as error:
            failure = self._failures.inside(error.error, request.model)
        except ModelError as error:
            failure = self._failures.redacted(error)
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
            failure = self._transport(error)
        # raised outside the handler, so that no chained exception contains the request's headers
        if failure is not None:
            raise failure

    async def models(self) -> tuple[ListedModel, ...]:
        """Return the server's models in its order. Raises ModelError; sends nothing if a required key is missing. The
        caller limits the time."""
        found: list[ListedModel] = []
        after: str | None = ""
        while after is not None and len(found) < MAX_MODELS:
            url = list_address(self._wire, self._endpoint.base_url, after, self._endpoint.query)
            page = catalogue.read(await self._get(url), self._wire.listed)
            if page is None:
                raise self._failures.no_list()
            found += page.models
            after = page.after if page.after and page.after != after and page.models else None
        return tuple(found[:MAX_MODELS])

    async def _get(self, url: str) -> bytes:
        headers = {**await self._headers(), "accept": "application/json"}
        import httpx

        failure: ModelError | None = None
        body = b""
        try:
            async with self._answered("GET", url, None, headers) as response:
                if response.status_code in (404, 405, 501):
                    failure = self._failures.no_list(response.status_code)
                elif not response.is_success:
                    failure = await self._refusal(response, "")
                else:
                    async for chunk in response.aiter_bytes():
                        body += chunk
                        if len(body) > MAX_LIST:
                            failure = self._failures.no_list()
                            break
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
            failure = self._transport(error)
        if failure is not None:  # as in `stream`
            raise failure
        return body

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            import httpx

            endpoint = self._endpoint
            idle, connect = endpoint.stream_idle_timeout_secs, endpoint.connect_timeout_secs
            self._client = httpx.AsyncClient(
                timeout=httpx.Timeout(idle, connect=connect, pool=connect),
                follow_redirects=False,
                verify=_authorities(endpoint),
                proxy=endpoint.proxy or None,
                # without a proxy of its own an endpoint has the environment's, but for this machine (W12)
                trust_env=endpoint.proxy is None and not is_loopback(endpoint.base_url),
            )
        return self._client

    async def _headers(self) -> dict[str, str]:
        key = await self._key.get()
        self._failures.hide(key)
        if key is None and self._endpoint.key_env and not is_loopback(self._endpoint.base_url):
            raise self._failures.no_credentials()
        if key is not None and not re.fullmatch(r"[\x21-\x7e]+", key):
            raise self._failures.unusable_key()
        auth = self._endpoint.auth or self._wire.auth
        sent: dict[str, str] = {"authorization": f"Bearer {key}"} if auth == "bearer" else {auth: key or ""}
        return {
            "accept": self._wire.media,
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": f"jp-tui/{__version__}",
            **self._wire.headers,
            **(sent if key else {}),
            **{name.lower(): value for name, value in self._endpoint.headers.items()},
        }

    @asynccontextmanager
    async def _answered(
        self, method: str, url: str, body: bytes | None, headers: dict[str, str]
    ) -> AsyncIterator[httpx.Response]:
        """Return a response once its headers are complete: each read has a time limit, and so have all together."""
        import httpx

        client, limit, dialled = self._open(), self._read_timeout(), Dialled()
        request = client.build_request(method, url, content=body, headers=headers, extensions={"trace": dialled})
        response: httpx.Response | None = None
        try:
            with dialled.reading():
                async with asyncio.timeout(limit):
                    response = await client.send(request, stream=True)
        except TimeoutError:
            raise self._failures.no_progress(limit) from None
        except httpx.RemoteProtocolError:
            if dialled.informational is None:
                raise
        if response is None:  # as in `stream`
            raise self._failures.status(dialled.informational or 0, b"", "")
        try:
            yield response
        finally:
            await response.aclose()

    def _read_timeout(self) -> float:
        """Return the seconds a response may take without a complete event (Z27). Longer only if the user allows longer
        silence: slow local servers read a long prompt for more than 10 minutes."""
        return max(NO_PROGRESS_SECS, self._endpoint.stream_idle_timeout_secs)

    def _progress(self, last: float, progressed: bool) -> float:
        now, limit = asyncio.get_running_loop().time(), self._read_timeout()
        if not progressed and now - last > limit:
            raise self._failures.no_progress(limit)
        return now if progressed else last

    @staticmethod
    def _size(delta: Delta) -> int:
        return len(delta.text.encode("utf-8", "replace")) if isinstance(delta, PartGrew) else 0

    async def _refusal(self, response: httpx.Response, model: str) -> ModelError | None:
        """Return why there is no stream, or None. If a server stalls while sending its message, the status suffices."""
        media = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.is_success and (media == self._wire.media or ("html" not in media and not media.endswith("json"))):
            return None
        body = await self._words(response)
        if response.is_success:
            return self._failures.not_a_stream(media, body, model)
        seconds = asked_wait(response.headers, _server_time(response.headers.get("date", "")))
        return self._failures.status(response.status_code, body[:MAX_BODY], model, seconds)

    async def _words(self, response: httpx.Response) -> bytes:
        """Return the beginning of a refusal: what arrives within the limit for one read."""
        import httpx

        body = b""
        with suppress(TimeoutError, httpx.TransportError):
            async with asyncio.timeout(self._endpoint.stream_idle_timeout_secs):
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) >= MAX_BODY:
                        break
        return body

    def _transport(self, error: BaseException) -> ModelError:
        """Classify an error of the HTTP library or the system."""
        import httpx

        causes = _causes(error)
        if isinstance(error, (httpx.ReadTimeout, httpx.WriteTimeout)):
            return self._failures.stalled()
        if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
            return self._failures.refused()
        for cause in causes:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return self._failures.certificate(cause.verify_message)
            if isinstance(cause, socket.gaierror):
                return self._failures.unreachable("its name is unknown here")
        if isinstance(error, httpx.ConnectTimeout):
            seconds = self._endpoint.connect_timeout_secs
            return self._failures.unreachable(f"no connection within {seconds:g} s")
        if isinstance(error, httpx.ProxyError):
            return self._failures.unreachable("the proxy refused")
        if isinstance(error, (httpx.ConnectError, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)):
            return self._failures.unreachable("the connection failed")
        return cut()


def _authorities(endpoint: Endpoint) -> ssl.SSLContext:
    """The certificate authorities: those of the system or of SSL_CERT_FILE and SSL_CERT_DIR, and the endpoint's own.
    Raises OSError for a file that can't be read as certificates."""
    if not endpoint.ca_file or urlsplit(endpoint.base_url).scheme != "https":
        return _shared_authorities(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    import httpx

    context = httpx.create_ssl_context()
    context.load_verify_locations(cafile=endpoint.ca_file)
    return context


@cache
def _shared_authorities(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """Return one context for all endpoints: to read the system's authorities takes 20 ms. httpx reads the variables."""
    import httpx

    return httpx.create_ssl_context()


def _causes(error: BaseException) -> list[BaseException]:
    """Return the exception and all its causes, groups expanded."""
    found: list[BaseException] = []
    todo: list[BaseException | None] = [error]
    while todo and len(found) < 50:
        each = todo.pop()
        if each is not None and each not in found:
            found.append(each)
            todo += [each.__cause__, each.__context__]
            todo += each.exceptions if isinstance(each, BaseExceptionGroup) else []
    return found


def _server_time(date: str) -> datetime:
    """Return the server's clock, because its dates refer to it; the local one if unknown."""
    try:
        at = parsedate_to_datetime(date)
    except (ValueError, TypeError):
        return datetime.now(UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


async def _sliced(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Split into chunks that are fast to process: unpacked, a small chunk may be a thousand times larger."""
    async for chunk in chunks:
        for at in range(0, len(chunk), SLICE):
            if at:
                await asyncio.sleep(0)
            yield chunk[at : at + SLICE]


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read the rest of a complete response, for a short time only."""
    import httpx

    try:
        async with asyncio.timeout(DRAIN_SECS):
            async for _ in chunks:
                pass
    except (TimeoutError, httpx.HTTPError):
        pass
