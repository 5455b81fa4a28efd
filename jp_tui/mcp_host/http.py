"""A server behind streamable HTTP, with a bound for each message, and for notifications (mcp.md P50, P51)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client

from jp_tui.mcp_host.dropped import Dropped
from jp_tui.mcp_host.frames import FrameProblem
from jp_tui.mcp_host.log_file import LogFile
from jp_tui.mcp_host.login import FAILED, Login, LoginProblem

_CONNECT = 30.0
_PROXY = "the proxy of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY"
_NO_PROXY = ("all://127.0.0.1", "all://[::1]", "all://localhost", "all://*.localhost")
"""This machine, which no proxy of the environment stands for."""


class _Refused(httpx2.TransportError):
    """A response isn't taken; the message follows the server's name."""


class _Body(httpx2.AsyncByteStream):
    """A body of at most `most` bytes, unless it is a stream of events, which has a bound for each. `fails` gets why it
    can't be read. The SDK would end the connection over other exceptions."""

    def __init__(self, stream: Any, most: int, fails: Callable[[str], None]) -> None:
        self._stream, self._most, self._fails = stream, most, fails

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for chunk in self._stream:
                size += len(chunk)
                if size > self._most:
                    raise _Refused(f"sent a message over {self._most / (1 << 20):.3g} MiB")
                yield chunk
        except httpx2.TransportError as error:
            self._fails(_words(error))
            raise httpx2.StreamError(_words(error)) from error

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Client(httpx2.AsyncClient):
    """A client whose requests fail alone, with an empty response of the status that `fails` returns. The SDK would end
    the whole connection over an exception."""

    def __init__(self, fails: Callable[[Exception], int], **keys: Any) -> None:
        super().__init__(**keys)
        self._fails = fails

    async def send(self, request: Any, **more: Any) -> Any:
        try:
            return await super().send(request, **more)
        except (LoginProblem, httpx2.TransportError, httpx2.StreamError) as problem:
            return httpx2.Response(self._fails(problem), request=request)


class _Answering:
    """The SDK's stream to a server; what went out is noted in `dropped`."""

    def __init__(self, inner: Any, dropped: Dropped) -> None:
        self._inner, self._dropped = inner, dropped

    async def send(self, item: Any) -> None:
        await self._inner.send(item)
        self._dropped.answered(item.message)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class HttpServer:
    """A transport of the SDK for the server at `url`; `fault` is why its output was given up. `login` is None for a
    server that gets its credentials by `headers`. Proxies and certificate authorities are those of the environment.
    Raises FrameProblem where they can't be used."""

    def __init__(
        self, url: str, headers: Mapping[str, str], most: int, log: LogFile, login: Login | None = None
    ) -> None:
        self._most, self.login = most, login
        self._dropped = Dropped(log)
        self._filtering: asyncio.Task[None] | None = None
        self._starting, self._status, self.fault = True, 0, ""
        timeout = httpx2.Timeout(_CONNECT, read=None)  # how long a call may take is decided by the program
        try:
            self._client = _Client(
                self._fails,
                headers={"accept-encoding": "identity", **headers},
                timeout=timeout,
                auth=login,
                mounts=dict.fromkeys(_NO_PROXY),
                event_hooks={"request": [self._sends], "response": [self._looks]},
            )
        except OSError as error:
            why = f"the certificates of SSL_CERT_FILE or SSL_CERT_DIR can't be read ({error.strerror or error})"
            raise FrameProblem(f"can't be reached: {why}") from error
        except ImportError as error:
            raise FrameProblem(f"can't be reached: {_PROXY} needs the package socksio") from error
        except (ValueError, httpx2.InvalidURL) as error:
            raise FrameProblem(f"can't be reached: {_PROXY} can't be used") from error
        self._inner: AbstractAsyncContextManager[Any] = streamable_http_client(
            url, http_client=self._client, max_sse_event_size=most
        )

    async def _sends(self, request: Any) -> None:
        self._status = 0

    async def _looks(self, response: Any) -> None:
        """Bound the body of a response, and keep why it is none. Raises _Refused."""
        status = self._status = response.status_code
        failed = FAILED.get()
        if failed is not None:
            failed[:] = [self._status_words()] if status >= 400 else []
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise _Refused("sent a compressed answer, which isn't taken")  # it may be of any size
        streams = response.headers.get("content-type", "").startswith("text/event-stream")
        if not streams or status >= 400 or response.request.extensions.get("bounded"):
            response.stream = _Body(response.stream, self._most, partial(self._unread, failed))

    def _unread(self, failed: list[str] | None, why: str) -> None:
        if failed is not None:
            failed.append(why)
        elif self._starting:
            self.fault = why

    def _fails(self, problem: Exception) -> int:
        """Keep why a request failed; return the status for it. While it starts, the connection fails."""
        login = isinstance(problem, LoginProblem)
        if login and self._starting and self.login is not None:
            self.login.problem = str(problem)
        elif self._starting and not login:
            raise problem
        if (failed := FAILED.get()) is not None:
            failed.append(_words(problem))
        return 401 if login else 502

    def started(self) -> None:
        """From now on a request that fails ends nothing else."""
        self._starting = False
        if self.login is not None:
            self.login.starting = False

    @property
    def floods(self) -> bool:
        """Return whether it sends more than is taken."""
        return self._dropped.pace.floods

    @property
    def refusal(self) -> str:
        """Return why the last response is none: a login that is missing or failed, or its status."""
        if self.login is not None and self.login.problem:
            return self.login.problem
        return self._status_words() if self._status >= 400 else ""

    def _status_words(self) -> str:
        told = f"answered with HTTP status {self._status}"
        if self._status not in (401, 403):
            return told
        credentials = "it rejected your login" if self.login is not None else "it needs other credentials"
        return f"{told}: {credentials}" + ("" if self.login is not None else " (bearer_env, headers_from)")

    async def end_login(self) -> str | None:
        """See `Login.end`. An address that can't be reached is a failure, too. Raises LoginProblem."""
        if self.login is None:
            return None
        try:
            async with self._client:
                return await self.login.end(partial(self._client.send, auth=None))
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            return _words(error)

    def stop_login(self) -> None:
        """Wait no longer for a login."""
        if self.login is not None:
            self.login.abort()

    async def __aenter__(self) -> Any:
        await self._client.__aenter__()
        read, write = await self._inner.__aenter__()
        self._in, kept = anyio.create_memory_object_stream[Any](0)
        self._filtering = asyncio.create_task(self._filter(read))
        return kept, _Answering(write, self._dropped)

    async def __aexit__(self, *error: Any) -> Any:
        self._dropped.close()
        try:
            return await self._inner.__aexit__(*error)  # nothing may be awaited before it: its scope may be cancelled
        finally:
            if self._filtering is not None:
                self._filtering.cancel()
                await asyncio.gather(self._filtering, return_exceptions=True)
            await self._client.__aexit__(None, None, None)

    async def _filter(self, read: Any) -> None:
        """Pass on what the server sends, but for notifications above the bound."""
        try:
            async for sent in read:
                exceeded = self._dropped.pace.exceeded()
                if not self._dropped.refuses(getattr(sent, "message", None), exceeded=exceeded):
                    await self._in.send(sent)
                await self._dropped.pace.rest()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        finally:
            self._in.close()


def unreachable(error: BaseException) -> str:
    """Return why no connection could be made; empty for other errors."""
    if isinstance(error, httpx2.ProxyError):
        return f"the proxy refused ({error})"
    if not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return ""
    known = "CERTIFICATE_VERIFY_FAILED" not in str(error)
    return str(error) if known else f"{error}. Set SSL_CERT_FILE to your network's certificate authority"


def _words(problem: Exception) -> str:
    """Return why a request failed, to follow the server's name."""
    if isinstance(problem, httpx2.TransportError) and not isinstance(problem, _Refused):
        return f"can't be reached: {unreachable(problem) or str(problem) or type(problem).__name__}"
    return str(problem)


def proxy_passwords() -> Iterator[str]:
    """Yield the passwords of the environment's proxies, as they are written and as they are meant."""
    for address in getproxies().values():
        with contextlib.suppress(ValueError):
            if password := urlsplit(address if "://" in address else f"http://{address}").password:
                yield from (password, unquote(password))
