"""Logins at HTTP servers with OAuth, by the SDK's provider (mcp.md P60).

What is added to it: a person is asked before a browser opens; a stored login knows its end and its authorization
server; only https is spoken away from this machine; and what fails ends one request instead of the connection.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import anyio
import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.utils import extract_field_from_www_auth, union_scopes
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, BaseModel, PrivateAttr, ValidationError

from jp_tui.mcp_host.redirect import RedirectListener
from jp_tui.mcp_host.token_store import Kept, TokenProblem, TokenStore, aside

LOGIN_SECS = 600.0
"""Seconds for a person to log in."""
FAILED: ContextVar[list[str] | None] = ContextVar("failed", default=None)
"""Receives the words of a failed login: the SDK sends a request in the context of its caller."""
_LOCAL = ("127.0.0.1", "::1", "localhost")
_TEXT = 300
_FOUND = (
    "client_info", "current_tokens", "token_expiry_time", "auth_server_url", "oauth_metadata",
    "protected_resource_metadata",
)  # fmt: skip


class LoginProblem(Exception):
    """A request can't be made without a login, or the login failed; the message follows the server's name."""


class _Metadata(OAuthClientMetadata):
    """Client metadata. The SDK sets `scope` to what the server wants; a login may ask for other ones."""

    _decide: Any = PrivateAttr(None)

    def by(self, decide: Callable[[str | None], str | None]) -> OAuthClientMetadata:
        """Let `decide` say what is asked for, given what the server wants."""
        self._decide = decide
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, self._decide(value) if name == "scope" and self._decide is not None else value)


class _Storage:
    """The SDK's port for tokens. It gets what the login has already taken from its store, and a login is kept as a
    whole."""

    def __init__(self, login: Login) -> None:
        self._login = login

    async def get_tokens(self) -> OAuthToken | None:
        found: OAuthToken | None = self._login.context.current_tokens
        return found

    async def set_tokens(self, tokens: OAuthToken) -> None:
        await self._login.keep()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        found: OAuthClientInformationFull | None = self._login.context.client_info
        return found

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        return


class Login(OAuthClientProvider):
    """The login at the server `url`.

    `given` is what the program says of it: `name`, `fresh` (log in again), the keys of `oauth` with the secret's value,
    `folder` and `keyring`. `may_ask` returns whether a person can be asked now; `ask` shows an address and returns
    False after a no; `asked` is called when the answer is there, or none comes. `hide` keeps a text out of every log
    and message. While `starting`, a `problem` ends every further request.
    """

    def __init__(
        self,
        url: str,
        given: Mapping[str, Any],
        *,
        may_ask: Callable[[], bool],
        ask: Callable[[str], Awaitable[bool]],
        asked: Callable[[], Awaitable[None]],
        hide: Callable[[str], None],
        log: Callable[[str], None],
    ) -> None:
        self._given, self._hide, self._log = given, hide, log
        self._may_ask, self._ask, self._asked = may_ask, ask, asked
        hide(given["client_secret"])
        self._local = usable_host(url, local=True) in _LOCAL
        self._listener = RedirectListener()
        self._store = TokenStore(Path(given["folder"]), keyring=given["keyring"])
        self._lock = anyio.Lock()
        self._loaded = False
        self._fresh = bool(given["fresh"])
        self._step_up = False
        self._wanted_later: str | None = None
        self.starting, self.problem = True, ""
        self.kept: Kept | None = None
        self.unkept = ""
        metadata = _Metadata(redirect_uris=[AnyUrl("http://127.0.0.1/callback")], client_name="jp-tui")
        super().__init__(
            url,
            metadata.by(self._scopes),
            _Storage(self),
            self._shown,
            self._answered,
            client_metadata_url=given["client_metadata_url"] or None,
        )

    @property
    def needed(self) -> str:
        """Return the words of a login that is missing."""
        return f"needs a login: jp-tui mcp login {self._given['name']}"

    def abort(self) -> None:
        """End a login that waits for its answer."""
        self._listener.abort()

    # --- requests ---------------------------------------------------------------------------------------------

    async def _auth_flow(self, request: Any) -> Any:
        """Send a request with the token. The SDK's own flow would hold its lock until a response comes, and would hold
        up answers to what the server asks before it responds; here it runs only for a response that wants a login."""
        context = self.context
        self._unless_failed()
        context.protocol_version = request.headers.get("mcp-protocol-version")
        if not self._loaded or self._expired():
            async with self._lock:
                self._unless_failed()  # while another request had the lock
                await self._load()
                if self._expired():
                    async with self._renewal() as renewal:
                        if renewal is not None:
                            await self._renewed((yield renewal))
        used = self._bearer(request)
        response = yield request
        if not _wants_login(response):
            return
        async with self._lock:
            if self._token() not in ("", used):  # another request was faster
                used = self._bearer(request)
                response = yield request
                if not _wants_login(response):
                    return
            if response.status_code == 401 and used and context.can_refresh_token():
                async with self._renewal(used) as renewal:
                    if renewal is not None:
                        await self._renewed((yield renewal))
                if self._token() not in ("", used):
                    self._bearer(request)
                    response = yield request
                    if not _wants_login(response):
                        return
            self._step_up = response.status_code == 403
            if not self._may_ask():
                await self._refuse(response)
            before = self._found()
            flow = super()._auth_flow(request)
            done = False
            try:
                await self._listen()
                outgoing = await flow.__anext__()
                while outgoing is not request:
                    outgoing = await flow.asend((yield self._checked(outgoing)))
                outgoing = await flow.asend(response)
                while True:
                    response = yield (outgoing if outgoing is request else self._checked(outgoing))
                    outgoing = await flow.asend(response)
            except StopAsyncIteration:
                done = True
            except LoginProblem:
                raise
            except (OAuthFlowError, httpx2.InvalidURL, ValueError) as error:
                raise LoginProblem(f"can't be logged in to: {_line(error)}") from error
            finally:
                if not done:  # what a failed login found out about authorization servers isn't used for this one
                    self._found(before)
                await flow.aclose()
                await self._listener.close()

    def _unless_failed(self) -> None:
        """Raises LoginProblem: a failed login isn't tried again by the SDK's next attempt to start."""
        if self.starting and self.problem:
            raise LoginProblem(self.problem)

    def _found(self, back: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        """Return what is known of the login and its authorization server, or put `back` what was."""
        for name, value in zip(_FOUND, back, strict=False):
            setattr(self.context, name, value)
        return tuple(getattr(self.context, name) for name in _FOUND)

    async def _refuse(self, response: Any) -> None:
        """Tell that a login is missing, and keep the permissions that it should have. Raises LoginProblem."""
        scope = extract_field_from_www_auth(response, "scope") if self._step_up else None
        if scope is None or not self._token():
            raise LoginProblem(self.needed)
        self._wanted_later = union_scopes(self._wanted_later, scope)
        await self.keep()
        raise LoginProblem(f"wants more permissions than your login has ({_line(scope)}): {self.needed}")

    def _checked(self, request: Any) -> Any:
        """Return a request of the login itself. Raises LoginProblem if it goes where none may go."""
        context = self.context
        if not usable_host(str(request.url), local=self._local):
            raise LoginProblem(
                f"can't be logged in to: {_line(request.url.copy_with(query=None))} isn't an https address"
            )
        if request.method == "POST":
            self._known_server()
            methods = context.oauth_metadata.code_challenge_methods_supported if context.oauth_metadata else None
            if methods is not None and "S256" not in methods:
                raise LoginProblem("can't be logged in to: its authorization server doesn't know PKCE with S256")
            if self._given["client_id"] and context.client_info is None:
                raise LoginProblem(
                    "has another authorization server than at the last login. If that is right: "
                    f"jp-tui mcp logout {self._given['name']}, then log in again"
                )
        request.extensions["bounded"] = True
        return request

    def _bearer(self, request: Any) -> str:
        request.headers.pop("authorization", None)
        if token := self._token():
            request.headers["Authorization"] = f"Bearer {token}"
        return token

    def _token(self) -> str:
        tokens = self.context.current_tokens
        return tokens.access_token if tokens is not None else ""

    def _expired(self) -> bool:
        return not self.context.is_token_valid() and self.context.can_refresh_token()

    # --- renewal ----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _renewal(self, used: str | None = None) -> AsyncIterator[Any]:
        """Yield the request that renews the login; None if another process has done it, or `used` isn't the token any
        more."""
        async with self._store.renewing(self.context.server_url):
            before = self._token() if used is None else used
            if not self.unkept:
                await self._take()
            taken = self._token() != before and self.context.is_token_valid()
            if taken or not self.context.can_refresh_token():
                yield None
            else:
                yield self._checked(self._renewal_request())

    def _renewal_request(self) -> Any:
        """Return the request that renews the login, at the authorization server that gave it."""
        context = self.context
        tokens, client, about = context.current_tokens, context.client_info, context.oauth_metadata
        given = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token, "client_id": client.client_id}
        if context.should_include_resource_param(context.protocol_version):
            given["resource"] = context.get_resource_url()
        where = str(about.token_endpoint) if about is not None else urljoin(context.server_url, "/token")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        data, headers = context.prepare_token_auth(given, form)
        return httpx2.Request("POST", where, data=data, headers=headers)

    async def _renewed(self, response: Any) -> None:
        """Take the answer to a renewal. A server that is out of order ends no login. Raises LoginProblem."""
        context, before = self.context, self.context.current_tokens
        if response.status_code >= 500 or response.status_code == 429:
            raise LoginProblem(f"has a login that can't be renewed now (HTTP status {response.status_code})")
        if response.status_code != 200:
            self._log(f"its login isn't renewed: HTTP status {response.status_code}")
            context.clear_tokens()
            await self.keep()
            return
        try:
            made = OAuthToken.model_validate_json(await response.aread())
        except ValidationError as error:
            raise LoginProblem("has a login that can't be renewed: the answer isn't valid") from error
        made.scope = made.scope if made.scope is not None else before.scope
        made.refresh_token = made.refresh_token or before.refresh_token  # a server may go on with the old one
        context.current_tokens = made
        context.update_token_expiry(made)
        await self.keep()

    # --- its end ----------------------------------------------------------------------------------------------

    async def end(self, send: Callable[[Any], Awaitable[Any]]) -> str | None:
        """End the kept login at its authorization server (RFC 7009). Return why it failed, nothing where it is ended,
        and None where that server names no address for it. Raises LoginProblem."""
        await self._load()
        context = self.context
        tokens, client, about = context.current_tokens, context.client_info, context.oauth_metadata
        where = str(about.revocation_endpoint or "") if about is not None else ""
        if tokens is None or client is None or not where:
            return None
        if not usable_host(where, local=self._local):
            return f"{_line(where.partition('?')[0])} isn't an https address"
        kinds = {"refresh_token": tokens.refresh_token, "access_token": tokens.access_token}
        ended = False
        for kind, token in kinds.items():
            if not token:
                continue
            given = {"token": token, "token_type_hint": kind, "client_id": client.client_id}
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            data, headers = context.prepare_token_auth(given, form)
            request = httpx2.Request("POST", where, data=data, headers=headers, extensions={"bounded": True})
            status = (await send(request)).status_code
            if status != 200 and not (ended and status == 400):  # it may end both with the first (RFC 7009, 2.1)
                return f"HTTP status {status}"
            ended = True
        return ""

    # --- the login itself -------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        """Listen for the browser, on the port that the server knows where it knows one. Raises LoginProblem."""
        context, wanted = self.context, self._given["redirect_port"] or 0
        uris = context.client_info.redirect_uris if context.client_info is not None else None
        known = (uris[0].port or 0) if uris else 0
        try:
            await self._listener.open(wanted or known)
        except OSError as error:
            if wanted:
                raise LoginProblem(f"can't be logged in to: port {wanted} is in use ({error.strerror})") from error
            await self._listener.open()
        if known and known != self._listener.port and not self._given["client_id"]:
            context.client_info = None  # registered with another way back
        context.client_metadata.redirect_uris = [AnyUrl(self._listener.address)]

    async def _shown(self, url: str) -> None:
        """Show the address of a login to a person. Raises LoginProblem."""
        if not usable_host(url, local=self._local):
            where = _line(url.partition("?")[0])
            raise LoginProblem(f"can't be logged in to: its login has an address that can't be used ({where})")
        self._known_server()
        self._choose_method()
        self._listener.expect(parse_qs(urlsplit(url).query).get("state", [""])[0])
        if not await self._ask(url):
            raise LoginProblem(self.needed)

    async def _answered(self) -> AuthorizationCodeResult:
        """Wait for the browser. Raises LoginProblem."""
        try:
            answer = await self._listener.answer(LOGIN_SECS)
        except TimeoutError:
            raise LoginProblem(f"got no login within {LOGIN_SECS / 60:g} minutes: {self.needed}") from None
        finally:
            if self._listener.refused:
                self._log(f"refused {self._listener.refused} answers of a browser that belong to no open login")
                self._listener.refused = 0
            await self._asked()
        if answer.error:
            said = f" ({_line(answer.description)})" if answer.description else ""
            raise LoginProblem(f"can't be logged in to: its authorization server said {_line(answer.error)}{said}")
        self._hide(answer.code)
        return AuthorizationCodeResult(code=answer.code, state=answer.state, iss=answer.iss)

    def _known_server(self) -> None:
        """Check that a named authorization server has metadata: the SDK would use the MCP server itself. Raises
        LoginProblem."""
        if (where := self.context.auth_server_url) and self.context.oauth_metadata is None:
            raise LoginProblem(f"can't be logged in to: {_line(where)} has no valid metadata")

    def _choose_method(self) -> None:
        """Choose how a configured client proves itself: what the server takes, else the standard's default."""
        info, about = self.context.client_info, self.context.oauth_metadata
        if info is None or not self._given["client_id"]:
            return
        offered = about.token_endpoint_auth_methods_supported if about is not None else None
        methods = ("client_secret_basic", "client_secret_post") if info.client_secret else ("none",)
        info.token_endpoint_auth_method = next((one for one in methods if one in (offered or ())), methods[0])

    def _scopes(self, asked: str | None) -> str | None:
        """Return the scopes to ask for: the configured ones in place of what the server offers; what it demands for a
        request, and for an earlier one, is added."""
        own = " ".join(self._given["scopes"]) or None
        wanted = union_scopes(own, asked if self._step_up else None) if own else asked
        found: str | None = union_scopes(wanted, self._wanted_later)
        return found

    # --- what is kept -----------------------------------------------------------------------------------------

    async def _load(self) -> None:
        if self._loaded:
            return
        await self._take()
        self._loaded = True
        if self._fresh:
            self.context.clear_tokens()

    async def _take(self) -> None:
        """Take the stored login, unless it belongs to another client. Raises LoginProblem."""
        context, given = self.context, self._given
        try:
            found = await aside(partial(self._store.load, context.server_url)) or {}
        except TokenProblem as problem:
            failed = LoginProblem(f"has a login that can't be read: {problem}")
            self.problem = str(failed) if self.starting else ""
            raise failed from problem
        client = _model(OAuthClientInformationFull, found.get("client"))
        if client is not None and 0 < (client.client_secret_expires_at or 0) <= time.time():
            client, found = None, {}
        if given["client_id"]:
            issuer = client.issuer if client is not None and client.client_id == given["client_id"] else None
            found = found if client is not None and client.client_id == given["client_id"] else {}
            client = OAuthClientInformationFull(
                client_id=given["client_id"], client_secret=given["client_secret"] or None, issuer=issuer
            )
        if client is not None:
            context.client_info = client
        tokens = _model(OAuthToken, found.get("tokens"))
        ends = found.get("expires_at")
        context.current_tokens = tokens
        context.token_expiry_time = float(ends) if isinstance(ends, int | float) else None
        if tokens is None:
            return
        self._secret(tokens)
        context.oauth_metadata = _model(OAuthMetadata, found.get("metadata"))
        context.protected_resource_metadata = _model(ProtectedResourceMetadata, found.get("resource"))
        where = found.get("auth_server")
        context.auth_server_url = where if isinstance(where, str) else None
        self._wanted_later = found.get("wanted") if isinstance(found.get("wanted"), str) else None
        self._choose_method()

    async def keep(self) -> None:
        """Keep the login. Where it can't be kept it holds until the end of this process."""
        context = self.context
        tokens, client = context.current_tokens, context.client_info
        if tokens is not None:
            self._secret(tokens)
            if set((self._wanted_later or "").split()) <= set((tokens.scope or "").split()):
                self._wanted_later = None
        if client is not None:
            self._hide(client.client_secret or "")
            if self._given["client_id"] and context.oauth_metadata is not None:
                client.issuer = client.issuer or str(context.oauth_metadata.issuer)
            if self._given["client_id"]:
                client = client.model_copy(update={"client_secret": None})  # it stays in its variable
        kept = {
            "tokens": _plain(tokens),
            "expires_at": context.token_expiry_time,
            "client": _plain(client),
            "metadata": _plain(context.oauth_metadata),
            "resource": _plain(context.protected_resource_metadata),
            "auth_server": context.auth_server_url,
            "wanted": self._wanted_later,
        }
        try:
            self.kept, self.unkept = await aside(partial(self._store.save, context.server_url, kept)), ""
        except TokenProblem as problem:
            self.unkept = str(problem)
            self._log(f"its login isn't kept: {problem}")

    def _secret(self, tokens: OAuthToken) -> None:
        self._hide(tokens.access_token)
        self._hide(tokens.refresh_token or "")


def usable_host(url: str, *, local: bool) -> str:
    """Return the host of an address that a login may use, empty for any other: https, and with `local` also http to
    this machine; no user part, nothing that a terminal or a browser reads differently."""
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        return ""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if "@" in parts.netloc or parts.scheme not in ("https", "http"):
        return ""
    return host if parts.scheme == "https" or (local and host in _LOCAL) else ""


def _wants_login(response: Any) -> bool:
    if response.status_code == 403:
        return bool(extract_field_from_www_auth(response, "error") == "insufficient_scope")
    return bool(response.status_code == 401)


def _model(kind: Any, value: Any) -> Any:
    """Return a stored part; None for one that can't be read."""
    try:
        return kind.model_validate(value) if isinstance(value, dict) else None
    except ValidationError:
        return None


def _plain(value: BaseModel | None) -> dict[str, Any] | None:
    return None if value is None else value.model_dump(mode="json", exclude_none=True)


def _line(said: object) -> str:
    """Return a text of others as one short line."""
    if isinstance(said, ValidationError):
        said = "its answer isn't valid"
    line = " ".join(str(said).split())
    return line if len(line) <= _TEXT else f"{line[:_TEXT]}…"
